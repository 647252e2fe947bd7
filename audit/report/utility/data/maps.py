"""Two attributes drawn: the real table, the synthetic one that is farthest off, the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.report.picture import COLOURS, Cell, Cells
from audit.report.utility.data.words import distance_text, share_text
from audit.report.utility.words import value_text
from audit.report.words import short
from audit.utility.data.pair_counts import PairCounts

ROOM = 150
"""Pixels of a map's cells across and down: three maps stand beside each other."""

LONGEST_NAME = 13


@dataclass(frozen=True)
class PairMaps:
    """Three maps of the same cells: real, synthetic, and the second less the first."""

    title: str
    reading: str
    maps: tuple[Cells, Cells, Cells]


def draw_pairs(pairs: Sequence[PairCounts], files: Sequence[str]) -> tuple[PairMaps, ...]:
    """The pairs, each with its worst one of the first ``files``; all differences on one scale."""
    tables = [_shares(pair) for pair in pairs]
    worst = [int(np.argmax(pair.apart.excesses[: len(files)])) for pair in pairs]
    top = max(
        (float(np.abs(t[k + 1] - t[0]).max()) for t, k in zip(tables, worst, strict=True)),
        default=0.0,
    )
    return tuple(
        _draw(pair, shares[0], shares[k + 1], k, files[k], top)
        for pair, shares, k in zip(pairs, tables, worst, strict=True)
    )


def _shares(pair: PairCounts) -> NDArray[np.float64]:
    counts = pair.tables().astype(np.float64)
    shares: NDArray[np.float64] = counts / counts.sum(axis=(1, 2), keepdims=True)
    return shares


def _draw(
    pair: PairCounts,
    real: NDArray[np.float64],
    synthetic: NDArray[np.float64],
    place: int,
    file: str,
    most: float,
) -> PairMaps:
    down, across = pair.apart.attributes
    names = [[short(name, LONGEST_NAME) for name in labels] for labels in pair.labels]
    difference = synthetic - real
    row, column = np.unravel_index(int(np.abs(difference).argmax()), difference.shape)
    fact = (
        f"Farthest apart at {pair.labels[0][row]} × {pair.labels[1][column]}: "
        f"{share_text(real[row, column])} real, {share_text(synthetic[row, column])} in {file}."
    )
    top = float(max(real.max(), synthetic.max()))

    def table(title: str, shares: NDArray[np.float64]) -> Cells:
        legend = ("0 %", share_text(top / 4), share_text(top))
        steps = np.floor(np.sqrt(shares / top) * COLOURS).astype(np.int64)
        return _cells(title, "Share of the records.", names, shares, steps, legend)

    level = f"{value_text(100 * most, 3)} points"
    balance = np.floor((difference / most + 1) / 2 * COLOURS) if most else difference + COLOURS / 2
    apart = _cells(
        "Difference",
        "Blue: more in the synthetic table; brown: fewer.",
        names,
        difference,
        balance.astype(np.int64),
        (f"−{level}", "0", f"+{level}"),
        two_sided=True,
    )
    distance = distance_text(pair.apart.distances[place], pair.apart.chances[place])
    return PairMaps(
        f"{down} × {across}",
        f"Distance of {file} {distance}. Down: {down}; across: {across}. {fact}",
        (table("Real", real), table(file, synthetic), apart),
    )


def _cells(
    title: str,
    caption: str,
    names: Sequence[Sequence[str]],
    shares: NDArray[np.float64],
    steps: NDArray[np.int64],
    legend: tuple[str, str, str],
    two_sided: bool = False,
) -> Cells:
    kept = np.clip(steps, 0, COLOURS - 1).tolist()
    rows = tuple(
        (
            name,
            tuple(
                Cell(step, f"{name} × {other}: {_text(share, two_sided)}")
                for other, step, share in zip(names[1], line, row, strict=True)
            ),
        )
        for name, line, row in zip(names[0], kept, shares.tolist(), strict=True)
    )
    alternative = f"{caption} From {legend[0]} to {legend[-1]}."
    columns = tuple(names[1])
    return Cells(
        title, alternative, columns, rows, legend, "", caption, (), ROOM, two_sided=two_sided
    )


def _text(share: float, signed: bool) -> str:
    return ("+" if signed and share > 0 else "") + share_text(share)
