"""Group privacy as a picture: what databases several steps apart let out about each other."""

from __future__ import annotations

import math

from audit.channels.measures.groups import GroupLoss, GroupLosses
from audit.report.picture import Axis, Bar, Box, Dot, Label, Line, Plot, from_zero
from audit.report.words import enclosure_text, equation

HEIGHT = 230.0
"""The box' height in pixels."""


def groups_plot(groups: GroupLosses) -> Plot | None:
    """ε by distance beside its naive bound; None of fewer than two, of infinite ones, of zeros."""
    losses = groups.losses
    top = max((loss.naive.floats()[1] for loss in losses), default=0.0)
    if len(losses) < 2 or not 0 < top < math.inf:
        return None
    last = losses[-1].distance
    ticks = tuple((float(loss.distance), f"{loss.distance}") for loss in losses)
    across = Axis("distance, in steps between neighbours", 0.4, last + 0.6, ticks)
    box = Box(across, from_zero("ε, in nats", 1.12 * top), HEIGHT)
    naive = tuple((float(loss.distance), loss.naive.floats()[1]) for loss in losses)
    far = losses[-1]
    return Plot(
        "Several records at once",
        "A family's records change a database by several steps. The dashed line is what follows "
        "from ε alone; the bars are what the channel lets out.",
        f"At distance {far.distance}, {equation('ε', far.epsilon.enclosure, 4)}, where "
        f"{far.distance} times that of neighbours is {enclosure_text(far.naive, 4)}.",
        box,
        bars=tuple(_bar(loss) for loss in losses),
        lines=(Line("bound", naive),),
        dots=tuple(
            Dot("bound", *point, f"distance {loss.distance}: {enclosure_text(loss.naive)}")
            for point, loss in zip(naive, losses, strict=True)
        ),
        labels=(Label("bound", *naive[-1], "distance × ε", -10, -2),),
    )


def _bar(loss: GroupLoss) -> Bar:
    ends = loss.epsilon.enclosure
    text = f"distance {loss.distance}: {equation('ε', ends)}"
    return Bar(float(loss.distance), ends.floats()[1], text)
