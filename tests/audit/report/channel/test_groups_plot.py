"""The picture of group privacy against values by hand."""

from __future__ import annotations

import math

import pytest

from audit.channels.abowd_vilhuber import plug_in_channel
from audit.channels.measures.groups import GroupLosses, group_losses
from audit.report.channel.groups_plot import groups_plot
from tests.audit.report import samples
from tests.audit.report.drawings import assert_inside, line, values

FIGURE_1 = [5 * math.log(odds) for odds in (3, 5, 7, 9)]
"""Binomial(5, (n + 1/2)/6) gives 0 with the fifth power of (11/2 - n)/6: 1, 3, 5, 7, 9, 11
twelfths."""


def test_bars_and_the_naive_line() -> None:
    plot = groups_plot(group_losses(plug_in_channel(), {}))
    assert plot is not None
    assert_inside(plot)
    tops = [(bar.x, bar.y) for bar in plot.bars]
    for (distance, height), wanted in zip(tops, enumerate(FIGURE_1, start=1), strict=True):
        assert (distance, height) == pytest.approx(wanted, rel=1e-6)
    for distance, place in enumerate(line(plot, "bound"), start=1):
        assert values(plot.box, place) == pytest.approx(
            (distance, distance * FIGURE_1[0]), rel=1e-3
        )
    assert plot.fact == ("At distance 4, ε ≈ 10.99, where 4 times that of neighbours is ≈ 21.97.")
    assert [bar.text for bar in plot.bars][1] == "distance 2: ε ≈ 8.04719"


def test_one_distance_infinity_and_zeros_have_no_picture() -> None:
    for channel in (samples.response(), samples.disclosing(), samples.alike(), samples.lonely()):
        assert groups_plot(group_losses(channel, {})) is None
    infinite = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    rows = [[samples.F(value) for value in row] for row in infinite]
    channel = samples.channel(rows, [[0, 2], [1, 1], [2, 0]], ((0,), (1,), (2,)))
    assert groups_plot(group_losses(channel, {})) is None
    assert groups_plot(GroupLosses((), "too many")) is None
