"""Random tables of every kind of attribute, for tests of what is laid beside each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from audit.utility.counts import Counted
from audit.utility.data.compare import Data, compare
from audit.utility.data.tally import tally_tables
from audit.utility.pair import HeldCounts, Pair, common_shape
from audit.utility.parts import Parts
from audit.utility.records import Records, label_numbers
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.quantities import DAY, Quantity
from tests.audit.utility.mixed_tables import MIXED

DATES = Attribute.binned(
    "born",
    [DAY * day for day in (0, 31, 59, 90, 365, 3650)],
    quantity=Quantity.DATES,
    missing=True,
)
TIMES = Attribute.binned(
    "hour", [3600 * hour for hour in range(0, 25)], quantity=Quantity.TIMES, ordinal=True
)
MOMENTS = Attribute.binned("seen", [60 * k for k in range(0, 200, 3)], quantity=Quantity.MOMENTS)
LOGARITHMIC = Attribute.binned("income", [0, 1, 10, 100, 1000, 10**4, 10**5, 10**6])
UNEVEN = Attribute.binned("weight", [0, 1, 2, 4, Fraction(13, 2), 9], missing=True)
STREETS = Attribute("street", tuple(f"street {k}" for k in range(60)), missing=True)
AGES = Attribute("age", tuple(map(str, range(95))), ordinal=True)
ONLY = Attribute("only", ("x",))

DOMAINS = {
    "mixed": MIXED,
    "dated": Domain("dated", (DATES, TIMES, MOMENTS)),
    "binned": Domain("binned", (LOGARITHMIC, UNEVEN, AGES)),
    "wide": Domain("wide", (STREETS, AGES, ONLY)),
    "single": Domain("single", (STREETS,)),
}
"""Domains with categories, ordinal values, bins of numbers, dates, moments and times of day."""


def draw(domain: Domain, records: int, seed: int, *, outside: bool = False) -> Records:
    """Low codes are frequent; where asked for, some values are outside the domain."""
    random = np.random.default_rng(seed)
    columns = [
        np.minimum(random.geometric(2 / (2 + size), records) - 1, size - 1 + outside)
        for size in domain.shape
    ]
    codes = np.array(columns, dtype=np.int64).T.reshape(records, len(columns))
    binned = {
        attribute.name: label_numbers(attribute)[codes[:, place]]
        for place, attribute in enumerate(domain.attributes)
        if attribute.edges is not None
    }
    return Records(domain, codes, binned)


def lay(real: Counted, **synthetic: Counted) -> Data:
    """The tables beside each other, as a suite does it."""
    domain = real.domain
    shape = common_shape([real, *synthetic.values()])
    held = HeldCounts(real, shape)
    tallies = {
        name: tally_tables(Pair(held, HeldCounts(table, shape)))
        for name, table in synthetic.items()
    }
    own = next(iter(tallies.values()))[0]
    others = {name: other for name, (_, other) in tallies.items()}
    return compare(domain, own, others)


def in_parts(table: Records, rows: int) -> Parts:
    """The same records as frames of a few rows each, with texts that name values and bins."""
    labels = [np.array([*a.labels, "strange"], dtype=object) for a in table.domain.attributes]
    frame = pd.DataFrame(
        {
            name: labels[place][table.codes[:, place]]
            for place, name in enumerate(table.domain.names)
        }
    )
    frames = [frame.iloc[start : start + rows] for start in range(0, len(frame), rows)]
    return Parts(lambda: frames, table.domain, "cell")
