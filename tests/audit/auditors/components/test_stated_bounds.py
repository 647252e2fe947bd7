"""What libraries state of their mechanisms counts at their word, and accuses nobody."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.auditors.components.recording.libraries.opendp import _list_rows
from audit.auditors.components.recording.steps import Call
from audit.auditors.components.stated_bounds import bound
from proofs.losses import ResponseLoss


def call(value, metric="AbsoluteDistance(f64)", reach=(1, 2), epsilon=(0.5, 1.0), delta=(0.0, 0.1)):
    known = {"metric": metric, "reach": reach, "epsilon": epsilon, "delta": delta}
    return Call("library", "stated", known, tuple(value), ("answer",), "file.py:1")


@pytest.mark.parametrize(
    ("metric", "first", "second", "stated"),
    [
        ("AbsoluteDistance(f64)", [3.0], [3.5], (0.5, 0.0)),
        ("AbsoluteDistance(f64)", [3.0], [1.0], (1.0, 0.1)),
        ("AbsoluteDistance(f64)", [3.0], [0.5], None),
        ("DiscreteDistance()", [True], [False], (0.5, 0.0)),
        ("LInfDistance(T=i32)", [1, 2, 3], [2, 3, 4], (0.5, 0.0)),
        ("L1Distance(i32)", [1, 2], [2, 3], (1.0, 0.1)),
        ("L2Distance(f64)", [1.0, 2.0], [2.0, 3.0], (1.0, 0.1)),
        ("SymmetricDistance()", [1, 2], [2, 1, 1], (0.5, 0.0)),
        ("AnotherDistance()", [1], [2], None),
        ("AbsoluteDistance(f64)", [1.0], [1.0, 2.0], None),
    ],
)
def test_the_bound_is_that_of_the_distance(metric, first, second, stated):
    part = bound(call(first, metric), call(second, metric))
    assert not part.exact and part.why and not part.leak
    if stated is None:
        assert part.losses is None
    else:
        assert part.losses == (ResponseLoss(*map(Fraction, stated)),)


@pytest.mark.parametrize("wrong", [{"epsilon": (float("inf"),)}, {"delta": (1.0,)}, {"reach": ()}])
def test_what_is_no_bound_is_none(wrong):
    found = {"reach": (1,), "epsilon": (1.0,), "delta": (0.0,), **wrong}
    assert bound(call([0.0], **found), call([1.0], **found)).losses is None


def test_rows_stay_rows():
    """Rows of other values in another order are not the same table."""
    assert sorted(_list_rows([("a", "b")])) != sorted(_list_rows([("b", "a")]))
    assert _list_rows([1, True, 0.5]) == [1, True, 0.5] and _list_rows(3) == [3]
