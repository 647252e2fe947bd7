from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.bin_numbers import to_numbers
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.tables import from_frame

EDGES = st.lists(
    st.one_of(
        st.integers(-(10**20), 10**20).map(Fraction),
        st.fractions(-1000, 1000, max_denominator=999),
        st.integers(1, 50).map(lambda k: Fraction(1, 10**k)),
        st.just(Fraction(10**299)),
    ),
    min_size=2,
    max_size=5,
    unique=True,
).map(sorted)


@settings(deadline=None)
@given(EDGES, st.booleans(), st.integers(0, 2**32))
def test_numbers_are_read_back_as_their_bins(
    edges: list[Fraction], missing: bool, seed: int
) -> None:
    attribute = Attribute.binned("x", edges, missing=missing)
    domain = Domain("d", (attribute, Attribute("k", ("0", "1"))))
    codes = np.array([[code, code % 2] for code in range(attribute.size) for _ in range(20)])
    frame = to_numbers(Dataset(domain, codes), seed)
    assert (from_frame(frame, domain).codes == codes).all()
    assert not frame["x"].str.startswith("[").any()
    assert frame["k"].tolist() == [str(code) for code in codes[:, 1]]


def test_whole_edges_give_all_whole_numbers_of_a_bin_alike_often() -> None:
    domain = Domain("d", (Attribute.binned("age", [11, 12, 15]),))
    codes = np.array([[0]] * 10 + [[1]] * 4000)
    ages = to_numbers(Dataset(domain, codes), 1)["age"].astype(int).to_numpy()
    assert (ages[:10] == 11).all()
    counts = np.bincount(ages[10:], minlength=16)[12:]
    # 4000 draws of 4 numbers: six standard deviations, missed with chance below 1e-8.
    assert counts.sum() == 4000 and abs(counts - 1000).max() < 6 * np.sqrt(4000 * 3 / 16)


@pytest.mark.parametrize("seed", [0, 1])
def test_numbers_depend_on_the_bins_and_the_seed_alone(seed: int) -> None:
    domain = Domain("d", (Attribute.binned("x", [0, Fraction(1, 2), 1]),))
    dataset = Dataset(domain, np.array([[0], [1]] * 50))
    first, again = to_numbers(dataset, seed), to_numbers(dataset, seed)
    assert first.equals(again) and not first.equals(to_numbers(dataset, seed + 2))
