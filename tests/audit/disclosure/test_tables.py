from __future__ import annotations

import numpy as np
import pytest

from audit.disclosure.tables import APART, NOWHERE, STEPS, Tables
from audit.utility.records import of_frame
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.disclosure.made_tables import DOMAIN, records, tables


def test_values_are_numbers_or_codes_and_missing_ones_lie_nowhere() -> None:
    made = tables(1, 0, 200)
    values = made.values[0]
    assert values[:, 0].tolist() == made.real.codes[:, 0].tolist()
    assert values[:, 1].tolist() == made.real.binned["n"].tolist()
    missing = np.isnan(made.real.binned["m"])
    assert missing.any() and (values[missing, 2] == NOWHERE).all()
    assert made.ordered.tolist() == [False, True, True, True, False]


def test_the_range_of_a_quantity_is_one_step_and_a_missing_value_is_as_far_from_all() -> None:
    places = tables(1, 0, 200).places
    numbers = np.concatenate([table[1] for table in places])
    assert (numbers.min(), numbers.max()) == (0, STEPS)
    holes = np.concatenate([table[2] for table in places])
    assert holes.min() == APART and (np.sort(holes)[np.sum(holes == APART)] - APART) >= STEPS


def test_rows_are_numbered_alike_where_they_are_alike() -> None:
    made = tables(2, 7, 30)
    real, _, synthetic = made.number_rows(made.values, DOMAIN.names)
    assert real[:7].tolist() == synthetic[:7].tolist()
    assert not set(real[7:]) & set(synthetic[7:])
    by_one = made.number_rows(made.values, ["a"])[0]
    assert len(set(by_one)) == 3


def test_where_one_table_names_bins_their_middles_stand_for_all_numbers() -> None:
    import pandas as pd

    domain = Domain("n", (DOMAIN.attributes[1],))
    tell, name = (of_frame(pd.DataFrame({"n": [text]}), domain) for text in ("12", "[0, 50)"))
    assert [v.tolist() for v in Tables(tell, tell, name).values] == [[[25.0]]] * 3
    assert [v.tolist() for v in Tables(tell, tell, tell).values] == [[[12.0]]] * 3


def test_what_does_not_fit_together_is_refused() -> None:
    some, none = records(0, 5), records(0, 5).take(np.arange(0))
    with pytest.raises(InputError, match="the holdout table has no records"):
        Tables(some, none, some)
    with pytest.raises(InputError, match="other numbers of records"):
        Tables(some, some, some, np.ones(10, np.bool_))
