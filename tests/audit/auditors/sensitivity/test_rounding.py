"""Rounding and violations: neither is ever taken for the other."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.auditors.sensitivity.answers import Answer, InProcess, Seen, see
from audit.auditors.sensitivity.declaration import Norm, parse_declaration
from audit.auditors.sensitivity.enclosed import (
    Enclosed,
    Rational,
    take_exp,
    take_log,
    take_root,
)
from audit.auditors.sensitivity.exactly import OnExactNumbers, keeps_exactly
from audit.auditors.sensitivity.examine import StatedQuery, examine
from audit.auditors.sensitivity.isolated import IsolatedFunction
from audit.auditors.sensitivity.records import FloatColumn
from audit.auditors.sensitivity.rounding import DEAREST, excess_of, root_above
from audit.auditors.sensitivity.tolerance import Tolerance, parse_tolerance
from audit.statements.evidence import Decision
from audit.statements.finding import Finding
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

F = Fraction
Rows = list[dict[str, Any]]
UNIT = FloatColumn("x", 0.0, 1.0)


@pytest.fixture(autouse=True)
def shorter_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.families.LONGEST", 200)
    monkeypatch.setattr("audit.auditors.sensitivity.families.SIZES", (1, 2, 3, 10, 100))


def plain_sum(records: Rows) -> Any:
    total = 0.0
    for record in records:
        total += record["x"]
    return total


def numpy_sum(records: Rows) -> Any:
    return np.array([record["x"] for record in records], dtype=np.float64).sum()


def clipped_mean(records: Rows) -> Any:
    return sum(min(max(record["x"], -1.0), 1.0) for record in records) / 100


def both(records: Rows) -> Any:
    return [numpy_sum(records), -0.5 * numpy_sum(records)]


def _decisions(
    function: Any, declared: str, space: FloatColumn = UNIT, neighbours: Neighbours | None = None
) -> set[Decision]:
    query = StatedQuery("query", function, space, parse_declaration(declared))
    found = examine(query, neighbours or AddRemove(), examples=40)
    return {finding.decision for finding in found}


@pytest.mark.parametrize(
    ("function", "declared", "space", "neighbours"),
    [
        (plain_sum, "l1=1", UNIT, AddRemove()),
        (numpy_sum, "l1=1, l2=1, linf=1", UNIT, AddRemove()),
        (numpy_sum, "l1=2", FloatColumn("x", -1.0, 1.0), ReplaceOne()),
        (clipped_mean, "l1=1/100", FloatColumn("x", -1.0, 1.0), AddRemove()),
        (both, "l1=3/2, l2_squared=5/4", FloatColumn("x", -1.0, 1.0), AddRemove()),
        (lambda r: 0.1 * len(r), "l1=0.1", UNIT, AddRemove()),
    ],
)
def test_honest_sums_of_floats_are_not_accused(
    function: Any, declared: str, space: FloatColumn, neighbours: Neighbours
) -> None:
    assert Decision.EXCEEDED not in _decisions(function, declared, space, neighbours)


@pytest.mark.parametrize("excess", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("function", [plain_sum, numpy_sum])
def test_planted_violations_never_pass_for_rounding(function: Any, excess: float) -> None:
    assert Decision.EXCEEDED in _decisions(lambda r: function(r) * (1 + excess), "l1=1")


@pytest.mark.parametrize("excess", [1e-9, 1e-12])
def test_one_that_begins_at_many_records_is_seen_on_exact_numbers(excess: float) -> None:
    def late(records: Rows) -> Any:
        return plain_sum(records) + plain_sum(records[150:]) * excess

    assert Decision.EXCEEDED in _decisions(late, "l1=1")


def test_sums_that_rounding_moves_by_whole_records_are_violated() -> None:
    def shifted(records: Rows) -> Any:
        total = 2.0**54
        for record in records:
            total += record["x"]
        return total - 2.0**54

    assert Decision.EXCEEDED in _decisions(shifted, "l1=3", FloatColumn("x", 0.0, 3.0))


def test_a_declared_zero_forgives_nothing() -> None:
    pair = Seen(({"x": 1.0},), (), (Answer((1e-300,), ()), Answer((0.0,), ())))
    for tolerance in (Tolerance(), Tolerance(F(1))):
        assert tolerance.exceeds(Norm.L1, F(0), pair.size(Norm.L1), pair)


def _apart(first: list[Any], second: list[Any], records: int = 0) -> Seen:
    database = ({"x": 1.0},) * records
    answers = Answer(tuple(first), (len(first),)), Answer(tuple(second), (len(second),))
    return Seen(database, database, answers)


def test_exact_answers_are_not_rounded() -> None:
    tiny = F(1, 10**30)
    for more in (F(1) + tiny, 2**80 + 1):
        pair = _apart([more], [0])
        size = pair.size(Norm.L1)
        assert Tolerance().exceeds(Norm.L1, F(size) - tiny, size, pair)


@pytest.mark.parametrize("norm", list(Norm))
def test_what_is_forgiven_is_gamma_times_the_sum_and_no_more(norm: Norm) -> None:
    # Two answers of 1 and 0 of a database of one record, on both sides: 3 operations.
    gamma = F(3, 2**53) / (1 - F(3, 2**53))
    slack = {Norm.L1: 4 * gamma, Norm.L2: None, Norm.LINF: 2 * gamma}[norm]
    pair = _apart([1.0, 1.0], [0.0, 0.0], 1)
    root = {Norm.L1: F(2), Norm.L2: None, Norm.LINF: F(1)}[norm]
    size = pair.size(norm)
    for part, exceeds in ((F(999, 1000), False), (F(1001, 1000), True)):
        if slack is not None and root is not None:
            bound = root - slack * part
        else:
            # The root of 2 is made less by that of the squares of twice gamma.
            bound = (root_above(F(2)) - root_above(8 * gamma**2) * part) ** 2
        assert Tolerance().exceeds(norm, bound, size, pair) is exceeds


def test_a_billionth_is_the_most_that_is_forgiven_unasked() -> None:
    pair = _apart([1.0 + 2.0**-29], [0.0], 10**8 // 2**10)
    many = Seen(({"x": 1e9},) * 1000, (), pair.answers)
    assert Tolerance().exceeds(Norm.L1, F(1), many.size(Norm.L1), many)
    assert not Tolerance(DEAREST * 2).exceeds(Norm.L1, F(1), many.size(Norm.L1), many)


@pytest.mark.parametrize("norm", list(Norm))
def test_a_tolerance_is_a_share_of_the_bound_exactly(norm: Norm) -> None:
    pair = _apart([11], [0])
    bound, size = norm.measure(F(10)), pair.size(norm)
    assert not Tolerance(F(1, 10)).exceeds(norm, bound, size, pair)
    assert Tolerance(F(1, 10) - F(1, 10**50)).exceeds(norm, bound, size, pair)


@pytest.mark.parametrize("text", ["-1", "nan", "inf", "x", 0.1, True])
def test_tolerances_are_numbers_that_are_not_negative(text: object) -> None:
    with pytest.raises(InputError, match="tolerance"):
        parse_tolerance(text)


def test_an_excess_is_told_in_the_norm_rounded_up() -> None:
    found = excess_of(Norm.L1, F(3), F(3) + F(1, 3), "it was asked for")
    assert (found.absolute, found.relative) == ("0.334", "0.112")
    square = excess_of(Norm.L2, F(4), F(9), "")
    assert F(1) <= F(square.absolute) <= F("1.01") and F("0.5") <= F(square.relative) < F("0.51")
    assert "ρ·(1 + 1.2" in square.cost


def test_exact_numbers_stay_exact_beside_floats_and_refuse_to_become_one() -> None:
    third = Rational(F(1, 3))
    for found, exact in (
        (0.1 + third, F(0.1) + F(1, 3)),
        (third - 0.1, F(1, 3) - F(0.1)),
        (2 * third / 0.5, F(4, 3)),
        (1.0 / third, F(3)),
        (-third, F(-1, 3)),
        (abs(-third), F(1, 3)),
        (sum([third, third, 1]), F(5, 3)),
        (np.float64(0.1) * third, F(0.1) / 3),
        (np.array([third, third]).sum(), F(2, 3)),
        (np.clip(np.array([third]), 0.0, 0.25)[0], F(0.25)),
        (min(third, 0.25), 0.25),
    ):
        assert found == exact
    assert isinstance(0.1 + third + 0.1, Rational)
    for act in (float, math.sqrt, lambda x: math.fsum([x]), lambda x: np.array([x], float)):
        with pytest.raises(TypeError):
            act(third)


def test_code_that_takes_no_exact_numbers_has_no_exact_change() -> None:
    def guarded(records: Rows) -> Any:
        return sum(record["x"] for record in records if isinstance(record["x"], float))

    def rescued(records: Rows) -> Any:
        try:
            return math.fsum(record["x"] for record in records)
        except TypeError:
            return 0

    databases = [{"x": 0.1}] * 3, [{"x": 0.1}] * 4
    for function, exact in (
        (plain_sum, True),
        (numpy_sum, None),
        (guarded, None),
        (rescued, True),
        (lambda r: 1 / 0 if isinstance(r[0]["x"], Rational) else 0.0, None),
    ):
        pair = see(InProcess(function), *databases)
        exactly = OnExactNumbers(InProcess(function))
        assert keeps_exactly(exactly, Norm.L1, F(0.1), pair) is exact
        # A billionth less is exceeded on exact numbers, too.
        if exact:
            assert keeps_exactly(exactly, Norm.L1, F(0.1) * (1 - DEAREST), pair) is False


def test_a_function_in_its_own_process_is_asked_about_exact_numbers_too() -> None:
    name = f"{__name__}:plain_sum"
    pair = see(InProcess(plain_sum), [{"x": 0.1}] * 2, [{"x": 0.1}] * 3)
    exactly = IsolatedFunction(name, exact=True)
    assert keeps_exactly(exactly, Norm.L1, F(0.1), pair) is True


FAR = FloatColumn("x", 100.1, 101.1)
WIDTH = F(101.1) - F(100.1)


def squares(records: Rows) -> Any:
    """The squares about the mean, by the formula of textbooks, which cancels most of the digits."""
    values = [record["x"] for record in records]
    return sum(value * value for value in values) - sum(values) ** 2 / len(values)


def numpy_squares(records: Rows) -> Any:
    values = np.array([record["x"] for record in records])
    return np.dot(values, values) - values.sum() ** 2 / len(values)


def root(records: Rows) -> Any:
    return math.sqrt(1 + squares(records))


def numpy_log(records: Rows) -> Any:
    return np.log(1 + numpy_squares(records))


def power(records: Rows) -> Any:
    return np.sqrt(np.array([1 + numpy_squares(records)]))[0] ** 3.0


def share(records: Rows) -> Any:
    return [squares(records) / (1 + squares(records)), math.exp(-squares(records))]


MOST = F(9, 10) * WIDTH**2
FURTHER = [
    (squares, f"l1={MOST}"),
    (numpy_squares, f"l1={MOST}"),
    (root, f"l1={F(math.sqrt(1 + MOST)) - 1}"),
    (numpy_log, f"l1={F(math.log1p(MOST))}"),
    (power, f"l1={F((1 + float(MOST)) ** 1.5) - 1}"),
    (share, f"l1={MOST / (1 + MOST) + 1 - F(math.exp(-MOST))}"),
]
"""Functions that round more than a sum does, with their sensitivities over ten values."""


def _examine(function: Any, declared: str, tolerance: Tolerance | None = None) -> list[Finding]:
    query = StatedQuery("query", function, FAR, parse_declaration(declared))
    return [*examine(query, ReplaceOne(), [10], examples=40, tolerance=tolerance)]


@pytest.mark.parametrize(("function", "declared"), FURTHER)
def test_functions_that_round_more_than_a_sum_hold_up_to_rounding(
    function: Any, declared: str
) -> None:
    found = _examine(function, declared)
    assert not any(one.violated for one in found)
    (excess,) = [one.excess for one in found if one.excess is not None]
    assert F(excess.relative) > F(1, 10**13) and "on exact numbers" in excess.because


@pytest.mark.parametrize("excess", [1e-9, 1e-10])
@pytest.mark.parametrize(("function", "declared"), FURTHER)
def test_no_violation_planted_in_them_passes_for_rounding(
    function: Any, declared: str, excess: float
) -> None:
    def plant(records: Rows) -> Any:
        found = function(records)
        if isinstance(found, list):
            return [one * (1 + excess) for one in found]
        return found * (1 + excess)

    assert any(one.violated for one in _examine(plant, declared))


def test_code_that_makes_floats_is_told_how_small_its_excess_is_and_what_accepts_it() -> None:
    def make_floats(records: Rows) -> Any:
        return squares([{"x": float(record["x"])} for record in records])

    (found,) = [one for one in _examine(make_floats, f"l1={MOST}") if one.violated]
    assert found.excess is not None
    assert "units in the last place of the largest answer" in found.excess.because
    assert f"--tolerance {found.excess.relative} accepts it" in found.excess.because
    assert "spends at most ε·(1 + " in found.excess.cost
    accepted = Tolerance(F(found.excess.relative))
    again = _examine(make_floats, f"l1={MOST}", accepted)
    assert not any(one.violated for one in again)


def test_an_excess_that_exact_numbers_show_is_said_to_be_none_of_rounding() -> None:
    found = _examine(lambda records: squares(records) * (1 + 1e-10), f"l1={MOST}")
    (excess,) = [one.excess for one in found if one.violated and one.excess is not None]
    assert "no rounding" in excess.because and "--tolerance" not in excess.because


def test_what_is_enclosed_is_compared_where_it_is_certain_and_becomes_no_float() -> None:
    two = Rational(2)
    root = take_root(two)
    assert isinstance(root, Enclosed) and root > 1.4142 and root < F(14143, 10000) and root != 2
    assert (root * root).middle is not None and take_root(Rational(F(9, 4))) == F(3, 2)
    for act in (lambda: root * root == 2, lambda: float(root), lambda: bool(root - root)):
        with pytest.raises(TypeError):
            act()
    assert np.float64(2.0) * root > 2.8 and 1 / root < 1 and abs(-root) > 1
    assert (np.array([two, two]) ** 0.5).sum() > 2.8 and two**2.0 == 4
    assert take_log(take_exp(two)) > F(19, 10) and (root - root).middle is None
    with pytest.raises(ValueError):
        take_root(Rational(-1))


def test_math_is_as_it_was_after_a_function_was_asked_about_exact_numbers() -> None:
    before = dict(vars(math))
    OnExactNumbers(InProcess(root)).answer([{"x": 0.5}] * 3)
    assert vars(math) == before
