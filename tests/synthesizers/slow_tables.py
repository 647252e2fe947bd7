"""Slow and obvious versions of table laws, and what every one of them must satisfy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np

from synthesizers.exact import Exact, compare, divide, is_zero
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import Neighbours, databases, neighbour_pairs

Outcome = tuple[int, ...]
Law = dict[Outcome, Fraction]


def put(law: Law, outcome: Outcome, chance: Fraction) -> None:
    """Add a chance to an outcome; nothing for a chance of 0."""
    if chance:
        law[outcome] = law.get(outcome, Fraction(0)) + chance


def records(counts: Sequence[int]) -> list[int]:
    """The cell of every record."""
    return [cell for cell, count in enumerate(counts) for _ in range(count)]


def by_records(counts: Sequence[int], answer: Callable[[int, int], Fraction]) -> Law:
    """Every vector of all records' answers, its chance the product of ``answer(cell, to)``."""
    law: Law = {}
    sources, cells = records(counts), range(len(counts))
    for answers in itertools.product(cells, repeat=len(sources)):
        chance = math.prod(map(answer, sources, answers), start=Fraction(1))
        put(law, tuple(map(answers.count, cells)), chance)
    return law


def by_cells(counts: Sequence[int], answers: Callable[[int], Mapping[int, Fraction]]) -> Law:
    """Every combination of the cells' answers, its chance their product."""
    law: Law = {}
    for chosen in itertools.product(*(answers(count).items() for count in counts)):
        put(law, tuple(v for v, _ in chosen), math.prod((p for _, p in chosen), start=Fraction(1)))
    return law


def law_of(law: TableLaw, counts: Sequence[int]) -> Law:
    """A table law on one database, by its own listing and chances."""
    found: Law = {}
    for outcome in law.outcomes(np.array([counts], np.int64)):
        chance = law.chance(tuple(counts), outcome)
        assert isinstance(chance, Fraction)
        found[outcome] = chance
    return found


def require_law(law: TableLaw, neighbours: Neighbours, cells: int, size: int) -> None:
    """Rows sum to exactly 1, and all that may come out is listed once, and nothing else."""
    rows = databases(neighbours, cells, size)
    outcomes = law.outcomes(rows)
    assert len(set(outcomes)) == len(outcomes)
    assert all(type(count) is int for outcome in outcomes for count in outcome)
    possible = set()
    for counts in map(tuple, rows.tolist()):
        chances = {outcome: law.chance(counts, outcome) for outcome in outcomes}
        assert sum(chances.values()) == 1
        possible |= {outcome for outcome, chance in chances.items() if chance != 0}
        assert min(chances.values()) >= 0
        if isinstance(law, ProductLaw):
            for outcome, chance in chances.items():
                assert chance == factors(law, counts, outcome)
        for alien in ((-1,) * cells, (10**4,) * cells):
            assert law.chance(counts, alien) == 0
    assert possible == set(outcomes)


def factors(law: ProductLaw, counts: Outcome, outcome: Outcome) -> Fraction:
    """The product of a law's factors."""
    cells = len(counts)
    whole = law.whole_factor(cells, sum(counts), sum(outcome))
    pairs = enumerate(zip(counts, outcome, strict=True))
    return math.prod((law.cell_factor(i, cells, n, m) for i, (n, m) in pairs), start=whole)


def largest_ratio(law: TableLaw, neighbours: Neighbours, cells: int, size: int) -> Exact | None:
    """The largest ratio of chances over all neighbours and outcomes; None where infinite."""
    rows = databases(neighbours, cells, size)
    outcomes = law.outcomes(rows)
    table = [[law.chance(tuple(row), o) for o in outcomes] for row in rows.tolist()]
    largest: Exact = Fraction(1)
    for i, j in neighbour_pairs(neighbours, rows).tolist():
        for p, q in zip(table[i], table[j], strict=True):
            if is_zero(p) != is_zero(q):
                return None
            for ratio in () if is_zero(p) else (divide(p, q), divide(q, p)):
                if compare(ratio, largest) == 1:
                    largest = ratio
    return largest


def excess(law: TableLaw, counts: Outcome, other: Outcome, factor: Fraction) -> Fraction:
    """Σ (P - factor · Q)⁺ over outcomes: δ(ln factor) of one ordered pair."""
    first, second = law_of(law, counts), law_of(law, other)
    zero = Fraction(0)
    return sum((max(p - factor * second.get(o, zero), zero) for o, p in first.items()), zero)


def worst_excess(
    law: TableLaw, neighbours: Neighbours, cells: int, size: int, factor: Fraction
) -> Fraction:
    """δ(ln factor): the largest excess over all ordered pairs of neighbours."""
    rows = databases(neighbours, cells, size)
    tables = [tuple(row) for row in rows.tolist()]
    pairs = neighbour_pairs(neighbours, rows).tolist()
    both = [pair for i, j in pairs for pair in ((i, j), (j, i))]
    return max(excess(law, tables[i], tables[j], factor) for i, j in both)


def far(counts: Sequence[int], chances: Sequence[Fraction], error: float = 1e-10) -> bool:
    """Whether frequencies of independent draws lie too far from their chances.

    A right sampler is called far with probability at most ``error``: Hoeffding's
    inequality for each of k values, and a union bound.
    """
    draws = sum(counts)
    slack = math.sqrt(math.log(2 * len(chances) / error) / (2 * draws))
    pairs = zip(counts, chances, strict=True)
    return any(abs(count / draws - float(chance)) > slack for count, chance in pairs)
