"""Tables on public principal axes: what the axes are, where the records lie, how far apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.report.grid import Grid
from audit.report.picture import COLOURS, png
from audit.report.utility.words import value_text
from audit.report.words import plural
from audit.utility.clouds import Clouds, Distances, share_outside

MOST_PICTURED = 6
"""The most synthetic files whose records are drawn."""

MOST_NAMED = 4
"""The most terms that say what an axis stands for."""

TELLING = 0.4
"""A term of less than this part of the largest one in size is not named."""

DEPTH = 1000.0
"""The palest colour stands for so many times fewer records than the deepest: beyond the few bins
that hold most records the tables differ, too."""


@dataclass(frozen=True)
class CloudPicture:
    """One table on two axes. ``pictures``: PNG files in base64, for light and dark surroundings."""

    file: str
    text: str
    alternative: str
    pictures: tuple[str, str]


@dataclass(frozen=True)
class PairView:
    """Two axes, rightwards and upwards, with the real table first."""

    title: str
    tables: tuple[CloudPicture, ...]


@dataclass(frozen=True)
class AxesView:
    """The axes in words and the distances along them; ``pairs``: pictures, worst first.

    ``legend``: shares of a table's records along the colours. ``note``: what is not drawn.
    """

    reading: str
    axes: tuple[tuple[str, str, str], ...]
    distances: Grid
    chance: str
    legend: tuple[str, ...]
    pairs: tuple[PairView, ...]
    note: str


def axes_view(real: str, clouds: Clouds) -> AxesView | None:
    """The clouds as text and pictures; None where no attribute varies."""
    if not len(clouds.axes):
        return None
    files = tuple(clouds.distances)
    drawn = files[:MOST_PICTURED]
    seen = [clouds.real, *(clouds.synthetic[file] for file in drawn)]
    top = max((_shares(counts).max() for table in seen for counts in table), default=0.0)
    worst = sorted(
        range(len(clouds.pairs)),
        key=lambda pair: -max(apart.across[pair] for apart in clouds.distances.values()),
    )
    left = len(files) - len(drawn)
    return AxesView(
        _say_reading(clouds),
        tuple(
            (_name(k), _percent(clouds.axes.shares[k]), say_axis(clouds, k)) for k in _all(clouds)
        ),
        _distances(clouds),
        _chance(clouds),
        tuple(_percent(top / DEPTH**part) for part in (1, 0.5, 0)),
        tuple(_pair(real, clouds, drawn, pair, top) for pair in worst),
        f"{plural(left, 'further file')} in the JSON document" if left else "",
    )


def say_axis(clouds: Clouds, axis: int) -> str:
    """What an axis stands for: its largest terms, each with the way that it goes."""
    loadings = clouds.axes.loadings[axis]
    order = np.argsort(-np.abs(loadings), kind="stable")[:MOST_NAMED]
    telling = [k for k in order if abs(loadings[k]) >= TELLING * abs(loadings[order[0]])]
    ways = [
        f"{verb} with {', '.join(names)}"
        for verb, sign in (("rises", 1), ("falls", -1))
        if (names := [clouds.axes.terms[k] for k in telling if sign * loadings[k] > 0])
    ]
    return "; ".join(ways)


def _say_reading(clouds: Clouds) -> str:
    drawn = set(clouds.public) == set(clouds.distances)
    source = "the synthetic files, each with equal weight," if drawn else clouds.public[0]
    return (
        f"Axes along which the records of {source} differ most, every attribute scaled to a "
        "variance of 1. They follow from these alone, not from the real table. Distance: the "
        "largest difference of the shares of real and of synthetic records up to a place."
    )


def _chance(clouds: Clouds) -> str:
    known = [apart.chance for apart in clouds.distances.values() if apart.chance is not None]
    if not known:
        return (
            "How much of it is chance is not known: the axes were found in a table that is "
            "compared here, whose records vary more along them than others of the same law would. "
            "Axes of a public table (--axes-from) have a chance level."
        )
    return (
        f"Two samples of one law that the axes were not found in differ by less than "
        f"{value_text(max(known), 2)} on an axis, at 95 %."
    )


def _distances(clouds: Clouds) -> Grid:
    rows = tuple(
        (
            _name(axis),
            tuple(value_text(float(d.along[axis]), 3) for d in clouds.distances.values()),
        )
        for axis in sorted(
            _all(clouds), key=lambda k: -max(d.along[k] for d in clouds.distances.values())
        )
    )
    return Grid("distance, worst first", tuple(clouds.distances), rows)


def _pair(real: str, clouds: Clouds, files: tuple[str, ...], pair: int, top: float) -> PairView:
    names = tuple(_name(axis) for axis in clouds.pairs[pair])
    tables = [(real, "real", clouds.real)]
    for file in files:
        text = _apart(clouds.distances[file], pair, clouds.pairs[pair])
        tables.append((file, text, clouds.synthetic[file]))
    pictures = tuple(
        _picture(file, names, text, counts[pair], top) for file, text, counts in tables
    )
    return PairView(f"{names[0]} → × {names[1]} ↑", pictures)


def _picture(
    file: str, axes: tuple[str, ...], about: str, counts: NDArray[np.int64], top: float
) -> CloudPicture:
    text = f"{about}, {_percent(share_outside(counts))} outside the window"
    where = f"Where the records of {file} lie on {axes[0]}, rightwards, and {axes[1]}, upwards"
    steps = _steps(_shares(counts).T[::-1], top)
    return CloudPicture(file, text, f"{where}: {text}", (png(steps, False), png(steps, True)))


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of a table's records in each bin of the window."""
    return np.asarray(counts[1:-1, 1:-1] / counts.sum())


def _apart(apart: Distances, pair: int, axes: tuple[int, int]) -> str:
    """The distance over quadrants of two axes, and those along each."""
    along = ", ".join(f"{_name(axis)}: {value_text(apart.along[axis], 3)}" for axis in axes)
    return f"distance {value_text(apart.across[pair], 3)} ({along})"


def _steps(shares: NDArray[np.float64], top: float) -> NDArray[np.int64]:
    """The colour steps of shares by their logarithm, -1 for none."""
    depth = np.log(np.maximum(shares, top / DEPTH) * DEPTH / top) / math.log(DEPTH)
    steps = np.minimum(np.floor(depth * COLOURS), COLOURS - 1).astype(np.int64)
    return np.where(shares > 0, steps, -1)


def _all(clouds: Clouds) -> range:
    return range(len(clouds.axes))


def _name(axis: int) -> str:
    return f"axis {axis + 1}"


def _percent(share: float) -> str:
    return f"{value_text(100 * share, 2)} %"
