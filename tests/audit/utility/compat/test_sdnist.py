from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit.utility.compat.sdnist import sdnist_features, sequential_pmse
from audit.utility.pair import Pair
from audit.utility.propensity.distances import PMSE, Specks
from audit.utility.records import of_frame
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.propensity import slow_propensity as slow

PERSONS = Domain(
    "persons",
    (
        Attribute("PUMA", ("25-01", "25-02", "25-03")),
        Attribute("MSP", ("1", "2", "3"), missing=True, missing_label="N"),
        Attribute.binned("AGEP", [0, 20, 65, 99], ordinal=True),
        Attribute.binned("PINCP", [-5000, 0, 20000, 10**6], missing=True, missing_label="N"),
        Attribute.binned("DENSITY", [0, 1000, 9000]),
    ),
)


def frame(seed: int, size: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "PUMA": random.choice(["25-01", "25-02", "25-03"], size),
            "MSP": random.choice(["1", "2", "3", "N"], size),
            "AGEP": random.integers(0, 99, size).astype(str),
            "PINCP": random.choice(["N", "35000.0", "-200.0", "9100.5"], size),
            "DENSITY": random.choice(["2195.3", "2195.9", "17.2"], size),
        }
    )


def numbers(table: pd.DataFrame) -> np.ndarray:
    """The rows as the program turns them into numbers, columns sorted by name."""
    return np.column_stack(
        [
            table["AGEP"].astype(int),
            table["DENSITY"].astype(float).astype(int),
            table["MSP"].replace("N", "-1").astype(int),
            table["PINCP"].replace("N", "-5001").astype(float).astype(int),
            table["PUMA"].map({"25-01": 0, "25-02": 1, "25-03": 2}),
        ]
    )


@pytest.mark.parametrize(("sizes", "seed"), [((200, 200), 0), ((333, 100), 1), ((7, 50), 2)])
def test_pmse_is_the_programs_to_the_last_bit(sizes, seed):
    frames = [frame(10 * seed + k, size) for k, size in enumerate(sizes)]
    score = PMSE(mode="sdnist-2.5", seed=seed)(*frames, PERSONS)
    assert score.value == slow.sdnist(*map(numbers, frames), seed)
    assert score.mode == "sdnist-2.5"


def test_columns_are_the_programs_numbers():
    frames = [frame(k, 50) for k in (1, 2)]
    tables = tuple(of_frame(f, PERSONS) for f in frames)
    expected = np.concatenate([numbers(f) for f in frames])
    assert (sdnist_features(tables).matrix == expected).all()


def test_the_sum_is_taken_in_the_order_of_the_records():
    random = np.random.default_rng(0)
    chances = random.choice(random.random(20), 1000)
    expected = 1 / 1000 * sum([(p - 0.3) ** 2 for p in chances])
    assert sequential_pmse(chances, 0.3) == expected


def test_specks_is_read_off_the_same_tree():
    pair = Pair.of(frame(1, 300), frame(2, 300), PERSONS)
    pmse = PMSE(mode="sdnist-2.5").score(pair)
    specks = Specks(mode="sdnist-2.5").score(pair)
    assert dict(pmse.breakdown("statistics").rows)["SPECKS"] == specks.value
