"""The picture of Rényi divergences against a closed form."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.channels.analysis import ORDERS
from audit.channels.channel import Channel
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.renyi import renyi
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho, zcdp
from audit.report.channel.renyi_plot import renyi_plot
from audit.report.picture import Plot
from audit.statements.decimals import Enclosure
from tests.audit.report import samples
from tests.audit.report.drawings import assert_inside, assert_rises, at, height_at, line, values

F = Fraction
LN3 = math.log(3)
ANALYSES = samples.analyses()


def plot_of(channel: Channel, smallest: SmallestRho | Unavailable) -> Plot | None:
    found = {order: renyi(channel, order).enclosure for order in ORDERS}
    return renyi_plot(found, smallest, epsilon(channel).enclosure)


def drawn_of(channel: Channel) -> Plot:
    plot = plot_of(channel, zcdp(channel))
    assert plot is not None
    return plot


def by_hand(order: float) -> float:
    """D_α between (3/4, 1/4) and (1/4, 3/4)."""
    total = 0.75**order * 0.25 ** (1 - order) + 0.25**order * 0.75 ** (1 - order)
    return math.log(total) / (order - 1)


def test_dots_lie_at_the_divergences() -> None:
    plot = drawn_of(samples.response())
    assert_inside(plot)
    dots = [(dot.x, dot.y) for dot in plot.dots if dot.kind == "main"]
    for (order, value), wanted in zip(dots, (1.5, 2, 4, 8, 16, 32, 64), strict=True):
        assert (order, value) == pytest.approx((wanted, by_hand(wanted)), rel=1e-6)
    texts = [dot.text for dot in plot.dots if dot.kind == "main"]
    # D_2 = ln(9/4 + 1/12) = ln(7/3).
    assert texts[1] == "order 2: ≈ 0.8472979"


def test_the_curve_is_nowhere_below_the_divergence_and_nowhere_above_its_bounds() -> None:
    plot = drawn_of(samples.response())
    corners, bound = line(plot, "main"), line(plot, "bound")
    assert_rises(corners)
    assert_rises(bound)
    for x, y in corners:
        order, value = values(plot.box, (x, y))
        if order > 1.001:
            assert value >= by_hand(order) - 2e-4
        # ρ is half of ln 3, attained as the order falls to 1.
        assert value <= min(order * LN3 / 2, LN3) + 2e-4
        if x <= bound[-1][0]:
            assert y >= height_at(bound, x) - 0.05


def test_the_line_touches_where_it_should() -> None:
    plot = drawn_of(samples.response())
    (touch,) = [dot for dot in plot.dots if dot.kind == "touch"]
    assert (touch.x, touch.y) == pytest.approx((1, LN3 / 2), rel=1e-4)
    for place in line(plot, "bound"):
        order, value = values(plot.box, place)
        assert value == pytest.approx(order * LN3 / 2, rel=2e-3)
    assert "ρ·α with ρ ≈ 0.5493" in {label.text for label in plot.labels}


def test_the_cap_is_epsilon_if_it_is_near() -> None:
    plot = drawn_of(samples.response())
    (start, end) = line(plot, "limit")
    assert values(plot.box, start)[1] == pytest.approx(LN3, rel=1e-3) and start[1] == end[1]
    far = renyi_plot(
        {F(2): Enclosure(F(1), F(1)), F(4): Enclosure(F(2), F(2))},
        Unavailable("too large"),
        Enclosure(F(100), F(100)),
    )
    assert far is not None
    assert_inside(far)
    assert {drawn.kind for drawn in far.lines} == {"main"} and "ρ·α" not in far.reading
    assert far.box.y.high == 2.5


@pytest.mark.parametrize("name", ["figure 1", "suppressing", "12", "100", "tailed", "streamed"])
def test_other_channels_stay_in_the_box(name: str) -> None:
    analysis = ANALYSES[name]
    plot = renyi_plot(analysis.renyi, analysis.zcdp, analysis.epsilon.enclosure)
    assert plot is not None
    assert_inside(plot)
    corners = line(plot, "main")
    for order, ends in analysis.renyi.items():
        place = plot.box.place(float(order), float(ends.upper))
        assert height_at(corners, place[0]) == pytest.approx(place[1], abs=0.1)


def test_a_steep_line_has_its_name_on_the_right() -> None:
    steep = SmallestRho(Extreme(Enclosure(F(9, 10), F(9, 10)), None, None), F(1))
    flat = {order: Enclosure(F(9, 10), F(9, 10)) for order in ORDERS}
    plot = renyi_plot(flat, steep, Enclosure(F(1), F(1)))
    assert plot is not None
    (label,) = [label for label in plot.labels if label.kind == "bound"]
    assert label.right > 0 and at(plot, label)[0] > plot.box.left


@pytest.mark.parametrize(("order", "touches"), [(F(8), 1), (F(1000), 0), (None, 0)])
def test_a_touch_beyond_the_axis_is_not_drawn(order: F | None, touches: int) -> None:
    smallest = SmallestRho(Extreme(Enclosure(F(1, 9), F(1, 9)), None, None), order)
    found = {order: Enclosure(F(9, 10), F(9, 10)) for order in ORDERS}
    plot = renyi_plot(found, smallest, Enclosure(F(1), F(1)))
    assert plot is not None
    assert len([dot for dot in plot.dots if dot.kind == "touch"]) == touches


def test_nothing_is_drawn_of_infinity_or_of_nothing() -> None:
    for channel in (samples.disclosing(), samples.alike()):
        assert plot_of(channel, zcdp(channel)) is None
