"""Every attack on releases whose truth is known: a copy, half a copy, and one of no records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from audit.disclosure.inference import infer
from audit.disclosure.linkability import link
from audit.disclosure.matches import match
from audit.disclosure.risks import Risk
from audit.disclosure.singling_out import single_out
from audit.disclosure.tables import Tables
from tests.audit.disclosure.made_tables import DOMAIN, join, records, release, tables

SIDES = ("a", "n"), ("m", "o", "k")
NUMBERS = ("a", "n", "m")

Attack = Callable[[Tables, int], tuple[Risk, ...]]
ATTACKS: dict[str, Attack] = {
    "singling out": lambda made, seed: single_out(made, 0.05, seed),
    "linkability": lambda made, seed: (link(made, SIDES, 0.05, seed),),
    "inference": lambda made, seed: infer(made, None, ("a", "k"), 0.05, seed),
    "inference of a number": lambda made, seed: infer(made, NUMBERS, ("o",), 0.05, seed),
    "matches": lambda made, seed: (match(made, "all", DOMAIN.names, 0.05, seed).risk,),
    "matches in some": lambda made, seed: (match(made, "some", NUMBERS, 0.05, seed).risk,),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_copy_gives_nearly_everything_away(name: str) -> None:
    # Records with a missing number may be alike in the columns that are looked at.
    for risk in ATTACKS[name](tables(1, 300), 1):
        assert risk.has_power and risk.real.rate is not None and risk.real.rate > 0.85
        assert risk.interval[0] > 0.6


@pytest.mark.parametrize("name", ATTACKS)
def test_half_a_copy_gives_half_away(name: str) -> None:
    for risk in ATTACKS[name](tables(2, 150), 1):
        assert risk.has_power and risk.estimate is not None
        # An attack on the other half finds more records that are near it by chance.
        assert 0.2 < risk.estimate < 0.6 and risk.interval[0] > 0.1


@pytest.mark.parametrize("name", ATTACKS)
def test_a_release_of_no_record_is_seldom_accused(name: str) -> None:
    # 40 releases; of one attack each interval lies above 0 with at most 0.025: 12 of 40 have a
    # chance below 2e-10 (binomial), of all 8 attacks below 2e-9.
    above = Counter(
        risk.attack
        for seed in range(40)
        for risk in ATTACKS[name](tables(100 + seed, 0, 120), seed)
        if risk.interval[0] > 0
    )
    assert not above or above.most_common(1)[0][1] < 12


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(300, 300), (400, 150)])
def test_a_thousand_releases_of_no_record_keep_the_stated_error(sizes: tuple[int, int]) -> None:
    # Each interval lies above 0 with at most 0.025: 60 of 1,000 have a chance below 2e-9. Guesses
    # of one column are not independent, and are held to the same.
    above: Counter[str] = Counter()
    for seed in range(1000):
        made = Tables(*(records(4 * seed + k, sizes[k % 2]) for k in range(3)))
        for attack in ATTACKS.values():
            above.update(risk.attack for risk in attack(made, seed) if risk.interval[0] > 0)
    assert not above or above.most_common(1)[0][1] < 60


@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_seed_gives_the_same(name: str) -> None:
    made = tables(3, 100, 200)
    assert ATTACKS[name](made, 5) == ATTACKS[name](tables(3, 100, 200), 5)


def test_singling_out_compares_tables_of_one_size() -> None:
    """Three times the records are singled out three times as often by what fits few."""
    real, holdout = records(1, 900), records(2, 300)
    made = Tables(real, holdout, records(3, 900))
    for risk in single_out(made, 0.05, 0):
        assert risk.interval[0] == 0 and risk.real.hits < 1.4 * risk.holdout.hits + 10


def test_guesses_of_numbers_may_be_off_by_a_twentieth() -> None:
    real, near = records(1, 200), records(1, 200)
    for factor, right in ((1.04, 1.0), (0.9, 0.0)):
        near.binned["n"][:] = real.binned["n"] * factor
        (risk,) = infer(Tables(real, real, near), ("a", "m", "o", "k"), ("n",), 0.05, 0)
        # Some records are alike but for that number, which is then another's.
        assert risk.real.rate == pytest.approx(right, abs=0.15)


def test_matches_are_those_that_a_loop_counts() -> None:
    made = tables(4, 20, 60)
    for columns in (DOMAIN.names, ("a", "o"), ("k",)):
        found = match(made, "", columns, 0.05, 0)
        real, holdout, synthetic = (
            [tuple(row) for row in table[:, made.positions(columns)].tolist()]
            for table in made.values
        )
        held, kept, both = Counter(real), Counter(holdout), Counter(real + holdout)
        assert (found.real, found.real_once) == (
            sum(held[row] > 0 for row in synthetic),
            sum(held[row] == 1 for row in synthetic),
        )
        assert (found.holdout, found.holdout_once) == (
            sum(kept[row] > 0 for row in synthetic),
            sum(kept[row] == 1 for row in synthetic),
        )
        alone = [row for row in real if both[row] == 1]
        assert (found.risk.real.made, found.risk.real.hits) == (
            len(alone),
            sum(row in synthetic for row in alone),
        )


def test_a_release_with_records_of_the_holdout_is_no_risk() -> None:
    made = tables(5, 0)
    turned = Tables(made.real, made.holdout, release(made.holdout, 150, 9, 300))
    for attack in ATTACKS.values():
        assert all(risk.estimate in (0, None) for risk in attack(turned, 0))


def test_duplicates_are_neither_alone_nor_singled_out() -> None:
    once = records(6, 100)
    twice = join(once, once)
    made = Tables(twice, records(7, 200), twice)
    assert match(made, "", DOMAIN.names, 0.05, 0).risk.real.made == 0
    assert all(risk.real.made == 0 for risk in single_out(made, 0.05, 0)[1:])
    assert np.all([risk.interval == (0.0, 1.0) for risk in single_out(made, 0.05, 0)[1:]])
