"""Subgroups of a synthetic table, scored beside random subsets of the same sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np
import pytest

from audit.utility.associations import Associations
from audit.utility.metric import Metric
from audit.utility.mgd.marginal_difference import MarginalDifference
from audit.utility.models.interval_overlap import IntervalOverlap
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.nist_2020.longitudinal import LongitudinalKMarginal
from audit.utility.propensity.distances import PMSE
from audit.utility.records import Records
from audit.utility.sdmetrics.quality import Quality
from audit.utility.subgroups.division import Subgroup, divide_records, domain_without, subgroups_of
from audit.utility.subgroups.findings import Subgroups
from audit.utility.subgroups.measure import (
    SEEDS,
    affordable_within,
    applicable_within,
    measure_subgroups,
)
from audit.utility.subsample_equivalent import SubsampleEquivalent
from audit.utility.total_variation import TotalVariation
from audit.utility.workload_error import WorkloadError
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, coded, records

SEEING = (TotalVariation(), WorkloadError(k=2), Associations(), KMarginal(k=2), PMSE(), Quality())
"""Metrics that can see a subgroup whose columns were shuffled, each by itself."""


def label(table: Records, seed: int, sizes: Sequence[int]) -> Records:
    """The records with a ``colour`` that depends on nothing: so many of each value."""
    codes = table.codes.copy()
    codes[:, 0] = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    return replace(table, codes=codes)


def scramble(table: Records, code: int) -> Records:
    """The records of one colour with the values of every column drawn evenly, by itself."""
    codes, random = table.codes.copy(), np.random.default_rng(1)
    rows = np.flatnonzero(table.column("colour") == code)
    for place, attribute in enumerate(table.domain.attributes[1:], start=1):
        codes[rows, place] = random.integers(len(attribute.values), size=len(rows))
    binned = {name: numbers.copy() for name, numbers in table.binned.items()}
    for name, numbers in binned.items():
        edges = table.domain.attribute(name).edges or ()
        middles = np.array([float(a + b) / 2 for a, b in pairwise(edges)])
        numbers[rows] = middles[codes[rows, table.domain.position(name)]]
    return replace(table, codes=codes, binned=binned)


REAL = label(records(0, 500), 0, (200, 150, 120, 30))
SYNTHETIC = label(records(1, 500, shift=0.3), 1, (180, 160, 100, 60))


def measure(synthetic: Records, metrics: Sequence[Metric], **fields: int) -> Subgroups:
    return measure_subgroups(REAL, ("s.csv", synthetic), "colour", metrics, **fields)


# division


def test_every_value_with_a_record_is_a_subgroup_with_its_counts() -> None:
    found = subgroups_of(REAL, SYNTHETIC, "colour")
    assert [(one.value, one.real, one.synthetic) for one in found] == [
        ("red", 200, 180),
        ("green", 150, 160),
        ("blue", 120, 100),
        ("grey", 30, 60),
    ]
    assert [one.large for one in found] == [True, True, True, False]
    assert found[0].expected == pytest.approx(200)
    assert len(subgroups_of(REAL, SYNTHETIC, "sex")) == 2


def test_values_outside_the_domain_are_a_subgroup_and_the_missing_value_is_one() -> None:
    codes = REAL.codes.copy()
    codes[:60, 0], codes[60:70, 0] = MIXED.attribute("colour").size, 4
    found = subgroups_of(replace(REAL, codes=codes), SYNTHETIC, "colour")
    assert {one.value: one.real for one in found if one.code > 3} == {
        "missing": 10,
        "outside the domain": 60,
    }


def test_no_two_subgroups_have_one_name() -> None:
    domain = Domain("d", (Attribute("a", ("missing", "x"), missing=True), Attribute("b", ("0",))))
    table = Records(domain, np.array([(k % 3, 0) for k in range(200)]))
    names = [one.value for one in subgroups_of(table, table, "a")]
    assert names == ["missing (code 0)", "x", "missing (code 2)"]
    values = Attribute("a", ("missing (code 2)", "missing"), missing=True)
    domain = Domain("d", (values, domain.attributes[1]))
    names = [one.value for one in subgroups_of(*[Records(domain, table.codes)] * 2, "a")]
    assert len(set(names)) == 3


def test_a_lost_subgroup_is_one_that_many_synthetic_records_should_be_of() -> None:
    without = SYNTHETIC.take(np.flatnonzero(SYNTHETIC.column("colour") != 1))
    found = measure(without, (TotalVariation(),))
    assert [one.value for one in found.lost] == ["green"] and found.lost[0].expected == 102
    assert [one.value for one in found.small] == ["grey"]
    assert {one.value for one in found.scores} == {"red", "blue"}
    # A few records may well be of no value that few have, in a small table in particular.
    assert Subgroup("a", 0, 50, 0, 50.0).lost
    assert not Subgroup("a", 0, 49, 0, 80.0).lost and not Subgroup("a", 0, 80, 0, 49.0).lost


def test_draw_0_are_the_subgroups_and_each_other_one_disjoint_subsets_of_their_sizes() -> None:
    table = coded((3, 997), [(k % 3 // (1 + k % 2), k) for k in range(300)])
    sizes = np.bincount(table.column("a0"))
    for draw in (0, 1, 2):
        parts = list(divide_records(table, "a0", (0, 1, 2), draw, SEEDS[0]))
        assert [part.records for part in parts] == sizes.tolist()
        assert all(part.domain.names == ("a1",) for part in parts)
        taken = [part.column("a1").tolist() for part in parts]
        assert all(rows == sorted(rows) for rows in taken)
        assert sorted(chain(*taken)) == list(range(300))
        own = [table.codes[table.column("a0") == code, 1].tolist() for code in range(3)]
        assert (taken == own) is (draw == 0)


def test_draws_are_fixed_and_all_different() -> None:
    def rows(draw: int, seed: int) -> list[int]:
        table = coded((2, 997), [(k % 2, k) for k in range(100)])
        return next(divide_records(table, "a0", (0,), draw, seed)).column("a1").tolist()

    drawn = [rows(draw, seed) for draw in range(1, 30) for seed in SEEDS]
    assert len({tuple(one) for one in drawn}) == len(drawn)
    assert rows(3, SEEDS[1]) == rows(3, SEEDS[1])


def test_the_attribute_and_the_persons_are_left_out() -> None:
    domain = replace(MIXED, individual="id")
    assert domain_without(domain, "wage").names == ("colour", "sex", "rooms", "age", "type")
    assert domain_without(domain, "wage").individual is None
    table = replace(REAL, domain=domain, persons=np.arange(REAL.records) // 2)
    part = next(divide_records(table, "wage", (2,), 0, 0))
    assert part.persons is None and set(part.binned) == {"age"}
    table = replace(REAL, midpoints=frozenset({"age", "wage"}))
    assert next(divide_records(table, "wage", (2,), 0, 0)).midpoints == {"age"}


# scores


def test_every_score_is_that_of_the_metric_on_the_records_of_the_subgroup() -> None:
    metrics = (TotalVariation(), KMarginal(k=2, draws=4))
    found = measure(SYNTHETIC, metrics)
    domain = domain_without(MIXED, "colour")
    assert [(one.value, one.score.metric) for one in found.scores] == [
        (value, metric.name) for value in ("red", "green", "blue") for metric in metrics
    ]
    pairs = {
        draw: [
            list(divide_records(table, "colour", (0, 1, 2), draw, seed))
            for table, seed in zip((REAL, SYNTHETIC), SEEDS, strict=True)
        ]
        for draw in range(21)
    }
    for place, one in enumerate(found.scores):
        group, metric = place // 2, metrics[place % 2]
        values = [
            metric(pairs[draw][0][group], pairs[draw][1][group], domain).value for draw in range(21)
        ]
        assert [one.score.value, *one.subsets] == values
    assert found.scores[0].score == metrics[0](pairs[0][0][0], pairs[0][1][0], domain)


def test_total_variation_is_that_of_counts_by_hand() -> None:
    real = coded((2, 3), [(k % 2, k % 3) for k in range(240)])
    other = coded((2, 3), [(k % 2, 0 if k % 2 else k % 3) for k in range(240)])
    found = measure_subgroups(real, ("s", other), "a0", (TotalVariation(),))
    # Real: a third each. The second group has but one value.
    assert [one.score.value for one in found.scores] == pytest.approx([0.0, 2 / 3])
    assert found.scores[1].worse and not found.scores[0].worse
    assert all(0 < float(value or 0) < 2 / 3 for value in found.scores[1].subsets)


def test_a_scrambled_subgroup_comes_first_in_every_metric_that_can_see_it() -> None:
    found = measure(scramble(SYNTHETIC, 2), SEEING)
    for metric in SEEING:
        ordered = [one for one in found.worst_first if one.score.metric == metric.name]
        assert ordered[0].value == "blue" and ordered[0].worse, metric.name
    assert [one.subgroup.value for one in found.standings if one.worse] == ["blue"]
    assert found.standings[0].subgroup.value == "blue"


def test_exchangeable_subgroups_have_uniform_ranks() -> None:
    # 60 tables of three subgroups by a metric of ties so rare that ranks are uniform. Were the 180
    # independent, the mean rank's standard error would be 0.022, and that of the share of worst
    # ranks 0.016; the three of one table depend negatively: an error of 1e-4 at four of them.
    tables = records(2, 220), records(3, 220, shift=0.2)
    chances: list[float | None] = []
    called = 0
    for seed in range(60):
        real = label(tables[0], 100 + seed, (100, 60, 60))
        other = label(tables[1], 300 + seed, (90, 70, 60))
        found = measure_subgroups(real, ("s", other), "colour", (TotalVariation(),))
        chances += [one.chance for one in found.scores]
        called += any(one.worse for one in found.standings)
    ranks = np.array(chances, dtype=float)
    assert ranks.mean() == pytest.approx(11 / 21, abs=0.09)
    assert np.mean(ranks <= 1 / 21 + 1e-9) == pytest.approx(1 / 21, abs=0.064)
    assert np.mean(ranks <= 7 / 21 + 1e-9) == pytest.approx(1 / 3, abs=0.141)
    # 1 in 21 of 60 tables: more than 11 with a chance below 1e-4.
    assert called <= 11


def test_shared_out_the_scores_are_the_same() -> None:
    alone, shared = (measure(SYNTHETIC, SEEING, jobs=jobs) for jobs in (1, 2))
    assert alone == shared


def test_progress_counts_every_score() -> None:
    told: list[tuple[int, int, str]] = []
    measure_subgroups(
        REAL,
        ("s", SYNTHETIC),
        "colour",
        (TotalVariation(), KMarginal(k=2)),
        progress=lambda *word: told.append(word),
    )
    assert [done for done, _, _ in told] == list(range(3 * 2 * 21))
    assert {total for _, total, _ in told} == {126}
    assert [name for _, _, name in told[:3]] == ["total-variation", "k-marginal", "total-variation"]


def test_tables_that_do_not_fit_and_too_few_subsets_are_refused() -> None:
    with pytest.raises(InputError, match="the same domain"):
        measure_subgroups(REAL, ("s", coded((2, 2), [(0, 0)])), "a0", ())
    with pytest.raises(InputError, match="at least 19"):
        measure(SYNTHETIC, (TotalVariation(),), subsets=18)
    with pytest.raises(InputError, match="no attribute 'nowhere'"):
        measure_subgroups(REAL, ("s", SYNTHETIC), "nowhere", (TotalVariation(),))


def test_where_no_subgroup_is_large_nothing_is_scored() -> None:
    few = SYNTHETIC.take(np.arange(40))
    found = measure(few, SEEING)
    assert found.scores == () and len(found.small) + len(found.lost) == 4


# which metrics


def test_metrics_whose_settings_name_the_attribute_are_refused_with_the_reason() -> None:
    metrics = (
        TotalVariation(),
        KMarginal(groups=("colour",)),
        IntervalOverlap(outcome="sex", predictors=("rooms", "colour")),
    )
    kept, refused = applicable_within(metrics, MIXED, "colour")
    assert [metric.name for metric in kept] == ["total-variation"]
    assert [name for name, _ in refused] == ["k-marginal", "interval-overlap"]
    assert all("without colour, which" in why and "'colour'" in why for _, why in refused)


def test_metrics_of_persons_are_refused_with_the_reason() -> None:
    domain = replace(MIXED, individual="id")
    metric = LongitudinalKMarginal(period="age")
    assert applicable_within((metric,), domain, "wage")[0] == ()
    ((name, why),) = applicable_within((metric,), domain, "wage")[1]
    assert name == metric.name and "and without persons: " in why


def test_the_cheapest_metrics_are_taken_as_long_as_there_is_time() -> None:
    groups = subgroups_of(REAL, SYNTHETIC, "colour")
    domain = domain_without(MIXED, "colour")
    every = (*SEEING, SubsampleEquivalent(), MarginalDifference())

    def keep_rows(subsets: int) -> list[str]:
        chosen, dear = affordable_within(every, domain, groups, subsets)
        names = {metric.name for metric in chosen}
        assert names | {name for name, _ in dear} == {metric.name for metric in every}
        costs = dict(dear)
        if names - {"subsample-equivalent"} and costs:
            assert all(cost > 0 for cost in costs.values())
        return [metric.name for metric in chosen]

    assert "subsample-equivalent" not in keep_rows(20)
    assert set(keep_rows(20)) >= {metric.name for metric in SEEING}
    assert "total-variation" in keep_rows(5000) and len(keep_rows(5000)) < len(keep_rows(20))
    assert keep_rows(10**9) == []
