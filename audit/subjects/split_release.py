"""Releases whose training half coins chose: nothing can be run, and every record is a canary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from audit.subjects.digests import file_sha256
from audit.subjects.splits import Split, read_release, read_split
from audit.subjects.synthesizer import OUTPUTS
from synthesizers.errors import InputError

BEFORE = "the split was made before the release, and its coins are known to nobody who trained"
HALF = "the release was made from the training half, and saw nothing of the holdout"
RESTS_ON = (BEFORE, HALF)
"""What a verdict about a release rests on."""

MOST_CANARIES = 5_000
"""The most records whose coins are guessed (distances of as many to a hundred thousand rows take
some ten seconds); of larger tables these, evenly spread."""

BLOCK = 1 << 15
"""Distances held at once (256 kB, which a core's cache holds)."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ReleaseSubject:
    """A released table, and the split of the table that it was made from.

    ``split_path``: of the record.
    """

    category: ClassVar[str] = "release"
    name: str
    path: str
    split_path: str
    split: Split
    rows: Sequence[tuple[str, ...]]
    assumptions: tuple[str, ...] = RESTS_ON
    isolation: None = None

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data: digests alone."""
        return {
            "kind": "release",
            "name": self.name,
            "sha256": file_sha256(self.path),
            "split_sha256": self.split.sha256,
            "records": len(self.split.records),
        }

    @property
    def canaries(self) -> NDArray[np.intp]:
        """The places of the records whose coins are guessed."""
        return spread_canaries(len(self.split.records))

    def scores(self) -> Array:
        """Of each canary, how much the release speaks for it: no coin is looked at."""
        return score_presence(*_as_numbers(self.split.records, self.rows), self.canaries)


def spread_canaries(number: int) -> NDArray[np.intp]:
    """The places of all records, or of `MOST_CANARIES` of them, evenly spread."""
    most = min(number, MOST_CANARIES)
    return np.arange(most) * number // most


def score_presence(records: Array, rows: Array, places: NDArray[np.intp]) -> Array:
    """How much released ``rows`` speak for each of the ``records`` at ``places``: higher is more.

    ``records``: of both halves, [records, columns] as the rows, each column cut at 1. First counts
    by how much nearer the nearest released row is than the nearest other record; where these are
    equal, how often a record was released for as often as it is there.
    """
    to_rows, copies = _find_nearest(records[places], rows)
    to_others, alike = _find_nearest(records[places], records, places)
    nearer = np.round(to_others - to_rows, 12)
    order = np.stack([nearer, copies / (alike + 1)], axis=1)
    return np.asarray(np.unique(order, axis=0, return_inverse=True)[1], np.float64).ravel()


def split_release(name: str, split_path: str) -> ReleaseSubject:
    """The subject of ``outputs:FILE`` and a split record; raises InputError."""
    path = name.removeprefix(OUTPUTS)
    if not name.startswith(OUTPUTS) or "," in path or Path(path).suffix != ".csv":
        raise InputError(f"--split goes with one released table, outputs:FILE.csv; found {name!r}")
    if not Path(path).is_file():
        raise InputError(f"there is no file {path}; outputs: names the released table")
    split = read_split(split_path)
    rows = read_release(path, split)
    if not rows:
        raise InputError(f"{path} has no rows: a release without rows speaks for no record")
    return ReleaseSubject(name, path, split_path, split, rows)


def _as_numbers(
    records: Sequence[tuple[str, ...]], rows: Sequence[tuple[str, ...]]
) -> tuple[Array, Array]:
    """[records, columns] and [rows, columns], scaled so that a column differs by at most 1.

    Columns of numbers by the records' range; of others, all values are apart by 1.
    """
    columns = []
    for place in range(len(records[0])):
        held = [record[place] for record in records]
        released = [row[place] for row in rows]
        columns.append(_scale(held, released))
    return (
        np.stack([first for first, _ in columns], axis=1),
        np.stack([second for _, second in columns], axis=1),
    )


def _scale(held: Sequence[str], released: Sequence[str]) -> tuple[Array, Array]:
    try:
        both = np.array([float(text) for text in (*held, *released)])
    except ValueError:
        both = np.array([np.nan])
    own = both[: len(held)]
    if np.isfinite(both).all() and np.ptp(own) > 0:
        scaled = np.clip((both - own.min()) / np.ptp(own), -1.0, 2.0)
    else:
        # Steps of 2 count as 1 where distances are cut.
        codes = {text: 2.0 * code for code, text in enumerate(sorted({*held, *released}))}
        scaled = np.array([codes[text] for text in (*held, *released)])
    return scaled[: len(held)], scaled[len(held) :]


def _find_nearest(
    records: Array, others: Array, own: NDArray[np.intp] | None = None
) -> tuple[Array, Array]:
    """For each record the distance to the nearest other, and how many others are equal to it.

    ``own``: the place of each record among the others, which is left out.
    """
    nearest, equal = np.empty(len(records)), np.empty(len(records))
    step = max(1, BLOCK // len(others))
    for start in range(0, len(records), step):
        part = records[start : start + step]
        distances = np.zeros((len(part), len(others)))
        for place in range(part.shape[1]):
            column = np.abs(part[:, place, None] - others[None, :, place])
            distances += np.minimum(column, 1.0)
        if own is not None:
            distances[np.arange(len(part)), own[start : start + step]] = np.inf
        nearest[start : start + step] = distances.min(axis=1)
        equal[start : start + step] = np.count_nonzero(distances == 0, axis=1)
    return nearest, equal
