"""The picture of the profile against closed forms."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from audit.channels.channel import Channel
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.profile import Profile, profile
from audit.report.channel.profile_plot import LINE_HEIGHT, profile_plot
from audit.report.picture import Plot
from audit.statements.decimals import Enclosure
from tests.audit.report import samples
from tests.audit.report.drawings import (
    assert_falls,
    assert_inside,
    at,
    height_at,
    line,
    values,
)

F = Fraction
LN3 = math.log(3)


def plot_of(channel: Channel, *chosen: str) -> Plot:
    deltas = {text: delta(channel, F(text)) for text in chosen}
    plot = profile_plot(profile(channel), epsilon(channel).enclosure, deltas)
    assert plot is not None
    return plot


def by_hand(of: float) -> float:
    """δ(ε) of randomized response: 3/4 - e^ε/4 as long as that is positive."""
    return max(0.75 - math.exp(of) / 4, 0.0)


def test_the_curve_is_nowhere_below_delta_and_nowhere_far_above() -> None:
    plot = plot_of(samples.response(), "1/2", "1")
    assert_inside(plot)
    corners = line(plot, "main")
    assert_falls(corners)
    for k in range(400):
        x = plot.box.left + (plot.box.right - plot.box.left) * k / 399
        true = plot.box.place(*(at := values(plot.box, (x, 0.0))[0], by_hand(at)))[1]
        # Downwards pixels grow. A chord of a concave curve is less than a fifth of a pixel below.
        assert height_at(corners, x) <= true + 0.2
        assert height_at(corners, x) >= true - 1.5


def test_chosen_epsilons_and_the_smallest_are_marked() -> None:
    plot = plot_of(samples.response(), "1/2", "1", "1.2", "2")
    marked = [dot for dot in plot.dots if dot.kind == "chosen"]
    assert [(dot.x, dot.y) for dot in marked] == [
        pytest.approx((0.5, by_hand(0.5)), abs=1e-6),
        pytest.approx((1.0, by_hand(1.0)), abs=1e-6),
    ]
    # 3/4 - e^(1/2)/4 and 3/4 - e/4; beyond ln 3 nothing is left to mark.
    assert [dot.text for dot in marked] == ["δ(1/2) ≈ 0.3378", "δ(1) ≈ 0.07043"]
    (end,) = [dot for dot in plot.dots if dot.kind == "end"]
    assert (end.x, end.y) == pytest.approx((LN3, 0.0), abs=1e-6)
    assert plot.box.x.high > 1.2 and plot.box.right - at(plot, end)[0] > 70
    names = {label.text for label in plot.labels}
    assert names == {"δ(1/2) ≈ 0.3378", "δ(1) ≈ 0.07043", "ε ≈ 1.099"}
    assert plot.fact == "It falls from δ = 0.5 at ε = 0 to δ = 0 at ε ≈ 1.099."


def test_computed_points_lie_on_the_curve() -> None:
    for channel in (samples.response(), samples.tailed()):
        plot = plot_of(channel)
        corners = line(plot, "main")
        computed = [dot for dot in plot.dots if dot.kind == "computed"]
        assert len(computed) >= 3
        for dot in computed:
            x, y = at(plot, dot)
            assert min(abs(height_at(corners, x + d) - y) for d in (-0.3, 0, 0.3)) < 1.5


def test_names_do_not_cover_each_other() -> None:
    plot = plot_of(samples.response(), *(f"{k}/100" for k in range(7)))
    heights = sorted(at(plot, label)[1] for label in plot.labels if label.kind == "chosen")
    assert len(heights) == 5
    assert min(b - a for a, b in pairwise(heights)) >= LINE_HEIGHT - 1e-9
    assert len([dot for dot in plot.dots if dot.kind == "chosen"]) == 7


def test_a_long_tail_has_a_logarithmic_axis() -> None:
    channel = samples.tailed()
    plot = plot_of(channel, "1", "2")
    assert plot.box.y.logarithmic and plot.box.y.low >= 1e-10
    assert_inside(plot)
    corners = line(plot, "main")
    assert_falls(corners)
    for dot in plot.dots:
        if dot.kind == "chosen":
            text = dot.text[2:].split(")")[0]
            true = float(delta(channel, F(text)).enclosure.upper)
            assert (dot.x, dot.y) == pytest.approx((float(text), true), rel=1e-3)
    # Where it leaves the box it is not drawn on: that would read as δ = 10^-10.
    assert [y for _, y in corners].count(corners[-1][1]) == 1


def test_a_limit_is_drawn_and_told() -> None:
    # Outputs 1 and 2 have chance 1/2 under one of the two databases alone.
    plot = plot_of(samples.disclosing(), "1")
    assert_inside(plot)
    start, end = line(plot, "limit")
    assert values(plot.box, start)[1] == pytest.approx(0.5, rel=1e-4)
    assert start[1] == end[1]
    # A name beside the mark would lie on the curve, which does not fall.
    assert [label.text for label in plot.labels] == ["limit 0.5"]
    assert any(dot.kind == "chosen" for dot in plot.dots)
    assert not any(dot.kind == "end" for dot in plot.dots)
    assert plot.fact.startswith("It is δ = 0.5 at every ε: so likely is an output that rules")


def test_a_falling_profile_with_a_limit() -> None:
    # (1/2, 1/3, 1/6, 0) against (1/6, 1/3, 1/3, 1/6): δ(0) = 1/3, δ(ε >= ln 3) = 1/6, the last.
    rows = [[F(1, 2), F(1, 3), F(1, 6), F(0)], [F(1, 6), F(1, 3), F(1, 3), F(1, 6)]]
    plot = plot_of(samples.channel(rows, [[0, 1], [1, 0]], ((0,), (1,), (2,), (3,))), "1/4")
    assert plot.fact.startswith("It falls from δ ≈ 0.3333 at ε = 0 towards δ ≈ 0.1667, and never")
    assert_inside(plot)
    corners = line(plot, "main")
    assert_falls(corners)
    assert values(plot.box, corners[0])[1] == pytest.approx(1 / 3, rel=1e-3)
    assert values(plot.box, corners[-1])[1] == pytest.approx(1 / 6, rel=1e-3)


def test_an_unknown_end_is_told_as_such() -> None:
    found = profile(samples.response())
    vague = Profile(found.columns, found.points, Enclosure(F(0), F(1, 1000)))
    plot = profile_plot(vague, Enclosure(F(1), math.inf), {})
    assert plot is not None and plot.fact.endswith("to at most δ = 0.001.")
    assert all(drawn.kind != "limit" for drawn in plot.lines)


def test_nothing_is_drawn_of_nothing() -> None:
    channel = samples.alike()
    assert profile_plot(profile(channel), epsilon(channel).enclosure, {}) is None


def test_a_far_epsilon_is_left_out() -> None:
    channel = samples.response()
    pure = epsilon(channel).enclosure
    near = delta(channel, F(1, 2))
    far = {"1/2": near, "1e400": near, "1000": near}
    plot = profile_plot(profile(channel), pure, far)
    assert plot is not None and plot.box.x.high < 2
    # There is room for the name of the smallest ε, whatever was chosen.
    assert next(plot.box.right - at(plot, dot)[0] for dot in plot.dots if dot.kind == "end") > 70
    assert len([dot for dot in plot.dots if dot.kind == "chosen"]) == 1


def test_a_vague_delta_is_drawn_at_its_upper_end() -> None:
    channel = samples.response()
    vague: Extreme = replace(delta(channel, F(1, 2)), enclosure=Enclosure(F(1, 10), F(2, 5)))
    plot = profile_plot(profile(channel), epsilon(channel).enclosure, {"1/2": vague})
    assert plot is not None
    (dot,) = [dot for dot in plot.dots if dot.kind == "chosen"]
    assert dot.text == "δ(1/2) = 0.1 to 0.4"
    assert dot.y == pytest.approx(0.4)
