from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility.records import Records, of_frame
from audit.utility.total_variation import TotalVariation
from tests.audit.utility.mixed_tables import MIXED, coded, frame, records


def slow(real: Records, synthetic: Records) -> float:
    """The definition, record by record."""
    distances = []
    for column in range(real.codes.shape[1]):
        here, there = Counter(real.codes[:, column]), Counter(synthetic.codes[:, column])
        distances.append(
            sum(
                abs(here[v] / real.records - there[v] / synthetic.records)
                for v in here.keys() | there.keys()
            )
            / 2
        )
    return sum(distances) / len(distances)


def test_a_hand_computed_example() -> None:
    real = coded((2, 3), [(0, 0), (0, 1), (1, 1), (1, 1)])
    synthetic = coded((2, 3), [(0, 2), (0, 2)])
    # a0: (1/2, 1/2) against (1, 0): 1/2.  a1: (1/4, 3/4, 0) against (0, 0, 1): 1.
    score = TotalVariation()(real, synthetic, real.domain)
    assert score.value == pytest.approx(0.75)
    breakdown = score.breakdown("marginals")
    assert breakdown is not None
    assert breakdown.rows == (("a1", 1.0), ("a0", 0.5))


@pytest.mark.parametrize("sizes", [(50, 50), (37, 211), (300, 5)])
def test_it_is_its_definition_on_mixed_tables(sizes: tuple[int, int]) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.4)
    score = TotalVariation()(real, synthetic, MIXED)
    assert score.value == pytest.approx(slow(real, synthetic), abs=1e-14)


def test_a_value_outside_the_domain_is_a_cell_of_its_own() -> None:
    strange = frame(2, 40)
    strange.loc[:9, "sex"] = "3"
    real, synthetic = records(1, 60), of_frame(strange, MIXED, "cell")
    score = TotalVariation()(real, synthetic, MIXED)
    assert score.value == pytest.approx(slow(real, synthetic), abs=1e-14)


codes = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=30)


@given(codes, codes)
def test_it_lies_in_its_range_and_ignores_order_and_labels(
    here: list[tuple[int, int]], there: list[tuple[int, int]]
) -> None:
    real, synthetic = coded((2, 4), here), coded((2, 4), there)
    value = TotalVariation()(real, synthetic, real.domain).value
    assert value is not None
    assert 0 <= value <= 1
    reversed_rows = coded((2, 4), there[::-1])
    assert TotalVariation()(real, reversed_rows, real.domain).value == value
    swapped = [coded((2, 4), [(1 - a, (b + 1) % 4) for a, b in rows]) for rows in (here, there)]
    assert TotalVariation()(swapped[0], swapped[1], real.domain).value == pytest.approx(value)
    assert TotalVariation()(real, real, real.domain).value == 0


def test_tables_without_a_common_value_are_as_far_apart_as_can_be() -> None:
    real, synthetic = coded((2,), [(0,)] * 7), coded((2,), [(1,)] * 3)
    assert TotalVariation()(real, synthetic, real.domain).value == 1
