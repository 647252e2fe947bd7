"""Cheapest paths over a network, for all nodes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.metrics.mgd.network import Network

FAR = 2**60
"""Further than any distance; a few costs may be added to it."""


def settle(
    network: Network,
    values: NDArray[np.int64],
    upwards: NDArray[np.int64],
    downwards: NDArray[np.int64],
    rounds: int | None = None,
) -> None:
    """Lower ``values`` [nodes] in place to the largest ones below them that obey every edge.

    Those are value[upper] ≤ value[lower] + ``upwards`` and value[lower] ≤ value[upper] +
    ``downwards`` [edges]; no circle may have a negative sum. With values 0 at some nodes and
    ``FAR`` elsewhere they become distances from these nodes. This is the method of Bellman
    and Ford, up and down all trees in turn, so that a few rounds do; ``rounds`` ends it before.
    """
    changed = True
    while changed and rounds != 0:
        changed = False
        rounds = None if rounds is None else rounds - 1
        for layer in network.layers:
            reached = values[network.lower[layer.edges]] + upwards[layer.edges]
            if len(layer.starts) < len(reached):
                reached = np.minimum.reduceat(reached, layer.starts)
            before = values[layer.heads]
            if (reached < before).any():
                values[layer.heads] = np.minimum(reached, before)
                changed = True
        for layer in reversed(network.layers):
            reached = values[network.upper[layer.edges]] + downwards[layer.edges]
            lower = network.lower[layer.edges]
            before = values[lower]
            if (reached < before).any():
                values[lower] = np.minimum(reached, before)
                changed = True
