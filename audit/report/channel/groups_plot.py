"""Group privacy as a picture: what databases several steps apart let out about each other."""

from __future__ import annotations

import math

from audit.channels.measures.groups import GroupLoss, GroupLosses
from audit.report.curve import Axis, Bar, Box, Dot, Label, Line, Plot, from_zero
from audit.report.words import equation, measured

HEIGHT = 230.0
"""The box' height in pixels."""

THICK = 0.5
"""The width of a bar, where the distance of two is 1."""


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
    naive = [(float(loss.distance), loss.naive.floats()[1]) for loss in losses]
    x, y = box.place(*naive[-1])
    far = losses[-1]
    fact = (
        f"At distance {far.distance}, {equation('ε', far.epsilon.enclosure, 4)}, where "
        f"{far.distance} times that of neighbours is {measured(far.naive, 4)}."
    )
    return Plot(
        "Several records at once",
        "A family's records change a database by several steps. The dashed line is what follows "
        "from ε alone; the bars are what the channel lets out.",
        fact,
        f"Across: the distance from 1 to {last}. Upwards: ε. {fact}",
        box,
        bars=tuple(_bar(box, loss) for loss in losses),
        lines=(Line("bound", box.path(naive)),),
        dots=tuple(
            Dot("bound", *box.place(*point), f"distance {loss.distance}: {measured(loss.naive)}")
            for point, loss in zip(naive, losses, strict=True)
        ),
        labels=(Label("bound", x - 10, y - 2, "distance × ε", "end"),),
    )


def _bar(box: Box, loss: GroupLoss) -> Bar:
    left, top = box.place(loss.distance - THICK / 2, loss.epsilon.enclosure.floats()[1])
    right, bottom = box.place(loss.distance + THICK / 2, 0.0)
    text = f"distance {loss.distance}: {equation('ε', loss.epsilon.enclosure)}"
    return Bar(left, top, right - left, bottom - top, text)
