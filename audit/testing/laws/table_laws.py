"""What every law of whole tables, or of public randomness, must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from audit.testing.laws.agreement import DRAWS, middle, require_agreement
from audit.testing.laws.ground import Ground, IntArray
from audit.testing.laws.law import SEED, broken, require, require_json, require_pickles
from synthesizers.exact import Exact, add, compare, divide, enclose, is_zero, log_enclosure
from synthesizers.exponential import ExpRational
from synthesizers.laws.public_laws import PublicLaw
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import Neighbours, describe, neighbour_pairs
from synthesizers.randomness import InsecureSeededEntropy

Outcome = tuple[int, ...]


def outcomes_are_listed_once(law: TableLaw, ground: Ground) -> None:
    """Outcomes are tuples of ints, and none is listed twice."""
    found = law.outcomes(ground.listed(ground.relations[0]))
    _require_outcomes(found)


def chances_sum_to_one(law: TableLaw, ground: Ground) -> None:
    """The exact chances of all outcomes of a table sum to 1; beyond them there is none."""
    rows = ground.listed(ground.relations[0])
    outcomes = law.outcomes(rows)
    for counts in rows.tolist():
        chances = [law.chance(tuple(counts), outcome) for outcome in outcomes]
        _require_sum(chances, f"the chances of the outcomes of {counts}")


def listed_tables_do_not_change_chances(law: TableLaw, ground: Ground) -> None:
    """Alone, a table has the outcomes that it has beside others."""
    rows = ground.listed(ground.relations[0])
    all_outcomes = set(law.outcomes(rows))
    for row in rows[:: max(len(rows) // 20, 1)]:
        counts = tuple(row.tolist())
        alone = law.outcomes(row[None, :])
        require(
            set(alone) <= all_outcomes, f"{list(counts)} has an outcome that the whole list lacks"
        )
        chances = [law.chance(counts, outcome) for outcome in alone]
        _require_sum(chances, f"the chances of the outcomes of {list(counts)} alone")


def sampler_follows_chances(law: TableLaw, ground: Ground) -> None:
    """Samples lie in the support and are of the stated law, by exact binomial tests at 1e-9."""
    rows = ground.listed(ground.relations[0])
    for number, row in enumerate(_telling(rows)):
        counts = tuple(row.tolist())
        outcomes = law.outcomes(row[None, :])
        stated: dict[Hashable, float] = {o: middle(law.chance(counts, o)) for o in outcomes}
        entropy = InsecureSeededEntropy(SEED, number)
        drawn = [tuple(law.sample(row.copy(), entropy).tolist()) for _ in range(DRAWS // 8)]
        require_agreement(stated, Counter(drawn), f"sample of {list(counts)}")


def sampler_leaves_the_table_alone(law: TableLaw, ground: Ground) -> None:
    """Sampling changes nothing in the counts that it is handed, and uses its entropy alone."""
    for row in _telling(ground.listed(ground.relations[0])):
        before = row.copy()
        first, again = (law.sample(row, InsecureSeededEntropy(SEED)) for _ in range(2))
        require(np.array_equal(row, before), "a sampler must not write to the table")
        require(np.array_equal(first, again), "the same entropy must give the same sample")


def cost_bounds_every_ratio(law: TableLaw, ground: Ground) -> None:
    """A finite ε of the cost bounds the log ratios of all outcomes of all neighbours."""
    for relation in ground.relations:
        epsilon = law.cost(relation).epsilon
        if epsilon is not None:
            _require_bounded(law, ground, relation, Fraction(epsilon))


def is_plain_data(law: TableLaw, ground: Ground) -> None:
    """to_json is JSON, and the law pickles to an equal one."""
    require_json(law)
    require_pickles(law)


LAWS: tuple[Callable[[TableLaw, Ground], None], ...] = (
    outcomes_are_listed_once,
    chances_sum_to_one,
    listed_tables_do_not_change_chances,
    sampler_follows_chances,
    sampler_leaves_the_table_alone,
    cost_bounds_every_ratio,
    is_plain_data,
)


def public_outcomes_are_listed_once(law: PublicLaw) -> None:
    """Outcomes are tuples of ints, none twice, as many as count() says."""
    found = law.outcomes()
    _require_outcomes(found)
    require(len(found) == law.count(), f"count() is {law.count()}, and {len(found)} are listed")


def public_chances_sum_to_one(law: PublicLaw) -> None:
    """The chances of all outcomes are positive and sum to 1."""
    chances = [law.chance(outcome) for outcome in law.outcomes()]
    require(all(chance > 0 for chance in chances), "every listed outcome has a positive chance")
    _require_sum(chances, "the chances of the outcomes")


def public_sampler_follows_chances(law: PublicLaw) -> None:
    """Samples are of the stated law, by exact binomial tests at 1e-9."""
    entropy = InsecureSeededEntropy(SEED)
    stated: dict[Hashable, float] = {o: float(law.chance(o)) for o in law.outcomes()}
    drawn: Counter[Hashable] = Counter(tuple(law.sample(entropy)) for _ in range(DRAWS))
    require_agreement(stated, drawn, "sample")


def public_is_plain_data(law: PublicLaw) -> None:
    """to_json is JSON, and the law pickles to an equal one."""
    require_json(law)
    require_pickles(law)


PUBLIC_LAWS: tuple[Callable[[PublicLaw], None], ...] = (
    public_outcomes_are_listed_once,
    public_chances_sum_to_one,
    public_sampler_follows_chances,
    public_is_plain_data,
)


def _require_outcomes(found: Sequence[Any]) -> None:
    for outcome in found:
        require(
            type(outcome) is tuple and all(type(value) is int for value in outcome),
            f"an outcome must be a tuple of ints, found {outcome!r}",
        )
    require(len(set(found)) == len(found), "every outcome must be listed once")
    require(len(found) > 0, "there must be at least one outcome")


def _require_sum(chances: Sequence[Exact], what: str) -> None:
    total: Exact = Fraction(0)
    for chance in chances:
        require(
            isinstance(chance, Fraction | int | ExpRational) or hasattr(chance, "lower"),
            f"chances must be exact, found {type(chance).__name__}",
        )
        require(enclose(chance).upper >= 0, f"{what}: a chance is negative")
        total = add(total, chance)
    if compare(total, Fraction(1)) not in (0, None):
        broken(f"{what} must sum to 1, found {middle(total):.12g}")


def _require_bounded(
    law: TableLaw, ground: Ground, relation: Neighbours, epsilon: Fraction
) -> None:
    rows = ground.listed(relation)
    outcomes = law.outcomes(rows)
    tables = [tuple(row) for row in rows.tolist()]
    allowed = ExpRational.exp(epsilon)
    known = [[law.chance(table, outcome) for outcome in outcomes] for table in tables]
    for first, second in neighbour_pairs(relation, rows).tolist():
        for number, outcome in enumerate(outcomes):
            here, there = known[first][number], known[second][number]
            if is_zero(here) and is_zero(there):
                continue
            where = f"{list(tables[first])} and {list(tables[second])} at {outcome}"
            if is_zero(here) or is_zero(there):
                broken(
                    f"under {describe(relation)} the cost's ε is {float(epsilon):.6g}, and a zero "
                    f"stands beside a non-zero: {where}"
                )
            for above, below in ((here, there), (there, here)):
                if compare(divide(above, below), allowed) == 1:
                    found = float(log_enclosure(divide(above, below)).lower)
                    broken(
                        f"under {describe(relation)} the cost's ε is {float(epsilon):.6g}, and "
                        f"the log ratio is {found:.6g}: {where}"
                    )


def _telling(rows: IntArray) -> IntArray:
    """A few tables: the empty one where it is listed, the fullest, and some between."""
    return np.asarray(rows[np.unique(np.linspace(0, len(rows) - 1, 6).astype(int))])
