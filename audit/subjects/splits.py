"""Splits: which records of a table a release is trained on, by a coin for each, fixed beforehand.

A steward splits a confidential table before anything is trained, and may publish the record's
digest then. Whoever has the files later sees that the coins, and with them both halves, follow from
the record.
"""

from __future__ import annotations

import csv
import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.statements import strict_json
from audit.subjects.coins import draw_coins
from audit.subjects.digests import file_sha256
from synthesizers.errors import InputError

SCHEMA = "dp-audit/split/1"

TRAINING, HOLDOUT, RECORD = "training.csv", "holdout.csv", "split.json"
"""The files of a split."""

LEAST = 20
"""The fewest records of a split (so many right guesses refute no claim, but few of pure ε)."""


@dataclass(frozen=True, eq=False)
class Split:
    """A table as it was split.

    ``seed``: of the coins. ``names``: of its columns. ``records``: all, in the table's order.
    ``chosen``: which are in the training half. ``sha256``: of the record's file.
    """

    seed: str
    names: tuple[str, ...]
    records: tuple[tuple[str, ...], ...]
    chosen: NDArray[np.bool_]
    sha256: str


def write_split(table: str | Path, folder: str | Path, seed: str | None = None) -> str:
    """Split a CSV table into two files of a folder, with the record; the record's SHA-256.

    Raises InputError for a table that can't be split, and where the files are there already.
    """
    folder = Path(folder)
    there = [name for name in (TRAINING, HOLDOUT, RECORD) if (folder / name).exists()]
    if there:
        raise InputError(f"{folder} holds {', '.join(there)} already; choose another --out")
    names, records = _read_table(Path(table))
    if len(records) < LEAST:
        raise InputError(f"{table} has {len(records)} records; a split needs at least {LEAST}")
    seed = secrets.token_hex(16) if seed is None else seed
    coins = draw_coins(seed, 0, len(records))
    folder.mkdir(parents=True, exist_ok=True)
    for name, chosen in ((TRAINING, coins), (HOLDOUT, ~coins)):
        rows = [record for record, kept in zip(records, chosen, strict=True) if kept]
        _write_table(folder / name, names, rows)
    halves = {
        name.removesuffix(".csv"): {
            "file": name,
            "records": int(np.count_nonzero(chosen)),
            "sha256": file_sha256(folder / name),
        }
        for name, chosen in ((TRAINING, coins), (HOLDOUT, ~coins))
    }
    record = {"schema": SCHEMA, "seed": seed, "records": len(records), **halves}
    text = json.dumps(record, indent=1) + "\n"
    (folder / RECORD).write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def read_split(path: str | Path) -> Split:
    """The split of a record and the two files beside it.

    Raises InputError where the halves are not those that the record names, or do not follow from
    its seed.

    Guarantee
    ---------
    Each record stands in the half that its coin chose, and both halves are, byte by byte, those of
    the record. Backed by ``tests/audit/subjects/test_splits.py``.
    """
    path = Path(path)
    found = strict_json.parse(strict_json.read_text(str(path)), str(path), "a split record")
    seed, number, halves = _parse_record(found, path)
    coins = draw_coins(seed, 0, number)
    tables = []
    for half, chosen in zip(halves, (coins, ~coins), strict=True):
        place = path.parent / half["file"]
        if not place.is_file():
            raise InputError(f"{place} is absent; both halves lie beside the split record")
        if file_sha256(place) != half["sha256"]:
            raise InputError(f"{place} is not the file that was split off: its digest differs")
        tables.append(_read_table(place))
        if not len(tables[-1][1]) == half["records"] == np.count_nonzero(chosen):
            raise InputError(f"{path}: its halves are not those that its coins chose")
    if tables[0][0] != tables[1][0]:
        raise InputError(f"{path}: its halves have other columns than each other")
    sides = (iter(tables[1][1]), iter(tables[0][1]))
    records = tuple(next(sides[int(coin)]) for coin in coins)
    return Split(seed, tables[0][0], records, coins, file_sha256(path))


def _parse_record(found: Any, path: Path) -> tuple[str, int, list[dict[str, Any]]]:
    match found:
        case {
            "schema": str(schema),
            "seed": str(seed),
            "records": int(number),
            "training": {"file": str(), "records": int(), "sha256": str()} as first,
            "holdout": {"file": str(), "records": int(), "sha256": str()} as second,
            **rest,
        } if schema == SCHEMA and not rest and LEAST <= number <= 10**8:
            plain = seed.isascii() and seed.isalnum() and len(seed) <= 128
            files = [half["file"] for half in (first, second)]
            if plain and all(Path(name).name == name for name in files):
                return seed, number, [first, second]
    raise InputError(f"{path} is no split record: dp-audit split writes one")


def _read_table(path: Path) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names of the columns and the records, as text."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [tuple(row) for row in csv.reader(file, strict=True) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} can't be read as a CSV table: {type(error).__name__}") from None
    if not rows or len(set(rows[0])) < len(rows[0]):
        raise InputError(f"{path} must begin with a line that names its columns, each once")
    wrong = [place for place, row in enumerate(rows[1:], 2) if len(row) != len(rows[0])]
    if wrong:
        raise InputError(f"{path}, line {wrong[0]}: it has more or fewer fields than columns")
    return rows[0], rows[1:]


def _write_table(path: Path, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def read_release(path: str | Path, split: Split) -> list[tuple[str, ...]]:
    """The rows of a release, their columns in the split's order; InputError for other columns."""
    names, rows = _read_table(Path(path))
    if sorted(names) != sorted(split.names):
        raise InputError(f"{path}: a release has the columns of the table that was split")
    order = [names.index(name) for name in split.names]
    return [tuple(row[place] for place in order) for row in rows]
