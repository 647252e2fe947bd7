"""What all rules share: premises of the right kind, inequalities that are decided or refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import ProofError, UndecidedError, require
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Guarantee, Judgment, Private, Stable
from proofs.parameters import Positive
from proofs.rules.rule import (
    Conclusion,
    Premises,
    Rule,
    at_most,
    at_most_growing,
    guarantee_of,
    require_neighbours,
    rule,
)
from synthesizers.exact import ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

F = Fraction


def private(guarantee: Guarantee, neighbours: Neighbours | None = None) -> Private:
    return Private(neighbours or AddRemove(), guarantee)


STABLE = Stable(AddRemove(), 1, F(1), F(1), F(1), True, True)


def test_at_most_holds_of_all_members_of_two_intervals_or_raises() -> None:
    at_most(Interval(F(1), F(2)), Interval(F(2), F(3)), "it")
    at_most(Interval(F(1), F(2)), F(2), "it")
    at_most(F(1), Interval(F(1), F(3)), "it")
    for left, right in (
        (Interval(F(1), F(3)), Interval(F(2), F(4))),
        (Interval(F(1), F(3)), F(2)),
        (F(2), Interval(F(1), F(3))),
        (Interval(F(2), F(3)), Interval(F(1), F(2))),
    ):
        with pytest.raises(UndecidedError, match="cannot be decided"):
            at_most(left, right, "it")
    for left, right in ((Interval(F(3), F(4)), F(2)), (F(4), Interval(F(1), F(3)))):
        with pytest.raises(ProofError, match="it") as refusal:
            at_most(left, right, "it")
        assert not isinstance(refusal.value, UndecidedError)


def test_at_most_is_exact_for_numbers_that_are_known_exactly() -> None:
    power = ExpRational.exp(F(1, 3))
    at_most(F(1, 3), F(1, 3), "it")
    at_most(power * 3, power + power * 2, "it")
    at_most(power, power + F(1, 10**100), "it")
    for left, right in ((F(1, 3) + F(1, 10**100), F(1, 3)), (power + F(1, 10**100), power)):
        with pytest.raises(ProofError) as refusal:
            at_most(left, right, "it")
        assert not isinstance(refusal.value, UndecidedError)


@rule("of-nothing")
def of_nothing() -> Conclusion:
    return Conclusion(STABLE)


@rule("of-query")
def of_query(stable: Stable) -> Conclusion:
    return Conclusion(stable)


@rule("of-one")
def of_one(premise: Private) -> Conclusion:
    return Conclusion(premise)


@rule("of-several")
def of_several(premises: Premises) -> Conclusion:
    return Conclusion(premises[-1])


def test_premises_are_of_one_kind_and_as_many_as_wanted() -> None:
    pure, other = private(ApproxDP(F(1))), private(ZCDP(F(1)))
    assert of_nothing.apply([], {}).judgment == of_query.apply([STABLE], {}).judgment == STABLE
    assert of_one.apply([pure], {}).judgment == of_several.apply([pure], {}).judgment == pure
    assert of_several.apply([pure, other], {}).judgment == other
    assert guarantee_of(pure, ApproxDP) == ApproxDP(F(1))
    refused: tuple[tuple[Rule, list[Judgment]], ...] = (
        (of_nothing, [pure]),
        (of_query, []),
        (of_query, [pure]),
        (of_query, [STABLE, STABLE]),
        (of_one, []),
        (of_one, [pure, pure]),
        (of_one, [STABLE]),
        (of_several, []),
        (of_several, [pure, STABLE]),
    )
    for own, premises in refused:
        with pytest.raises(ProofError, match="it takes"):
            own.apply(premises, {})
    with pytest.raises(ProofError, match="of the kind ApproxDP"):
        guarantee_of(other, ApproxDP)


def test_premises_are_under_the_same_neighbours() -> None:
    with pytest.raises(ProofError, match="same neighbours"):
        of_several.apply([private(ApproxDP(F(1))), private(ApproxDP(F(1)), ReplaceOne())], {})


@rule("named")
def entitle(premise: Private, title: str, size: Positive) -> Conclusion:
    return Conclusion(premise, frozenset({title, str(size)}))


def test_a_rule_reads_its_declared_parameters_and_no_other() -> None:
    pure = private(ApproxDP(F(1)))
    given: dict[str, Any] = {"title": "a", "size": "1/2"}
    assert entitle.name == "named" and entitle.apply([pure], given).hypotheses == {"a", "1/2"}
    for wrong in (
        {"title": "a"},
        {**given, "spare": 1},
        {**given, "size": 0},
        {**given, "title": 1},
    ):
        with pytest.raises(ProofError, match="named"):
            entitle.apply([pure], wrong)


def test_the_precision_grows_until_an_inequality_is_decided() -> None:
    asked: list[int] = []

    def near(bits: int) -> Interval:
        asked.append(bits)
        return Interval(F(1) - F(1, 2**bits), F(1) + F(1, 2**bits))

    at_most_growing(near, F(1) + F(1, 2**500), "it")
    assert len(asked) == 2
    with pytest.raises(ProofError, match="it") as refused:
        at_most_growing(near, F(1) - F(1, 2**500), "it")
    assert not isinstance(refused.value, UndecidedError)
    with pytest.raises(UndecidedError):
        at_most_growing(near, F(1), "it")


def test_a_side_condition_that_fails_says_what_was_expected() -> None:
    require(True, "it")
    with pytest.raises(ProofError, match="it"):
        require(False, "it")
    require_neighbours(ReplaceOne(), ReplaceOne())
    with pytest.raises(ProofError, match="the premise is under replace-one of a record"):
        require_neighbours(ReplaceOne(), AddRemove())
    with pytest.raises(ProofError, match="add-remove of a person of at most 2 records"):
        require_neighbours(AddRemove(Unit("person", 3)), AddRemove(Unit("person", 2)))
