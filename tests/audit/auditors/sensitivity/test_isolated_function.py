"""Functions in a process of their own: exact answers, and an end to every call."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from audit.auditors.sensitivity.answers import Answer, NoAnswer
from audit.auditors.sensitivity.isolated import IsolatedFunction
from synthesizers.errors import InputError, ProtocolError

HERE = str(Path(__file__).parent)


def _function(name: str, seconds: float = 30.0) -> IsolatedFunction:
    return IsolatedFunction(f"hostile_queries:{name}", HERE, seconds)


def test_answers_come_back_exactly() -> None:
    found = _function("exact").answer([{"a": "b"}])
    assert found == Answer((Fraction(1, 3), 2**70, 0.1 + 0.2, -math.inf), (4,))
    assert isinstance(found, Answer) and isinstance(found.numbers[2], float)


def test_what_a_function_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    assert _function("size").answer([{}, {}]) == Answer((2,), ())
    assert capfd.readouterr() == ("", "")


def test_exceptions_and_ends_are_outcomes_without_a_word_of_theirs() -> None:
    assert _function("raises").answer([{}]) == NoAnswer("raised ValueError")
    assert _function("dies").answer([{}]) == NoAnswer("ended: died")


def test_a_call_that_hangs_is_one_outcome_and_the_next_goes_on() -> None:
    function = _function("hangs_on_two", 0.5)
    assert function.answer([{}, {}]) == NoAnswer("took too long")
    assert function.answer([{}]) == Answer((1,), ())


def test_a_function_that_always_ends_by_force_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.isolated.MOST_ENDED", 2)
    function = _function("dies")
    assert isinstance(function.answer([]), NoAnswer)
    with pytest.raises(ProtocolError, match="2 calls were ended by force"):
        function.answer([])


@pytest.mark.parametrize(
    ("name", "said"),
    [("absent", "has no attribute"), ("LIMIT", "can't be called")],
)
def test_what_is_not_there_is_said_at_once(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _function(name).check()
