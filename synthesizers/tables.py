"""Tables in and out: data frames, CSV and Parquet.

A table is coded by the domain alone: nothing about the values is inferred from
the data, and a value that the domain does not declare is an error rather than a
new code. Error messages name attributes and rules, never a value of the table;
columns that the domain does not declare are not named either, because the first
line of a file without a header would be a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synthesizers.csv_files import CSV_SUFFIXES, open_csv, write_csv
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.encoding import encode_texts, missing_code
from synthesizers.errors import InputError
from synthesizers.files import replacing
from synthesizers.parquet import parquet_columns, parquet_frames, write_parquet

Extra = Literal["ignore", "refuse"]


def read_table(path: str | Path, domain: Domain, *, extra: Extra = "ignore") -> Dataset:
    """Return the records of a table file: ``.csv``, ``.csv.gz``, ``.parquet``, or ``-``.

    ``-`` is CSV from standard input. CSV is UTF-8 with a header. An empty field
    is a missing value. Columns that the domain does not declare are ignored, or
    refused with ``extra="refuse"``. If the table has the domain's id column,
    persons are numbered in order of first appearance; if not, persons are unknown.

    Raises ``InputError`` if the file cannot be read, has no records, lacks an
    attribute, repeats a column, or holds a value that the domain does not allow.
    """
    (dataset,) = _datasets(path, domain, None, extra)
    return dataset


def read_table_chunks(
    path: str | Path, domain: Domain, rows: int = 1_000_000, *, extra: Extra = "ignore"
) -> Iterator[Dataset]:
    """Return the records of a table file in order, at most ``rows`` at a time.

    Otherwise as ``read_table``. Raises ``InputError`` at once if the domain has
    an id column: a person's records may lie in several chunks, and clipping each
    chunk by itself would keep too many.
    """
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise InputError("the number of rows of a chunk must be a positive integer")
    if domain.individual is not None:
        raise InputError(
            "a table cannot be read in chunks when the domain has an id column, because a person's "
            "records may lie in several chunks; read it whole, or drop [individual]"
        )
    return _datasets(path, domain, rows, extra)


def from_frame(frame: pd.DataFrame, domain: Domain, *, extra: Extra = "ignore") -> Dataset:
    """Return the records of a data frame, coded by the domain.

    None and NaN are missing values. A number matches the label of that integer
    (1 and 1.0 match ``"1"``); in a binned attribute it falls into its bin, taken
    as the shortest decimal that denotes it. Raises ``InputError`` as
    ``read_table``, except that a frame without records is a dataset without records.
    """
    names = [str(name) for name in frame.columns]
    _check_columns(names, domain, extra)
    codes = np.empty((len(frame), len(domain.attributes)), dtype=np.int64, order="F")
    for column, attribute in enumerate(domain.attributes):
        series = frame.iloc[:, names.index(attribute.name)]
        codes[:, column] = _encode_column(attribute, series)
    codes.setflags(write=False)
    persons = None
    if domain.individual is not None and domain.individual in names:
        persons = persons_of(domain.individual, frame.iloc[:, names.index(domain.individual)])
    return Dataset(domain, codes, persons)


def to_frame(dataset: Dataset) -> pd.DataFrame:
    """Return the records as labels: one text column an attribute, bins as the label of their bin.

    If persons are known, their index comes first, in the domain's id column.
    """
    columns: dict[str, object] = {}
    if dataset.persons is not None and dataset.domain.individual is not None:
        columns[dataset.domain.individual] = dataset.persons
    for column, attribute in enumerate(dataset.domain.attributes):
        categories = pd.Index(attribute.labels)
        columns[attribute.name] = categories.take(dataset.codes[:, column])
    return pd.DataFrame(columns, index=pd.RangeIndex(dataset.records))


def write_table(dataset: Dataset, path: str | Path) -> None:
    """Write the records to a ``.csv``, ``.csv.gz`` or ``.parquet`` file, whole or not at all.

    Reading the file back with the same domain gives the same codes. Raises
    ``InputError`` for another suffix or a place that cannot be written.
    """
    target = Path(path)
    kind = _kind(target)
    with replacing(target) as file:
        if kind == "parquet":
            write_parquet(to_frame(dataset), file)
        else:
            write_csv(to_frame(dataset), file, compressed=target.name.endswith(".gz"))


def _datasets(
    path: str | Path, domain: Domain, rows: int | None, extra: Extra
) -> Iterator[Dataset]:
    empty = True
    for frame in table_frames(path, domain, rows, extra):
        dataset = from_frame(frame, domain)
        if dataset.records:
            empty = False
            yield dataset
    if empty:
        raise InputError(f"{_name_path(path)}: the table has no records")


def table_frames(
    path: str | Path, domain: Domain, rows: int | None, extra: Extra = "ignore"
) -> Iterator[pd.DataFrame]:
    """Return a table file as frames of at most ``rows`` records, or one frame if None.

    Raises ``InputError`` if the file cannot be read, lacks an attribute or repeats a column.
    """
    if str(path) != "-" and _kind(Path(path)) == "parquet":
        names: Sequence[str] = parquet_columns(Path(path))
        _check_columns(names, domain, extra)
        wanted = {*domain.names, domain.individual}
        yield from parquet_frames(Path(path), [name for name in names if name in wanted], rows)
        return
    with open_csv(path) as table:
        _check_columns(table.names, domain, extra)
        yield from table.frames(rows)


def _kind(path: Path) -> Literal["csv", "parquet"]:
    if path.name.endswith(CSV_SUFFIXES):
        return "csv"
    if path.name.endswith(".parquet"):
        return "parquet"
    raise InputError(f"{path}: a table file must end in .csv, .csv.gz or .parquet; convert it")


def _name_path(path: str | Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def _check_columns(names: Sequence[str], domain: Domain, extra: Extra) -> None:
    declared = [*domain.names] if domain.individual is None else [*domain.names, domain.individual]
    missing = [name for name in domain.names if name not in set(names)]
    if missing:
        raise InputError(
            f"the table lacks the columns {', '.join(map(repr, missing))}; its header must name "
            "every attribute of the domain"
        )
    repeated = [name for name in declared if list(names).count(name) > 1]
    if repeated:
        raise InputError(
            f"the table has several columns {', '.join(map(repr, repeated))}; keep one of each"
        )
    if len(set(names)) < len(names):
        raise InputError("the table has two columns of the same name; rename or drop one")
    if extra == "refuse" and not set(names) <= set(declared):
        raise InputError(
            "the table has columns that the domain does not declare; declare or drop them"
        )


def _encode_column(attribute: Attribute, series: pd.Series) -> NDArray[np.int64]:
    places, texts = distinct_texts(attribute.name, series)
    lookup = encode_texts(attribute, texts)
    if places.size and places.min() < 0:
        lookup = np.append(lookup, missing_code(attribute))
    # A missing value has place -1, which indexes the code just appended.
    return lookup[places]


def persons_of(name: str, series: pd.Series) -> NDArray[np.int64]:
    """Return the person [records] of each record, numbered as they first appear.

    Raises ``InputError`` if a record has no id, or ids mix numbers and texts.
    """
    places, texts = distinct_texts(name, series)
    if "" in texts or (places.size and places.min() < 0):
        raise InputError(f"id column {name!r}: a record has no id; every record needs one")
    if len(set(texts)) < len(texts):
        raise InputError(f"id column {name!r}: it mixes numbers and texts; use one of them")
    return places


def distinct_texts(name: str, series: pd.Series) -> tuple[NDArray[np.int64], list[str]]:
    """Return the place of each record's text among the distinct ones, -1 if it has none, and those.

    Raises ``InputError`` for a value that is neither text nor a number.
    """
    try:
        places, distinct = pd.factorize(series)
    except TypeError as error:
        raise InputError(f"column {name!r}: a value is neither text nor a number") from error
    texts = [str(value) for value in np.asarray(distinct)]
    return places.astype(np.int64, copy=False), texts
