"""The picture of the trade-off function against closed forms."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import pytest

from audit.channels.channel import Channel
from audit.channels.measures.gdp import gdp
from audit.channels.measures.tradeoff import Breakpoint, Rejection, Tradeoff, tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.tradeoff_plot import tradeoff_plot
from audit.report.picture import Plot
from tests.audit.report import samples
from tests.audit.report.drawings import assert_falls, assert_inside, at, height_at, line, values

ANALYSES = samples.analyses()


def plot_of(channel: Channel) -> Plot:
    plot = tradeoff_plot(tradeoff(channel), gdp(channel))
    assert plot is not None
    return plot


def corners_of(plot: Plot, kind: str) -> list[tuple[float, float]]:
    return [values(plot.box, place) for place in line(plot, kind)]


def test_randomized_response_has_one_corner() -> None:
    # Rejecting on the output of chance 1/4 errs by 1/4 either way.
    plot = plot_of(samples.response())
    assert_inside(plot)
    expected = [(0, 1), (0.25, 0.25), (1, 0)]
    for corner, point in zip(corners_of(plot, "main"), expected, strict=True):
        assert corner == pytest.approx(point, abs=1e-4)
    for corner, point in zip(corners_of(plot, "guessing"), [(0, 1), (1, 0)], strict=True):
        assert corner == pytest.approx(point, abs=1e-4)
    # f(1/20) = 1 - 3/20.
    assert plot.fact == "A test with 5 % false alarms has at least 85 % misses."


def test_the_normal_laws_touch_from_below() -> None:
    plot = plot_of(samples.response())
    normal = NormalDist()
    mu = 2 * normal.inv_cdf(0.75)  # Φ⁻¹(3/4) - Φ⁻¹(1/4)
    gaussian, main = line(plot, "gaussian"), line(plot, "main")
    assert_falls(gaussian)
    assert_falls(main)
    for place in gaussian:
        alpha, beta = values(plot.box, place)
        true = normal.cdf(normal.inv_cdf(1 - alpha) - mu) if 0 < alpha < 1 else 1 - alpha
        assert beta == pytest.approx(true, abs=2e-4) or alpha < 1e-4
        assert place[1] >= height_at(main, place[0]) - 0.05
    assert height_at(gaussian, plot.box.place(0.25, 0)[0]) == pytest.approx(
        plot.box.place(0.25, 0.25)[1], abs=0.3
    )
    assert "Gaussian, μ ≈ 1.349" in {label.text for label in plot.labels}


def test_what_is_gained_lies_between_the_curve_and_guessing() -> None:
    plot = plot_of(samples.response())
    (area,) = plot.areas
    expected = [(0, 1), (0.25, 0.25), (1, 0), (0, 1)]
    for corner, point in zip(area.points, expected, strict=True):
        assert corner == pytest.approx(point, abs=1e-4)


@pytest.mark.parametrize("name", ["response", "disclosing", "figure 1", "100", "tailed"])
def test_names_start_at_their_curves(name: str) -> None:
    analysis = ANALYSES[name]
    assert not isinstance(analysis.tradeoff, Unavailable)
    plot = tradeoff_plot(analysis.tradeoff, analysis.gdp)
    assert plot is not None
    assert_inside(plot)
    for dot in plot.dots:
        corners = line(plot, dot.kind)
        x, y = at(plot, dot)
        near = [height_at(corners, min(max(x + d, corners[0][0]), 1e9)) for d in (-0.6, 0.6)]
        assert min(near) - 1 <= y <= max(near) + 1 or x == plot.box.left
    labels = {label.kind for label in plot.labels}
    assert labels == {dot.kind for dot in plot.dots}
    assert labels == {drawn.kind for drawn in plot.lines} - {"leader"}


@pytest.mark.parametrize("name", ["response", "disclosing", "figure 1", "100", "tailed"])
def test_the_misses_told_are_rounded_down(name: str) -> None:
    found = ANALYSES[name].tradeoff
    assert not isinstance(found, Unavailable)
    plot = tradeoff_plot(found, ANALYSES[name].gdp)
    assert plot is not None
    told = Fraction(plot.fact.split("at least ")[1].split(" %")[0])
    least = 100 * Fraction(found.at(Fraction(1, 20)).lower)
    assert 0 <= least - told < Fraction(1, 10)


def test_of_a_vague_curve_the_lower_end_is_drawn_and_told() -> None:
    third, quarter = Fraction(1, 3), Fraction(1, 4)
    ends = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
    middle = Breakpoint(third, third, Rejection(0, 1, (0,)))
    upper = (Breakpoint(*ends[0], None), middle, Breakpoint(*ends[1], None))
    vague = Tradeoff((ends[0], (quarter, quarter), ends[1]), upper)
    plot = tradeoff_plot(vague, Unavailable("it takes too long"))
    assert plot is not None
    assert corners_of(plot, "main")[1] == pytest.approx((0.25, 0.25), abs=1e-4)
    # 1 - 3/20, not 1 - 2/20.
    assert plot.fact == "A test with 5 % false alarms has at least 85 % misses."


def test_certain_disclosure_has_no_normal_laws() -> None:
    # A chance of 1/2 on outputs that the other database never gives: misses begin at 1/2.
    plot = plot_of(samples.disclosing())
    assert {drawn.kind for drawn in plot.lines} == {"leader", "guessing", "main"}
    assert plot.fact == "A test with 5 % false alarms has at least 45 % misses."
    main = next(dot for dot in plot.dots if dot.kind == "main")
    assert (main.x, main.y) == pytest.approx((0.05, 0.45), abs=1e-3)


def test_without_mu_the_curve_is_drawn_alone() -> None:
    channel = samples.response()
    plot = tradeoff_plot(tradeoff(channel), Unavailable("it takes too long"))
    assert plot is not None
    kinds = {drawn.kind for drawn in plot.lines} | {label.kind for label in plot.labels}
    assert kinds == {"leader", "guessing", "main"}


def test_nothing_is_drawn_of_guessing() -> None:
    for channel in (samples.alike(), samples.strangers()):
        assert tradeoff_plot(tradeoff(channel), gdp(channel)) is None
