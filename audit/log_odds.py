"""The log odds of a channel: ln(P/Q) of every output between neighbours, as doubles."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audit.channel import Channel


def log_odds(channel: Channel) -> Iterator[tuple[int, int, list[float | None]]]:
    """ln(P[·|from]/P[·|to]) for every ordered pair of neighbours, as doubles; None for 0/0."""
    centre = channel.centre
    with np.errstate(divide="ignore"):
        logs = np.log(centre)
        if channel.powers is not None:
            # A chance below the doubles has no centre worth a logarithm.
            mantissa, exponent = channel.powers.mantissa, channel.powers.exponent
            logs = np.log(mantissa) + exponent * math.log(2)
    for source, targets in enumerate(channel.partners):
        for target in targets.tolist():
            both = (centre[source] == 0) & (centre[target] == 0)
            with np.errstate(invalid="ignore"):
                values = logs[source] - logs[target]
            yield (
                source,
                target,
                [
                    None if none else float(v)
                    for v, none in zip(values.tolist(), both.tolist(), strict=True)
                ],
            )
