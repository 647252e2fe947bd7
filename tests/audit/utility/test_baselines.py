from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from audit.utility.baselines import uniform_table
from audit.utility.records import Records, of_frame
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, records


def test_uniform_values_are_drawn_from_all_that_are_declared() -> None:
    # 20 000 draws of 29 values: by Hoeffding one share is off by 0.026 with probability below
    # 2·exp(-2·20 000·0.026²) < 4e-12, any of them with probability below 2e-10.
    table = uniform_table(records(1, 10), 20_000)
    assert table.records == 20_000
    for column, size in enumerate(MIXED.shape):
        shares = np.bincount(table.codes[:, column], minlength=size) / 20_000
        assert len(shares) == size
        assert np.abs(shares - 1 / size).max() < 0.026


def test_uniform_columns_do_not_depend_on_each_other() -> None:
    # The cells of two columns, as above: 5 · 2 of them.
    table = uniform_table(records(1, 10), 20_000)
    cells = np.bincount(table.column("colour") * 2 + table.column("sex"), minlength=10)
    assert np.abs(cells / 20_000 - 0.1).max() < 0.026


def test_uniform_numbers_lie_in_their_bin_all_over_it() -> None:
    table = uniform_table(records(1, 10), 5_000)
    for name in ("wage", "age"):
        attribute = MIXED.attribute(name)
        assert attribute.edges is not None
        edges = np.array([float(edge) for edge in attribute.edges])
        numbers, codes = table.numbers(name), table.column(name)
        known = codes < len(attribute.values)
        assert np.isnan(numbers[~known]).all()
        assert (np.searchsorted(edges, numbers[known], side="right") - 1 == codes[known]).all()
        # About 800 numbers a bin; the chance that the lowest tenth stays empty is 0.9^700 < 1e-31.
        first = numbers[codes == 0]
        assert len(first) > 700
        width = edges[1] - edges[0]
        assert first.min() < edges[0] + width / 10 and first.max() > edges[1] - width / 10
    assert table.midpoints == frozenset()


def test_the_uniform_table_reads_nothing_but_the_domain() -> None:
    one, other = uniform_table(records(1, 30), 50), uniform_table(records(2, 99, shift=1), 50)
    assert np.array_equal(one.codes, other.codes)
    assert not np.array_equal(one.codes, uniform_table(records(1, 30), 50, seed=1).codes)


def persons(sizes: list[int]) -> Records:
    domain = Domain("d", (Attribute("x", ("0", "1")),), individual="id")
    ids = [f"p{k}" for k, size in enumerate(sizes) for _ in range(size)]
    return of_frame(pd.DataFrame({"id": ids, "x": ["0"] * len(ids)}), domain)


def test_persons_keep_their_numbers_of_records() -> None:
    real = persons([1, 1, 1, 5, 7])
    table = uniform_table(real, 15)
    assert sorted(Counter(table.persons).values()) == [1, 1, 1, 5, 7]
    for size in (1, 4, 33, 1000):
        table = uniform_table(real, size)
        found = list(Counter(table.persons).values())
        assert sum(found) == table.records == size
        # All but the last one drawn have all of theirs.
        assert set(found[:-1]) <= {1, 5, 7}
    assert uniform_table(records(1, 5), 5).persons is None


def test_every_person_is_as_likely_as_every_other() -> None:
    # 3000 records are some 1000 persons of 3 records in the mean, drawn from 1, 1, 1, 5, 7. Those
    # of one record are 3/5 of them: by Hoeffding off by 0.12 with probability below 2·exp(-2·700·
    # 0.12²) < 4e-9 for 700 persons or more; there are fewer only if 700 persons have 3000 records,
    # 1.28 a person above the mean, of a range of 6: below exp(-2·700·1.28²/36) < 1e-27.
    table = uniform_table(persons([1, 1, 1, 5, 7]), 3000)
    assert table.persons is not None
    found = list(Counter(table.persons.tolist()).values())
    assert len(found) > 700
    assert abs(sum(size == 1 for size in found) / len(found) - 0.6) < 0.12


def test_a_table_without_records_is_refused() -> None:
    with pytest.raises(InputError, match="at least one record"):
        uniform_table(records(1, 5), 0)
