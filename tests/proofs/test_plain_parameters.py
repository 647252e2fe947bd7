"""Parameters of a rule are plain data, and each is read as the kind that the rule expects."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import ProofError
from proofs.parameters import MAX_TEXT, Parameters, plain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit

F = Fraction


def reader(**given: Any) -> Parameters:
    return Parameters("r", given)


def test_plain_data_stay_and_numbers_become_text() -> None:
    given = {"a": F(1, 3), "b": [F(2), 3, "4"], "c": {"d": (True, None)}, "n": AddRemove()}
    own = {"neighbours": "add-remove", "unit": "record", "max_records": 1}
    wanted = {"a": "1/3", "b": ["2", 3, "4"], "c": {"d": [True, None]}, "n": own}
    assert plain(given) == wanted


@pytest.mark.parametrize(
    "value",
    [0.5, [0.5], {"a": {"b": 0.5}}, {1: 2}, {1}, b"1", 1j, object(), F(1, 10**2000), F(10**2000)],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_plain_data_is_refused(value: Any) -> None:
    with pytest.raises(ProofError):
        plain(value)


@pytest.mark.parametrize("value", [True, False, 1.0, 0.5, None, [1], {}, "1" * (MAX_TEXT + 1), "x"])
def test_what_is_no_rational_is_refused(value: Any) -> None:
    with pytest.raises(ProofError):
        reader(x=value).rational("x")
    with pytest.raises(ProofError):
        reader(x=[value]).rationals("x")
    with pytest.raises(ProofError):
        reader(x=[[1, value]]).points("x")


@pytest.mark.parametrize("value", [True, -1, "1", 1.0, None])
def test_what_is_no_count_is_refused(value: Any) -> None:
    with pytest.raises(ProofError):
        reader(x=value).whole("x")
    with pytest.raises(ProofError):
        reader(x=[1, value]).wholes("x")


def test_counts_of_any_sign_are_still_integers() -> None:
    assert reader(x=[-1, 2]).wholes("x", None) == (-1, 2)
    with pytest.raises(ProofError):
        reader(x=[True]).wholes("x", None)


def test_each_kind_is_read_as_it_is() -> None:
    given = reader(a="1/3", b=["0.5", 2], c=[[1, "2"]], d=4, e=True, f="t", g={"k": 1})
    assert given.rational("a") == F(1, 3)
    assert given.rationals("b") == (F(1, 2), F(2))
    assert given.points("c") == ((F(1), F(2)),)
    assert given.whole("d", 4) == 4 and given.flag("e") is True
    assert given.text("f") == given.choice("f", "s", "t") == "t"
    assert given.record("g") == {"k": 1}
    given.close()
    person = {"neighbours": "replace-one", "unit": "person", "max_records": 2}
    assert reader(n=person).neighbours("n") == ReplaceOne(Unit("person", 2))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("flag", 1),
        ("flag", "true"),
        ("text", 1),
        ("record", [1]),
        ("rationals", "1"),
        ("points", [[1, 2, 3]]),
        ("points", ["12"]),
        ("positive", 0),
        ("positive", "-1/2"),
        ("neighbours", "add-remove"),
        ("neighbours", {"neighbours": "add-remove", "unit": "person"}),
        ("neighbours", {"neighbours": "swap", "unit": "record", "max_records": 1}),
    ],
)
def test_another_kind_is_refused(kind: str, value: Any) -> None:
    with pytest.raises(ProofError, match="r"):
        getattr(reader(x=value), kind)("x")


def test_missing_small_and_spare_parameters_are_refused() -> None:
    with pytest.raises(ProofError, match="needs the parameter x"):
        reader().value("x")
    with pytest.raises(ProofError, match="from 2 on"):
        reader(x=1).whole("x", 2)
    with pytest.raises(ProofError, match="one of a, b"):
        reader(x="c").choice("x", "a", "b")
    spare = reader(x=1, y=2)
    spare.value("x")
    assert spare.has("y") and not spare.has("z")
    with pytest.raises(ProofError, match="no parameter 'y'"):
        spare.close()
