"""Principal axes: NumPy's singular vectors of the standardised table, with one sign."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit.utility.parts import Parts
from audit.utility.principal_axes import MOST_AXES, SMALL, find_axes
from audit.utility.records import Records, of_frame
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.mixed_tables import MIXED, coded, frame, records


def standardise(table: Records) -> tuple[list[str], np.ndarray]:
    """The terms of a table, column by column from its records."""
    names, columns = [], []
    for attribute in table.domain.attributes:
        codes, size = table.column(attribute.name), len(attribute.values)
        own = {}
        if attribute.edges is not None or attribute.ordinal:
            known = codes < size
            if len(set(codes[known])) > 1:
                number = np.zeros(len(codes))
                number[known] = (codes[known] - codes[known].mean()) / codes[known].std()
                own[attribute.name] = number
            if 0 < known.sum() < len(codes):
                unknown = 1.0 - known
                own[f"{attribute.name} unknown"] = (unknown - unknown.mean()) / np.sqrt(
                    known.mean()
                )
        elif len(set(codes)) > 1:
            labels = [label or "missing" for label in attribute.labels]
            for code in sorted(set(codes.tolist())):
                hit = (codes == code).astype(float)
                own[f"{attribute.name} = {labels[code]}"] = hit - hit.mean()
        scale = np.sqrt(sum(column.var() for column in own.values())) if own else 1.0
        names += list(own)
        columns += [column / scale for column in own.values()]
    return names, np.array(columns).T


def test_the_axes_are_the_singular_vectors_of_the_standardised_table() -> None:
    table = records(1, 700)
    names, columns = standardise(table)
    axes = find_axes([table])
    _, values, vectors = np.linalg.svd(columns, full_matrices=False)
    assert list(axes.terms) == names
    assert len(axes) == MOST_AXES
    np.testing.assert_allclose(axes.shares, values[:5] ** 2 / (values**2).sum(), rtol=1e-9)
    signs = np.sign((vectors[:5] * axes.loadings).sum(axis=1))
    np.testing.assert_allclose(axes.loadings, vectors[:5] * signs[:, None], atol=1e-9)
    np.testing.assert_allclose(axes.places(table), axes.loadings @ columns.T, atol=1e-9)
    assert (columns**2).sum() / len(columns) == pytest.approx(len(MIXED.attributes))


def test_the_largest_loading_of_an_axis_is_above_zero() -> None:
    for seed in range(6):
        axes = find_axes([records(seed, 300)])
        for loadings in axes.loadings:
            largest = np.flatnonzero(
                np.round(np.abs(loadings), 9) == np.abs(loadings).max().round(9)
            )
            assert loadings[largest[0]] > 0


def test_several_tables_weigh_alike_however_long_they_are() -> None:
    first, second = frame(1, 200), frame(2, 500, shift=0.5)
    axes = find_axes([of_frame(first, MIXED), of_frame(second, MIXED)])
    repeated = pd.concat([first] * 5 + [second] * 2, ignore_index=True)
    alike = find_axes([of_frame(repeated, MIXED)])
    np.testing.assert_allclose(axes.shares, alike.shares, rtol=1e-9)
    np.testing.assert_allclose(axes.loadings, alike.loadings, atol=1e-7)
    other = find_axes([of_frame(second, MIXED), of_frame(first, MIXED)])
    np.testing.assert_allclose(axes.loadings, other.loadings, atol=1e-7)


def test_the_order_of_records_changes_no_bit_and_parts_have_the_same_axes() -> None:
    whole = frame(3, 400)
    table = of_frame(whole, MIXED)
    axes = find_axes([table])
    turned = find_axes([table.take(np.arange(400)[::-1])])
    parts = Parts(lambda: [whole[:150], whole[150:]], MIXED)
    for other in (turned, find_axes([parts])):
        assert np.array_equal(axes.loadings, other.loadings)
        assert all(np.array_equal(axes.weights[name], other.weights[name]) for name in MIXED.names)


def test_an_attribute_that_does_not_vary_says_nothing() -> None:
    table = frame(1, 300).assign(rooms="3", colour="red", wage="")
    axes = find_axes([of_frame(table, MIXED)])
    assert {term.split()[0] for term in axes.terms} == {"sex", "age", "type"}
    assert not any(axes.weights[name].any() for name in ("rooms", "colour", "wage"))
    same = of_frame(frame(1, 300), MIXED)
    assert np.isfinite(axes.places(same)).all()


def test_tables_without_variation_have_no_axis_and_one_attribute_has_one() -> None:
    assert len(find_axes([coded((2, 3), [(1, 2)] * 9)])) == 0
    one = Domain("one", (Attribute("n", ("1", "2", "3"), ordinal=True),))
    axes = find_axes([Records(one, np.array([[0], [1], [2], [2]]))])
    assert axes.terms == ("n",) and axes.shares == pytest.approx([1.0])
    np.testing.assert_allclose(axes.places(Records(one, np.array([[0], [2]])))[0] > 0, [0, 1])


def test_an_attribute_of_many_values_weighs_no_more_than_one_of_two() -> None:
    random = np.random.default_rng(2)
    codes = np.column_stack((random.integers(2, size=900), random.integers(60, size=900)))
    table = coded((2, 60), [tuple(row) for row in codes.tolist()])
    axes = find_axes([table])
    # All of the variance of the first lies on one axis, that of the other on 59.
    assert axes.shares[0] == pytest.approx(0.5, abs=0.1)
    assert np.abs(axes.loadings[0][:2]).min() > 0.6


def test_values_and_records_without_one_that_only_another_table_has_are_placed() -> None:
    axes = find_axes([coded((3, 3), [(0, 1), (1, 0), (1, 1), (0, 0), (0, 0)])])
    places = axes.places(coded((3, 3), [(2, 2), (0, 0)]))
    assert np.isfinite(places).all()
    names = [term for term in axes.terms if "2" in term.split("=")[1]]
    assert names == []


def test_rare_values_beyond_the_most_terms_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.utility.principal_axes.MOST_TERMS", 6)
    random = np.random.default_rng(0)
    codes = np.minimum(random.geometric(0.4, size=(300, 2)) - 1, 7)
    axes = find_axes([coded((8, 8), [tuple(row) for row in codes.tolist()])])
    assert axes.terms[:3] == ("a0 = 0", "a0 = 1", "a0 = any other value")
    assert len(set(axes.weights["a0"][2:, 0].tolist())) == 1


def test_many_terms_have_the_axes_that_all_eigenvectors_give() -> None:
    random = np.random.default_rng(5)
    hidden = random.integers(0, 230, size=4000)
    codes = np.column_stack([(hidden + random.integers(0, 40, size=4000)) % 230 for _ in range(2)])
    codes[random.random(4000) < 0.3, 1] = 0
    table = coded((230, 230), [tuple(row) for row in codes.tolist()])
    axes = find_axes([table])
    assert len(axes.terms) > SMALL
    _, columns = standardise(table)
    values = np.linalg.svd(columns, compute_uv=False)
    np.testing.assert_allclose(axes.shares, values[:5] ** 2 / (values**2).sum(), rtol=1e-7)
    np.testing.assert_allclose(axes.loadings @ axes.loadings.T, np.eye(5), atol=1e-8)
    again = find_axes([table])
    assert np.array_equal(axes.loadings, again.loadings)
