"""Tables in and out: data frames, CSV and Parquet.

A table is coded by the domain alone: nothing about the values is inferred from
the data, and a value that the domain does not declare is an error rather than a
new code. All problems of a table are told at once, by column. Messages name attributes and
rules, never a value of the table. Columns that the domain does not declare are named only where
the first line names all that it does: that of a file without a header would be a record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synthesizers.csv_files import CSV_SUFFIXES, open_csv, write_csv
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.encoding import Fault, code_texts
from synthesizers.errors import InputError
from synthesizers.files import replacing
from synthesizers.parquet import parquet_columns, parquet_frames, write_parquet


def read_table(path: str | Path, domain: Domain, *, drop: Collection[str] | None = None) -> Dataset:
    """Return the records of a table file: ``.csv``, ``.csv.gz``, ``.parquet``, or ``-``.

    ``-`` is CSV from standard input. CSV is UTF-8 with a header. An empty field
    is a missing value. Columns that the domain does not declare are ignored; with
    ``drop``, those that it does not name are refused. If the table has the domain's id column,
    persons are numbered in order of first appearance; if not, persons are unknown.

    Raises ``InputError`` if the file cannot be read, has no records, lacks an
    attribute, repeats a column, or holds a value that the domain does not allow.
    """
    frame = next(table_frames(path, domain, None, drop), None)
    if frame is None or not len(frame):
        raise InputError(f"{_name_path(path)}: the table has no records")
    return from_frame(frame, domain)


def from_frame(
    frame: pd.DataFrame, domain: Domain, *, drop: Collection[str] | None = None
) -> Dataset:
    """Return the records of a data frame, coded by the domain.

    None and NaN are missing values. A number matches the label of that integer
    (1 and 1.0 match ``"1"``); in a binned attribute it falls into its bin, taken
    as the shortest decimal that denotes it. Raises ``InputError`` as
    ``read_table``, except that a frame without records is a dataset without records.
    """
    names = [str(name) for name in frame.columns]
    check_columns(names, domain, drop)
    columns = [code_column(each, column_of(frame, each.name)) for each in domain.attributes]
    refuse_faults(columns)
    codes = np.empty((len(frame), len(columns)), dtype=np.int64, order="F")
    for place, column in enumerate(columns):
        codes[:, place] = column.codes[column.places]
    codes.setflags(write=False)
    return Dataset(domain, codes, persons_in(frame, domain))


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column by its distinct texts.

    ``places`` [records]: that of each record's text in ``texts``, the last of which is empty if a
    record has none. ``codes`` [texts]: the code of each, -1 for those in ``faults``.
    """

    attribute: Attribute
    places: NDArray[np.int64]
    texts: Sequence[str]
    codes: NDArray[np.int64]
    faults: Mapping[Fault, Sequence[int]]

    def problems(self, shown: bool) -> Iterator[str]:
        """What is wrong with the column, a fault a sentence; with the values if ``shown``."""
        for fault, at in self.faults.items():
            rows = np.flatnonzero(np.isin(self.places, at))
            counted = f"{len(rows)} records have" if len(rows) > 1 else "a record has"
            first = rows[:EXAMPLES].tolist() if shown else []
            texts = [f"record {row + 1}: {self.texts[self.places[row]]!r:.40}" for row in first]
            examples = f" ({', '.join(texts)})" if texts else ""
            name = repr(self.attribute.name)
            yield f"attribute {name}: {counted} {fault.what}{examples}; {fault.mend}"


EXAMPLES = 3
"""The records that a problem of a table that is not confidential quotes."""


def code_column(attribute: Attribute, series: pd.Series) -> CodedColumn:
    """Return a column coded by its attribute; InputError for a value neither text nor number."""
    places, texts = distinct_texts(attribute.name, series)
    if places.size and places.min() < 0:
        # The place -1 of a missing value indexes the empty text.
        texts = [*texts, ""]
        places = np.where(places < 0, len(texts) - 1, places)
    return CodedColumn(attribute, places, texts, *code_texts(attribute, texts))


def refuse_faults(columns: Sequence[CodedColumn], *, shown: bool = False) -> None:
    """Raise ``InputError`` with all problems of a table's columns, if there are any.

    ``shown``: the table is not confidential, and records and their values are quoted.
    """
    problems = [problem for column in columns for problem in column.problems(shown)]
    if len(problems) > 1:
        lines = "".join(f"\n  {problem}" for problem in problems)
        raise InputError(f"the table has {len(problems)} problems:{lines}")
    for problem in problems:
        raise InputError(problem)


def column_of(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return the column of that name, whatever the type of the frame's names."""
    return frame.iloc[:, [str(each) for each in frame.columns].index(name)]


def persons_in(frame: pd.DataFrame, domain: Domain) -> NDArray[np.int64] | None:
    """Return the person [records] of each record, None where the frame does not tell."""
    if domain.individual is None or domain.individual not in map(str, frame.columns):
        return None
    return persons_of(domain.individual, column_of(frame, domain.individual))


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
    write_frame(to_frame(dataset), path)


def write_frame(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a frame, as ``write_table`` the records."""
    target = Path(path)
    kind = _kind(target)
    with replacing(target) as file:
        if kind == "parquet":
            write_parquet(frame, file)
        else:
            write_csv(frame, file, compressed=target.name.endswith(".gz"))


def table_frames(
    path: str | Path, domain: Domain, rows: int | None, drop: Collection[str] | None = None
) -> Iterator[pd.DataFrame]:
    """Return a table file as frames of at most ``rows`` records, or one frame if None.

    Raises ``InputError`` if the file cannot be read, lacks an attribute, repeats a column, or has
    one that neither the domain declares nor ``drop`` names, unless that is None.
    """
    if str(path) != "-" and _kind(Path(path)) == "parquet":
        names: Sequence[str] = parquet_columns(Path(path))
        check_columns(names, domain, drop)
        wanted = {*domain.names, domain.individual}
        yield from parquet_frames(Path(path), [name for name in names if name in wanted], rows)
        return
    with open_csv(path) as table:
        check_columns(table.names, domain, drop)
        yield from table.frames(rows)


def column_names(path: str | Path) -> tuple[str, ...]:
    """Return the names in the first line of a table file; ``InputError`` as ``read_table``."""
    if _kind(Path(path)) == "parquet":
        return parquet_columns(Path(path))
    with open_csv(path) as table:
        return table.names


def _kind(path: Path) -> Literal["csv", "parquet"]:
    if path.name.endswith(CSV_SUFFIXES):
        return "csv"
    if path.name.endswith(".parquet"):
        return "parquet"
    raise InputError(f"{path}: a table file must end in .csv, .csv.gz or .parquet; convert it")


def _name_path(path: str | Path) -> str:
    return "standard input" if str(path) == "-" else str(path)


def check_columns(
    names: Sequence[str], domain: Domain, drop: Collection[str] | None = None
) -> None:
    """Raise ``InputError`` unless a table with columns of these names is one over the domain.

    As ``read_table`` says of ``drop``.
    """
    declared = [*domain.names] if domain.individual is None else [*domain.names, domain.individual]
    missing = [name for name in domain.names if name not in set(names)]
    if missing:
        raise InputError(
            f"the table lacks the columns {', '.join(map(repr, missing))}; its header must name "
            f"every attribute of the domain{_hint(names, missing)}"
        )
    repeated = [name for name in declared if list(names).count(name) > 1]
    if repeated:
        raise InputError(
            f"the table has several columns {', '.join(map(repr, repeated))}; keep one of each"
        )
    if len(set(names)) < len(names):
        raise InputError("the table has two columns of the same name; rename or drop one")
    left = [] if drop is None else sorted(set(find_undeclared(names, domain)) - set(drop))
    if left:
        raise InputError(
            f"the table has columns that the domain does not declare: {', '.join(map(repr, left))}"
            f"; declare them, or leave them out by {' '.join(f'--drop {name!r}' for name in left)}"
        )
    absent = sorted(set(drop or ()) - set(find_undeclared(names, domain)))
    if absent:
        raise InputError(
            f"{absent[0]!r} is to be dropped, and is no column of the table beside those that the "
            "domain declares"
        )


def find_undeclared(names: Sequence[str], domain: Domain) -> tuple[str, ...]:
    """Return the columns that neither is an attribute nor the id column of the domain."""
    return tuple(n for n in names if n not in domain.names and n != domain.individual)


OTHER_SIGNS = ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars"))
"""Signs that part the fields of files which are called CSV and are none."""


def _hint(names: Sequence[str], missing: Sequence[str]) -> str:
    """What a header that lacks columns has in their place; of it, only what the domain says too."""
    for sign, spoken in OTHER_SIGNS:
        parts = {part.strip().strip('"') for name in names for part in name.split(sign)}
        if len(names) == 1 and set(missing) <= parts:
            return f". Its fields are parted by {spoken}: write the file with commas"
    spellings = {name.strip().casefold() for name in names}
    alike = [name for name in missing if name.strip().casefold() in spellings]
    if alike:
        return (
            f". It has {', '.join(map(repr, alike))} in other letters, large for small, or with "
            "blanks around: rename it there"
        )
    return ""


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
