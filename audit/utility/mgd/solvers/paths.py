"""Cheapest paths over a network, for all nodes at once."""

from __future__ import annotations

from itertools import cycle, groupby, islice

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.solvers.network import Layer, Network

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
    and Ford, up and down the trees of one attribute after the other, so that a few rounds
    do; ``rounds`` ends it before.
    """
    trees = [tuple(layers) for _, layers in groupby(network.layers, lambda each: each.attribute)]
    turns = None if rounds is None else rounds * len(trees)
    settled = 0
    for layers in islice(cycle(trees), turns):
        changed = False
        for layer in layers:
            changed |= _climb(network, values, upwards, layer)
        for layer in reversed(layers):
            changed |= _descend(network, values, downwards, layer)
        # Up and down once settles a tree, until another attribute changes it.
        settled = 1 if changed else settled + 1
        if settled == len(trees):
            return


def _climb(
    network: Network, values: NDArray[np.int64], upwards: NDArray[np.int64], layer: Layer
) -> bool:
    """Lower the upper ends of a layer; whether any was too high."""
    reached = values[network.lower[layer.edges]] + upwards[layer.edges]
    if len(layer.starts) < len(reached):
        reached = np.minimum.reduceat(reached, layer.starts)
    before = values[layer.heads]
    lowered = bool((reached < before).any())
    if lowered:
        values[layer.heads] = np.minimum(reached, before)
    return lowered


def _descend(
    network: Network, values: NDArray[np.int64], downwards: NDArray[np.int64], layer: Layer
) -> bool:
    """Lower the lower ends of a layer; whether any was too high."""
    reached = values[network.upper[layer.edges]] + downwards[layer.edges]
    lower = network.lower[layer.edges]
    before = values[lower]
    lowered = bool((reached < before).any())
    if lowered:
        values[lower] = np.minimum(reached, before)
    return lowered
