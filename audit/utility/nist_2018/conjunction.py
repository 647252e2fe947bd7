"""Random conjunctions: the second score of the NIST 2018 challenge, "classification"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.utility.compat.nist_2018_conjunctions import (
    PROGRAM_PROBABILITY,
    founding_rows,
    listed_codes,
    program_score,
)
from audit.utility.metric import generator
from audit.utility.nist_2018.challenge_score import PERFECT, Nist2018Score
from audit.utility.nist_2018.conjunction_queries import (
    Among,
    Blank,
    Condition,
    Near,
    Query,
    check_query,
    count_satisfying,
    plain,
    read_query,
)
from audit.utility.numeric_columns import midpoints_note
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Breakdown, Score, jackknife_parts, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError

LEAST_SHARE = 1e-6
"""Shares below count as this one (DPSyn experiences, section 5.1; the local scorer)."""

PROBABILITY = 0.33
"""The chance of a condition on an attribute (Li et al., section 2; DPSyn experiences, 5.1)."""


@dataclass(frozen=True, kw_only=True)
class Conjunction(Nist2018Score):
    """10^6 · max(0, 1 - r/ln 1000), r the root mean square log error of random queries.

    ``draws`` real records each found a query, which puts a condition on an attribute
    with chance ``probability``: of a listed attribute, that the value is one of a set,
    the record's own value and uniform draws from the declared ones until the first
    repeat; of a binned one, that the number is within a radius of the record's own,
    the radius uniform between 0 and the width of the domain; or that there is no
    number either. With f the share of records that satisfy the query, the log error is
    ln max(f_S, 10^-6) - ln max(f_T, 10^-6).

    Mode "fixed" founds queries on different records (all of them if there are no more
    than ``draws``), and on none without a condition: it draws them given that they have
    one. ``probability`` None takes 0.33.

    Mode "nist-2018" gives the program's number bit for bit on the same queries, a query
    without a condition included, which is satisfied by every record. Its draws follow
    the program's law: records repeat, and repeats collapse; ``probability`` None takes
    0.10. The program stops at a blank among listed values; here a blank is a value. A
    column that the synthetic file lacks satisfies every condition there; here such a
    table is refused.

    ``drawn`` repeats values of single real records. ``parts`` are contributions with the
    value, before it is cut off at 0, for mean, and the jackknife's standard error.

    Source: DPSyn experiences, section 5.1; Bowen & Snoke, section 4 (which prints
    ln 10^-3, of the wrong sign); the local scorer of Match 3 and its generator.
    """

    name = "conjunction"
    family = "queries"

    draws: int = 300
    probability: float | None = None
    seed: int = 0
    given: tuple[Query, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        self.at_least(1, "draws")
        if self.probability is not None and not 0 < self.probability <= 1:
            raise InputError(
                f"{self.name}: probability must be above 0 and at most 1, not {self.probability}"
            )
        if self.given is not None and not self.given:
            raise InputError(f"{self.name}: no query is given; leave the list out, or give one")

    def check(self, domain: Domain) -> None:
        """Refuse given queries that do not fit the domain."""
        for query in self.given or ():
            check_query(query, domain)

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these queries, objects of conditions by attribute."""
        return replace(self, given=tuple(map(read_query, drawn)))

    def queries(self, real: Records) -> tuple[Query, ...]:
        """The queries, given or drawn; drawn ones depend on the real table and the seed alone."""
        if self.given is not None:
            return self.given
        random = generator(self.name, self.seed)
        if self.reproduces:
            rows = founding_rows(real.records, self.draws, random)
        else:
            size = min(self.draws, real.records)
            rows = _canonical(real)[random.choice(real.records, size=size, replace=False)]
        columns = len(real.domain.attributes)
        found = []
        for row in rows.tolist():
            chosen = _choose(columns, self._probability, not self.reproduces, random)
            found.append(tuple(self._condition(real, row, column, random) for column in chosen))
        return tuple(found)

    def score(self, pair: Pair) -> Score:
        """The score; undefined if the program's logarithm is, of a share of 0.

        Raises ``NeedsRecords`` for a table that is only counted.
        """
        real, synthetic = pair.tables
        queries = self.queries(real)
        shares = [
            (found / real.records, matching / synthetic.records)
            for found, matching in zip(
                count_satisfying(real, queries), count_satisfying(synthetic, queries), strict=True
            )
        ]
        fields = {
            "seed": self.seed if self.given is None else None,
            "drawn": tuple(map(plain, queries)),
        }
        unfounded = sum(share == 0 for share, _ in shares)
        if self.reproduces and unfounded:
            return self.undefined(
                f"no real record satisfies {unfounded} of the {len(queries)} queries, and the "
                "program takes the logarithm of their share",
                **fields,
            )
        least = 0.0 if self.reproduces else LEAST_SHARE
        errors = [math.log(max(s, LEAST_SHARE)) - math.log(max(r, least)) for r, s in shares]
        value, spread = self._value(errors)
        parts = _contributions(errors, spread)
        return self.scored(
            value,
            parts=parts,
            standard_error=standard_error(parts),
            stated=self._notes(pair, queries, spread, unfounded),
            details=(_breakdown(queries, shares, errors),),
            **fields,
        )

    def _value(self, errors: list[float]) -> tuple[float, float]:
        """The score and the root mean square, in the program's order of operations in its mode."""
        if self.reproduces:
            return program_score(errors)
        spread = math.sqrt(math.fsum(error * error for error in errors) / len(errors))
        return PERFECT * max(0.0, 1 - spread / math.log(1000)), spread

    @property
    def _probability(self) -> float:
        if self.probability is not None:
            return self.probability
        return PROGRAM_PROBABILITY if self.reproduces else PROBABILITY

    def _condition(
        self, real: Records, row: int, column: int, random: np.random.Generator
    ) -> Condition:
        attribute = real.domain.attributes[column]
        if attribute.edges is not None:
            centre = float(real.numbers(attribute.name)[row])
            if math.isnan(centre):
                return Blank(attribute.name)
            span = float(attribute.edges[-1]) - float(attribute.edges[0])
            return Near(attribute.name, centre, float(random.uniform(0, span)))
        labels: tuple[str | None, ...] = (*attribute.labels, None)
        codes = {int(real.codes[row, column]): None}
        size = listed_codes(attribute) if self.reproduces else attribute.size
        while (code := int(random.integers(size))) not in codes:
            codes[code] = None
        return Among(attribute.name, tuple(labels[code] for code in codes))

    def _notes(
        self, pair: Pair, queries: tuple[Query, ...], spread: float, unfounded: int
    ) -> tuple[str, ...]:
        conditions = sum(map(len, queries)) / len(queries)
        empty = sum(not query for query in queries)
        sentences = [f"root mean square log error {spread:.6g}"]
        if spread > math.log(1000):
            sentences.append("cut off at 0")
        if self.given is not None:
            sentences.append(f"{len(queries)} given queries of {conditions:.3g} conditions each")
        else:
            sentences.append(
                f"{len(queries)} queries of {conditions:.3g} conditions each, every attribute with "
                f"chance {self._probability:g}; sets of values grow until the first repeat"
            )
            sentences.append("the draws repeat values of single real records")
        if self.given is None and self.reproduces:
            sentences.append("the program's law, from a generator of this project")
        if empty:
            sentences.append(f"{empty} queries have no condition and count as perfect")
        if unfounded:
            sentences.append(f"{unfounded} given queries are satisfied by no real record")
        return (*sentences, *midpoints_note(pair))


def _choose(columns: int, probability: float, some: bool, random: np.random.Generator) -> list[int]:
    """Each column with the same chance, independently; with ``some``, given that it is not none.

    The first of them is then geometric, cut off after the last column.
    """
    included = random.random(columns) < probability
    if some:
        chances = probability * (1 - probability) ** np.arange(columns)
        first = int(random.choice(columns, p=chances / chances.sum()))
        included[:first] = False
        included[first] = True
    return [int(column) for column in np.flatnonzero(included)]


def _canonical(records: Records) -> NDArray[np.int64]:
    """The rows in an order that depends on the records alone, not on that of the file.

    They are sorted by a polynomial of their codes and numbers modulo 2^64. Records
    that agree in it are the same ones, or once in a very long time not, and then
    only this invariance is lost.
    """
    multiplier = np.uint64(0x9E3779B97F4A7C15)
    keys = np.zeros(records.records, dtype=np.uint64)
    columns = [records.codes[:, column] for column in range(records.codes.shape[1])]
    # Adding 0 makes 0 of -0.
    numbers = [
        np.nan_to_num(records.binned[name], nan=0.0) + 0.0 for name in sorted(records.binned)
    ]
    for column in (*columns, *numbers):
        keys = keys * multiplier + column.view(np.uint64)
    return np.argsort(keys, kind="stable")


def _contributions(errors: list[float], spread: float) -> tuple[float, ...]:
    """What each query contributes to 10^6 · (1 - spread/ln 1000)."""
    value = PERFECT * (1 - spread / math.log(1000))
    if len(errors) == 1:
        return (value,)
    squares = np.square(errors)
    rest = np.sqrt(np.maximum(squares.sum() - squares, 0) / (len(errors) - 1))
    return jackknife_parts(value, (PERFECT * (1 - rest / math.log(1000))).tolist())


def _breakdown(
    queries: tuple[Query, ...], shares: list[tuple[float, float]], errors: list[float]
) -> Breakdown:
    worst = sorted(zip(queries, shares, errors, strict=True), key=lambda item: -abs(item[2]))
    return Breakdown.of_worst(
        "queries",
        ("attributes", "real share", "synthetic share", "log error"),
        [(" × ".join(c.attribute for c in query), *both, error) for query, both, error in worst],
        "log error",
    )
