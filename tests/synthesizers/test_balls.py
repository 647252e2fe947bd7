"""FLINT's balls against mpmath at many more bits, and what leaves them against exact fractions."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synthesizers import floats, intervals
from synthesizers.errors import TooLargeError
from synthesizers.intervals import Interval, exp_interval, log_interval
from synthesizers.normal import normal_cdf

flint = pytest.importorskip("flint", reason="needs FLINT: pip install 'dp-audit[flint]'")

from synthesizers import balls  # noqa: E402 (where FLINT is absent it can't be imported)

F = Fraction
BITS = (32, 96, 230, 600)
LOST = 180
"""Bits that an extreme argument may cost: of the distance from 1, say."""

TINY, HUGE = F(1, 10**40), F(10**6)
NEAR = (F(1), F(2, 3), F(30), F(1, 1 << 60), TINY, 1 + TINY, 1 - TINY)
REAL = (*NEAR, F(123456789, 1000))
FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], tuple[Fraction, ...]]] = {
    "exp": (lambda at, x: at.exp(x), (*REAL, *(-x for x in REAL), F(-HUGE), F(HUGE), F(0))),
    "expm1": (lambda at, x: at.expm1(x), (*REAL, *(-x for x in REAL), F(-HUGE))),
    "log": (lambda at, x: at.log(x), (*REAL, HUGE)),
    "log1p": (lambda at, x: at.log1p(x), (*REAL, HUGE, -TINY, F(-2, 3))),
    "sqrt": (lambda at, x: at.sqrt(x), (*REAL, HUGE)),
    "erfc": (lambda at, x: at.erfc(x), (*NEAR, *(-x for x in NEAR), F(700), F(-700))),
    "pi": (lambda at, x: at.pi() * x, (F(1), F(-3))),
    "powers": (lambda at, x: at.ldexp(x, -77) + at.ldexp(x, 99), (F(1, 3), F(-7, 5))),
    "sum": (lambda at, x: at.fsum([x, 1 / x, -2 * x, x * x, at.mpf(3)]), (F(1, 3), F(9))),
}
PLACES = tuple(
    itertools.product((F(0), F(1, 3), F(-5, 2), F(20), F(-30)), (F(0), F(1, 7), F(-4, 3), F(15)))
)
COMPLEX: dict[str, Callable[[Any, Any], Any]] = {
    "exp": lambda at, z: at.exp(z),
    "log": lambda at, z: at.log(z),
    "normal": lambda at, z: at.normal(z),
    "product": lambda at, z: z * z * (1 + z) / (3 - z) - at.mpc(1, 2),
    "size": lambda at, z: abs(z) * z,
}


def exact(function: Callable[[Any], Any], bits: int) -> Fraction:
    """What mpmath makes of a real function at so many bits."""
    with floats.workprec(bits):
        return floats.from_mpf(floats.mpf(function(floats)))


def ends(ball: Any) -> tuple[Fraction, Fraction]:
    with balls.workprec(1 << 14):
        return -balls.above(-ball), balls.above(ball)


def require_small_and_right(function: Callable[[Any], Any], bits: int, size: Fraction) -> None:
    """A ball of a few bits less than the working precision, which holds what mpmath finds."""
    value = exact(function, 2 * bits + 1000)
    with balls.workprec(bits):
        low, high = ends(function(balls))
    # The reference has twice the bits, of which cancellation may take some.
    blur = max(size, abs(value)) / 2 ** (2 * bits + 200)
    assert low - blur <= value <= high + blur
    assert (high - low) * 2 ** (bits - LOST) <= max(size, abs(value))


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_ball_holds_the_truth_and_is_small(name: str, bits: int) -> None:
    function, places = FUNCTIONS[name]
    for x in places:
        require_small_and_right(
            lambda at, x=x: function(at, at.rational(x)), bits + 200, F(name == "sum")
        )


@pytest.mark.parametrize("bits", [96])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_balls_hold_the_truth(name: str, bits: int) -> None:
    for real, imag in PLACES:
        if name == "log" and real <= 0:
            continue
        for part in ("re", "im"):

            def function(at: Any, a: Fraction = real, b: Fraction = imag, of: str = part) -> Any:
                found = COMPLEX[name](at, at.mpc(at.rational(a), at.rational(b)))
                return getattr(at, of)(found)

            require_small_and_right(function, bits + 200, F(10**80))


@pytest.mark.parametrize(("middle", "radius"), [((3, -70), (5, -90)), ((-7, 200), (1, 40))])
def test_the_upper_end_is_exact(middle: tuple[int, int], radius: tuple[int, int]) -> None:
    ball = flint.arb(flint.arb(middle[0]) * flint.arb(2) ** middle[1], flint.arb(radius))
    size = radius[0] * F(2) ** radius[1]
    upper = middle[0] * F(2) ** middle[1] + size
    # A radius has 30 bits, and may be rounded up when it is put into a ball.
    assert upper <= balls.above(ball) <= upper + size / 2**25


def test_what_is_exact_stays_exact() -> None:
    for number, power in itertools.product((0, 1, -3, 3**400, -(7**300)), (-2000, -1, 0, 1, 900)):
        with balls.workprec(2000):
            moved = balls.ldexp(balls.mpf(number), power)
        with balls.workprec(53):
            assert balls.above(moved) == number * F(2) ** power
            assert balls.units(moved, 2000) == number * 2 ** (power + 2000)


@pytest.mark.parametrize("value", [F(1, 3), F(-1, 3), F(355, 113), F(-(10**9), 7), F(5), F(0)])
def test_units_are_those_of_mpmath_and_less_than_two_off(value: Fraction) -> None:
    for bits in BITS:
        with balls.workprec(bits + 64), floats.workprec(bits + 64):
            number = balls.units(balls.rational(value), bits)
            assert number == floats.units(floats.rational(value), bits)
        assert abs(number - value * 2**bits) < 1


def test_a_ball_that_is_too_wide_has_no_units() -> None:
    for radius, wide in ((-99, False), (-100, True), (-80, True)):
        ball = flint.arb(1, flint.arb(2) ** radius)
        if wide:
            with pytest.raises(TooLargeError, match="too few bits"):
                balls.units(ball, 100)
        else:
            assert balls.units(ball, 98) == 1 << 98
    for unknown in (flint.arb.nan(), flint.arb.pos_inf(), flint.arb(0).log()):
        with pytest.raises(TooLargeError, match="not known"):
            balls.units(unknown, 100)
        with pytest.raises(TooLargeError, match="not known"):
            balls.above(unknown)


def test_the_whole_ball_has_to_lie_between_the_ends() -> None:
    ball = flint.arb(1, flint.arb(2) ** -10)
    balls.confirm(ball, (1022, -10), (1026, -10))
    for low, high in (((2047, -11), (1026, -10)), ((1022, -10), (2049, -11)), ((2, 0), (3, 0))):
        with pytest.raises(RuntimeError, match="does not confirm"):
            balls.confirm(ball, low, high)


@pytest.fixture
def with_flint(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(intervals, "numbers", balls)
    for function in (exp_interval, log_interval):
        function.cache_clear()
    yield
    for function in (exp_interval, log_interval):
        function.cache_clear()


GRID = sorted({*REAL, *(-x for x in REAL), F(1000), F(-1000), F(1, 10**300), F(5, 7)})


def test_flint_confirms_every_enclosure_and_leaves_its_ends(
    with_flint: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_enclosures() -> list[Interval]:
        found = []
        for bits, x in itertools.product((20, 96, 192, 768), GRID):
            found += [exp_interval.__wrapped__(x, bits), normal_cdf(x % 1000, bits)]
            found += [normal_cdf(-(x % 1000), bits)]
            found += [log_interval.__wrapped__(x, bits)] if x > 0 else []
        return found

    asked = 0
    confirm = balls.confirm

    def count(*given: Any) -> None:
        nonlocal asked
        asked += 1
        confirm(*given)

    monkeypatch.setattr(balls, "confirm", count)
    proved = all_enclosures()
    assert asked > len(proved) * 9 // 10
    monkeypatch.setattr(intervals, "numbers", floats)
    assert proved == all_enclosures()


@pytest.mark.parametrize("off", [F(1, 2**60), F(-1, 2**60), F(1), F(3, 2**64)])
def test_flint_refuses_what_mpmath_might_get_wrong(with_flint: None, off: Fraction) -> None:
    def exp(at: Any) -> Any:
        value = at.exp(at.rational(F(1, 3)))
        return value * (1 + at.rational(off)) if at is floats else value

    with pytest.raises(RuntimeError, match="does not confirm"):
        intervals.enclose(exp, 200, 64)
    if abs(off) < 1:
        assert intervals.enclose(exp, 200, 58).lower > 0


def test_both_arithmetics_have_the_same_functions() -> None:
    used = set(floats.__all__) - {"from_mpf"}
    assert all(callable(getattr(balls, name)) for name in used)


def run(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "DP_AUDIT_ARITHMETIC"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment | variables,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_flint_is_used_only_where_it_is_asked_for() -> None:
    code = "import sys, synthesizers.reals as r; print(r.ARITHMETIC, 'flint' in sys.modules)"
    assert run(code).stdout == "mpmath False\n"
    assert run(code, DP_AUDIT_ARITHMETIC="mpmath").stdout == "mpmath False\n"
    assert run(code, DP_AUDIT_ARITHMETIC="flint").stdout == "flint True\n"


ACCOUNT = (
    "import sys; {before}from dp_audit.__main__ import main; "
    "sys.exit(main('account gaussian(sigma=3) --neighbours add-remove --delta 0.1'.split()))"
)


def test_an_arithmetic_that_is_not_there_is_one_clear_error() -> None:
    unknown = run(ACCOUNT.format(before=""), DP_AUDIT_ARITHMETIC="doubles")
    assert unknown.returncode == 2 and "one of mpmath, flint" in unknown.stderr
    absent = "sys.modules['flint'] = None; "
    missing = run(ACCOUNT.format(before=absent), DP_AUDIT_ARITHMETIC="flint")
    assert missing.returncode == 2 and "pip install 'dp-audit[flint]'" in missing.stderr
    assert "Traceback" not in unknown.stderr + missing.stderr
    assert "Traceback" not in missing.stderr and missing.stdout == ""
    assert run(ACCOUNT.format(before=absent)).returncode == 0
