"""The tables that `utility` is given, counted: files, frames, and what a release holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.parallel import Map, here
from audit.utility.counts import Counted
from audit.utility.parts import CHUNK, Parts
from audit.utility.records import Outside, of_dataset, of_frame, read_records
from dp_audit.results import ReleaseResult
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import column_names, find_undeclared, table_frames

if TYPE_CHECKING:
    import pandas as pd


def read_counted(
    name: str,
    table: Any,
    domain: Domain,
    rows: int | None,
    outside: Outside,
    share: Map,
    shown: bool,
) -> tuple[Counted, tuple[str, ...]]:
    """One table, and its columns that the domain does not declare; an error names the table."""
    try:
        whole = isinstance(table, str) and table == "-" and rows is None and share is here
        held = _standard_input(domain) if whole else table
        counted = _count(held, domain, rows, outside, share, shown)
        return counted, find_undeclared(_columns(held, domain), domain)
    except InputError as error:
        where = "standard input" if name == "-" else name
        if str(error).startswith(where):
            raise
        raise InputError(f"{where}: {error}") from error


def _count(
    table: Any, domain: Domain, rows: int | None, outside: Outside, share: Map, shown: bool
) -> Counted:
    """One table, in parts if ``rows`` or a cluster say so; ``shown``: errors may quote it."""
    if isinstance(table, ReleaseResult):
        return of_dataset(table.released.table)
    if isinstance(table, Dataset):
        return of_dataset(table)
    if not isinstance(table, str | Path):
        return of_frame(table, domain, outside, shown=shown)
    if rows is None and share is here:
        return read_records(table, domain, outside, shown=shown)
    parts = Parts.of_file(str(table), domain, rows or CHUNK, outside, share)
    # Gone through once for its extent: now, so that its faults are found under its name.
    parts.measure()
    return parts


def _standard_input(domain: Domain) -> pd.DataFrame:
    """The table that standard input holds, which can be read once."""
    frame = next(table_frames("-", domain, None), None)
    if frame is None or not len(frame):
        raise InputError("the table has no records")
    return frame


def _columns(table: Any, domain: Domain) -> tuple[str, ...]:
    """The names of a table's columns, those of all files of a folder."""
    if isinstance(table, ReleaseResult | Dataset):
        return domain.names
    if not isinstance(table, str | Path):
        return tuple(map(str, table.columns))
    path = Path(table)
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    return tuple(dict.fromkeys(name for file in files for name in column_names(file)))
