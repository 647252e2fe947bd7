"""Doubles with an exponent each, against exact chances far below the doubles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.arithmetic import ExactArithmetic, FloatArithmetic, ScaledArithmetic, normalise
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.enumeration import Listing, leaves
from synthesizers.events import Databases
from synthesizers.exact import Exact, enclose
from synthesizers.neighbours import AddRemove, ReplaceOne, databases
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.subsample import Subsample
from synthesizers.queries import Total, whole_table
from tests.synthesizers.brute_force import AnyProgram

SCALED = ScaledArithmetic()
UNIT = Fraction(1, 2**53)


def value(vector: Any, place: int) -> Fraction:
    mantissa, exponent = vector[:, place].tolist()
    return Fraction(mantissa) * Fraction(2) ** int(exponent) if mantissa else Fraction(0)


def near(found: Fraction, exact: Exact, operations: int) -> bool:
    ends = enclose(exact)
    slack = operations * UNIT / (1 - operations * UNIT)
    return ends.lower * (1 - slack) <= found <= ends.upper * (1 + slack)


def steep(curator: Curator) -> Any:
    """Each answer 3 has chance about e^-300 under the empty database."""
    for _ in range(4):
        curator.measure(Total(), DiscreteLaplace(Fraction(1, 100)), low=1, high=3)
    return [0]


def gaussian(curator: Curator) -> Any:
    """e^-(24²·4/2) is about 10^-500 a cell."""
    return curator.measure(
        whole_table(curator.domain), DiscreteGaussian(Fraction(1, 4)), low=0, high=24
    )


PROGRAMS: list[tuple[AnyProgram, Any, str, int]] = [
    (steep, AddRemove(), "2", 2),
    (gaussian, AddRemove(), "2", 1),
    (MultinomialDirichlet((Fraction(1, 10**200),)), ReplaceOne(), "3", 3),
    (Subsample(Fraction(1, 2)), AddRemove(), "2", 3),
]


@pytest.mark.parametrize(("program", "neighbours", "shape", "size"), PROGRAMS)
def test_products_of_any_size_against_exact_chances(
    program: AnyProgram, neighbours: Any, shape: str, size: int
) -> None:
    domain = Domain.from_cells(shape)
    listed = Databases(domain, databases(neighbours, domain.size, size))
    setting = Setting.of(domain, neighbours, size)
    exact = list(leaves(Listing(program, setting, listed, ExactArithmetic(), replays=1)))
    scaled = list(leaves(Listing(program, setting, listed, SCALED, replays=1)))
    assert [leaf.output for leaf in scaled] == [leaf.output for leaf in exact]
    for left, right in zip(exact, scaled, strict=True):
        for place, chance in enumerate(left.chances):
            found = value(right.chances, place)
            assert near(found, chance, right.operations)
            assert (found == 0) == (enclose(chance).upper == 0)


def added(left: Any, right: Any) -> Any:
    total = left.copy()
    SCALED.add_to(total, right)
    return total


def test_sums_keep_the_larger_term_and_never_align_to_a_zero() -> None:
    zero, tiny, one = (0.0, -1e9), (0.5, -3000.0), (0.5, 1.0)
    left = np.array([zero, tiny, one, tiny, zero]).T
    right = np.array([tiny, tiny, tiny, one, zero]).T
    total = added(left, right)
    assert [value(total, place) for place in range(4)] == [
        Fraction(1, 2**3001),
        Fraction(2, 2**3001),
        Fraction(1),
        Fraction(1),
    ]
    assert total[0, 4] == 0
    assert SCALED.has_zero(total) and not SCALED.is_nothing(total)
    assert SCALED.is_nothing(SCALED.times(left[:, :1], right[:, :1], 0.0))


def test_what_a_sum_loses_is_covered_by_its_rounding() -> None:
    """2^-k as a product holds it, plus a little more than half its last place.

    Held with the exponent 0 it would turn the sum into a tie, and into 2^-k: an error of more
    than 2^-53 of the sum.
    """
    vector, floor = SCALED.ones(1), 0.0
    half = np.array([[0.5], [0.0]])
    for k in range(1, 1021):
        floor += SCALED.floor(half)
        vector = SCALED.times(vector, half, floor)
        assert value(vector, 0) == Fraction(1, 2**k) and vector[0, 0] >= 2.0**-500
        if k >= 970:
            other = np.array([[(1 + 2.0 ** (k - 1022)) / 2], [-52.0 - k]])
            exact = value(vector, 0) + value(other, 0)
            for total in (added(vector, other), added(other, vector)):
                assert abs(value(total, 0) - exact) < UNIT * exact


def test_long_products_stay_normal() -> None:
    vector, floor = SCALED.ones(1), 0.0
    half = np.array([[0.75], [-400.0]])
    for _ in range(5000):
        floor += SCALED.floor(half)
        vector = SCALED.times(vector, half, floor)
    mantissa, exponent = normalise(vector)
    exact = Fraction(3, 4) ** 5000
    found = Fraction(float(mantissa[0])) * Fraction(2) ** (int(exponent[0]) + 400 * 5000)
    assert abs(found - exact) <= 5000 * UNIT * exact


def test_what_doubles_can_hold_is_the_same_in_both() -> None:
    domain = Domain.from_cells("3")
    listed = Databases(domain, databases(ReplaceOne(), 3, 2))
    setting = Setting.of(domain, ReplaceOne(), 2)
    program = MultinomialDirichlet((Fraction(1, 2),))
    plain = list(leaves(Listing(program, setting, listed, FloatArithmetic(), replays=1)))
    scaled = list(leaves(Listing(program, setting, listed, SCALED, replays=1)))
    for left, right in zip(plain, scaled, strict=True):
        held = [float(value(right.chances, place)) for place in range(len(listed.rows))]
        np.testing.assert_allclose(left.chances, held, rtol=1e-14)
