"""What is lost, what is invented, and how far numbers reach."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest

from audit.utility.data.coverage import cover, number_range, value_range
from audit.utility.labels import value_labels
from audit.utility.records import of_frame
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from tests.audit.utility.data import kinds_of_tables as kinds
from tests.audit.utility.mixed_tables import MIXED, frame


@pytest.mark.parametrize("name", kinds.DOMAINS)
def test_lost_and_invented_values_are_those_of_one_table_alone(name: str) -> None:
    domain = kinds.DOMAINS[name]
    real, other = kinds.draw(domain, 60, 1, outside=True), kinds.draw(domain, 40, 2)
    data = kinds.lay(real, other=other)
    assert [each.attribute for each in data.coverage] == list(domain.names)
    for each in data.coverage:
        labels = value_labels(domain, each.attribute)
        sides = [Counter(labels[c] for c in t.column(each.attribute)) for t in (real, other)]
        assert dict(each.lost) == {k: n for k, n in sides[0].items() if k not in sides[1]}
        assert dict(each.invented) == {k: n for k, n in sides[1].items() if k not in sides[0]}
        assert each.unused == len(set(labels[:-1]) - sides[0].keys() - sides[1].keys())


def test_ranges_are_of_numbers_where_the_records_hold_them() -> None:
    table = frame(1, 200)
    records = of_frame(table, MIXED)
    wage = [float(text) for text in table["wage"] if text]
    low, high = number_range(MIXED.attribute("wage"), records) or ("", "")
    assert (float(low), float(high)) == (min(wage), max(wage))
    # Counted alone, the outer edges of the bins that occur.
    assert number_range(MIXED.attribute("wage"), kinds.in_parts(records, 50)) is None
    assert value_range(MIXED.attribute("wage"), [0, 1, 1, 0, 0, 9]) == ("0", "20")
    assert value_range(MIXED.attribute("rooms"), [0, 0, 3, 0, 1, 0, 0, 0]) == ("3", "5")
    assert value_range(MIXED.attribute("rooms"), [0] * 8) is None
    assert value_range(MIXED.attribute("sex"), [1, 1]) is None


def test_ranges_of_both_are_equally_fine() -> None:
    bins = Attribute.binned("b", [0, 10, 20, 30])
    of = partial(cover, bins, "f", bins.values, ((1, 2, 0), (0, 1, 0)))
    assert of((("3", "19"), ("12", "12"))).ranges == (("3", "19"), ("12", "12"))
    assert of((("3", "19"), None)).ranges == (("0", "20"), ("10", "20"))


def test_a_table_without_a_number_has_no_range_and_leaves_the_other_its_own() -> None:
    bins = Attribute.binned("b", [0, 10, 20], missing=True)
    labels = (*bins.values, "missing", "outside the domain")
    for first, second in (((1, 2, 0, 0), (0, 0, 3, 0)), ((0, 0, 3, 0), (1, 2, 0, 0))):
        numbers = tuple(("3", "19") if any(counts[:2]) else None for counts in (first, second))
        assert cover(bins, "f", labels, (first, second), (numbers[0], numbers[1])).ranges == numbers


def test_ranges_of_dates_and_times_are_written_as_such() -> None:
    domain = kinds.DOMAINS["dated"]
    real = kinds.draw(domain, 50, 1)
    real.binned["born"][:] = np.nan
    real.binned["born"][3:5] = [86400 * 2, 86400 * 40 + 7.5]
    real.binned["hour"][:] = 3600 * 7.5
    ranges = [number_range(attribute, real) for attribute in domain.attributes[:2]]
    assert ranges == [("1970-01-03", "1970-02-10"), ("07:30:00", "07:30:00")]
    real.binned["born"][:] = np.nan
    assert number_range(kinds.DATES, real) is None


def test_middles_of_bins_are_no_numbers_of_a_table() -> None:
    domain = Domain("d", (Attribute.binned("b", [0, 10, 20]),))
    named = of_frame(kinds.pd.DataFrame({"b": ["[0, 10)", "3"]}), domain)
    assert number_range(domain.attributes[0], named) is None


def test_a_value_outside_the_domain_is_no_unused_one() -> None:
    each = cover(kinds.ONLY, "f", ("x", "outside the domain"), ((0, 3), (1, 0)), (None, None))
    assert each.lost == (("outside the domain", 3),) and each.invented == (("x", 1),)
    assert each.unused == 0


def test_the_place_for_values_outside_is_no_declared_value() -> None:
    each = cover(kinds.ONLY, "f", ("x", "outside the domain"), ((3, 0), (1, 0)), (None, None))
    assert (each.lost, each.invented, each.unused) == ((), (), 0)
