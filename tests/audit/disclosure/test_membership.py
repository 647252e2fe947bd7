"""Membership: what is guessed of releases whose truth is known, and how often too much is said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audit.disclosure.membership import SHARES, Membership, infer_membership
from audit.disclosure.tables import Tables
from audit.subjects.coins import draw_coins
from audit.utility.records import Records
from tests.audit.disclosure.made_tables import join, records, release, tables


def split(seed: int, size: int) -> tuple[Records, Records, np.ndarray]:
    """A table of so many records in two halves, by coins."""
    table, coins = records(seed, size), draw_coins(f"{seed:x}", 0, size)
    return table.take(np.flatnonzero(coins)), table.take(np.flatnonzero(~coins)), coins


@pytest.mark.parametrize("by_coins", [False, True])
@pytest.mark.parametrize("copied", [1.0, 0.1])
def test_copies_are_found(by_coins: bool, copied: float) -> None:
    real, holdout, coins = split(1, 800)
    size = real.records
    synthetic = release(real, int(copied * size), 2, size)
    made = infer_membership(Tables(real, holdout, synthetic, coins if by_coins else None), 0.05, 0)
    assert made.pairs != by_coins
    assert made.advantage > (0.95 if copied == 1 else 0.4)
    assert made.epsilon == pytest.approx(math.log((1 + made.advantage) / (1 - made.advantage)))
    assert made.gain <= 1 and (copied < 1 or made.gain > 0.95)


@pytest.mark.parametrize("by_coins", [False, True])
def test_independent_releases_are_seldom_said_to_tell(by_coins: bool) -> None:
    # 100 releases that tell nothing, a bound above 0 has at most a chance of 0.05: 23 of 100 have
    # one below 1e-9 (binomial).
    told = 0
    for seed in range(100):
        real, holdout, coins = split(50 + seed, 160)
        made = Tables(real, holdout, records(900 + seed, 80), coins if by_coins else None)
        told += infer_membership(made, 0.05, seed).advantage > 0
    assert told < 23


def test_half_of_the_records_by_randomised_response_keep_their_bound() -> None:
    """Each record is released with chance e/(1+e) if it is in, else with 1/(1+e): pure ε = 1."""
    # 100 releases; the floor exceeds ε = 1 with at most 0.05: 23 of 100 have a chance below 1e-9.
    keep = math.e / (1 + math.e)
    beyond, floors = 0, []
    for seed in range(100):
        real, holdout, coins = split(300 + seed, 400)
        random = np.random.default_rng(seed)
        both = [
            table.take(np.flatnonzero(random.random(table.records) < chance))
            for table, chance in ((real, keep), (holdout, 1 - keep))
        ]
        found = infer_membership(Tables(real, holdout, join(*both), coins), 0.05, seed)
        floors.append(found.epsilon)
        beyond += found.epsilon > 1
    assert beyond < 23 and np.median(floors) > 0.4


def test_all_shares_pay_for_being_tried() -> None:
    one = Membership(1000, True, 100, 80, 0.05)
    alone = Membership(1000, True, 100, 80, 0.05 * len(SHARES))
    assert one.accuracy < alone.accuracy < 0.8
    # Clopper & Pearson of 80 in 100 at 0.0125, by the F distribution.
    from scipy.stats import f

    ratio = f.ppf(0.0125, 160, 42)
    assert one.accuracy == pytest.approx(80 * ratio / (21 + 80 * ratio), rel=1e-6)
    assert one.gain == pytest.approx(0.06)
    assert Membership(1000, False, 100, 80, 0.05).gain == pytest.approx(0.12)


def test_a_table_of_one_record_each_is_guessed_at() -> None:
    made = infer_membership(tables(1, 1, 1), 0.05, 0)
    assert made.coins == 1 and made.advantage == 0
