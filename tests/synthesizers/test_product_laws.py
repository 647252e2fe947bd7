"""Chances by factors against exact chances."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synthesizers.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.errors import TooLargeError
from synthesizers.neighbours import AddRemove, databases
from synthesizers.product_laws import ProductLaw, product_error, product_floats
from synthesizers.table_laws import Subsample

HALF = Fraction(1, 2)


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
        outcomes = law.outcomes(rows)  # type: ignore[attr-defined]
        found = product_floats(law, rows, outcomes)
        assert found.shape == (len(outcomes), len(rows))
        for o, outcome in enumerate(outcomes):
            for d, counts in enumerate(rows.tolist()):
                exact = law.chance(tuple(counts), outcome)  # type: ignore[attr-defined]
                assert abs(Fraction(float(found[o, d])) - exact) <= unit * exact
                assert (found[o, d] == 0) == (exact == 0)


def test_products_below_the_normal_doubles_are_never_zeros() -> None:
    law = PlugInMultinomial((Fraction(1, 10**40),), 8)
    with pytest.raises(FloatingPointError):
        product_floats(law, np.array([[8, 0, 0]]), [(0, 4, 4)])
    with pytest.raises(TooLargeError, match="normal doubles"):
        product_floats(law, np.array([[8, 0, 0]]), [(0, 0, 8)])
