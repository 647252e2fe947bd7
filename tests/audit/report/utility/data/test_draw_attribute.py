"""Attributes drawn: what bars and steps stand for, and what is said of what they leave out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from audit.report.picture import Plot, Sides
from audit.report.utility.data.attributes import MAX_BARS, MAX_STEPS, draw_attribute
from audit.report.utility.data.words import top_of
from audit.utility.data.attribute_counts import AttributeCounts
from audit.utility.data.compare import Data
from audit.utility.labels import value_labels
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.quantities import Quantity
from tests.audit.utility.data import kinds_of_tables as kinds

FILES = ("a.csv", "b.csv")


def data_of(domain: Domain, outside: bool = True) -> Data:
    real = kinds.draw(domain, 500, 1, outside=outside)
    return kinds.lay(
        real, **{"a.csv": kinds.draw(domain, 400, 2), "b.csv": kinds.draw(domain, 300, 3)}
    )


def draw_picture(attribute: Attribute, *rows: list[int]) -> Sides | Plot:
    """The picture of an attribute from its counts, without any outside the domain."""
    labels = value_labels(Domain("d", (attribute,)), attribute.name)[: len(rows[0])]
    one = AttributeCounts.of(attribute.name, labels, [np.array(row) for row in rows])
    return draw_attribute(attribute, one, FILES[: len(rows) - 1])


def percents(text: str) -> list[float]:
    """The numbers of "3 · 0.2 · <0.01 %", the last of which is next to none."""
    return [0.0 if n[0] == "<" else float(n) for n in text.removesuffix(" %").split(" · ")]


@pytest.mark.parametrize("name", kinds.DOMAINS)
def test_every_record_is_drawn_or_told(name: str) -> None:
    """The shares of bars, or the area below steps with what is told beside, are all records."""
    domain = kinds.DOMAINS[name]
    data = data_of(domain)
    for one in data.attributes:
        attribute = domain.attribute(one.attribute)
        picture = draw_attribute(attribute, one, FILES)
        assert picture.title == one.attribute and picture.fact and picture.reading
        if isinstance(picture, Sides):
            sums = np.sum([percents(row.text) for row in picture.rows], axis=0)
            assert len(picture.rows) <= MAX_BARS + 2
        else:
            assert len(picture.lines) == 3 and picture.lines[0].kind == "t0"
            told = [
                percents(text) for text in re.findall("Not drawn: [^.]+?, (.*?%)[.]", picture.fact)
            ]
            sums = np.sum(told, axis=0) if told else np.zeros(3)
            sums = sums + [area(picture, line.points, attribute) for line in picture.lines]
        assert sums == pytest.approx([100, 100, 100], abs=0.5)


def area(picture: Plot, points: tuple[tuple[float, float], ...], attribute: Attribute) -> float:
    """The percentage of records below a line."""
    steps = list(zip(points[::2], points[1::2], strict=True))
    assert len(steps) <= MAX_STEPS
    assert all(left[1] == right[1] for left, right in steps)
    unit = {"per day": 86400, "per hour": 3600}.get(picture.box.y.name[2:], 1)
    if picture.box.y.name == "% of records":
        return sum(left[1] for left, _ in steps)
    return sum(left[1] * (right[0] - left[0]) / unit for left, right in steps)


def test_bins_of_unequal_width_are_densities_at_their_edges() -> None:
    picture = draw_picture(kinds.UNEVEN, [10, 20, 30, 40, 50, 50], [20, 20, 20, 20, 20, 0])
    assert isinstance(picture, Plot) and picture.box.y.name == "% per unit"
    real = picture.lines[0].points
    assert [x for x, _ in real] == [0, 1, 1, 2, 2, 4, 4, 6.5, 6.5, 9]
    assert [y for _, y in real[::2]] == pytest.approx([5, 10, 15 / 2, 20 / 2.5, 25 / 2.5])
    assert picture.areas[0].points[1:-1] == real
    assert "Not drawn: missing, 25 · 0 %." in picture.fact
    assert "Farthest apart at missing: 25 % real, 0 % in a.csv." in picture.fact


def test_bins_of_one_width_are_shares() -> None:
    even = Attribute.binned("even", [0, 10, 20, 30])
    picture = draw_picture(even, [1, 1, 2], [4, 0, 0])
    assert isinstance(picture, Plot) and picture.box.y.name == "% of records"
    assert [y for _, y in picture.lines[1].points[::2]] == [100, 0, 0]


def test_bins_of_very_different_width_are_drawn_equally_wide() -> None:
    picture = draw_picture(kinds.LOGARITHMIC, [1] * 7, [7, 0, 0, 0, 0, 0, 0])
    assert isinstance(picture, Plot) and picture.box.y.name == "% of records"
    assert [x for x, _ in picture.lines[0].points[::2]] == [0, 1, 2, 3, 4, 5, 6]
    assert picture.box.x.ticks == ((0, "0"), (2, "10"), (4, "1,000"), (6, "100,000"))
    assert "drawn equally wide" in picture.fact


def test_many_neighbours_are_put_together_and_it_is_said() -> None:
    picture = draw_picture(kinds.AGES, [1] * 95, [0] * 94 + [1])
    assert isinstance(picture, Plot) and picture.box.y.name == "% per value"
    assert len(picture.lines[0].points) == 2 * 24
    assert "Each step is 4 values" in picture.fact
    # The last step is three values wide and holds all records of the file.
    assert picture.lines[1].points[-1] == (95, pytest.approx(100 / 3))
    assert "Farthest apart at 92 to 94" in picture.fact


def test_dates_and_times_stand_below_the_axis() -> None:
    dates = draw_picture(kinds.DATES, [3, 4, 5, 6, 7, 0], [1, 1, 1, 1, 1, 0])
    assert isinstance(dates, Plot) and dates.box.y.name == "% of records"
    assert dates.box.x.ticks[0][1] == "1970-01-01"
    uneven = draw_picture(
        Attribute.binned("day", [0, 86400, 3 * 86400], quantity=Quantity.DATES), [50, 50], [20, 80]
    )
    assert isinstance(uneven, Plot) and uneven.box.y.name == "% per day"
    assert [y for _, y in uneven.lines[0].points[::2]] == [50, 25]
    hours = draw_picture(kinds.TIMES, [1] * 24, [2] * 24)
    assert isinstance(hours, Plot) and hours.box.x.ticks[0] == (0.0, "00:00")
    assert "No difference." in hours.fact


def test_what_is_tall_is_cut_and_its_share_told() -> None:
    colours = Attribute("colour", ("red", "green", "blue"))
    picture = draw_picture(colours, [970, 20, 10], [900, 50, 50])
    assert isinstance(picture, Sides)
    red, green, _ = picture.rows
    assert red.shares == (1.0, 1.0) and red.cut == (True, True) and red.text == "97 · 90 %"
    # The scale ends at 1.6 times the second highest, 5 %.
    assert green.shares == pytest.approx((2 / 8, 5 / 8)) and not any(green.cut)
    assert "gap" in picture.fact
    even = draw_picture(colours, [40, 30, 30], [30, 40, 30])
    assert isinstance(even, Sides) and even.rows[0].shares == pytest.approx((1.0, 0.75))
    assert "gap" not in even.fact
    bins = draw_picture(Attribute.binned("b", [0, 1, 2, 3]), [980, 10, 10], [970, 15, 15])
    assert isinstance(bins, Plot) and bins.box.y.high < 3
    assert "The highest step, 98 % of a table, goes on beyond the picture." in bins.fact


def test_a_scale_ends_at_the_highest_unless_it_is_tall() -> None:
    assert top_of(np.array([[3.0, 1.0], [2.0, 1.0]])) == 3.0
    assert top_of(np.array([[9.0, 1.0], [2.0, 2.0]])) == pytest.approx(3.2)
    assert top_of(np.array([[9.0, 0.0]])) == 9.0 and top_of(np.array([[9.0]])) == 9.0


def test_rare_categories_stand_together_below_the_others() -> None:
    (one,) = data_of(kinds.DOMAINS["single"]).attributes
    picture = draw_attribute(kinds.STREETS, one, FILES)
    assert isinstance(picture, Sides)
    assert [row.name for row in picture.rows[-3:]] == [
        "51 other values",
        "missing",
        "outside the domain",
    ]


def test_only_the_files_asked_for_are_drawn_and_named() -> None:
    data = data_of(kinds.DOMAINS["single"])
    (one,) = data.attributes
    picture = draw_attribute(kinds.STREETS, one, FILES[:1])
    assert isinstance(picture, Sides)
    assert all(len(row.shares) == 2 for row in picture.rows)
    assert "b.csv" not in picture.fact + picture.reading
    assert picture == draw_attribute(kinds.STREETS, one.of_first(1), FILES[:1])
