"""Filters and odometers: every transcript of programs that choose their losses by the answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entries import ConcentratedLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Odometer, Private, Stable
from proofs.losses import ResponseLoss
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from tests.proofs.rules.composing import (
    concluded,
    from_premises,
    guarantee,
    worst_excess,
    worst_renyi,
)
from tests.proofs.rules.divergences import ORDERS, TINY, above, accepted, least, mp, response, wide

F = Fraction
SMALL = mp(TINY)
PROGRAM = {"program": "responses"}

Choice = dict[tuple[int, ...], Fraction]
Charge = Callable[[Fraction], Fraction]


def transcripts(
    choice: Choice, charge: Charge, budget: Fraction, so_far: tuple[int, ...] = ()
) -> Iterator[tuple[tuple[int, ...], Fraction, Fraction, Fraction]]:
    """Every transcript with its spend and its chances on two databases.

    The program asks a randomised response of the ε that ``choice`` has for the answers so far; it
    ends where there is none, or where the question would exceed the budget.
    """
    asked = choice.get(so_far)
    if asked is None or charge(asked) > budget:
        yield so_far, F(0), F(1), F(1)
        return
    laws = response(asked)
    for answer in (0, 1):
        later = transcripts(choice, charge, budget - charge(asked), (*so_far, answer))
        for answers, spend, p, q in later:
            spent = spend + charge(asked)
            yield answers, spent, laws[0][answer] * p, laws[1][answer] * q


def _pure(epsilon: Fraction) -> Fraction:
    return epsilon


def _concentrated(epsilon: Fraction) -> Fraction:
    return epsilon**2 / 2


def _renyi_charge(order: Fraction) -> Charge:
    return lambda epsilon: above(worst_renyi(order, response(epsilon)), 42)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    """A loss for each history of up to four answers, some of them missing."""
    losses = st.sampled_from([F(1, 4), F(1, 2), F(1), F(2)])
    histories: list[tuple[int, ...]] = [()]
    for _ in range(3):
        histories += [(*h, a) for h in histories for a in (0, 1) if (*h, a) not in histories]
    drawn = {history: draw(st.none() | losses) for history in histories}
    return {history: loss for history, loss in drawn.items() if loss is not None}


def _pure_budget(budget: object) -> dict[str, object]:
    return {"loss": "response", "count": 1, "epsilon": budget, "delta": 0}


def _rho_budget(budget: object) -> dict[str, object]:
    return {"loss": "concentrated", "count": 1, "xi": 0, "rho": budget, "delta": 0}


def _renyi_budget(order: object, budget: object) -> dict[str, object]:
    return {"loss": "curve", "count": 1, "points": [[order, budget]]}


def _filter(budget: dict[str, object]) -> LossList:
    found = guarantee("filter", [], neighbours=AddRemove(), budget=budget, program=PROGRAM)
    assert isinstance(found, LossList)
    return found


budgets = st.sampled_from([F(1, 2), F(1), F(3, 2), F(5, 2)])


@settings(max_examples=30, deadline=None)
@given(choices(), budgets)
def test_the_budget_bounds_programs_that_choose_losses_by_answers(
    choice: Choice, budget: Fraction
) -> None:
    _, _, p, q = zip(*transcripts(choice, _pure, budget), strict=True)
    losses = _filter(_pure_budget(budget))
    assert losses == LossList(((1, ResponseLoss(budget)),))
    point = {"method": "sum", "epsilon": budget, "delta": 0, "hints": {}}
    found = guarantee("to-approx", [losses], **point)
    assert found == ApproxDP(budget)
    assert worst_excess(wide.exp(mp(found.epsilon)), (p, q)) < SMALL
    _, _, p, q = zip(*transcripts(choice, _concentrated, budget), strict=True)
    losses = _filter(_rho_budget(budget))
    assert losses == LossList(((1, ConcentratedLoss(F(0), budget, F(0))),))
    found = guarantee("to-zcdp", [losses], rho=budget)
    assert found == ZCDP(budget)
    for order in ORDERS:
        assert worst_renyi(order, (p, q)) <= mp(order * found.rho) + SMALL
        _, _, own_p, own_q = zip(*transcripts(choice, _renyi_charge(order), budget), strict=True)
        losses = _filter(_renyi_budget(order, budget))
        assert losses == LossList(((1, RenyiCurve(((order, budget),))),))
        curve = guarantee("to-renyi", [losses], orders=[order], epsilons=[budget])
        assert curve == RenyiCurve(((order, budget),))
        assert worst_renyi(order, (own_p, own_q)) <= mp(budget) + SMALL


def test_the_budget_can_be_used_up() -> None:
    choice = {(): F(1, 2), (0,): F(1, 2), (1,): F(1, 4), (1, 1): F(1, 4), (1, 0): F(1, 4)}
    _, _, p, q = zip(*transcripts(choice, _pure, F(1)), strict=True)
    assert worst_excess(wide.exp(mp(F(999999, 10**6))), (p, q)) > mp(F(1, 10**8))


def test_without_a_budget_chosen_losses_exceed_the_sum_that_most_runs_spend() -> None:
    choice = {(): F(1, 2), (0,): F(1, 4), (1,): F(4)}
    _, _, p, q = zip(*transcripts(choice, _pure, F(100)), strict=True)
    assert worst_excess(wide.exp(mp(F(3, 4))), (p, q)) > F(1, 4)


def test_a_filter_rests_on_the_curator() -> None:
    under = ReplaceOne(Unit("person", 3))
    budget = _renyi_budget(2, "1/3")
    found = concluded("filter", [], neighbours=under, budget=budget, program=PROGRAM)
    assert found.hypotheses == BASE | {"curator"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == under


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"budget": _rho_budget(-1)}, "rho to be at least 0"),
        ({"budget": {**_rho_budget(1), "loss": "delta"}}, "loss to be one of"),
        ({"budget": {**_rho_budget(1), "order": 2}}, "no parameter 'order'"),
        ({"budget": {"loss": "curve", "count": 1}}, "points"),
        ({"budget": _renyi_budget(1, 1)}, "order above 1"),
        ({"budget": {**_rho_budget(1), "xi": 1}}, "one epsilon, rho or Rényi point"),
        ({"budget": {**_rho_budget(1), "delta": "1/2"}}, "one epsilon, rho or Rényi point"),
        ({"budget": {**_pure_budget(1), "delta": "1/2"}}, "one epsilon, rho or Rényi point"),
        ({"budget": {**_rho_budget(1), "count": 2}}, "one epsilon, rho or Rényi point"),
        ({"budget": {**_renyi_budget(2, 1), "points": [[2, 1], [3, 2]]}}, "one epsilon, rho"),
        ({"budget": {"loss": "gaussian", "count": 1, "mu_squared": 1}}, "one epsilon, rho"),
        ({"budget": {"loss": "bounded-range", "count": 1, "epsilon": 1}}, "one epsilon, rho"),
        ({"budget": 1}, "budget"),
        ({"program": "text"}, "program"),
        ({"neighbours": "add-remove"}, "neighbours"),
    ],
)
def test_filter_refuses(changed: dict[str, object], message: str) -> None:
    stated = {"neighbours": AddRemove(), "budget": _rho_budget(1), "program": PROGRAM}
    assert concluded("filter", [], **stated)
    with pytest.raises(ProofError, match=message):
        concluded("filter", [], **{**stated, **changed})


def _least_level(spend: Fraction, delta: Fraction, places: int = 15) -> Fraction:
    """The smallest ε that the odometer accepts at one level."""

    def holds(epsilon: Fraction) -> bool:
        return accepted(
            lambda: concluded(
                "odometer",
                [],
                neighbours=AddRemove(),
                program=PROGRAM,
                levels=[[spend, epsilon]],
                deltas=[delta],
            )
        )

    return least(holds, 100, places)


def test_a_level_is_the_tail_of_zcdp_to_its_digits() -> None:
    printed = F("5.756521769756932")
    assert abs(_least_level(F(1, 2), F(1, 10**6), 18) - printed) <= F(51, 10**17)
    assert _least_level(F(0), F(1, 10)) == 0


def _failure(
    choice: Choice, levels: list[tuple[Fraction, Fraction]], swap: bool = False
) -> mpmath.mpf:
    """The chance of a transcript at which some level fails."""
    total = wide.mpf(0)
    for _, spend, *chances in transcripts(choice, _concentrated, F(1000)):
        p, q = reversed(chances) if swap else chances
        loss = wide.log(mp(p) / mp(q))
        if any(spend <= level and loss > mp(epsilon) for level, epsilon in levels):
            total += mp(p)
    return total


@settings(max_examples=40, deadline=None)
@given(choices(), st.booleans(), st.sampled_from([F(1, 3), F(1, 10), F(1, 100)]))
def test_levels_fail_no_more_often_than_their_deltas(
    choice: Choice, swap: bool, delta: Fraction
) -> None:
    spends = [F(1, 8), F(1, 2), F(1), F(3), F(6)]
    levels = [(spend, _least_level(spend, delta / 5, 6)) for spend in spends]
    found = concluded(
        "odometer",
        [],
        neighbours=AddRemove(),
        program=PROGRAM,
        levels=[list(level) for level in levels],
        deltas=[delta / 5] * 5,
    )
    assert found.hypotheses == BASE | {"curator"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.guarantee == Odometer(tuple(levels), delta)
    assert _failure(choice, levels, swap) <= mp(delta)


def test_stopping_as_soon_as_a_level_fails_happens_and_within_its_delta() -> None:
    # Eight questions of 1/4 spend 1/4. The program stops where the loss passes the level's bound:
    # after six answers more of one kind than of the other.
    delta = F(1, 3)
    level = (F(1, 4), _least_level(F(1, 4), delta, 6))
    assert F(5, 4) < level[1] < F(6, 4)
    histories = [h for length in range(8) for h in itertools.product((0, 1), repeat=length)]
    choice = {
        h: F(1, 4)
        for h in histories
        if all(2 * sum(h[:end]) > end - 6 for end in range(len(h) + 1))
    }
    assert mp(F(1, 20)) < _failure(choice, [level]) <= mp(delta)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"levels": []}, "levels to be a list of one or more"),
        ({"levels": [[0, 0]] * 10_001, "deltas": ["1e-9"] * 10_001}, "1 to 10000 levels"),
        ({"levels": [[1, 10], [1, 20]]}, "ascend"),
        ({"levels": [[2, 10], [1, 20]]}, "ascend"),
        ({"levels": [[-1, 10], [1, 20]]}, "levels of at least 0"),
        ({"deltas": ["0.1"]}, "deltas has a number for each"),
        ({"deltas": ["0.1", 0]}, "deltas to be above 0"),
        ({"deltas": ["0.5", "0.5"]}, "delta < 1"),
        ({"levels": [[1, 4], [2, 20]]}, "tail bound"),
        ({"levels": [[1, 10], [2, 5]]}, "tail bound"),
        ({"levels": [[1, -10], [2, 20]]}, "levels of at least 0"),
        ({"levels": [[1, "1/2"], [2, 20]]}, "at least its spend"),
        ({"levels": [[1, 10, 3], [2, 20]]}, "levels to be a list of 2"),
        ({"budget": 3}, "no parameter 'budget'"),
    ],
)
def test_odometer_refuses(changed: dict[str, object], message: str) -> None:
    stated = {
        "neighbours": AddRemove(),
        "program": PROGRAM,
        "levels": [[1, 10], [2, 20]],
        "deltas": ["0.1", "0.1"],
    }
    assert concluded("odometer", [], **stated)
    with pytest.raises(ProofError, match=message):
        concluded("odometer", [], **{**stated, **changed})


@pytest.mark.parametrize("rule", ["filter", "odometer"])
def test_no_premises_are_taken(rule: str) -> None:
    stable = Stable(AddRemove(), 1, F(1), F(1), F(1), True, True)
    with pytest.raises(ProofError, match="takes no premises"):
        given: dict[str, dict[str, object]] = {
            "filter": {"budget": _rho_budget(1)},
            "odometer": {"levels": [[1, 10]], "deltas": ["0.1"]},
        }
        from_premises(rule, (stable,), neighbours=AddRemove(), program=PROGRAM, **given[rule])
