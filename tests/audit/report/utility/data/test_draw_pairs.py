"""Maps of two attributes: colours, scales and what they say."""

from __future__ import annotations

import numpy as np
import pytest

from audit.report.picture import COLOURS, Cells, ramp
from audit.report.utility.data.maps import draw_pairs
from audit.utility.data.pair_counts import PairCounts, pair_distances

REAL = np.array([[40, 10], [0, 50]])
NEAR = np.array([[39, 11], [1, 49]])
FAR = np.array([[10, 40], [30, 20]])


def pair_of(*tables: np.ndarray, names: tuple[str, str] = ("a", "b")) -> PairCounts:
    return PairCounts(
        pair_distances(names, *tables),
        (("x", "y"), ("p", "q")),
        tuple(tuple(map(tuple, table.tolist())) for table in tables),
    )


def steps(pictures: tuple[Cells, ...]) -> list[list[list[int]]]:
    return [[[cell.step for cell in row] for _, row in each.rows] for each in pictures]


def test_the_worst_file_is_drawn_beside_the_real_table() -> None:
    (found,) = draw_pairs([pair_of(REAL, NEAR, FAR)], ("near", "far"))
    assert found.title == "a × b"
    assert [each.title for each in found.maps] == ["Real", "far", "Difference"]
    assert "Farthest apart at x × p: 40 % real, 10 % in far." in found.reading
    (found,) = draw_pairs([pair_of(REAL, NEAR, FAR)], ("near",))
    assert found.maps[1].title == "near"


def test_real_and_synthetic_have_one_scale_and_the_difference_two_sides() -> None:
    (found,) = draw_pairs([pair_of(REAL, FAR)], ("far",))
    real, synthetic, difference = steps(found.maps)
    # The largest share of both, 50 %, is the deepest; colour goes by the square root.
    assert real == [[14, 7], [0, 15]] and synthetic == [[7, 14], [12, 10]]
    assert found.maps[0].legend == found.maps[1].legend == ("0 %", "12.5 %", "50 %")
    assert difference == [[0, 15], [15, 0]] and found.maps[2].two_sided
    assert found.maps[2].legend == ("−30 points", "0", "+30 points")
    texts = [cell.text for _, row in found.maps[2].rows for cell in row]
    assert texts == ["x × p: −30 %", "x × q: +30 %", "y × p: +30 %", "y × q: −30 %"]


def test_differences_of_all_pairs_have_one_scale() -> None:
    pairs = [pair_of(REAL, FAR), pair_of(REAL, NEAR, names=("a", "c"))]
    found = draw_pairs(pairs, ("s",))
    assert found[0].maps[2].legend == found[1].maps[2].legend
    assert steps(found[1].maps)[2] == [[7, 8], [8, 7]]


def test_tables_alike_are_all_in_the_middle() -> None:
    (found,) = draw_pairs([pair_of(REAL, REAL)], ("same",))
    assert steps(found.maps)[2] == [[8, 8], [8, 8]]
    assert draw_pairs([], ("same",)) == ()


@pytest.mark.parametrize("dark", [False, True])
def test_the_two_steps_about_zero_have_one_colour(dark: bool) -> None:
    colours = ramp(dark, two_sided=True)
    assert len(set(colours)) == COLOURS - 1 and colours[7] == colours[8]
