"""Chances by factors against exact chances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synthesizers.errors import BelowDoublesError
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.product_laws import ProductFactors, ProductLaw, product_error
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, databases

HALF = Fraction(1, 2)
ONE, BOTH = np.array([0]), np.array([0, 1])


def laws(cells: int) -> list[ProductLaw]:
    alpha = tuple(Fraction(1 + i, 3) for i in range(cells))
    return [
        DirichletMultinomial(alpha, 4),
        PlugInMultinomial((HALF,), 5),
        PlugInMultinomial(alpha, 0),
        Subsample(HALF),
        Subsample(Fraction(1)),
    ]


@pytest.mark.parametrize(("cells", "records"), [(1, 3), (2, 5), (4, 3)])
def test_doubles_against_exact_chances(cells: int, records: int) -> None:
    rows = databases(AddRemove(), cells, records)
    unit = Fraction(product_error(cells), 2**53)
    for law in laws(cells):
        outcomes = law.outcomes(rows)
        factors = ProductFactors(law, rows, np.array(outcomes, np.int64))
        found = factors.floats(slice(None), np.arange(len(rows)))
        mantissas, exponents = factors.powers(slice(None), np.arange(len(rows)))
        assert found.shape == mantissas.shape == exponents.shape == (len(outcomes), len(rows))
        assert np.array_equal(factors.floats(slice(1, 3), np.array([2, 0])), found[1:3][:, [2, 0]])
        for o, outcome in enumerate(outcomes):
            for d, counts in enumerate(rows.tolist()):
                exact = law.chance(tuple(counts), outcome)
                held = Fraction(float(mantissas[o, d])) * Fraction(2) ** int(exponents[o, d])
                for value in (Fraction(float(found[o, d])), held):
                    assert abs(value - exact) <= unit * exact
                    assert (value == 0) == (exact == 0)


@pytest.mark.parametrize("outcome", [(0, 4, 4), (0, 0, 8)])
def test_products_below_the_normal_doubles_are_never_zeros(outcome: tuple[int, ...]) -> None:
    law = PlugInMultinomial((Fraction(1, 10**40),), 8)
    factors = ProductFactors(law, np.array([[8, 0, 0]]), np.array([outcome]))
    with pytest.raises(BelowDoublesError):
        factors.floats(slice(None), ONE)
    mantissas, exponents = factors.powers(slice(None), ONE)
    held = Fraction(float(mantissas[0, 0])) * Fraction(2) ** int(exponents[0, 0])
    exact = law.chance((8, 0, 0), outcome)
    assert 0 < abs(held - exact) <= Fraction(product_error(3), 2**53) * exact


class Steep(ProductLaw):
    """A law of one record, whose other factors are beyond the doubles."""

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        return Fraction(1, 10 ** (400 * (drawn - 1)))

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        return Fraction(10 ** (400 * drawn * (drawn - 1)), 2)


def test_factors_that_never_occur_do_not_matter() -> None:
    tables = np.array([[1, 0], [0, 2]])
    once = ProductFactors(Steep(), tables, np.array([[1, 0], [0, 1]]))
    assert once.floats(slice(None), BOTH).tolist() == [[0.25, 0.25], [0.25, 0.25]]
    either = ProductFactors(Steep(), tables, np.array([[1, 0], [0, 2]]))
    assert either.floats(slice(0, 1), BOTH).tolist() == [[0.25, 0.25]]
    with pytest.raises(BelowDoublesError):
        either.floats(slice(None), BOTH)
