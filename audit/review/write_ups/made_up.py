"""Made-up tables, on which a program is run to see what it asks: nobody's records are in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from synthesizers.curator import Setting
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.randomness import Entropy, InsecureSeededEntropy

MOST_RECORDS = 10_000_000
"""The most records of a made-up table: some seconds, and 80 MB an attribute."""

TABLES = (
    ("records drawn uniformly over all values", 1),
    ("equal records", 0),
    ("a half of equal records, and a half drawn uniformly", 2),
)
"""What is in each table: every record's values are drawn (1), none's (0), or every second's (2)."""


@dataclass(frozen=True, eq=False)
class MadeUp:
    """A table that was made up, in words, and the entropy of the answers' noise."""

    words: str
    dataset: Dataset
    entropy: Entropy


def made_up_tables(setting: Setting) -> Iterator[MadeUp]:
    """The tables of a setting, of as many records as it allows, the same every time.

    Each person owns as many records as one may. Raises InputError for more than `MOST_RECORDS`.
    """
    records = setting.records if setting.records is not None else setting.require_rows()
    if records > MOST_RECORDS:
        raise InputError(
            f"a write-up runs the program on made-up tables of at most {MOST_RECORDS} records, "
            f"found {records}: state fewer"
        )
    unit = setting.neighbours.unit
    persons = None if unit.is_record else np.arange(records) // unit.max_records
    for number, (words, every) in enumerate(TABLES):
        codes = np.zeros((records, len(setting.domain.shape)), np.int64)
        if every:
            draw = np.random.default_rng(number)
            free = codes[::every]
            free[:] = draw.integers(0, setting.domain.shape, free.shape)
        yield MadeUp(
            f"{records} records: {words}",
            Dataset(setting.domain, codes, persons),
            InsecureSeededEntropy(0, number),
        )
