from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.compat.sprint_3 import PROGRAM_DIMENSIONS
from audit.utility.nist_2020.hoc import HigherOrderConjunction
from audit.utility.nist_2020.person_counts import similar
from audit.utility.pair import Pair
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2020.slow_nist_2020 import (
    integer_domain,
    person_vectors,
    slow_program_hoc,
    slow_similar,
)

BOTH = ("shift", "area")


def taxi_domain(shifts: int = 21, areas: int = 78) -> Domain:
    return Domain(
        "taxi",
        (
            Attribute("shift", tuple(map(str, range(shifts)))),
            Attribute("area", tuple(map(str, range(-1, areas - 1)))),
        ),
        individual="taxi",
    )


def trips(rows: int, taxis: int, seed: int, shifts: int = 21, areas: int = 78) -> pd.DataFrame:
    """Trips of taxis of very unequal size; every shift and area occurs."""
    random = np.random.default_rng(seed)
    taxi = np.sort(np.minimum(random.geometric(2 / taxis, rows), taxis))
    shift = (random.beta(1, 2, rows) * shifts).astype(int)
    area = (random.beta(1, 4, rows) * areas).astype(int) - 1
    shift[:shifts] = np.arange(shifts)
    area[:areas] = np.arange(areas) - 1
    return pd.DataFrame({"taxi": taxi, "shift": shift, "area": area})


def test_a_pair_of_persons_is_scored_as_worked_out_by_hand() -> None:
    # Counts of value 0: real 10 and 3, synthetic 9 and 9. Target 10, slack 5: similar is 6 … 14.
    real = pd.DataFrame({"id": [1] * 10 + [2] * 3, "v": 0})
    synthetic = pd.DataFrame({"id": [1] * 9 + [2] * 9, "v": 0})
    domain = Domain("d", (Attribute("v", ("0", "1")),), individual="id")
    metric = HigherOrderConjunction(attributes=("v",), given=((0, (5, 5, 5)),))
    score = metric(real, synthetic, domain)
    assert score.value == 500.0
    targets = score.breakdown("targets")
    assert targets is not None
    assert targets.rows == ((0.5, 1.0, 0.5, 1.0),)
    assert "mean relative error of the share of similar persons: 1" in score.stated
    assert any("500.0 of 1000" in sentence for sentence in score.stated)


@pytest.mark.parametrize(("gap", "inside"), [(4, True), (5, False), (6, False)])
def test_a_difference_of_the_slack_itself_is_not_similar(gap: int, inside: bool) -> None:
    real = pd.DataFrame({"id": 1, "v": [0] * 10})
    synthetic = pd.DataFrame({"id": 1, "v": [0] * (10 + gap)})
    domain = Domain("d", (Attribute("v", ("0",)),), individual="id")
    metric = HigherOrderConjunction(attributes=("v",), given=((0, (5, 5)),))
    assert metric(real, synthetic, domain).value == (1000.0 if inside else 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_the_sound_score_is_the_slow_one(seed: int) -> None:
    real, synthetic = trips(500, 30, seed, 4, 6), trips(300, 20, seed + 9, 3, 6)
    domain = taxi_domain(4, 6)
    score = HigherOrderConjunction(attributes=BOTH, draws=12, seed=seed)(real, synthetic, domain)
    # A dimension more an attribute stands for values outside the domain: nobody has any.
    values = [[*range(4), 99], [*range(-1, 5), 99]]
    vectors = [person_vectors(frame, "taxi", BOTH, values) for frame in (real, synthetic)]
    parts = []
    for target, slacks in score.drawn:
        shares = [slow_similar(v, vectors[0][target], slacks, equal=False) for v in vectors]
        parts.append(1000 * (1 - abs(shares[0] - shares[1])))
    assert score.parts == pytest.approx(parts)
    assert score.value == pytest.approx(sum(parts) / len(parts))
    assert any(part < 1000 for part in parts)


@pytest.mark.parametrize("mode", ["sprint-3", "sdnist-2.5"])
@pytest.mark.parametrize("lost", [None, ("area", 3), ("area", 40), ("shift", 7)])
@pytest.mark.parametrize("rows", [(700, 4000), (9000, 600)])
def test_the_programs_are_reproduced_bit_for_bit(
    mode: str, lost: tuple[str, int] | None, rows: tuple[int, int]
) -> None:
    real, synthetic = trips(rows[0], 60, 1), trips(rows[1], 25, 2)
    if lost is not None:
        synthetic = synthetic[synthetic[lost[0]] != lost[1]].reset_index(drop=True)
    score = HigherOrderConjunction(mode=mode, attributes=BOTH)(real, synthetic, taxi_domain())
    state = np.random.RandomState(123456)
    draws = [
        (
            state.randint(low=0, high=real["taxi"].nunique()),
            state.randint(5, 51, size=PROGRAM_DIMENSIONS),
        )
        for _ in range(50)
    ]
    assert [[person, list(slacks)] for person, slacks in draws] == list(score.drawn)
    expected = slow_program_hoc(real, synthetic, "taxi", BOTH, draws, equal=mode == "sprint-3")
    assert score.value == expected * 1000
    assert score.value < 1000
    assert score.seed == 123456


def test_the_programs_have_no_score_unless_there_are_99_dimensions() -> None:
    real = trips(300, 10, 0)
    real = real[real["shift"] != 4]
    score = HigherOrderConjunction(mode="sprint-3", attributes=BOTH)(real, real, taxi_domain())
    assert score.value is None
    assert "99 dimensions" in str(score.undefined)


def test_draws_do_not_depend_on_the_synthetic_table_and_can_be_handed_back() -> None:
    real, synthetic, domain = trips(400, 20, 0), trips(300, 20, 1), taxi_domain()
    metric = HigherOrderConjunction(attributes=BOTH)
    score = metric(real, synthetic, domain)
    assert len(score.drawn) == 50
    assert metric(real, real, domain).drawn == score.drawn
    assert HigherOrderConjunction(attributes=BOTH, seed=1)(real, synthetic, domain).drawn != (
        score.drawn
    )
    slacks = [slack for _, listed in score.drawn for slack in listed]
    # Each slack is missed in 50 · 101 draws with probability below 46 (45/46)^5050 < 1e-45.
    assert set(slacks) == set(range(5, 51))
    again = metric.with_draws(list(score.drawn))(real, synthetic, domain)
    assert (again.value, again.parts, again.drawn) == (score.value, score.parts, score.drawn)


@pytest.mark.parametrize(
    "draw", [None, [1], [1, 2], [-1, [5]], [1, [5.0]], [1, ["5"]], [True, [5]], ["a", [5]]]
)
def test_draws_of_another_form_are_refused(draw: object) -> None:
    with pytest.raises(InputError, match="slacks"):
        HigherOrderConjunction().with_draws([draw])


@pytest.mark.parametrize("draw", [[0, [5]], [999, [5] * 101]])
def test_draws_that_do_not_fit_the_table_are_refused(draw: object) -> None:
    real = trips(300, 10, 0)
    metric = HigherOrderConjunction(attributes=BOTH).with_draws([draw])
    with pytest.raises(InputError, match="draw"):
        metric(real, real, taxi_domain())


def test_a_slack_that_excludes_the_person_picked_is_refused() -> None:
    domain = taxi_domain(2, 3)
    table = pd.DataFrame({"shift": ["0", "1"], "area": ["-1", "0"], "taxi": ["a", "b"]})
    nobody = HigherOrderConjunction(attributes=BOTH).with_draws([[0, [5, 5, 5, 0, 5, 5, 5]]])
    with pytest.raises(InputError, match="slack of 0"):
        nobody(table, table, domain)
    least = HigherOrderConjunction(attributes=BOTH).with_draws([[0, [1] * 7]])
    assert least(table, table, domain).value == 1000


@settings(max_examples=50)
@given(st.integers(1, 6), st.integers(1, 8), st.randoms(use_true_random=False))
def test_persons_are_ruled_out_as_by_looking_at_every_dimension(
    dimensions: int, persons: int, random: object
) -> None:
    draw = np.random.default_rng(random.randrange(2**32))
    counts = draw.integers(0, 12, (dimensions, persons))
    target, limits = counts[:, 0], draw.integers(1, 8, dimensions)
    expected = slow_similar(counts.T.tolist(), target.tolist(), limits.tolist(), equal=False)
    assert similar(counts, target, limits) == round(expected * persons)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40))
def test_the_score_is_the_best_for_itself_whatever_the_order_of_rows(
    rows: list[tuple[int, int]],
) -> None:
    real = pd.DataFrame(rows, columns=["id", "v"])
    other = pd.DataFrame([(0, 0)] * 30, columns=["id", "v"])
    domain = integer_domain(real, other, individual="id")
    metric = HigherOrderConjunction(attributes=("v",))
    assert metric(real, real.iloc[::-1].reset_index(drop=True), domain).value == 1000
    score = metric(real, other, domain)
    assert score.value is not None
    assert 0 <= score.value <= 1000


def test_a_table_without_ids_has_no_score() -> None:
    real = trips(300, 10, 0)
    score = HigherOrderConjunction(attributes=BOTH)(real, real[["shift", "area"]], taxi_domain())
    assert score.value is None
    assert "id column 'taxi'" in str(score.undefined)
    assert "synthetic" in str(score.undefined)


def test_parameters_that_make_no_sense_are_refused() -> None:
    domain = taxi_domain()
    for fields, message in (
        ({"attributes": ()}, "one or more"),
        ({"attributes": ("a", "a")}, "named once"),
        ({"draws": 0}, "draws"),
        ({"mode": "sprint-2"}, "mode"),
        ({"mode": "sprint-3", "attributes": ("shift",)}, "two attributes"),
    ):
        with pytest.raises(InputError, match=message):
            HigherOrderConjunction(**fields)
    with pytest.raises(InputError, match="pickup_community_area"):
        HigherOrderConjunction().check(domain)
    nobody = Domain("d", domain.attributes)
    with pytest.raises(InputError, match=r"\[individual\]"):
        HigherOrderConjunction(attributes=BOTH).check(nobody)


def test_the_standard_error_is_that_of_the_draws() -> None:
    real, synthetic = trips(3000, 30, 0), trips(1500, 20, 1)
    score = HigherOrderConjunction(attributes=BOTH)(real, synthetic, taxi_domain())
    assert score.standard_error == pytest.approx(np.std(score.parts, ddof=1) / math.sqrt(50))
    assert Pair.of(real, synthetic, taxi_domain()).records == (3000, 1500)
