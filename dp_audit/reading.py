"""Tables as they are given: files, data frames, datasets, and what `release` returned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.parallel import Map, here
from audit.utility.counts import Counted
from audit.utility.parts import CHUNK, Parts
from audit.utility.records import Outside, Records, of_dataset, of_frame, read_records
from dp_audit.results import ReleaseResult
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import column_names, find_undeclared, table_frames

if TYPE_CHECKING:
    import pandas as pd


def read_whole(
    name: str, table: Any, domain: Domain, outside: Outside, shown: bool
) -> tuple[Records, tuple[str, ...]]:
    """The records of a table, and its columns that the domain does not declare.

    ``name``: of the table, for errors; ``shown``: these may quote it. Raises ``InputError``.
    """
    with _errors_of(name):
        held = _standard_input(domain) if isinstance(table, str) and table == "-" else table
        return _records(held, domain, outside, shown), find_undeclared(
            _columns(held, domain), domain
        )


def read_counted(
    name: str,
    table: Any,
    domain: Domain,
    rows: int | None,
    outside: Outside,
    share: Map,
    shown: bool,
) -> tuple[Counted, tuple[str, ...]]:
    """The same, of a file in parts if ``rows`` or a cluster say so."""
    if (rows is None and share is here) or not isinstance(table, str | Path):
        return read_whole(name, table, domain, outside, shown)
    with _errors_of(name):
        parts = Parts.of_file(str(table), domain, rows or CHUNK, outside, share)
        # Gone through once for its extent: now, so that its faults are found under its name.
        parts.measure()
        return parts, find_undeclared(_columns(table, domain), domain)


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Errors name the table."""
    try:
        yield
    except InputError as error:
        where = "standard input" if name == "-" else name
        if str(error).startswith(where):
            raise
        raise InputError(f"{where}: {error}") from error


def _records(table: Any, domain: Domain, outside: Outside, shown: bool) -> Records:
    if isinstance(table, ReleaseResult):
        table = table.released.table
    if isinstance(table, Dataset):
        if table.domain != domain:
            raise InputError("it is over another domain than the one that is stated")
        return of_dataset(table)
    if isinstance(table, str | Path):
        return read_records(table, domain, outside, shown=shown)
    return of_frame(table, domain, outside, shown=shown)


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
