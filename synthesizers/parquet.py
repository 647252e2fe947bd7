"""Parquet in and out: the only module that needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

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
    except (arrow.ArrowException, OSError) as error:
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
    try:
        if rows is None:
            table = parquet.read_table(path, columns=list(columns))
            yield table.to_pandas(types_mapper=nullable.get, ignore_metadata=True)
            return
        file = parquet.ParquetFile(path)
        for batch in file.iter_batches(batch_size=rows, columns=list(columns)):
            table = arrow.Table.from_batches([batch])
            yield table.to_pandas(types_mapper=nullable.get, ignore_metadata=True)
    except (arrow.ArrowException, OSError) as error:
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
