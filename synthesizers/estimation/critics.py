"""What a critic makes of rows of chances: public gradients, beside the private ones of records.

`synthesizers.queries.gradients` asks for the gradients at records; here are those at what a
generator made, which nobody needs to hide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthesizers.queries.gradients import LEAK, Critic

FloatArray = NDArray[np.float64]


def mean_gradient(critic: Critic, rows: FloatArray, clip: float) -> FloatArray:
    """The mean over rows of the gradient by the weights, each clipped to ``clip`` in L2, flat.

    ``rows``: [rows, cells], chances in place of ones. In the order of `Critic.of`.
    """
    if not len(critic.bias):
        return np.asarray((_shares(np.sqrt(np.square(rows).sum(1)), clip)[:, None] * rows).mean(0))
    before, slopes = _hidden_layer(critic, rows)
    outputs = slopes * before
    often = np.square(rows).sum(axis=1) + 1
    at_hidden = slopes * critic.output
    norms = np.sqrt(often * np.square(at_hidden).sum(axis=1) + np.square(outputs).sum(axis=1))
    shares = _shares(norms, clip)[:, None] / len(rows)
    parts = (
        rows.T @ (shares * at_hidden),
        (shares * at_hidden).sum(axis=0),
        (shares * outputs).sum(axis=0),
    )
    return np.concatenate([part.ravel() for part in parts])


def at_rows(critic: Critic, rows: FloatArray) -> FloatArray:
    """The gradient of the critic's values by the rows themselves, [rows, cells]."""
    if not len(critic.bias):
        return np.broadcast_to(critic.inputs[:, 0], rows.shape)
    _, slopes = _hidden_layer(critic, rows)
    return np.asarray((slopes * critic.output) @ critic.inputs.T)


def _hidden_layer(critic: Critic, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    before = rows @ critic.inputs + critic.bias
    return before, np.where(before < 0, LEAK, 1.0)


def _shares(norms: FloatArray, clip: float) -> FloatArray:
    return np.asarray(np.minimum(1.0, clip / np.maximum(norms, 1e-300)))
