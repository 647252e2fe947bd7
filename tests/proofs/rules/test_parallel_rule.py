"""Parallel composition: all pairs of small databases, records that move and that are exchanged."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Private
from synthesizers.neighbours import (
    AddRemove,
    ReplaceOne,
    Unit,
    compositions,
)
from tests.proofs.rules.composing import (
    Pair,
    concluded,
    delta_at,
    from_premises,
    guarantee,
    joint,
    rho_at_orders,
    worst_excess,
    worst_renyi,
)
from tests.proofs.rules.divergences import ORDERS, TINY, Law, above, accepted, mp, wide

F = Fraction
SMALL = mp(TINY)
BOTH = [AddRemove(), ReplaceOne()]

# Four kinds of record; the first two belong to one part, the last two to another.
MOST = 2
DATABASES = [d for size in range(MOST + 1) for d in compositions(4, size)]
HALVES = [d for size in range(MOST + 1) for d in compositions(2, size)]


def _neighbours(
    rows: list[tuple[int, ...]], under: AddRemove | ReplaceOne
) -> list[tuple[int, int]]:
    """All pairs of rows that differ by one record, or in one."""
    found = []
    for i, first in enumerate(rows):
        for j, second in enumerate(rows[:i]):
            moved = sorted(b - a for a, b in zip(first, second, strict=True) if a != b)
            if moved in ([[1], [-1]] if isinstance(under, AddRemove) else [[-1, 1]]):
                found.append((i, j))
    return found


HALF_STEPS = _neighbours(HALVES, AddRemove())


def _pair(parts: list[dict[tuple[int, ...], Law]], first: int, second: int) -> Pair:
    """Both parts' answers on two databases."""
    split = [(DATABASES[row][:2], DATABASES[row][2:]) for row in (first, second)]
    laws = [tuple(parts[part][half[part]] for half in split) for part in (0, 1)]
    return joint((laws[0][0], laws[0][1]), [(laws[1][0], laws[1][1])] * len(laws[0][0]))


weights = st.lists(st.integers(1, 12), min_size=2, max_size=2)


@st.composite
def two_parts(draw: st.DrawFn) -> list[dict[tuple[int, ...], Law]]:
    """For each part and each of its databases a law of two answers."""
    drawn = [[draw(weights) for _ in HALVES] for _ in range(2)]
    return [
        {
            half: tuple(F(w, sum(pair)) for w in pair)
            for half, pair in zip(HALVES, rows, strict=True)
        }
        for rows in drawn
    ]


def _steps(part: dict[tuple[int, ...], Law]) -> list[Pair]:
    return [(part[HALVES[i]], part[HALVES[j]]) for i, j in HALF_STEPS]


@pytest.mark.parametrize("under", BOTH)
@settings(max_examples=10, deadline=None)
@given(two_parts(), st.lists(st.fractions(0, 2, max_denominator=8), min_size=2, max_size=2))
def test_the_worst_part_bounds_every_pair_of_databases(
    under: AddRemove | ReplaceOne,
    parts: list[dict[tuple[int, ...], Law]],
    epsilons: list[Fraction],
) -> None:
    members = zip(parts, epsilons, strict=True)
    premises = [ApproxDP(own, delta_at(own, _steps(part))) for part, own in members]
    stated: dict[str, Any] = {"key": "half", "relation": under.name}
    failing = max(premise.delta for premise in premises)
    if under != AddRemove() and failing:
        stated["delta"] = above(mp(failing) * (1 + wide.exp(mp(max(epsilons)))), 40)
        assume(stated["delta"] < 1)
    found = guarantee("parallel", premises, **stated)
    for pair in _neighbours(DATABASES, under):
        gap = worst_excess(wide.exp(mp(found.epsilon)), _pair(parts, *pair))
        assert gap <= mp(found.delta) + SMALL


@pytest.mark.parametrize("under", BOTH)
@settings(max_examples=6, deadline=None)
@given(two_parts())
def test_the_worst_part_bounds_every_renyi_divergence(
    under: AddRemove | ReplaceOne, parts: list[dict[tuple[int, ...], Law]]
) -> None:
    # The divergence of two steps at α is bounded by those of one step at 2α and 2α - 1.
    premises = []
    for part in parts:
        steps = _steps(part)
        orders = [order for a in ORDERS for order in (a, 2 * a, 2 * a - 1)]
        rho = max(above(worst_renyi(a, pair) / mp(a), 45) for pair in steps for a in orders)
        premises.append(ZCDP(max(rho, rho_at_orders(steps))))
    found = guarantee("parallel", premises, key="half", relation=under.name)
    for pair in _neighbours(DATABASES, under):
        for order in ORDERS:
            gap = worst_renyi(order, _pair(parts, *pair))
            assert gap <= mp(found.rho * order) + SMALL


def _geometric(centre: int, reach: int = 6) -> Law:
    """Two-sided geometric noise of ratio 1/2 on ``centre``, clamped to ±reach."""
    tails = [F(2, 3) * F(1, 2) ** (reach + sign * centre) for sign in (1, -1)]
    inner = [F(1, 3) * F(1, 2) ** abs(z - centre) for z in range(1 - reach, reach)]
    return (tails[0], *inner, tails[1])


@pytest.mark.parametrize("under", BOTH)
def test_an_exchange_inside_a_part_costs_twice_and_a_move_between_parts_the_sum(
    under: AddRemove | ReplaceOne,
) -> None:
    # Kinds weigh -1, 1 in the first part and 1, 1 in the second: one record moves a sum by 1.
    signs = [(-1, 1), (1, 1)]
    parts = [
        {half: _geometric(sum(a * b for a, b in zip(half, own, strict=True))) for half in HALVES}
        for own in signs
    ]
    step = above(wide.log(2), 30)
    premise = ApproxDP(step)
    found = guarantee("parallel", [premise, premise], key="half", relation=under.name)
    assert found == ApproxDP(step if under == AddRemove() else 2 * step)
    inside, between = F(0), F(0)
    for i, j in _neighbours(DATABASES, under):
        first, second = _pair(parts, i, j)
        ratio = max(max(a / b, b / a) for a, b in zip(first, second, strict=True))
        assert mp(ratio) <= wide.exp(mp(found.epsilon))
        part = sum(DATABASES[i][:2]) == sum(DATABASES[j][:2])
        inside, between = (max(inside, ratio), between) if part else (inside, max(between, ratio))
    # Under add-remove ``part`` says where the one record came or went.
    assert (inside, between) == ((F(2), F(2)) if under == AddRemove() else (F(4), F(4)))


def test_two_steps_cost_four_times_in_zcdp() -> None:
    # Gaussian noise of variance 1 on such a sum: moved by 1 it is 1/2-zCDP, by 2 it is 2-zCDP.
    premises = [ZCDP(F(1, 2)), ZCDP(F(1, 3))]
    assert guarantee("parallel", premises, key="k", relation="add-remove") == ZCDP(F(1, 2))
    assert guarantee("parallel", premises, key="k", relation="replace-one") == ZCDP(F(2))
    gaussian = [GaussianDP(F(1)), GaussianDP(F(1, 3))]
    assert guarantee("parallel", gaussian, key="k", relation="replace-one") == GaussianDP(F(2))


def test_a_key_that_looks_at_the_data_breaks_the_bound() -> None:
    # All records go to one part, which one by whether their number is even: adding one moves all.
    step = above(wide.log(2), 30)
    found = concluded("parallel", [ApproxDP(step)] * 2, key="parity of n", relation="add-remove")
    assert found.hypotheses == {"independent-key"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.guarantee == ApproxDP(step)
    laws = []
    for records in (3, 4):
        counts = (records, 0) if records % 2 else (0, records)
        laws.append([a * b for a, b in product(*(_geometric(count) for count in counts))])
    assert max(a / b for a, b in zip(*laws, strict=True)) == 2**7 > 2


def test_there_may_be_many_parts_of_one_kind() -> None:
    found = concluded(
        "parallel", [ApproxDP(F(1))], key="region", relation="replace-one", counts=[9]
    )
    assert found.judgment == Private(ReplaceOne(), ApproxDP(F(2)))


def test_the_delta_of_an_exchange_is_exact() -> None:
    premises = [ApproxDP(F(1), F(1, 10))]
    needed = above(mp(F(1, 10)) * (1 + wide.e), 30)
    stated = {"key": "k", "relation": "replace-one"}
    assert guarantee("parallel", premises, delta=needed, **stated) == ApproxDP(F(2), needed)
    assert not accepted(
        lambda: guarantee("parallel", premises, delta=needed - F(1, 10**30), **stated)
    )


@pytest.mark.parametrize(
    "under", [ReplaceOne(), AddRemove(Unit("person", 1)), AddRemove(Unit("person", 3))]
)
def test_only_records_added_or_removed_are_told_apart(under: AddRemove | ReplaceOne) -> None:
    with pytest.raises(ProofError, match="add-remove of a record"):
        guarantee("parallel", [ApproxDP(F(1))], under, key="k", relation="add-remove")


def test_parallel_refuses() -> None:
    premise = ApproxDP(F(1))
    with pytest.raises(ProofError, match="key"):
        guarantee("parallel", [premise], relation="add-remove")
    with pytest.raises(ProofError, match="relation"):
        guarantee("parallel", [premise], key="k")
    with pytest.raises(ProofError, match="relation"):
        guarantee("parallel", [premise], key="k", relation="both")
    with pytest.raises(ProofError, match="of the kind"):
        guarantee("parallel", [premise, ZCDP(F(1))], key="k", relation="add-remove")
    with pytest.raises(ProofError, match="of the kind"):
        guarantee("parallel", [RenyiCurve(((F(2), F(1)),))], key="k", relation="add-remove")
    with pytest.raises(ProofError, match="premises about mechanisms"):
        from_premises("parallel", (), key="k", relation="add-remove")
    with pytest.raises(ProofError, match="counts"):
        guarantee("parallel", [premise], key="k", relation="add-remove", counts=[0])
    with pytest.raises(ProofError, match="delta of the group"):
        failing = ApproxDP(F(1), F(1, 10))
        guarantee("parallel", [failing], key="k", relation="replace-one")
    with pytest.raises(ProofError, match="nothing to state of delta"):
        guarantee("parallel", [premise], key="k", relation="add-remove", delta=F(1, 2))
