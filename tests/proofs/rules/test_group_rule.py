"""Groups: distances found by visiting, exact divergences of the ends of chains, refusals."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, Entry, NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Private, Profile
from proofs.losses import (
    AllocationLoss,
    FixedSizeLoss,
    GaussianLoss,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.profiles.entry_moments import pairs as dominating
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, compositions
from tests.proofs.rules.composing import (
    Pair,
    binned,
    concluded,
    delta_at,
    guarantee,
    worst_excess,
    worst_renyi,
)
from tests.proofs.rules.divergences import (
    ORDERS,
    TINY,
    Law,
    above,
    accepted,
    amounts,
    gaussian_excess,
    mp,
    response_excess,
    wide,
)

F = Fraction
SMALL = mp(TINY)
GAMMAS = [wide.exp(mp(F(power, 4))) for power in range(-8, 13)]


def persons(most: int) -> Unit:
    return Unit("person", most)


def _farthest(source: Neighbours, target: Neighbours, cells: int, most: int) -> int:
    """How many steps of one relation separate two neighbours of another, at most, by visiting."""
    rows = [d for size in range(most + 1) for d in compositions(cells, size)]
    farthest = 0
    for start in rows:
        distance, edge = {start: 0}, [start]
        while edge:
            reached = [
                row
                for row in rows
                if row not in distance and any(source.are_neighbours(row, at) for at in edge)
            ]
            distance.update(dict.fromkeys(reached, distance[edge[0]] + 1))
            edge = reached
        ends = [distance[row] for row in rows if target.are_neighbours(start, row)]
        farthest = max([farthest, *ends])
    return farthest


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (AddRemove(), AddRemove()),
        (AddRemove(), AddRemove(persons(3))),
        (AddRemove(), ReplaceOne()),
        (AddRemove(), ReplaceOne(persons(1))),
        (AddRemove(), ReplaceOne(persons(2))),
        (AddRemove(persons(2)), AddRemove()),
        (AddRemove(persons(2)), AddRemove(persons(2))),
        (AddRemove(persons(2)), AddRemove(persons(5))),
        (AddRemove(persons(2)), ReplaceOne()),
        (AddRemove(persons(2)), ReplaceOne(persons(2))),
        (AddRemove(persons(2)), ReplaceOne(persons(3))),
        (AddRemove(persons(3)), ReplaceOne(persons(2))),
    ],
)
def test_the_number_of_steps_is_the_largest_distance_found_by_visiting(
    source: Neighbours, target: Neighbours
) -> None:
    found = concluded("group", [ApproxDP(F(1))], source, neighbours=target).judgment
    assert isinstance(found, Private)
    assert found.neighbours == target
    assert found.guarantee == ApproxDP(F(_farthest(source, target, 2, 6)))


@pytest.mark.parametrize("source", [ReplaceOne(), ReplaceOne(persons(3))])
@pytest.mark.parametrize("target", [AddRemove(), ReplaceOne(persons(3)), AddRemove(persons(9))])
def test_no_step_leads_away_from_replace_one(source: Neighbours, target: Neighbours) -> None:
    with pytest.raises(ProofError, match="under add-remove"):
        guarantee("group", [ApproxDP(F(1))], source, neighbours=target)


@st.composite
def chains(draw: st.DrawFn) -> list[Law]:
    """Three or four laws of three outcomes, one step apart each."""
    drawn = st.lists(st.integers(1, 20), min_size=3, max_size=3)
    return [
        tuple(F(w, sum(law)) for w in law) for law in draw(st.lists(drawn, min_size=3, max_size=4))
    ]


def _links(chain: list[Law]) -> list[Pair]:
    return list(itertools.pairwise(chain))


def _group(premise: Guarantee, steps: int, **given: Any) -> Any:
    return guarantee("group", [premise], neighbours=AddRemove(persons(steps)), **given)


@settings(max_examples=60, deadline=None)
@given(chains(), amounts)
def test_groups_of_approximate_mechanisms(chain: list[Law], epsilon: Fraction) -> None:
    steps, delta = len(chain) - 1, delta_at(epsilon, _links(chain))
    growth = wide.fsum(wide.exp(mp(step * epsilon)) for step in range(steps))
    enough = above(mp(delta) * growth, 40)
    assume(enough < 1)
    found = _group(ApproxDP(epsilon, delta), steps, **({"delta": enough} if delta else {}))
    assert found == ApproxDP(steps * epsilon, enough)
    gap = worst_excess(wide.exp(mp(found.epsilon)), (chain[0], chain[-1]))
    assert gap <= mp(found.delta) + SMALL


def test_the_delta_of_a_group_is_attained() -> None:
    # At each step a tenth of what is left moves out of the second outcome, whose chances shrink
    # by e^-ε beside: the ends are as far apart as the bound says.
    epsilon, delta = F(1, 2), F(1, 1000)
    chain = [F(1, 2)]
    for _ in range(3):
        chain.append(above((mp(chain[-1]) - mp(delta)) * wide.exp(-mp(epsilon)), 40))
    laws: list[Law] = [(chance, 1 - chance) for chance in chain]
    own = delta_at(epsilon, _links(laws))
    assert abs(mp(own - delta)) < mp(F(1, 10**35))
    enough = above(mp(own) * wide.fsum(wide.exp(mp(i * epsilon)) for i in range(3)), 40)
    found = _group(ApproxDP(epsilon, own), 3, delta=enough)
    gap = worst_excess(wide.exp(mp(found.epsilon)), (laws[0], laws[-1]))
    assert abs(gap - mp(found.delta)) < mp(F(1, 10**30))


@pytest.mark.parametrize(
    ("epsilon", "steps"), [(F(0), 7), (F(1, 3), 2), (F(2), 50), (F(1, 10**6), 10**6)]
)
def test_the_delta_of_a_group_is_checked_exactly(epsilon: Fraction, steps: int) -> None:
    power = wide.exp(mp(epsilon))
    growth = (power**steps - 1) / (power - 1) if epsilon else wide.mpf(steps)
    delta = above(1 / growth / 100, 60)
    enough = above(mp(delta) * growth, 25)
    assert _group(ApproxDP(epsilon, delta), steps, delta=enough).delta == enough
    assert not accepted(
        lambda: _group(ApproxDP(epsilon, delta), steps, delta=enough - F(1, 10**20))
    )


@settings(max_examples=30, deadline=None)
@given(chains())
def test_groups_of_renyi_and_concentrated_mechanisms(chain: list[Law]) -> None:
    steps, ends = len(chain) - 1, (chain[0], chain[-1])
    needed = sorted({steps * order - step for order in ORDERS for step in range(steps)})
    curve = RenyiCurve(
        tuple((a, max(above(worst_renyi(a, link), 45) for link in _links(chain))) for a in needed)
    )
    at = dict(curve.points)
    sums = [
        sum((steps * a / (steps * a - j) * at[steps * a - j] for j in range(steps)), F(0))
        for a in ORDERS
    ]
    found = _group(curve, steps, orders=list(ORDERS), epsilons=sums)
    assert found == RenyiCurve(tuple(zip(ORDERS, sums, strict=True)))
    rho = max(epsilon / order for order, epsilon in curve.points)
    concentrated = _group(ZCDP(rho), steps)
    assert concentrated == ZCDP(steps**2 * rho)
    for order, epsilon in found.points:
        gap = worst_renyi(order, ends)
        assert gap <= mp(epsilon) + SMALL
        assert gap <= mp(concentrated.rho * order) + SMALL
    short = [*sums[:-1], sums[-1] - F(1, 10**50)]
    assert not accepted(lambda: _group(curve, steps, orders=list(ORDERS), epsilons=short))


def test_renyi_groups_of_a_normal_law_are_attained() -> None:
    # D_α of N(μ, 1) is αμ²/2, of N(kμ, 1) it is k² times that: the sum is exactly so.
    orders = [F(5, 2), F(4)]
    needed = sorted({3 * order - step for order in orders for step in range(3)})
    curve = RenyiCurve(tuple((order, order / 2) for order in needed))
    exact = [9 * order / 2 for order in orders]
    assert _group(curve, 3, orders=orders, epsilons=exact).points[1] == (F(4), F(18))
    higher = RenyiCurve(((F(12), F(6)), (F(100), F(7))))
    # Where only higher orders are listed, their value serves.
    assert _group(higher, 3, orders=[4], epsilons=[F(12) * 6 * (F(1, 12) + F(1, 11) + F(1, 10))])


def test_groups_of_gaussian_mechanisms_are_attained() -> None:
    cuts = [F(place, 5) for place in range(-15, 30)]
    mu, steps = F(2, 3), 3
    found = _group(GaussianDP(mu), steps)
    assert found == GaussianDP(F(2))
    for gamma in GAMMAS:
        for first, second in ((0, steps), (steps, 0)):
            gap = worst_excess(gamma, binned([first * mu, second * mu], cuts))
            assert gap <= gaussian_excess(gamma, mp(found.mu)) + SMALL
            assert gap > gaussian_excess(gamma, mp(found.mu) * mp(F(99, 100))) - mp(F(1, 100))
    losses = LossList(((1, GaussianLoss(F(2))),))
    assert _group(losses, 3) == LossList(((1, GaussianLoss(F(18))),))
    assert _group(LossList(()), 3) == LossList(())


def _entry_of_group(entry: Entry, steps: int) -> Entry:
    """The one loss that the rule concludes of a mechanism of one loss."""
    found = _group(LossList(((1, entry),)), steps)
    assert isinstance(found, LossList)
    ((count, scaled),) = found.losses
    assert count == 1
    return scaled


@settings(max_examples=40, deadline=None)
@given(chains())
def test_losses_of_groups_cover_the_ends_of_chains(chain: list[Law]) -> None:
    """A response, a bounded range and a ρ that hold of each step, and what is made of them."""
    steps, ends = len(chain) - 1, (chain[0], chain[-1])
    ratios = [
        [wide.log(mp(a) / mp(b)) for a, b in zip(*link, strict=True)] for link in _links(chain)
    ]
    bound = above(max(abs(loss) for own in ratios for loss in own), 40)
    length = above(max(max(own) - min(own) for own in ratios), 40)
    response = _entry_of_group(ResponseLoss(bound), steps)
    assert response == ResponseLoss(steps * bound)
    for gamma in GAMMAS:
        gap = worst_excess(gamma, ends)
        assert gap <= response_excess(gamma, steps * bound, F(0)) + SMALL
    ranged = _entry_of_group(BoundedRangeLoss(length), steps)
    assert ranged == BoundedRangeLoss(steps * length)
    losses = [wide.log(mp(a) / mp(b)) for a, b in zip(*ends, strict=True)]
    assert max(losses) - min(losses) <= mp(steps * length) + SMALL
    rho = (steps * length) ** 2 / 8
    assert guarantee("to-zcdp", [LossList(((1, ranged),))], rho=rho) == ZCDP(rho)
    needed = [steps * order - step for order in ORDERS for step in range(steps)]
    own = max(above(worst_renyi(a, link) / mp(a), 45) for link in _links(chain) for a in needed)
    concentrated = _entry_of_group(ConcentratedLoss(F(0), own, F(0)), steps)
    assert concentrated == ConcentratedLoss(F(0), steps**2 * own, F(0))
    for order in ORDERS:
        gap = worst_renyi(order, ends)
        assert gap <= mp(order * rho) + SMALL
        assert gap <= mp(order * steps**2 * own) + SMALL


REACH = 40
"""Laws of scale 1 or variance 1 are cut there: what is left out is below 1e-16."""
FloatArray = NDArray[np.float64]


def _noise_losses(law: str, shift: int) -> tuple[FloatArray, FloatArray]:
    """The losses of noise of scale or variance 1 on a moved integer, and their chances."""
    z = np.arange(-REACH, REACH + 1)
    size = np.abs if law == "discrete-laplace" else (lambda at: at**2 / 2)
    chances = np.exp(-size(z - shift))
    return size(z) - size(z - shift), chances / np.exp(-size(z)).sum()


def _delta_of_noise(law: str, shifts: list[int], epsilon: float) -> float:
    """The divergence of independent noise on answers with these moves."""
    values, chances = np.zeros(1), np.ones(1)
    for shift in shifts:
        own = _noise_losses(law, shift)
        values = np.add.outer(values, own[0]).ravel()
        chances = np.multiply.outer(chances, own[1]).ravel()
        values, chances = values[chances > 1e-18], chances[chances > 1e-18]
    return float((chances * -np.expm1(np.minimum(epsilon - values, 0.0))).sum())


@pytest.mark.parametrize("law", ["discrete-laplace", "discrete-gaussian"])
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.lists(st.integers(-2, 2), min_size=2, max_size=2).filter(any), min_size=2, max_size=3
    ),
    st.booleans(),
)
def test_noise_of_groups_covers_moves_that_add_up(
    law: str, moves: list[list[int]], known: bool
) -> None:
    """Two answers that move step by step, against the noise with the norms of the group."""
    l1, squared = (max(sum(abs(d) ** p for d in move) for move in moves) for p in (1, 2))
    linf = max(abs(d) for move in moves for d in move)
    l0 = max(sum(d != 0 for d in move) for move in moves) if known else None
    entry = NoiseLoss(law, F(1), l0, F(l1), F(squared), F(linf))
    steps = len(moves)
    scaled = _entry_of_group(entry, steps)
    moving, top = None if l0 is None else steps * l0, F(steps * linf)
    assert scaled == NoiseLoss(law, F(1), moving, F(steps * l1), F(steps**2 * squared), top)
    ends = [sum(own) for own in zip(*moves, strict=True)]
    shifts = [int(top)] * sum(count for count, _ in dominating(((1, scaled),)))
    for epsilon in (0.0, 0.3, 1.0, 2.0, 4.0):
        assert _delta_of_noise(law, ends, epsilon) <= _delta_of_noise(law, shifts, epsilon) + 1e-12
    losses = LossList(((1, scaled),))
    if law == "discrete-laplace":
        point = {"method": "sum", "epsilon": steps * l1, "delta": 0, "hints": {}}
        assert guarantee("to-approx", [losses], **point) == ApproxDP(F(steps * l1))
        assert sum(map(abs, ends)) <= steps * l1
    else:
        rho = F(steps**2 * squared, 2)
        assert guarantee("to-zcdp", [losses], rho=rho) == ZCDP(rho)
        assert F(sum(d * d for d in ends), 2) <= rho


def test_noise_of_groups_is_attained() -> None:
    """One answer that moves on in one direction: the pair of the group is its own."""
    for law in ("laplace", "discrete-laplace", "discrete-gaussian"):
        entry = NoiseLoss(law, F(3), 1, F(2), F(4), F(2))
        ((count, pair),) = dominating(((1, _entry_of_group(entry, 4)),))
        whole = NoiseLoss(law, F(3), 1, F(8), F(64), F(8))
        # Of four steps that may move different answers, the largest moves still add up to 8.
        assert (count, pair) == (1, dominating(((1, whole),))[0][1])


def test_every_loss_of_a_list_is_scaled() -> None:
    noise = NoiseLoss("laplace", F(3), None, F(2), F(4), F(2))
    entries = ((2, BoundedRangeLoss(F(1))), (1, GaussianLoss(F(2))), (3, noise))
    scaled = (
        (2, BoundedRangeLoss(F(2))),
        (1, GaussianLoss(F(8))),
        (3, NoiseLoss("laplace", F(3), None, F(4), F(16), F(4))),
    )
    assert _group(LossList(entries), 2) == LossList(scaled)


KINDS: list[Guarantee] = [
    ApproxDP(F(1), F(1, 9)),
    ZCDP(F(1)),
    GaussianDP(F(1)),
    LossList(((1, ConcentratedLoss(F(1), F(2), F(1, 9))),)),
    RenyiCurve(((F(2), F(1)),)),
    Profile(((F(1), F(1, 9)),)),
    Odometer(((F(1), F(9)),), F(1, 9)),
    LossList(((1, ResponseLoss(F(1), F(1, 9))),)),
    LossList(((1, ConcentratedLoss(F(0), F(2), F(1, 9))),)),
    LossList(((1, ConcentratedLoss(F(1), F(2), F(0))),)),
    LossList(((1, RenyiCurve(((F(2), F(1)),))),)),
    LossList(((1, SampledGaussianLoss(F(1, 2), F(1))),)),
    LossList(((1, AllocationLoss(2, F(1))),)),
    LossList(((1, FixedSizeLoss(F(1, 2), F(1))),)),
]


@pytest.mark.parametrize("premise", KINDS)
def test_one_step_keeps_every_guarantee(premise: Guarantee) -> None:
    source = AddRemove(persons(3))
    assert guarantee("group", [premise], source, neighbours=AddRemove(persons(2))) == premise


@pytest.mark.parametrize("premise", [KINDS[3], *KINDS[5:]])
def test_kinds_without_a_group_bound_are_refused(premise: Guarantee) -> None:
    with pytest.raises(ProofError, match="no bound on groups"):
        _group(premise, 2)


@pytest.mark.parametrize(
    ("premise", "steps", "stated", "message"),
    [
        (ApproxDP(F(1), F(1, 9)), 2, {}, "delta"),
        (ApproxDP(F(1), F(1, 9)), 2, {"delta": 1}, "delta to be at least 0 and below 1"),
        (ApproxDP(F(1), F(1, 9)), 2, {"delta": -1}, "delta to be at least 0 and below 1"),
        (ApproxDP(F(1), F(1, 9)), 2, {"delta": "0.4"}, "delta reaches"),
        (ApproxDP(F(1), F(1, 9)), 1001, {"delta": "0.4"}, "epsilon is at most"),
        (ApproxDP(F(1)), 2, {"delta": "0.4"}, "nothing to state of delta"),
        (KINDS[4], 2, {"orders": [2], "epsilons": [100]}, "no order that is so large"),
        (KINDS[4], 2, {"orders": [1], "epsilons": [100]}, "order above 1"),
        (
            KINDS[4],
            2,
            {"orders": ["1.1", "1.2"], "epsilons": [100]},
            "each order needs its epsilon",
        ),
        (KINDS[4], 2, {"orders": [], "epsilons": []}, "orders to be a list of one or more"),
        (KINDS[4], 1001, {"orders": [2], "epsilons": [100]}, "at most 1000 steps"),
        (
            RenyiCurve(((F(10**9), F(1)),)),
            1000,
            {"orders": [f"2.{'1' * 300}"], "epsilons": [10**9]},
            "denominators",
        ),
    ],
)
def test_group_refuses(
    premise: Guarantee, steps: int, stated: dict[str, object], message: str
) -> None:
    with pytest.raises(ProofError, match=message):
        _group(premise, steps, **stated)
