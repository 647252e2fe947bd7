from __future__ import annotations

from audit.channels.channel import Channel
from audit.report.channel.heatmap import common_shade, heat_map
from audit.report.picture import COLOURS
from tests.audit.report import samples


def steps_of(channel: Channel) -> list[int | None]:
    """Row by row."""
    return [cell.step for _, cells in heat_map(channel).rows for cell in cells]


def test_zero_has_no_colour_and_the_likeliest_the_deepest() -> None:
    # Rows 1/2, 1/2, 0 and 1/2, 0, 1/2: one positive value alone.
    deep = COLOURS - 1
    assert steps_of(samples.disclosing()) == [deep, deep, None, deep, None, deep]
    assert heat_map(samples.disclosing()).hatched == "never occurs (0)"


def test_colours_follow_the_logarithm() -> None:
    # 3/4 is the largest chance and 1/4 the least; the logarithms' middle is their geometric mean.
    assert steps_of(samples.response()) == [COLOURS - 1, 0, 0, COLOURS - 1]
    assert heat_map(samples.response()).legend == ("0.25", "0.43", "0.75")


def test_every_cell_says_what_it_stands_for() -> None:
    drawn = heat_map(samples.response())
    assert (drawn.columns, [name for name, _ in drawn.rows]) == (
        ("(0, 1)", "(1, 0)"),
        ["(0, 1)", "(1, 0)"],
    )
    assert drawn.rows[0][1][1].text == "(1, 0) given (0, 1): 0.25"


def test_cells_up_to_forty_a_picture_above() -> None:
    drawn, picture = heat_map(samples.square(40)), heat_map(samples.square(41))
    assert len(steps_of(samples.square(40))) == 1600 and not drawn.pictures
    assert not picture.rows and len(picture.pictures) == 2
    assert "Databases are numbered 1 to 41, outputs 1 to 41." in picture.caption


def test_one_entry() -> None:
    assert steps_of(samples.lonely()) == [COLOURS - 1]
    only = heat_map(samples.lonely())
    assert not only.hatched and only.legend[-1] == "1"


def test_channels_of_one_page_share_one_scale() -> None:
    """Chances of 3/4 and 1/4 beside one of 1: the page's scale begins at 1/4 and ends at 1."""
    shade = common_shade([samples.response(), samples.lonely()])
    drawn = heat_map(samples.response(), shade)
    assert drawn.legend == heat_map(samples.lonely(), shade).legend == ("0.25", "0.5", "1")
    assert drawn.rows[0][1][0].step == int(COLOURS * (1 - 0.2075))
