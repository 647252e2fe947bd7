"""Random tables in the manner of the NIST 2018 challenge, as texts and as records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd

from audit.utility.pair import Pair
from audit.utility.records import of_frame
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.nist_2018.slow_nist_2018 import Codes, Column, Range, Rows

COLUMNS: dict[str, Column] = {
    "CITY": Codes(6),
    "AGE": Range(0, 37),
    "SEX": Codes(2),
    "RACE": Codes(11),
    "INDEX": Range(-1.3, 7.25),
    "INCWAGE": Range(0, 999999),
    "OWN": Codes(1),
    "LAST": Codes(3),
}
"""All but CITY and LAST have values outside in synthetic tables; AGE and INDEX have blanks."""


def attribute(name: str, column: Column) -> Attribute:
    if isinstance(column, Codes):
        return Attribute(name, tuple(str(code) for code in range(column.most + 1)))
    low, high = (Fraction(str(end)) for end in (column.low, column.high))
    blank = name in ("AGE", "INDEX")
    return Attribute.binned(name, [low, (2 * low + high) / 3, high], missing=blank)


DOMAIN = Domain("census", tuple(attribute(name, column) for name, column in COLUMNS.items()))


def random_rows(seed: int, records: int, *, outside: bool = False) -> Rows:
    """Records as texts; with ``outside``, values that the domain does not declare among them."""
    rng = np.random.default_rng(seed)
    texts: dict[str, list[str]] = {}
    for name, column in COLUMNS.items():
        if isinstance(column, Codes):
            codes = ((column.most + 1) * rng.random(records) ** 2).astype(int)
            if outside and name not in ("CITY", "LAST"):
                codes[rng.random(records) < 0.05] = column.most + 1
            texts[name] = [str(code) for code in codes]
            continue
        numbers = rng.uniform(column.low, column.high, records).round(2)
        if outside:
            width = (column.high - column.low) / 100
            aside = rng.random(records) < 0.1
            ends = (column.low - width / 2, column.low - 2 * width, column.high + width)
            numbers[aside] = rng.choice(ends, aside.sum())
        texts[name] = [repr(number) for number in numbers.tolist()]
        if name in ("AGE", "INDEX"):
            texts[name] = ["" if rng.random() < 0.1 else text for text in texts[name]]
    texts["SEX"] = [str(sex) for sex in rng.integers(1, 3, records)]
    wages = np.where(rng.random(records) < 0.2, 999999, rng.integers(0, 4000, records))
    texts["INCWAGE"] = [str(wage) for wage in wages]
    return [dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True)]


def pair_of(real: Rows, synthetic: Rows, domain: Domain = DOMAIN) -> Pair:
    """Both tables as read with ``outside="cell"``."""
    return Pair.of(
        *(of_frame(frame(rows, domain), domain, outside="cell") for rows in (real, synthetic)),
        domain,
    )


def frame(rows: Rows, domain: Domain = DOMAIN) -> pd.DataFrame:
    return pd.DataFrame([{name: row[name] for name in domain.names} for row in rows], dtype=str)


def wage_rows(people: Sequence[tuple[str, str, str]]) -> Rows:
    """Records of city, sex and wage."""
    return [dict(zip(("CITY", "SEX", "INCWAGE"), person, strict=True)) for person in people]


WAGES = Domain(
    "wages",
    (
        Attribute("CITY", tuple("123456"), missing=True),
        Attribute("SEX", ("0", "1", "2", "3"), missing=True),
        Attribute.binned("INCWAGE", [-1000, 0, 1000, 999999], missing=True),
    ),
)
