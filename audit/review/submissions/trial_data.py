"""What a submission is tried on: records made up over its domain, or a public table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from synthesizers.attributes import Attribute
from synthesizers.bin_numbers import to_numbers
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Unit
from synthesizers.quantities import Quantity
from synthesizers.tables import from_frame, table_frames

RECORDS = 36
"""Records that are made up where the unit is a record: enough to see a table in them."""

PERSONS, MOST_OF_ONE = 18, 3
"""Persons that are made up, and the most records of one, if the claim allows so many."""


@dataclass(frozen=True, eq=False)
class TrialData:
    """A database as it is told: as codes, and as records, with ids where the unit is a person.

    ``name``: of the table's file, "" where it is made up.
    """

    name: str
    dataset: Dataset
    records: list[dict[str, Any]]


def make_up(domain: Domain, unit: Unit, seed: int) -> TrialData:
    """Records drawn uniformly over the cells of a domain; a number or a date stands for its bin."""
    random = np.random.default_rng(seed)
    persons = None
    if not unit.is_record:
        owned = random.integers(1, min(unit.max_records, MOST_OF_ONE) + 1, size=PERSONS)
        persons = np.repeat(np.arange(1, PERSONS + 1, dtype=np.int64), owned)
    count = RECORDS if persons is None else len(persons)
    columns = [random.integers(attribute.size, size=count) for attribute in domain.attributes]
    dataset = Dataset(domain, np.stack(columns, axis=1).astype(np.int64), persons)
    return tell(dataset, unit, seed)


def tell(dataset: Dataset, unit: Unit, seed: int) -> TrialData:
    """A database that is made up, as it is told."""
    return TrialData("", dataset, _records(to_numbers(dataset, seed), dataset, unit))


def read_public(path: str | Path, domain: Domain, unit: Unit) -> TrialData:
    """A public table; of a person the first records, as many as the claim allows.

    Columns that the domain does not declare are left out. Raises InputError for a table that is
    none of the domain, and for one without ids where the unit is a person.
    """
    frame = next(table_frames(path, domain, None), None)
    if frame is None or not len(frame):
        raise InputError(f"{path}: the table has no records")
    whose = domain.individual
    if not unit.is_record:
        if whose is None or whose not in map(str, frame.columns):
            raise InputError(f"{path}: the unit is a person, and the table has no column {whose!r}")
        within = frame.groupby(whose, sort=False).cumcount()
        frame = frame[within < unit.max_records].reset_index(drop=True)
    try:
        dataset = from_frame(frame, domain)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return TrialData(Path(path).name, dataset, _records(frame, dataset, unit))


def _records(frame: pd.DataFrame, dataset: Dataset, unit: Unit) -> list[dict[str, Any]]:
    domain = dataset.domain
    columns: dict[str, list[Any]] = {}
    if not unit.is_record and domain.individual is not None:
        columns[domain.individual] = list(map(str, frame[domain.individual]))
    for place, attribute in enumerate(domain.attributes):
        codes = dataset.codes[:, place].tolist()
        columns[attribute.name] = _values(attribute, codes, frame[attribute.name].tolist())
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _values(attribute: Attribute, codes: list[int], texts: list[Any]) -> list[Any]:
    """A column: the values that are listed, numbers and dates in bins, None for a missing one."""
    values: list[Any] = [*attribute.values, None]
    if attribute.edges is None:
        return [values[code] for code in codes]
    numbers = attribute.quantity is Quantity.NUMBERS
    missing = len(attribute.values)
    return [
        None if code == missing else _number(text) if numbers else str(text)
        for code, text in zip(codes, texts, strict=True)
    ]


def _number(text: Any) -> Any:
    """A number, whole where it is; the label of a bin as it is."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
