"""Small tables that coins made up: who keeps a claim is rarely too exact, who tells them is."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.channels.measures.optimum import Optimum, optimum
from audit.review.submissions.exactness import (
    MOST_COINS,
    Exactness,
    count_coins,
    find_least,
    measure_exactness,
)
from audit.review.submissions.trial_data import TrialData
from proofs.guarantees import parse_guarantee
from synthesizers.domain_toml import domain_from_toml
from synthesizers.errors import InputError
from synthesizers.neighbours import RECORD, AddRemove, Unit
from tests.audit.channels.slow_optimum import channel_of_tables

DOMAIN = domain_from_toml(
    '[attributes]\nsex = { values = ["f", "m"] }\nage = { values = ["1", "2", "3"] }', "d"
)
WIDE = domain_from_toml(
    "[attributes]\n" + "\n".join(f'a{n} = {{ values = ["0", "1"] }}' for n in range(40)), "wide"
)
ONE_CELL = domain_from_toml('[attributes]\nsex = { values = ["f"] }', "one")
EVERYTHING = pd.DataFrame([(s, a) for s in "fm" for a in "123"], columns=["sex", "age"])


def measure(
    draw: Callable[[TrialData, int], Any],
    claim: str = "epsilon=1",
    *,
    runs: int = 20,
    seed: int = 3,
    **named: Any,
) -> Exactness:
    terms = {"domain": DOMAIN, "unit": RECORD, "records_public": False, **named}
    return measure_exactness(draw, parse_guarantee(claim), runs=runs, seed=seed, **terms)


def copy(data: TrialData, seed: int) -> pd.DataFrame:
    return pd.DataFrame(data.records, columns=["sex", "age"])


def respond(epsilon: float) -> Callable[[TrialData, int], pd.DataFrame]:
    """Randomised response about each cell, which is the best that any ε-DP program does."""

    def draw(data: TrialData, seed: int) -> pd.DataFrame:
        held = {tuple(record.values()) for record in data.records}
        # A program may draw its noise from the seed that it is handed.
        lies = np.random.default_rng(seed).random(6) < 1 / (1 + math.exp(epsilon))
        rows = list(EVERYTHING.itertuples(index=False, name=None))
        told = [row for row, lie in zip(rows, lies, strict=True) if (row in held) != lie]
        return pd.DataFrame(told, columns=["sex", "age"])

    return draw


def test_a_copy_tells_every_coin() -> None:
    found = measure(copy)
    assert (found.runs, found.coins, found.right, found.wrong) == (20, 120, 120, 0)
    assert found.least is not None and 0.2689 < found.least < 0.26895
    # The chance that the best program of the claim tells them all.
    assert found.p_value == pytest.approx((1 - found.least) ** 120, rel=1e-6)


def test_the_best_program_of_a_claim_keeps_it_and_comes_near_the_least() -> None:
    found = [measure(respond(1.0), seed=seed) for seed in range(60)]
    assert np.mean([one.wrong for one in found]) == pytest.approx(0.2689, abs=0.02)
    # Of p-values, no more are below x than x, up to chance (6 expected; 16 by chance of 2e-4).
    assert sum(one.p_value <= 0.1 for one in found) < 16
    assert min(one.p_value for one in found) > 1e-4


def test_a_program_of_more_than_it_claims_is_seen() -> None:
    assert measure(respond(4.0)).p_value < 1e-6
    assert measure(respond(4.0), "epsilon=4").p_value > 1e-3


@pytest.mark.parametrize("output", [None, pd.DataFrame({"sex": ["f"]}), EVERYTHING])
def test_what_tells_nothing_shows_nothing(output: pd.DataFrame | None) -> None:
    assert measure(lambda data, seed: output).p_value > 0.1


def test_where_records_are_replaced_their_number_says_nothing() -> None:
    sizes = set()

    def draw(data: TrialData, seed: int) -> pd.DataFrame:
        sizes.add(len(data.records))
        return copy(data, seed)

    found = measure(draw, records_public=True)
    assert sizes == {3} and (found.coins, found.right) == (60, 60)


def test_outputs_of_any_number_of_rows_are_taken_as_shares() -> None:
    def draw(data: TrialData, seed: int) -> pd.DataFrame:
        found = copy(data, seed)
        return found.loc[np.resize(found.index, 600)] if len(found) else EVERYTHING

    assert measure(draw, runs=40).p_value < 1e-6


def test_persons_of_one_record_have_ids_of_their_own() -> None:
    domain = domain_from_toml(
        '[attributes]\nsex = { values = ["f", "m"] }\nage = { values = ["1", "2", "3"] }\n'
        '[individual]\nid = "who"',
        "d",
    )

    def draw(data: TrialData, seed: int) -> pd.DataFrame:
        assert len({record["who"] for record in data.records}) == len(data.records)
        return pd.DataFrame(data.records, columns=["sex", "age"])

    assert measure(draw, domain=domain, unit=Unit("person", 3), runs=5).right == 30


@pytest.mark.parametrize("records_public", [False, True])
def test_a_coin_changes_nothing_but_its_record(records_public: bool) -> None:
    """Values within bins, persons and, where n is public, places stay those of the coin."""
    domain = domain_from_toml(
        '[attributes]\nage = { bins = [0, 10, 20, 30, 40, 50, 60] }\n[individual]\nid = "who"',
        "d",
    )
    seen: dict[tuple[str, str], set[Any]] = {}
    places = set()

    def draw(data: TrialData, seed: int) -> None:
        for place, record in enumerate(data.records):
            decade = str(int(record["age"]) // 10)
            seen.setdefault((record["who"], decade), set()).add(record["age"])
            places.add((record["who"], place))

    terms = {"domain": domain, "unit": Unit("person", 3), "records_public": records_public}
    coins = measure(draw, runs=40, **terms).coins // 40
    assert all(len(values) == 1 for values in seen.values())
    assert len({who for who, _ in seen}) == coins
    assert len(seen) == (2 * coins if records_public else coins)
    if records_public:
        assert len(places) == coins


def test_the_least_of_each_claim() -> None:
    assert find_least(parse_guarantee("epsilon=0, delta=0.5")) == pytest.approx(0.25)
    assert find_least(parse_guarantee("rho=1")) is None
    assert measure(copy, "epsilon=1, delta=1/1000000").p_value < 1e-3
    assert measure(copy, "rho=1/100").p_value < 1e-6


def test_a_large_domain_has_few_coins_and_one_cell_none() -> None:
    assert count_coins(WIDE, False) == count_coins(WIDE, True) == MOST_COINS
    assert count_coins(DOMAIN, True) == 3 and count_coins(ONE_CELL, True) == 0
    found = measure(lambda data, seed: pd.DataFrame(data.records), domain=WIDE, runs=2)
    assert found.right == found.coins == 2 * MOST_COINS
    with pytest.raises(InputError, match="one cell"):
        measure(copy, domain=ONE_CELL, records_public=True)


def test_the_least_is_the_optimum_that_channels_are_laid_beside() -> None:
    """The linear program over all ε-DP mechanisms on one cell that holds a record or none."""
    tables = [(0,), (1,)]
    found = optimum(channel_of_tables(AddRemove(), tables, tables), Fraction(1))
    least = find_least(parse_guarantee("epsilon=1"))
    assert isinstance(found, Optimum) and least is not None
    assert float(found.uniform.upper) == pytest.approx(least, rel=1e-6)
