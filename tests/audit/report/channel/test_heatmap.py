from __future__ import annotations

from audit.report.channel.heatmap import STEPS, heat_map, ramp
from tests.audit.report import samples


def test_zero_has_no_colour_and_the_likeliest_the_deepest() -> None:
    # Rows 1/2, 1/2, 0 and 1/2, 0, 1/2: one positive value alone.
    steps = [cell.step for cell in heat_map(samples.disclosing()).cells]
    assert steps == [STEPS - 1, STEPS - 1, None, STEPS - 1, None, STEPS - 1]


def test_colours_follow_the_logarithm() -> None:
    # 3/4 is the largest chance and 1/4 the least.
    steps = [cell.step for cell in heat_map(samples.response()).cells]
    assert steps == [STEPS - 1, 0, 0, STEPS - 1]


def test_cells_up_to_forty_a_picture_above() -> None:
    drawn, picture = heat_map(samples.square(40)), heat_map(samples.square(41))
    assert len(drawn.cells) == 1600 and not drawn.light_png
    assert not picture.cells and picture.light_png and picture.dark_png


def test_each_ramp_has_distinct_colours() -> None:
    for dark in (False, True):
        assert len(set(ramp(dark))) == STEPS


def test_one_entry() -> None:
    only = heat_map(samples.lonely())
    assert [cell.step for cell in only.cells] == [STEPS - 1]
    assert not only.zeros and only.legend[-1] == "1"
