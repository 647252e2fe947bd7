"""Declarations: what is read, exactly, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.auditors.sensitivity.declaration import Declared, Norm, of_query, parse_declaration
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import ReplaceOne
from synthesizers.queries import Marginal

F = Fraction


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("l1=1", Declared(F(1))),
        ("l1=0.1", Declared(F(1, 10))),
        ("L1 = 1/3", Declared(F(1, 3))),
        ("l2=3", Declared(None, F(9))),
        ("l2_squared=2", Declared(None, F(2))),
        ("l2-squared=2", Declared(None, F(2))),
        ("l1=2, linf=1", Declared(F(2), None, F(1))),
        ("linf=0", Declared(None, None, F(0))),
    ],
)
def test_bounds_are_taken_exactly(text: str, expected: Declared) -> None:
    assert parse_declaration(text) == expected
    assert parse_declaration(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "found nothing"),
        ("l1", "found 'l1'"),
        ("l3=1", "found 'l3=1'"),
        ("l1=inf", "finite number"),
        ("l1=nan", "finite number"),
        ("l1=-1", "must not be negative"),
        ("l2=-1", "must not be negative"),
        ("l1=1, l1=2", "declared twice"),
        ("l2=1, l2_squared=1", "declared twice"),
        ("l1=1,,", "found ''"),
        ("l1=1/0", "finite number"),
    ],
)
def test_anything_else_is_refused_in_a_clear_sentence(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_declaration(text)


def test_a_declaration_bounds_something_and_takes_no_floats() -> None:
    with pytest.raises(InputError, match="at least one norm"):
        Declared()
    with pytest.raises(InputError, match="in quotes"):
        Declared(0.1)


def test_norms_are_exact_and_a_root_is_written_as_one() -> None:
    changes = [F(1), F(1, 3), F(0)]
    assert Norm.L1.of(changes) == F(4, 3)
    assert Norm.L2.of(changes) == F(10, 9)
    assert Norm.LINF.of(changes) == 1
    assert Norm.LINF.of([]) == Norm.L1.of([]) == Norm.L2.of([]) == 0
    assert all(norm.of([F(1), math.inf]) == math.inf for norm in Norm)
    assert [Norm.L2.text(F(size)) for size in (2, 4, F(1, 9))] == ["√2", "2", "1/3"]
    assert Norm.L1.text(F(1, 2)) == "0.5" and Norm.L2.text(math.inf) == "inf"


def test_a_query_declares_what_follows_from_its_kind() -> None:
    domain = Domain.from_cells("3")
    found = of_query(Marginal(("cell",)).sensitivity(domain, ReplaceOne()))
    assert found == parse_declaration("l1=2, l2_squared=2, linf=1")
