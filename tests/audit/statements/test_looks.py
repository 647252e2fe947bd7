"""What error a look at a subject may have."""

from __future__ import annotations

from fractions import Fraction

from audit.statements.looks import describe_look, look_share


def test_however_many_looks_spend_less_than_the_whole_error() -> None:
    spent = [sum(map(look_share, range(1, looks + 1))) for looks in (1, 2, 10, 1000)]
    assert spent == [1 - Fraction(1, looks + 1) for looks in (1, 2, 10, 1000)]


def test_where_looks_are_not_counted_the_error_is_whole() -> None:
    assert look_share(None) == 1
    assert describe_look(None, Fraction(1)) == ""


def test_a_finding_says_which_look_it_is() -> None:
    told = describe_look(3, Fraction(1, 10**6) * look_share(3))
    assert told == "; look 3 at this code, which may refute at an error of 8.3e-08"
