"""Channels in files: CSV, Parquet or JSON, one row a database, one column an output."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from audit.channels.channel import Channel
from audit.statements import strict_json
from audit.statements.decimals import decimal_below, exact_text
from audit.subjects.digests import file_sha256
from audit.subjects.subject import ChannelSubject
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import MAX_DIGITS, Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import Neighbours

ROW_TOLERANCE = Fraction(1, 10**9)
"""How far from 1 a row may sum without --rounded (the contract's figure)."""

MAX_CARRIED = 20_000
"""The most entries of a channel that a certificate carries itself."""

SUFFIXES = (".csv", ".csv.gz", ".parquet", ".json")

_COUNTS = re.compile(r"(\d{1,15}|\?)(-(\d{1,15}|\?))*")

_MAX_EXPONENT = 10_000


def is_channel_file(name: str) -> bool:
    """Whether a subject's name is that of a channel file."""
    return name.endswith(SUFFIXES)


def read_channel(path: str, neighbours: Neighbours, released: str, rounded: bool) -> ChannelSubject:
    """The channel of a file; raises InputError for anything that is not one.

    ``rounded``: each decimal stands for an interval of half its last digit on
    either side. Otherwise a row that sums to exactly 1 is taken as written; one
    that sums to 1 only within `ROW_TOLERANCE` is known only within it, so each
    of its chances is taken within that relative distance (a zero stays a zero).
    """
    header, rows = _table(Path(path), neighbours, released)
    if not header or header[0] != "database" or len(header) < 2:
        raise InputError(
            f"a channel file's header is 'database' and then one column an output; "
            f"{path} begins otherwise"
        )
    if not rows:
        raise InputError(f"{path} has no rows; expected one for each database")
    numbers = [_row(row, path, rounded) for row in rows]
    databases, outputs = [row[0] for row in rows], header[1:]
    channel = _channel(databases, outputs, numbers, neighbours, released, path)
    identity: dict[str, Any] = {
        "sha256": file_sha256(path),
        "rounded": rounded,
    }
    if len(rows) * len(header) <= MAX_CARRIED:
        identity["matrix"] = {
            "databases": databases,
            "outputs": outputs,
            "probabilities": [row[1:] for row in rows],
        }
    return ChannelSubject(Path(path).name, channel, identity)


def decode_channel(
    identity: dict[str, Any], name: str, neighbours: Neighbours, released: str
) -> ChannelSubject | None:
    """The channel that a certificate carries in its subject; None where it carries none."""
    matrix = identity.get("matrix")
    if matrix is None:
        return None
    rounded = bool(identity.get("rounded"))
    try:
        labels = [[str(text) for text in matrix[key]] for key in ("databases", "outputs")]
        lines = zip(labels[0], matrix["probabilities"], strict=False)
        numbers = [_row([label, *map(str, row)], name, rounded) for label, row in lines]
    except (KeyError, TypeError):
        raise InputError("the certificate's channel is incomplete") from None
    if any(len(row) != len(labels[1]) for row in numbers) or len(numbers) != len(labels[0]):
        raise InputError("the certificate's channel has rows of different lengths")
    channel = _channel(labels[0], labels[1], numbers, neighbours, released, name)
    return ChannelSubject(name, channel, identity)


def _table(path: Path, neighbours: Neighbours, released: str) -> tuple[list[str], list[list[str]]]:
    if path.name.endswith(".json"):
        return _json_table(path, neighbours, released)
    # Here, not above: a channel that a certificate carries needs no tables.
    from synthesizers.csv_files import open_csv
    from synthesizers.parquet import parquet_columns, parquet_frames

    if path.name.endswith(".parquet"):
        columns = list(parquet_columns(path))
        frames = list(parquet_frames(path, columns, None))
        return columns, [[str(value) for value in row] for row in frames[0].itertuples(index=False)]
    with open_csv(path) as table:
        frames = list(table.frames(None))
        columns = list(table.names)
    return columns, [
        [str(v) for v in row] for frame in frames for row in frame.itertuples(index=False)
    ]


def _json_table(
    path: Path, neighbours: Neighbours, released: str
) -> tuple[list[str], list[list[str]]]:
    """The table of what ``dp-audit channel --json`` wrote."""
    spoken = "a channel as dp-audit channel --json writes it"
    document = strict_json.parse(strict_json.read_text(str(path)), str(path), spoken)
    for key, own in (("neighbours", neighbours.name), ("released", released)):
        if document.get(key, own) != own:
            raise InputError(f"{path} says {key} {str(document[key])[:40]}; say so, or {own} there")
    try:
        outputs = ["-".join(map(_spell, output)) for output in document["outputs"]]
        databases = ["-".join(map(str, counts)) for counts in document["databases"]]
        rows = [
            [label, *map(str, row)]
            for label, row in zip(databases, document["probabilities"], strict=True)
        ]
        if any(len(row) != len(outputs) + 1 for row in rows):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{path} is no channel: expected databases, outputs and probabilities, {spoken}"
        ) from None
    return ["database", *outputs], rows


def _row(texts: Sequence[str], path: str, rounded: bool) -> Sequence[Exact]:
    """The chances of one row after its label: as written, or as far as the file knows them."""
    row = [_number(text, path, rounded) for text in texts[1:]]
    ends = [(v.lower, v.upper) if isinstance(v, Interval) else (v, v) for v in row]
    low = sum((lower for lower, _ in ends), Fraction(0))
    high = sum((upper for _, upper in ends), Fraction(0))
    tolerance = Fraction(0) if rounded else ROW_TOLERANCE
    if low - tolerance > 1 or high + tolerance < 1:
        hint = "" if rounded else "; if the file's decimals are rounded, add --rounded"
        raise InputError(
            f"{path}: the row of database {texts[0][:40]} sums to {float(low):.9g}, "
            f"expected 1{hint}"
        )
    if rounded or low == 1:
        return row
    return [_within(lower) if lower else Fraction(0) for lower, _ in ends]


def _within(value: Fraction) -> Interval:
    return Interval(value * (1 - ROW_TOLERANCE), value * (1 + ROW_TOLERANCE))


def _number(text: str, path: str, rounded: bool) -> Fraction | Interval:
    text = text.strip()
    try:
        if len(text) > MAX_DIGITS:
            raise ValueError
        if "/" in text:
            value = Fraction(text)
            half = Fraction(0)
        else:
            decimal = Decimal(text)
            if not decimal.is_finite() or abs(decimal.adjusted()) > _MAX_EXPONENT:
                raise ValueError
            value = Fraction(decimal)
            digits = -int(decimal.as_tuple().exponent)
            # A number without decimals is written out in full.
            half = Fraction(1, 2 * 10**digits) if digits > 0 else Fraction(0)
    except (ValueError, ZeroDivisionError, InvalidOperation, OverflowError):
        raise InputError(
            f"{path}: every chance is a decimal or a fraction such as 0.25 or 1/4; one cell is not"
        ) from None
    if not 0 <= value <= 1:
        raise InputError(f"{path}: every chance lies between 0 and 1; one cell does not")
    if rounded and half:
        return Interval(max(value - half, Fraction(0)), min(value + half, Fraction(1)))
    return value


def _channel(
    rows: Sequence[str],
    columns: Sequence[str],
    numbers: Sequence[Sequence[Exact]],
    neighbours: Neighbours,
    released: str,
    path: str,
) -> Channel:
    databases = [_counts(text) for text in rows]
    if any(counts is None or None in counts for counts in databases):
        raise InputError(
            f"{path}: every database is a list of counts such as 3-2; one row begins otherwise"
        )
    if len({len(counts) for counts in databases if counts is not None}) != 1:
        raise InputError(f"{path}: databases have different numbers of cells")
    outputs = tuple(_counts(text) or (text,) for text in columns)
    listed = np.array(databases, np.int64)
    matrix = np.empty((len(rows), len(columns)), np.object_)
    for place, row in enumerate(numbers):
        matrix[place] = row
    domain = Domain.from_cells(str(listed.shape[1]))
    return Channel.of_exact(domain, neighbours, listed, outputs, matrix, released)


def _counts(text: str) -> tuple[int | None, ...] | None:
    if _COUNTS.fullmatch(text.strip()) is None:
        return None
    return tuple(None if part == "?" else int(part) for part in text.strip().split("-"))


def channel_csv(channel: Channel, exact: bool) -> str:
    """A channel as CSV: decimals, or fractions with ``exact`` where the law is rational."""
    lines = [["database", *("-".join(map(_spell, output)) for output in channel.outputs)]]
    centre = channel.centre.tolist()
    for number, row in enumerate(centre):
        cells = [
            _cell(channel.exact[number, place])
            if exact and channel.exact is not None
            else _decimal(channel, number, place, v)
            for place, v in enumerate(row)
        ]
        lines.append(["-".join(map(str, channel.counts(number))), *cells])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def _decimal(channel: Channel, row: int, column: int, centre: float) -> str:
    """A chance as a decimal, also where it lies below the doubles."""
    powers = channel.powers
    if powers is None or channel.lower[row, column] > 0 or centre == 0:
        return repr(centre)
    mantissa, exponent = powers.mantissa[row, column], powers.exponent[row, column]
    return decimal_below(Fraction(float(mantissa)) * Fraction(2) ** int(exponent))


def _spell(value: Any) -> str:
    return "?" if value is None else str(value)


def _cell(value: Exact) -> str:
    text = exact_text(value)
    return text if isinstance(text, str) else text["lower"]
