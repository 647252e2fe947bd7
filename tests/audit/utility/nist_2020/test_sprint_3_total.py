from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from audit.utility.nist_2020.edge_map import EdgeMap
from audit.utility.nist_2020.hoc import HigherOrderConjunction
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.nist_2020.sprint_3_total import Sprint3Total
from audit.utility.pair import Pair
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2020.slow_nist_2020 import (
    in_groups,
    integer_domain,
    l1_or_two,
    slow_program_hoc,
    slow_sprint_3,
)

COLUMNS = ("company_id", "dropoff_community_area", "payment_type", "fare")
GROUPS = ("pickup_community_area", "shift")


def tables(rows: tuple[int, int] = (400, 300)) -> tuple[pd.DataFrame, pd.DataFrame, Domain]:
    frames = []
    for seed, number in enumerate(rows):
        random = np.random.default_rng(seed)
        frame = pd.DataFrame(
            {
                "taxi_id": np.sort(random.integers(0, 12, number)),
                "shift": random.integers(0, 21, number),
                "pickup_community_area": (random.beta(1, 5, number) * 78).astype(int) - 1,
                "dropoff_community_area": (random.beta(1, 3 + seed, number) * 78).astype(int) - 1,
                "company_id": random.integers(0, 5, number),
                "payment_type": random.integers(-1, 3, number),
                "fare": np.minimum(random.geometric(0.3, number), 9),
            }
        )
        frame.loc[: len(range(78)) - 1, "pickup_community_area"] = np.arange(78) - 1
        frame.loc[:20, "shift"] = np.arange(21)
        frames.append(frame)
    return frames[0], frames[1], integer_domain(*frames, individual="taxi_id")


def test_the_program_is_reproduced_bit_for_bit() -> None:
    real, synthetic, domain = tables()
    score = Sprint3Total(mode="sprint-3", columns=COLUMNS)(real, synthetic, domain)
    sets = list(itertools.permutations(COLUMNS, 2))
    ends = ("pickup_community_area", "dropoff_community_area")
    distance = l1_or_two(in_groups(real, synthetic, (), ends)[()])
    draws = [(person, slacks) for person, slacks in score.drawn]
    terms = [
        slow_sprint_3(real, synthetic, sets, GROUPS),
        (2.0 - distance) / 2.0,
        slow_program_hoc(
            real, synthetic, "taxi_id", ("shift", "pickup_community_area"), draws, equal=True
        ),
    ]
    assert score.value == 1000.0 * float(np.mean(terms))
    assert f"{500 * (terms[0] + terms[2]):.1f}" in score.stated[0]
    shown = score.breakdown("scores")
    assert shown is not None
    assert {row[0]: row[1] for row in shown.rows} == dict(
        zip(("k-marginal", "edge-map", "hoc"), (1000 * term for term in terms), strict=True)
    )
    assert [row[1] for row in shown.rows] == sorted(row[1] for row in shown.rows)


def test_the_sound_total_is_the_mean_of_its_three_terms() -> None:
    real, synthetic, domain = tables()
    score = Sprint3Total(columns=COLUMNS)(real, synthetic, domain)
    pair = Pair.of(real, synthetic, domain)
    terms = [
        KMarginal(k=2, columns=COLUMNS, groups=GROUPS).score(pair).value,
        EdgeMap().score(pair).value,
        HigherOrderConjunction().score(pair).value,
    ]
    assert score.value == pytest.approx(np.mean(terms))
    assert score.value == pytest.approx(np.mean(score.parts))
    conjunction = HigherOrderConjunction().score(pair).standard_error
    assert conjunction is not None
    assert score.standard_error == pytest.approx(conjunction / 3)


@pytest.mark.parametrize("mode", Sprint3Total.modes)
def test_a_table_against_itself_has_the_best_score(mode: str) -> None:
    real, _, domain = tables()
    assert Sprint3Total(mode=mode, columns=COLUMNS)(real, real, domain).value == 1000.0


@pytest.mark.parametrize("mode", Sprint3Total.modes)
def test_draws_are_those_of_hoc_and_can_be_handed_back(mode: str) -> None:
    real, synthetic, domain = tables()
    metric = Sprint3Total(mode=mode, columns=COLUMNS, draws=7)
    score = metric(real, synthetic, domain)
    hoc = HigherOrderConjunction(mode=mode, draws=7)(real, synthetic, domain)
    assert score.drawn == hoc.drawn
    again = metric.with_draws(list(score.drawn))(real, synthetic, domain)
    assert (again.value, again.parts) == (score.value, score.parts)
    with pytest.raises(InputError, match="slacks"):
        metric.with_draws([3])


def test_a_total_without_hoc_is_undefined() -> None:
    real, synthetic, domain = tables()
    score = Sprint3Total(columns=COLUMNS)(real, synthetic.drop(columns="taxi_id"), domain)
    assert score.value is None
    assert "hoc: the synthetic table lacks the id column" in str(score.undefined)


def test_parameters_that_do_not_fit_are_refused() -> None:
    _, _, domain = tables()
    with pytest.raises(InputError, match="no attribute 'x'"):
        Sprint3Total(columns=("x", "fare")).check(domain)
    with pytest.raises(InputError, match="no attribute 'x'"):
        Sprint3Total(destination="x").check(domain)
    with pytest.raises(InputError, match=r"\[individual\]"):
        Sprint3Total().check(Domain("d", domain.attributes))
    with pytest.raises(InputError, match="draws"):
        Sprint3Total(draws=0)
    with pytest.raises(InputError, match="mode"):
        Sprint3Total(mode="sdnist-2.5")
    wanted = Sprint3Total(columns=COLUMNS).marginals_read(domain)
    assert len(set(wanted)) == 6 + 2
