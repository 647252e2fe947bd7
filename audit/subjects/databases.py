"""Databases as records: a histogram of a small domain spelt out, and records coded again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError


def records_of_histogram(
    histogram: Sequence[int] | NDArray[np.int64], domain: Domain
) -> list[dict[str, str | None]]:
    """The records of a database: a mapping from attribute to label each, cells in order.

    ``histogram``: counts [domain.size]. A bin is its label; a missing value is None. Raises
    InputError where the counts do not fit the domain.
    """
    codes = Dataset.from_histogram(domain, np.asarray(histogram)).codes
    columns = []
    for attribute, column in zip(domain.attributes, codes.T.tolist(), strict=True):
        values = [*attribute.values, None] if attribute.missing else list(attribute.values)
        columns.append([values[code] for code in column])
    return [dict(zip(domain.names, row, strict=True)) for row in zip(*columns, strict=True)]


def dataset_of_records(records: Any, domain: Domain) -> Dataset:
    """The dataset of a list of records; persons are known where records have the id column.

    Inverse of `records_of_histogram`, by way of `Dataset.histogram`. Numbers and missing values
    are read as `synthesizers.tables.from_frame` reads them. Raises InputError for anything else
    than a list of mappings with the domain's attributes, and for values outside the domain.
    """
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise InputError("expected a database as a list of records, each a mapping of attributes")
    columns = list(domain.names)
    # Of a database without records it is known whose they are.
    if domain.individual is not None and (
        not records or any(domain.individual in record for record in records)
    ):
        columns.append(domain.individual)
    if not all(record.keys() == set(columns) for record in records):
        raise InputError(
            f"a record does not have the domain's columns, {', '.join(map(repr, columns))}; give "
            "every record these and no others, None where a value is missing"
        )
    # Here, not above: histograms are spelt out without tables.
    import pandas as pd

    from synthesizers.tables import from_frame

    # As objects, so that a missing value does not turn its column's numbers into others.
    frame = pd.DataFrame(
        {name: pd.Series([record[name] for record in records], dtype=object) for name in columns}
    )
    return from_frame(frame, domain)
