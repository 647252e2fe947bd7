"""What a facet was on two databases, in words that need no knowledge of Python."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.data_independence import Facet, examine, wrap_estimator
from audit.auditors.data_independence.facets import Digested, token
from audit.auditors.data_independence.token_words import describe_apart, describe_name
from audit.statements.claim import Claim
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({True}, {False}, ("present", "absent")),
        ({token(3)}, {token(4.5)}, ("3", "4.5")),
        ({token("a")}, {token(None)}, ("'a'", "None")),
        ({token([1, 2])}, {token([1])}, ("[1, 2]", "[1]")),
        ({("raised", "ValueError")}, set(), ("an exception (ValueError)", "anything else")),
        ({("columns", ("a", "b"))}, {("columns", ())}, ("'a', 'b'", "none")),
        ({(3, 2)}, {()}, ("3x2", "a single value")),
        ({("written", "out.csv")}, {("written", "b.csv")}, ("out.csv", "b.csv")),
        (
            {Digested("DataFrame", "3 rows", "1f")},
            {Digested("DataFrame", "3 rows", "2f")},
            ("a DataFrame of 3 rows", "another DataFrame of 3 rows"),
        ),
    ],
)
def test_no_token_is_told_as_python_holds_it(first: Any, second: Any, words: Any) -> None:
    assert describe_apart(frozenset(first), frozenset(second)) == words


def test_the_digest_of_a_long_text_is_not_shown() -> None:
    assert describe_name(f"value of 'x': {'a' * 9}…0123abcd") == f"value of 'x': {'a' * 9}…"


class Keeps:
    """An estimator that keeps its table, its array or whatever it makes of its records."""

    made: Any

    def fit(self, data: pd.DataFrame) -> Keeps:
        self.data = type(self).made(data)
        return self

    def sample(self, rows: int) -> pd.DataFrame:
        return pd.DataFrame({"cell": ["0"] * rows})


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda data: data, "columns of attribute 'data': none on the first"),
        (lambda data: data.to_numpy(), "type of the entries of attribute 'data': "),
        (lambda data: {"n": len(data)}, "attribute 'data'['n']: "),
        (lambda data: SimpleNamespace(n=len(data)), "another SimpleNamespace"),
        (lambda data: np.float64(len(data)), "attribute 'data': "),
    ],
)
def test_of_what_an_estimator_keeps_it_is_said_what_differs(make: Any, says: str) -> None:
    class Own(Keeps):
        made = staticmethod(make)

    claim = Claim(ApproxDP(1), AddRemove(), "output", Domain.from_cells("2"), None)
    found = examine(wrap_estimator(Own, {}, 2), claim)
    (kept,) = [one for one in found if one.about == Facet.ATTRIBUTES.value]
    assert says in kept.found and "('" not in kept.found, kept.found
