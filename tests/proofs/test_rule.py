"""What all rules share: premises of the right kind, inequalities that are decided or refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Guarantee, Mechanism, Private, Stable
from proofs.rules.rule import Premises, at_most, require, require_relation
from synthesizers.exact import ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

F = Fraction


def private(guarantee: Guarantee, neighbours: Neighbours | None = None) -> Private:
    return Private(Mechanism.of("M", {}), neighbours or AddRemove(), guarantee)


STABLE = Stable("{}", AddRemove(), 1, F(1), F(1), F(1), True, True)


def test_at_most_holds_of_all_members_of_two_intervals_or_raises() -> None:
    at_most(Interval(F(1), F(2)), Interval(F(2), F(3)), "r", "it")
    at_most(Interval(F(1), F(2)), F(2), "r", "it")
    at_most(F(1), Interval(F(1), F(3)), "r", "it")
    for left, right in (
        (Interval(F(1), F(3)), Interval(F(2), F(4))),
        (Interval(F(1), F(3)), F(2)),
        (F(2), Interval(F(1), F(3))),
        (Interval(F(2), F(3)), Interval(F(1), F(2))),
    ):
        with pytest.raises(UndecidedError, match="cannot be decided"):
            at_most(left, right, "r", "it")
    for left, right in ((Interval(F(3), F(4)), F(2)), (F(4), Interval(F(1), F(3)))):
        with pytest.raises(ProofError, match="it") as refusal:
            at_most(left, right, "r", "it")
        assert not isinstance(refusal.value, UndecidedError)


def test_at_most_is_exact_for_numbers_that_are_known_exactly() -> None:
    power = ExpRational.exp(F(1, 3))
    at_most(F(1, 3), F(1, 3), "r", "it")
    at_most(power * 3, power + power * 2, "r", "it")
    at_most(power, power + F(1, 10**100), "r", "it")
    for left, right in ((F(1, 3) + F(1, 10**100), F(1, 3)), (power + F(1, 10**100), power)):
        with pytest.raises(ProofError) as refusal:
            at_most(left, right, "r", "it")
        assert not isinstance(refusal.value, UndecidedError)


def test_premises_are_of_one_kind_and_as_many_as_wanted() -> None:
    pure, other = private(ApproxDP(F(1))), private(ZCDP(F(1)))
    assert Premises("r", (pure,)).private(ApproxDP, ZCDP) == pure
    found, guarantees = Premises("r", (pure, pure)).guarantees(ApproxDP)
    assert found == (pure, pure) and guarantees == (ApproxDP(F(1)),) * 2
    Premises("r", ()).none()
    refused = (
        lambda: Premises("r", (pure,)).none(),
        lambda: Premises("r", ()).one(Private),
        lambda: Premises("r", ()).all(Private),
        lambda: Premises("r", (pure, pure)).one(Private),
        lambda: Premises("r", (pure, STABLE)).all(Private),
        lambda: Premises("r", (STABLE,)).one(Private),
        lambda: Premises("r", (other,)).private(ApproxDP),
        lambda: Premises("r", (pure, other)).guarantees(ApproxDP),
    )
    for attempt in refused:
        with pytest.raises(ProofError, match="the rule r"):
            attempt()


def test_premises_are_under_the_same_neighbours() -> None:
    both = (private(ApproxDP(F(1))), private(ApproxDP(F(1)), ReplaceOne()))
    with pytest.raises(ProofError, match="same neighbours"):
        Premises("r", both).guarantees(ApproxDP)


def test_a_side_condition_that_fails_says_what_was_expected() -> None:
    require(True, "r", "it")
    with pytest.raises(ProofError, match="the rule r does not apply: it"):
        require(False, "r", "it")
    require_relation(True, "r", ReplaceOne(), "add-remove")
    with pytest.raises(ProofError, match="the premise is under replace-one of a record"):
        require_relation(False, "r", ReplaceOne(), "add-remove")
