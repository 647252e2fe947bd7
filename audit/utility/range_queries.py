"""Random range queries: the relative error of the share of records that match random conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import value_labels
from audit.utility.metric import Metric, generator
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Breakdown, Entry, Score, standard_error
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError

RangeQuery = tuple[tuple[str, tuple[int, ...]], ...]
"""Conditions on distinct attributes, in the domain's order: the name, the ascending codes."""

EXPECTED_CONDITIONS = 3
"""Conditions a query has on average by default: Li et al. query the three of their domain."""

_FORM = 'a query is an object of codes by attribute, as in {"MONTH": [0, 1, 2], "TYPE": [4, 17]}'


@dataclass(frozen=True, kw_only=True)
class RangeQueries(Metric):
    """The mean relative error of ``draws`` random counting queries.

    A query includes every attribute with probability ``include``, redrawn while it
    has none; None takes min(1, 3/d) of d attributes. The condition on an ordinal or
    binned attribute is an interval of round(share · values) successive values, its
    place uniform; on any other one a uniform subset of round(share · values) values,
    the missing one included; at least one value each time. With f the share of
    records that match, the error is |f_S - f_T| / max(f_T, floor), where
    floor = max(floor_records, floor_share · n)/n and n counts the real records. With
    ``counts`` the numbers of records stand in place of the shares, and of n times
    the floor.

    Source: Li et al., table 1 ("relative error of 300 randomly generated range queries,
    each of which queries on the count in 30% of month, neighborhood and incident
    types"); the kind of range, the floor and the mean are not given there and are
    stated with the score.
    """

    name = "range-queries"
    family = "queries"
    lowest, highest, direction = 0.0, math.inf, "lower"

    draws: int = 300
    share: float = 0.3
    include: float | None = None
    floor_records: int = 10
    floor_share: float = 0.001
    counts: bool = False
    seed: int = 0
    given: tuple[RangeQuery, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        super().__post_init__()
        self.at_least(1, "draws")
        if not 0 < self.share <= 1:
            raise InputError(f"{self.name}: share must be above 0 and at most 1, not {self.share}")
        if self.include is not None and not 0 < self.include <= 1:
            raise InputError(
                f"{self.name}: include must be above 0 and at most 1, not {self.include}"
            )
        if self.floor_records < 0 or not 0 <= self.floor_share <= 1:
            raise InputError(
                f"{self.name}: the floor needs floor_records of at least 0 and a floor_share from "
                f"0 to 1, not {self.floor_records} and {self.floor_share}"
            )
        if self.floor_records == 0 and self.floor_share == 0:
            raise InputError(
                f"{self.name}: one of floor_records and floor_share must be positive, or a query "
                "that no real record matches has no relative error"
            )

    def check(self, domain: Domain) -> None:
        """Refuse given queries that do not fit the domain."""
        for query in self.given or ():
            for name, codes in query:
                if codes[-1] >= domain.attribute(name).size:
                    raise InputError(
                        f"{self.name}: a given query has the code {codes[-1]} of {name!r}, whose "
                        f"codes end at {domain.attribute(name).size - 1}"
                    )

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these queries, objects of codes by attribute."""
        return replace(self, given=tuple(map(_read_query, drawn)))

    def queries(self, domain: Domain) -> tuple[RangeQuery, ...]:
        """The queries, given or drawn; drawn ones depend on the domain and the seed alone."""
        if self.given is not None:
            return self.given
        random = generator(self.name, self.seed)
        chance = self._include(domain)
        drawn: list[RangeQuery] = []
        while len(drawn) < self.draws:
            included = np.flatnonzero(random.random(len(domain.attributes)) < chance)
            chosen = [domain.attributes[column] for column in included]
            query = tuple((a.name, _condition(a, self.share, random)) for a in chosen)
            if query:
                drawn.append(query)
        return tuple(drawn)

    def score(self, pair: Pair) -> Score:
        """The mean error over the queries; always defined."""
        queries = self.queries(pair.domain)
        real, synthetic = (_matching(table, queries) for table in pair.tables)
        n, m = pair.records
        least = max(self.floor_records, self.floor_share * n)
        if self.counts:
            errors = np.abs(synthetic - real) / np.maximum(real, least)
        else:
            errors = np.abs(synthetic / m - real / n) / np.maximum(real / n, least / n)
        parts = tuple(errors.tolist())
        middle, high = np.quantile(errors, [0.5, 0.95]).tolist()
        mean = math.fsum(parts) / len(parts)
        return self.scored(
            mean,
            seed=self.seed if self.given is None else None,
            drawn=tuple({name: list(codes) for name, codes in query} for query in queries),
            parts=parts,
            standard_error=standard_error(parts),
            stated=(
                *self._law(pair.domain),
                f"floor {least:g} records, a share of {least / n:g}; "
                f"{int(np.count_nonzero(real < least))} of {len(queries)} queries match fewer real "
                "records, and their errors are relative to it",
                f"median {middle:.6g}, 95th percentile {high:.6g}",
            ),
            details=(
                Breakdown(
                    "distribution",
                    ("statistic", "relative error"),
                    (("mean", mean), ("median", middle), ("95th percentile", high)),
                ),
                self._worst(pair.domain, queries, real, synthetic, errors, (n, m)),
            ),
        )

    def _include(self, domain: Domain) -> float:
        if self.include is not None:
            return self.include
        return min(1.0, EXPECTED_CONDITIONS / len(domain.attributes))

    def _law(self, domain: Domain) -> tuple[str, ...]:
        of = "counts of records" if self.counts else "shares of records"
        if self.given is not None:
            return (f"{of}; the queries were given",)
        return (
            f"{of}; every attribute with probability {self._include(domain):g}, queries without "
            "any redrawn",
            f"conditions on about {self.share:g} of the values: an interval of an ordinal or "
            "binned attribute (the missing value never in it), else a uniform subset",
        )

    def _worst(
        self,
        domain: Domain,
        queries: tuple[RangeQuery, ...],
        real: NDArray[np.int64],
        synthetic: NDArray[np.int64],
        errors: NDArray[np.float64],
        records: tuple[int, int],
    ) -> Breakdown:
        rows: list[tuple[Entry, ...]] = [
            (
                _words(queries[k], domain),
                float(real[k] / records[0]),
                float(synthetic[k] / records[1]),
                float(errors[k]),
            )
            for k in np.argsort(-errors, kind="stable").tolist()
        ]
        columns = ("query", "real share", "synthetic share", "relative error")
        return Breakdown.of_worst("queries", columns, rows, "relative error")


def _condition(attribute: Attribute, share: float, random: np.random.Generator) -> tuple[int, ...]:
    ordered = attribute.ordinal or attribute.edges is not None
    size = len(attribute.values) if ordered else attribute.size
    length = min(max(math.floor(share * size + 0.5), 1), size)
    if ordered:
        first = int(random.integers(size - length + 1))
        return tuple(range(first, first + length))
    return tuple(sorted(random.choice(size, length, replace=False).tolist()))


def _matching(table: Records, queries: tuple[RangeQuery, ...]) -> NDArray[np.int64]:
    """The number of records that each query matches; values outside the domain match none."""
    found = np.zeros(len(queries), dtype=np.int64)
    for k, query in enumerate(queries):
        rows: NDArray[np.int64] | None = None
        for name, codes in query:
            matched = np.zeros(table.domain.attribute(name).size + 1, dtype=bool)
            matched[list(codes)] = True
            column = table.column(name)
            rows = np.flatnonzero(matched[column]) if rows is None else rows[matched[column[rows]]]
        assert rows is not None
        found[k] = len(rows)
    return found


def _words(query: RangeQuery, domain: Domain) -> str:
    """The conditions as text: an interval by its ends, a set by how many of the values it has."""
    texts = []
    for name, codes in query:
        attribute, labels = domain.attribute(name), value_labels(domain, name)
        if len(codes) == 1:
            texts.append(f"{name} = {labels[codes[0]]}")
        elif attribute.ordinal or attribute.edges is not None:
            texts.append(f"{name} from {labels[codes[0]]} to {labels[codes[-1]]}")
        else:
            texts.append(f"{name} in {len(codes)} of {attribute.size} values")
    return ", ".join(texts)


def _read_query(draw: object) -> RangeQuery:
    if not isinstance(draw, Mapping) or not draw:
        raise InputError(f"range-queries: {_FORM}")
    query = []
    for name, codes in draw.items():
        whole = isinstance(codes, list) and all(type(code) is int and code >= 0 for code in codes)
        if not isinstance(name, str) or not whole or not codes:
            raise InputError(f"range-queries: {_FORM}, with whole numbers from 0")
        query.append((name, tuple(sorted(set(codes)))))
    return tuple(query)
