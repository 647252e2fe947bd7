"""The rule of finite channels: a mechanism known by all its chances on all small databases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from proofs.errors import require
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Private
from proofs.parameters import Whole, reader
from proofs.rules.rule import Conclusion, rule
from synthesizers.intervals import Interval, exp_interval
from synthesizers.neighbours import Neighbours, histogram_count, neighbour_pairs

MAX_WORK = 20_000_000
"""The most products of two chances that are compared."""

MAX_DENOMINATOR_BITS = 20_000
"""The longest common denominator of a row."""


def _read_ends(given: Any, who: str) -> tuple[Fraction, Fraction]:
    """The ends of a chance: one number, or two."""
    ends = given if isinstance(given, list) else [given, given]
    low, high = reader(tuple[Fraction, Fraction])(ends, who)
    return low, high


Ends = Annotated[tuple[Fraction, Fraction], _read_ends]
Histograms = tuple[tuple[Whole, ...], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The chances of a database's outputs, each between two numbers, over a common denominator."""

    denominator: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @classmethod
    def of(cls, chances: tuple[Ends, ...]) -> Row:
        """The row of lower and upper ends; ProofError unless chances with sum 1 lie between."""
        common = 1
        for low, high in chances:
            between = 0 <= low <= high <= 1
            require(between, "a chance lies between 0 and 1, and its lower end comes first")
            common = math.lcm(common, low.denominator, high.denominator)
            short = common.bit_length() <= MAX_DENOMINATOR_BITS
            require(short, "the chances of a row have too long a common denominator")
        lower, upper = (
            tuple(end.numerator * (common // end.denominator) for end in ends)
            for ends in zip(*chances, strict=True)
        )
        whole = sum(lower) <= common <= sum(upper)
        require(whole, "the chances of a row must add up to exactly 1, or enclose it")
        return cls(common, lower, upper)


@dataclass(frozen=True, slots=True)
class FiniteChannel:
    """Pr[output | database] of listed databases.

    ``databases``: distinct histograms of one length. ``rows``: one a database.
    ``pairs``: the row numbers of all neighbours, each pair once.
    """

    neighbours: Neighbours
    databases: Histograms
    rows: tuple[Row, ...]
    pairs: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, neighbours: Neighbours, databases: Histograms, chances: tuple[tuple[Ends, ...], ...]
    ) -> FiniteChannel:
        """The channel of enclosed chances, its neighbours found here; raises ProofError."""
        cells, outputs = {len(one) for one in databases}, {len(row) for row in chances}
        shaped = len(cells) == len(outputs) == 1 and min(cells | outputs) > 0
        lengths = "a channel has databases of one length, each with a row of one length"
        require(shaped and len(databases) == len(chances), lengths)
        different = len(set(databases)) == len(databases)
        small = all(0 <= number < 2**31 for database in databases for number in database)
        require(different and small, "the databases of a channel are different histograms")
        found = neighbour_pairs(neighbours, np.array(databases, np.int64))
        pairs = tuple((int(first), int(second)) for first, second in found)
        few = len(pairs) * min(outputs) <= MAX_WORK
        require(few, "the channel has too many neighbours and outputs; take fewer cells")
        require(bool(pairs), "no two of the channel's databases are neighbours")
        return cls(neighbours, databases, tuple(map(Row.of, chances)), pairs)

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


def _excess(
    ours: Row, p: tuple[int, ...], theirs: Row, q: tuple[int, ...], power: Fraction
) -> Fraction:
    """Σ (pᵢ - power·qᵢ)⁺, exactly."""
    scale, factor = theirs.denominator * power.denominator, ours.denominator * power.numerator
    found = sum(max(0, a * scale - b * factor) for a, b in zip(p, q, strict=True))
    return Fraction(found, ours.denominator * scale)


@rule("finite-channel")
def finite_channel(
    neighbours: Neighbours,
    databases: Histograms,
    rows: tuple[tuple[Ends, ...], ...],
    epsilon: Fraction,
    delta: Fraction,
) -> Conclusion:
    """Every neighbouring pair's Σ (P - e^ε·Q)⁺ is at most δ, both ways: (ε, δ); ε in nats.

    The databases are all those of n records, or of 0 to n records where n is private, so that
    every chain of neighbours between two of them has a shortest one inside.
    Source: Dwork & Roth 2014, Definition 2.4, output by output.

    Guarantee
    ---------
    ``tests/proofs/rules/test_channel_rules.py::test_no_channel_diverges_by_more_than_proved``.
    """
    found = FiniteChannel.of(neighbours, databases, rows)
    expected = "all databases of n records are needed, or of 0 to n records where n is private"
    require(found.instance, expected)
    claim = ApproxDP(epsilon, delta)
    power = exp_interval(epsilon)
    for first, second in found.pairs:
        for left, right in ((first, second), (second, first)):
            holds = found.divergence(left, right, power).upper <= delta
            require(holds, f"the rows {left} and {right} are not shown to be so close")
    return Conclusion(Private(neighbours, claim), BASE)
