"""Parquet in and out: the only module that needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import pandas as pd

from synthesizers.errors import InputError

_EXTRA = "Parquet needs pyarrow: pip install 'dp-audit[parquet]', or use CSV"


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Return the column names of a Parquet file, repeated ones included.

    Raises ``InputError`` if pyarrow is absent or the file is not Parquet.
    """
    arrow, parquet = _pyarrow()
    try:
        return tuple(parquet.ParquetFile(path).schema_arrow.names)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path) from error


def parquet_frames(path: Path, columns: Sequence[str], rows: int | None) -> Iterator[pd.DataFrame]:
    """Return the named columns in frames of at most ``rows`` records, or all in one if None.

    Integers with gaps stay integers. Raises ``InputError`` as ``parquet_columns``.
    """
    arrow, parquet = _pyarrow()
    nullable = {
        getattr(arrow, name.lower())(): getattr(pd, f"{name}Dtype")()
        for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
    }

    def framed(table: Any) -> pd.DataFrame:
        # Text that is no UTF-8 would be found later, by whoever reads it, and be quoted.
        table.validate(full=True)
        # Broken metadata would be parsed even where they are to be ignored.
        plain = table.replace_schema_metadata(None)
        frame: pd.DataFrame = plain.to_pandas(types_mapper=nullable.get)
        return frame

    try:
        if rows is None:
            yield framed(parquet.read_table(path, columns=list(columns)))
            return
        file = parquet.ParquetFile(path)
        for batch in file.iter_batches(batch_size=rows, columns=list(columns)):
            yield framed(arrow.Table.from_batches([batch]))
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise _unreadable(path) from error


def write_parquet(frame: pd.DataFrame, file: BinaryIO) -> None:
    """Write ``frame`` without its index; ``InputError`` if pyarrow is absent."""
    arrow, parquet = _pyarrow()
    parquet.write_table(arrow.Table.from_pandas(frame, preserve_index=False), file)


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(_EXTRA) from error
    return pyarrow, pyarrow.parquet


def _unreadable(path: Path) -> InputError:
    return InputError(f"{path} cannot be read as Parquet; check that the file is there and whole")
