"""What chance makes of the scores of subgroups: ranks, intervals, the worst of all."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from audit.utility.score import Score
from audit.utility.subgroups.division import Subgroup
from audit.utility.subgroups.findings import Subgroups, SubgroupScore, deviations
from synthesizers.errors import InputError

INF = math.inf


def score(value: float | None, metric: str = "mgd", *, higher: bool = False) -> Score:
    why = None if value is not None else "nothing to compare"
    ends = (-INF, INF)
    return Score(metric, value, *ends, "higher" if higher else "lower", undefined=why)


def of_draws(draws: np.ndarray, metrics: tuple[str, ...] = ("mgd",)) -> Subgroups:
    """Subgroups whose scores are ``draws`` [groups, metrics, 1 + subsets]."""
    groups = tuple(Subgroup(f"g{k}", k, 60, 60, 60.0) for k in range(len(draws)))
    scores = tuple(
        SubgroupScore(one.value, score(float(row[0]), metric), tuple(map(float, row[1:])))
        for one, rows in zip(groups, draws, strict=True)
        for metric, row in zip(metrics, rows, strict=True)
    )
    return Subgroups("a", "s.csv", groups, draws.shape[2] - 1, scores)


def test_a_deviation_is_in_standard_deviations_of_all_values_and_positive_where_worse() -> None:
    values = (5.0, 1.0, 2.0, None, 4.0)
    known = np.array([5.0, 1.0, 2.0, 4.0])
    expected = (known - known.mean()) / known.std(ddof=1)
    assert deviations(values, "lower")[[0, 1, 2, 4]] == pytest.approx(expected)
    assert deviations(values, "higher")[[0, 1, 2, 4]] == pytest.approx(-expected)
    assert math.isnan(deviations(values, "lower")[3])


def test_an_infinite_value_counts_as_the_largest_deviation_there_can_be() -> None:
    values = [INF, *map(float, range(8))]
    largest = (9 - 1) / math.sqrt(9)
    assert deviations(values, "lower")[0] == pytest.approx(largest)
    assert deviations(values, "higher")[0] == pytest.approx(-largest)
    assert max(deviations([1e9, *[0.0] * 8], "lower")) == pytest.approx(largest)


def test_values_that_rounding_alone_parts_do_not_deviate() -> None:
    assert not deviations([0.3, 0.1 + 0.2, 0.3, 0.3], "lower").any()
    assert not deviations([1e-17, 0.0, 0.0], "lower").any()
    assert not deviations([7.0, 7.0], "lower").any()


@pytest.mark.parametrize("higher", [False, True])
def test_chance_and_interval_are_ranks(higher: bool) -> None:
    sign = -1.0 if higher else 1.0
    subsets = tuple(sign * value for value in range(20))
    for own, chance, worse in ((19.5, 1 / 21, True), (19.0, 2 / 21, False), (-1.0, 1.0, False)):
        found = SubgroupScore("g", score(sign * own, higher=higher), subsets)
        assert found.chance == pytest.approx(chance) and found.worse is worse
        assert found.interval == ((-19, 0) if higher else (0, 19))
        assert found.coverage == pytest.approx(19 / 21)


def test_with_more_subsets_the_interval_leaves_the_rarest_out() -> None:
    subsets = tuple(map(float, range(99)))
    found = SubgroupScore("g", score(94.5), subsets)
    assert found.interval == (4, 94) and found.coverage == pytest.approx(0.9)
    assert found.chance == pytest.approx(0.05) and found.worse
    assert not SubgroupScore("g", score(94.0), subsets).worse


def test_subsets_without_a_value_leave_less_to_be_said() -> None:
    found = SubgroupScore("g", score(9.0), (None, *map(float, range(7)), *[None] * 12))
    assert found.interval == (0, 6) and found.coverage == pytest.approx(6 / 8)
    # Worse than all seven, and that happens to one in eight.
    assert found.chance == pytest.approx(1 / 8) and not found.worse
    lost = SubgroupScore("g", score(None), tuple(map(float, range(20))))
    assert lost.chance is None and not lost.worse
    assert SubgroupScore("g", score(1.0), (None,) * 20).interval is None


def test_nineteen_subsets_are_the_fewest() -> None:
    assert SubgroupScore("g", score(20.0), tuple(map(float, range(19)))).worse
    with pytest.raises(InputError, match="at least 19 random subsets"):
        SubgroupScore("g", score(20.0), tuple(map(float, range(18))))


def test_the_interval_covers_a_further_draw_as_often_as_it_says() -> None:
    # 4,000 draws at 19/21: a standard error of 0.0046; four of them, an error of 1e-4.
    draws = np.random.default_rng(3).standard_cauchy((4000, 21))
    found = [SubgroupScore("g", score(float(row[0])), tuple(map(float, row[1:]))) for row in draws]
    inside = [
        low <= float(one.score.value or 0) <= high
        for one in found
        if one.interval
        for low, high in [one.interval]
    ]
    assert np.mean(inside) == pytest.approx(19 / 21, abs=0.019)
    assert np.mean([one.worse for one in found]) == pytest.approx(1 / 21, abs=0.0135)
    chances = np.array([one.chance for one in found])
    for rank in range(1, 21):
        assert np.mean(chances <= rank / 21 + 1e-9) == pytest.approx(rank / 21, abs=0.032)


def test_some_subgroup_is_called_worse_by_chance_at_most_once_in_twenty() -> None:
    # Exchangeable draws of six subgroups that depend on each other, as disjoint subsets do, by two
    # metrics of which one is mostly constant: 1,000 families, an error of 1e-4 at four standard
    # errors of 0.0067.
    random = np.random.default_rng(4)
    called = 0
    for _ in range(1000):
        draws = random.normal(size=(6, 2, 21)) ** 3
        draws -= draws.mean(axis=0)
        draws[:, 1] = np.where(draws[:, 1] > 3, draws[:, 1], 0.0)
        called += any(one.worse for one in of_draws(draws, ("mgd", "inequality")).standings)
    assert called / 1000 <= 1 / 21 + 0.027


def test_subgroups_stand_worst_first_with_one_vote_a_family() -> None:
    draws = np.random.default_rng(5).normal(size=(3, 3, 21))
    draws[1, :2, 0] = 9.0
    draws[2, 2, 0] = 9.0
    # The first two are one family: two metrics that say one thing have one vote.
    found = of_draws(draws, ("associations", "table-utility", "mgd"))
    means = {one.subgroup.value: one.deviation for one in found.standings}
    for group in range(3):
        pairs, other = (
            np.mean([deviations(tuple(row), "lower")[0] for row in rows])
            for rows in (draws[group, :2], draws[group, 2:])
        )
        assert means[f"g{group}"] == pytest.approx((pairs + other) / 2)
    order = [one.deviation for one in found.standings]
    assert (
        order == sorted(order, reverse=True, key=float) and found.standings[-1].subgroup.code == 0
    )
    assert found.worst_first[0].deviations[0] == max(one.deviations[0] for one in found.scores)


def test_scores_by_chance_are_counted() -> None:
    found = of_draws(np.random.default_rng(6).normal(size=(4, 2, 21)), ("mgd", "inequality"))
    assert found.expected_worse == pytest.approx(8 / 21)
    few = replace(found.scores[0], subsets=(None,) * 15 + found.scores[0].subsets[:5])
    assert replace(found, scores=(few,)).expected_worse == 0


def test_without_a_score_there_is_no_standing() -> None:
    groups = (Subgroup("g", 0, 60, 60, 60.0), Subgroup("h", 1, 3, 60, 3.0))
    found = Subgroups("a", "s.csv", groups, 20, ())
    assert [(one.subgroup.value, one.deviation, one.chance) for one in found.standings] == [
        ("g", None, None)
    ]
    assert found.small == groups[1:] and found.expected_worse == 0
