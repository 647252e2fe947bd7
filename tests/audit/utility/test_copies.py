from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from audit.utility.copies import Copies, count_copies, find_alike
from audit.utility.records import of_frame
from synthesizers.domain import Attribute, Domain

DOMAIN = Domain(
    "d",
    (
        Attribute("a", ("x", "y"), missing=True),
        Attribute.binned("n", [0, 10, 20]),
        *(Attribute(f"w{k}", tuple(map(str, range(1000)))) for k in range(8)),
    ),
)


def frame(seed: int, size: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    wide = {f"w{k}": random.choice(["0", "999"], size, p=[0.9, 0.1]) for k in range(8)}
    return pd.DataFrame(
        {
            "a": random.choice(["x", "y", ""], size),
            "n": random.choice(["0", "1", "1.0", "15.5"], size),
            **wide,
        }
    )


@pytest.mark.parametrize("seed", range(5))
def test_copies_are_those_that_a_loop_counts(seed: int) -> None:
    frames = frame(seed, 80), frame(seed + 10, 60)
    lists = [
        [(row[0], float(row[1]), *row[2:]) for row in table.itertuples(index=False)]
        for table in frames
    ]
    held = Counter(lists[0])
    expected = Copies(
        sum(held[row] > 0 for row in lists[1]), sum(held[row] == 1 for row in lists[1]), False
    )
    assert expected.records > expected.of_unique > 0
    assert count_copies(*(of_frame(table, DOMAIN) for table in frames)) == expected


def test_a_shuffled_table_is_a_copy_and_a_part_of_it_is_not() -> None:
    table = frame(0, 50)
    real = of_frame(table, DOMAIN)
    assert count_copies(real, of_frame(table.sample(frac=1, random_state=0), DOMAIN)).whole
    assert not count_copies(real, of_frame(table.iloc[:-1], DOMAIN)).whole


def test_numbers_are_compared_by_their_bins_where_one_table_names_these() -> None:
    domain = Domain("d", (DOMAIN.attributes[1],))
    real = of_frame(pd.DataFrame({"n": ["1", "15"]}), domain)
    for texts, expected in ((["2", "12"], 0), (["[0, 10)", "12"], 2)):
        assert count_copies(real, of_frame(pd.DataFrame({"n": texts}), domain)).records == expected


def test_tables_of_the_same_records_are_found_in_any_order() -> None:
    made = {str(seed): frame(seed, 50) for seed in range(4)}
    other = made["0"].sample(frac=1, random_state=0)
    one_off = made["0"].assign(n=["7", *made["0"]["n"][1:]])
    more = pd.concat([made["0"], made["0"][:1]])
    tables = {**made, "again": other, "off": one_off, "more": more, "1b": made["1"]}
    read = {name: of_frame(table, DOMAIN) for name, table in tables.items()}
    assert find_alike(read) == (("0", "again"), ("1", "1b"))


@pytest.mark.parametrize(
    ("ids", "shared"),
    [
        (["9", "7", "x"], 2),
        (["0", "1", "2"], 0),
        (["1", "2", "3"], 0),
        (["2", "1", "1"], 0),
        (["7", "7", "9"], 2),
        ([7, 9, 1], 3),
        (["a", "b", "c"], 0),
    ],
)
def test_ids_of_real_persons_are_counted_but_numbers_of_ones_own(ids: list, shared: int) -> None:
    domain = Domain("d", (Attribute("a", ("x", "y")),), individual="who")
    real = pd.DataFrame({"a": ["x"] * 4, "who": ["0", "1", "7", "9"]})
    made = pd.DataFrame({"a": ["y"] * 3, "who": ids})
    assert count_copies(*(of_frame(table, domain) for table in (real, made))).persons == shared
    assert count_copies(of_frame(real, domain), of_frame(made[["a"]], domain)).persons == 0
