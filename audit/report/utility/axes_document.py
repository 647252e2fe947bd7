"""Tables on public principal axes as JSON."""

from __future__ import annotations

from typing import Any

from audit.utility.clouds import Clouds

MOST_CODES = 5000
"""The most codes of an attribute that are listed; five numbers each."""


def clouds_json(clouds: Clouds) -> dict[str, Any]:
    """The axes, the bins of the window, the records in them, and the distances.

    Axes and pairs of them are numbered from 1. The first and the last bin of an axis are what lies
    beyond the window.
    """
    axes = clouds.axes
    return {
        "public": list(clouds.public),
        "terms": list(axes.terms),
        "axes": [
            {"variance": float(share), "loadings": loadings.tolist(), "edges": edges.tolist()}
            for share, loadings, edges in zip(axes.shares, axes.loadings, clouds.edges, strict=True)
        ],
        "weights": {
            name: weights.T.tolist() if len(weights) <= MOST_CODES else None
            for name, weights in axes.weights.items()
        },
        "pairs": [[first + 1, second + 1] for first, second in clouds.pairs],
        "real": clouds.real.tolist(),
        "synthetic": [
            {
                "file": file,
                "counts": clouds.synthetic[file].tolist(),
                "distances": apart.along.tolist(),
                "pair_distances": apart.across.tolist(),
                "chance": apart.chance,
            }
            for file, apart in clouds.distances.items()
        ],
    }
