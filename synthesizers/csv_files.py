"""CSV files as frames of text: UTF-8, a header, commas, optional gzip."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO, cast

import pandas as pd

from synthesizers.errors import InputError

CSV_SUFFIXES = (".csv", ".csv.gz")
"""The endings of a CSV file's name."""

_MALFORMED = (
    EOFError,
    UnicodeDecodeError,
    csv.Error,
    gzip.BadGzipFile,
    pd.errors.ParserError,
    pd.errors.ParserWarning,
    zlib.error,
)


@dataclass(frozen=True)
class CsvTable:
    """An open CSV file: the names in its header, and the records after it."""

    names: tuple[str, ...]
    text: TextIO

    def frames(self, rows: int | None) -> Iterator[pd.DataFrame]:
        """Return the records as text, at most ``rows`` a frame, or all in one frame if None.

        An empty field is an empty text: no text is taken for a missing value.
        A line with more fields than the header is an error, and one with fewer
        has empty fields at its end.
        """
        one_column = len(self.names) == 1
        try:
            with warnings.catch_warnings():
                # The warning says that pandas cut a line that was too long.
                warnings.simplefilter("error", pd.errors.ParserWarning)
                reader = pd.read_csv(
                    self.text,
                    header=None,
                    names=range(len(self.names)),
                    index_col=False,
                    dtype=str,
                    keep_default_na=False,
                    na_filter=False,
                    # In a table of one column, a blank line is a record without a value.
                    skip_blank_lines=not one_column,
                    low_memory=False,
                    iterator=True,
                )
        except pd.errors.EmptyDataError:
            return
        while True:
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)
                try:
                    frame = reader.get_chunk(rows) if rows is not None else reader.read()
                except (StopIteration, pd.errors.EmptyDataError):
                    return
            yield frame.set_axis(list(self.names), axis="columns")
            if rows is None:
                return


@contextmanager
def open_csv(path: str | Path) -> Iterator[CsvTable]:
    """Return the CSV file at ``path``, or standard input for ``-``, with its header read.

    Raises ``InputError``, also for what goes wrong inside the block, if the file
    cannot be read, is not UTF-8, is damaged, or has no header.
    """
    standard_input = str(path) == "-"
    spoken = "standard input" if standard_input else str(path)
    try:
        source = sys.stdin.buffer if standard_input else _open_bytes(Path(path))
        text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
        try:
            names = next(filter(None, csv.reader(text)), None)
            if names is None:
                raise InputError(f"{spoken}: the table is empty; its first line must name columns")
            yield CsvTable(tuple(names), text)
        finally:
            text.detach()
            if not standard_input:
                source.close()
    except _MALFORMED as error:
        where = "" if standard_input else _first_fault(Path(path))
        raise InputError(
            f"{spoken} is not a well-formed CSV file: it must be UTF-8 text, with no more fields "
            f"in a line than in the header and every quote closed{where}"
        ) from error
    except OSError as error:
        raise InputError(f"{spoken} cannot be read: {error.strerror or 'damaged'}") from error


def _first_fault(path: Path) -> str:
    """Where a file is not well-formed, for a message; empty where it cannot be read at all."""
    try:
        with _open_bytes(path) as source:
            for number, line in enumerate(source, 1):
                if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                    return ". It begins as UTF-16 text does: save it as CSV in UTF-8"
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError:
                    return f". Line {number} is not UTF-8: save the file as CSV in UTF-8"
        with _open_bytes(path) as source:
            text = io.TextIOWrapper(source, encoding="utf-8-sig", newline="")
            return _first_bad_record(text)
    except (EOFError, OSError, zlib.error):
        return ""


def _first_bad_record(text: TextIO) -> str:
    """The line of the first record that is not well-formed, for a message."""
    reader = csv.reader(text, strict=True)
    width, line = 0, 1
    try:
        for fields in reader:
            if width and len(fields) > width:
                return f". Line {line} has {len(fields)} fields, and the header has {width}"
            width = width or len(fields)
            line = reader.line_num + 1
    except csv.Error:
        return f". A quote that opens in line {line} is not closed, or is followed by more text"
    return ""


def write_csv(frame: pd.DataFrame, file: BinaryIO, *, compressed: bool) -> None:
    """Write ``frame`` with a header and without its index; the bytes depend on it alone."""
    if compressed:
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as archive:
            write_csv(frame, cast(BinaryIO, archive), compressed=False)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    frame.to_csv(text, index=False, lineterminator="\n")
    text.detach()


def _open_bytes(path: Path) -> BinaryIO:
    if path.name.endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")
