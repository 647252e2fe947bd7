"""The rule of finite channels: a mechanism known by all its chances on all small databases."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Mechanism, Private, canonical
from proofs.parameters import Parameters, neighbours, rational, value
from proofs.rules.rule import Conclusion, nothing, require, rule
from synthesizers.errors import InputError
from synthesizers.intervals import Interval, exp_interval
from synthesizers.neighbours import Neighbours, histogram_count, neighbour_pairs

MAX_WORK = 20_000_000
"""The most products of two chances that are compared."""

MAX_DENOMINATOR_BITS = 20_000
"""The longest common denominator of a row."""

Ends = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The chances of a database's outputs, each between two numbers, over a common denominator."""

    denominator: int
    lower: Ends
    upper: Ends

    @classmethod
    def of(cls, chances: list[tuple[Fraction, Fraction]]) -> Row:
        """The row of lower and upper ends; ProofError unless chances with sum 1 lie between."""
        common = 1
        for low, high in chances:
            if not 0 <= low <= high <= 1:
                raise ProofError("a chance lies between 0 and 1, and its lower end comes first")
            common = math.lcm(common, low.denominator, high.denominator)
            if common.bit_length() > MAX_DENOMINATOR_BITS:
                raise ProofError("the chances of a row have too long a common denominator")
        lower, upper = (
            tuple(ends[side].numerator * (common // ends[side].denominator) for ends in chances)
            for side in (0, 1)
        )
        if not sum(lower) <= common <= sum(upper):
            raise ProofError("the chances of a row must add up to exactly 1, or enclose it")
        return cls(common, lower, upper)


@dataclass(frozen=True, slots=True)
class FiniteChannel:
    """Pr[output | database] of listed databases.

    ``databases``: distinct histograms of one length. ``rows``: one a database.
    ``pairs``: the row numbers of all neighbours, each pair once. ``sha256``: of the databases and
    chances as canonical JSON, in lowest terms.
    """

    neighbours: Neighbours
    databases: tuple[Ends, ...]
    rows: tuple[Row, ...]
    pairs: tuple[tuple[int, int], ...]
    sha256: str

    @classmethod
    def of(
        cls,
        neighbours: Neighbours,
        databases: list[list[int]],
        chances: list[list[tuple[Fraction, Fraction]]],
    ) -> FiniteChannel:
        """The channel of enclosed chances, its neighbours found here; raises ProofError."""
        cells, outputs = {len(one) for one in databases}, {len(row) for row in chances}
        shaped = len(cells) == len(outputs) == 1 and min(cells | outputs) > 0
        if not shaped or len(databases) != len(chances):
            raise ProofError("a channel has databases of one length, each with a row of one length")
        rows = tuple(map(tuple, databases))
        if len(set(rows)) != len(rows) or not all(0 <= n < 2**31 for row in rows for n in row):
            raise ProofError("the databases of a channel are different histograms")
        try:
            pairs = neighbour_pairs(neighbours, np.array(databases, np.int64))
        except InputError as error:
            raise ProofError(str(error)) from None
        if len(pairs) * min(outputs) > MAX_WORK:
            raise ProofError("the channel has too many neighbours and outputs; take fewer cells")
        if not len(pairs):
            raise ProofError("no two of the channel's databases are neighbours")
        linked = tuple((int(first), int(second)) for first, second in pairs)
        held = tuple(map(Row.of, chances))
        return cls(neighbours, rows, held, linked, digest(databases, chances))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of records of the databases, ascending."""
        return tuple(sorted({sum(database) for database in self.databases}))

    @property
    def complete(self) -> bool:
        """Whether all histograms of the databases' sizes are listed."""
        cells, count, sizes = len(self.databases[0]), len(self.databases), self.sizes
        # Of a size there are at least size + 1 over two cells or more.
        possible = cells == 1 or sizes[-1] < count
        return possible and count == sum(histogram_count(cells, size) for size in sizes)

    @property
    def instance(self) -> bool:
        """Whether the databases are all of n records, or of 0 to n where n is private."""
        sizes = self.sizes
        public = self.neighbours.records_public
        whole = len(sizes) == 1 if public else sizes == tuple(range(len(sizes)))
        return whole and self.complete

    def divergence(self, left: int, right: int, power: Interval) -> Interval:
        """Encloses Σ over outputs of (P - e^ε·Q)⁺, for e^ε in ``power``: the least δ at ε.

        Guarantee
        ---------
        It lies inside, for all chances within their ends. Backed by
        ``tests/proofs/rules/test_channel_rules.py::test_no_channel_diverges_by_more_than_proved``.
        """
        ours, theirs = self.rows[left], self.rows[right]
        lower = _excess(ours, ours.lower, theirs, theirs.upper, power.upper)
        return Interval(lower, _excess(ours, ours.upper, theirs, theirs.lower, power.lower))


def _excess(ours: Row, p: Ends, theirs: Row, q: Ends, power: Fraction) -> Fraction:
    """Σ (pᵢ - power·qᵢ)⁺, exactly."""
    scale, factor = theirs.denominator * power.denominator, ours.denominator * power.numerator
    found = sum(max(0, a * scale - b * factor) for a, b in zip(p, q, strict=True))
    return Fraction(found, ours.denominator * scale)


def digest(databases: list[list[int]], chances: list[list[tuple[Fraction, Fraction]]]) -> str:
    """The SHA-256 of a channel's canonical JSON."""
    plain = [[plain_chance(*ends) for ends in row] for row in chances]
    data = {"databases": [list(database) for database in databases], "rows": plain}
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def plain_chance(low: Fraction, high: Fraction) -> str | list[str]:
    """An exact chance as text, an enclosed one as the texts of its ends."""
    return str(low) if low == high else [str(low), str(high)]


@rule(
    "finite-channel",
    nothing,
    neighbours=neighbours,
    databases=value,
    rows=value,
    epsilon=rational,
    delta=rational,
)
def finite_channel(
    neighbours: Neighbours, databases: Any, rows: Any, epsilon: Fraction, delta: Fraction
) -> Conclusion:
    """Every neighbouring pair's Σ (P - e^ε·Q)⁺ is at most δ, both ways: (ε, δ); ε in nats.

    The databases are all those of n records, or of 0 to n records where n is private, so that
    every chain of neighbours between two of them has a shortest one inside.
    Source: Dwork & Roth 2014, Definition 2.4, output by output.

    Guarantee
    ---------
    ``tests/proofs/rules/test_channel_rules.py::test_no_channel_diverges_by_more_than_proved``.
    """
    require(isinstance(databases, list) and bool(databases), "databases are listed")
    counts = [list(Parameters("a database", {"counts": one}).wholes("counts")) for one in databases]
    found = FiniteChannel.of(neighbours, counts, _chances(rows))
    expected = "all databases of n records are needed, or of 0 to n records where n is private"
    require(found.instance, expected)
    claim = ApproxDP(epsilon, delta)
    power = exp_interval(epsilon)
    for first, second in found.pairs:
        for left, right in ((first, second), (second, first)):
            holds = found.divergence(left, right, power).upper <= delta
            require(holds, f"the rows {left} and {right} are not shown to be so close")
    own = {"sha256": found.sha256, "cells": len(counts[0]), "records": found.sizes[-1]}
    judgment = Private(Mechanism.of("finite-channel", own), found.neighbours, claim)
    return Conclusion(judgment, BASE)


def _chances(rows: Any) -> list[list[tuple[Fraction, Fraction]]]:
    require(isinstance(rows, list) and all(type(row) is list for row in rows), "rows are lists")
    return [[_chance(entry) for entry in row] for row in rows]


def _chance(entry: object) -> tuple[Fraction, Fraction]:
    """The ends of a chance: one number, or two."""
    if isinstance(entry, list):
        return Parameters("a chance", {"ends": [entry]}).points("ends")[0]
    exact = Parameters("a chance", {"chance": entry}).rational("chance")
    return exact, exact


RULES = (finite_channel,)
