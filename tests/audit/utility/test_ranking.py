from __future__ import annotations

import dataclasses
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, rankdata, ttest_ind

from audit.utility.ranking import MetricRanking, Ranking, rank
from audit.utility.results import Scored, UtilityResults
from tests.audit.utility.made_scores import DOMAIN, made, results_of

FILES = ("a", "b", "c", "d")


def ranking(values: dict[str, list[float | None]], files: tuple[str, ...] = FILES) -> Ranking:
    found = rank(results_of(values, files[: len(next(iter(values.values())))]))
    assert found is not None
    return found


def spread(values: list[tuple[float, float]]) -> MetricRanking:
    """The ranking by values with their standard errors."""
    scored = tuple(
        Scored(file, made(value, standard_error=error), None, 0.0)
        for file, (value, error) in zip(FILES, values, strict=False)
    )
    found = rank(UtilityResults("real", DOMAIN, dict.fromkeys(("real", *FILES), 1), scored))
    assert found is not None
    return found.metrics[0]


def intervals(metric: MetricRanking) -> list[tuple[int, int]]:
    return [(place.best, place.worst) for place in metric.places]


def test_one_file_is_not_ranked() -> None:
    assert rank(results_of({"m": [1.0]}, ["a"])) is None


def test_lower_values_rank_first_where_lower_is_better() -> None:
    found = ranking({"m": [3.0, 1.0, 2.0]}).metrics[0]
    assert intervals(found) == [(3, 3), (1, 1), (2, 2)]
    assert (found.winner, found.winners) == ("b", ("b",))


def test_higher_values_rank_first_where_higher_is_better() -> None:
    results = results_of({"m": [3.0, 1.0, 2.0]}, FILES[:3])
    turned = tuple(
        dataclasses.replace(s, score=dataclasses.replace(s.score, direction="higher"))
        for s in results.scored
    )
    found = rank(dataclasses.replace(results, scored=turned))
    assert found is not None and intervals(found.metrics[0]) == [(1, 1), (3, 3), (2, 2)]


def test_equal_values_share_their_ranks() -> None:
    found = ranking({"m": [2.0, 1.0, 2.0, 5.0]}).metrics[0]
    assert intervals(found) == [(2, 3), (1, 1), (2, 3), (4, 4)]
    assert [place.rank for place in found.places] == [2.5, 1.0, 2.5, 4.0]


@given(st.lists(st.integers(0, 5), min_size=2, max_size=4))
def test_transitive_ties_have_the_usual_average_rank(values: list[int]) -> None:
    found = ranking({"m": [float(value) for value in values]}).metrics[0]
    assert [place.rank for place in found.places] == rankdata(values).tolist()


def test_ties_need_not_be_transitive() -> None:
    # a and b, and b and c, are within 1.96 combined errors of 1.41; a and c are not.
    found = spread([(0.0, 1.0), (2.0, 1.0), (4.0, 1.0)])
    assert intervals(found) == [(1, 2), (1, 3), (2, 3)]
    assert found.winner is None and found.winners == ("a", "b")
    # b is certain of nothing and ties with all, a beats c, c beats d.
    found = spread([(0.0, 0.1), (5.0, 99.0), (1.0, 0.1), (2.0, 0.1)])
    assert intervals(found) == [(1, 2), (1, 4), (2, 3), (3, 4)]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from([0.0, 1.0, 3.0])), min_size=2, max_size=4)
)
def test_ranks_add_up_and_intervals_hold_every_order_that_keeps_to_the_comparisons(
    values: list[tuple[int, float]],
) -> None:
    found = spread([(float(value), error) for value, error in values])
    names = FILES[: len(values)]
    assert sum(place.rank for place in found.places) == len(names) * (len(names) + 1) / 2
    for order in permutations(names):
        kept = all(
            comparison.outcome == 0 or (order.index(a) < order.index(b)) == (comparison.outcome > 0)
            for (a, b), comparison in found.comparisons.items()
        )
        for place in found.places if kept else ():
            assert place.best <= order.index(place.synthetic) + 1 <= place.worst


def test_an_undefined_score_is_unranked_with_its_reason() -> None:
    found = ranking({"m": [None, 1.0, 2.0], "n": [1.0, 2.0, 3.0]})
    first = found.metrics[0]
    assert first.unranked == (("a", "nothing to compare"),)
    assert [place.synthetic for place in first.places] == ["b", "c"]
    assert intervals(first) == [(1, 1), (2, 2)]
    assert first.place("a") is None
    assert found.families == {"n": ("n",)}
    assert [s.mean_rank for s in found.standings] == [1.0, 2.0, 3.0]
    assert [s.won for s in found.standings] == [("n",), ("m",), ()]


def test_the_only_file_with_a_value_wins_nothing() -> None:
    found = ranking({"m": [None, 1.0]})
    assert found.metrics[0].winners == () and found.metrics[0].winner is None
    assert [s.mean_rank for s in found.standings] == [None, None]
    assert found.leaders == () and found.dissenting == ()


def test_mean_ranks_wins_and_dissent() -> None:
    found = ranking(
        {
            "m": [1.0, 2.0, 3.0],
            "n": [1.0, 2.0, 3.0],
            "o": [2.0, 1.0, 3.0],
            "p": [1.0, 1.0, 3.0],
        }
    )
    a, b, c = found.standings
    assert (a.mean_rank, b.mean_rank, c.mean_rank) == (5.5 / 4, 6.5 / 4, 3.0)
    assert (a.won, b.won, c.won) == (("m", "n"), ("o",), ())
    assert (a.shared, b.shared, c.shared) == (("p",), ("p",), ())
    assert found.leaders == ("a",) and found.dissenting == ("o",)


def test_files_of_one_mean_rank_lead_together() -> None:
    found = ranking({"m": [1.0, 2.0, 3.0], "n": [2.0, 1.0, 3.0], "o": [7.0, 7.0, 1.0]})
    assert found.leaders == ("a", "b") and found.dissenting == ("o",)


def test_opposite_orders_disagree_fully() -> None:
    found = ranking({"m": [1.0, 2.0, 3.0], "n": [3.0, 2.0, 1.0], "o": [5.0, 6.0, 7.0]})
    assert found.agreement("m", "n") == found.agreement("n", "m") == -1.0
    assert found.agreement("m", "o") == 1.0


def test_a_metric_that_tells_no_files_apart_has_no_agreement() -> None:
    found = ranking({"m": [1.0, 1.0, 1.0], "n": [3.0, 2.0, 1.0]})
    assert found.agreement("m", "n") is None


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.tuples(
            *(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(3))
        )
    )
)
def test_agreement_is_kendalls_tau_b(values: tuple[list[int], ...]) -> None:
    named = dict(zip("mno", ([float(v) for v in of] for of in values), strict=True))
    found = ranking({name: list(of) for name, of in named.items()})
    for first, second in combinations(named, 2):
        tau = kendalltau(named[first], named[second], variant="b").statistic
        own = found.agreement(first, second)
        assert (own is None) == (tau != tau)
        assert own is None or own == pytest.approx(tau)


def test_agreement_counts_the_files_that_both_rank() -> None:
    found = ranking({"m": [1.0, 2.0, 3.0, None], "n": [None, 2.0, 3.0, 1.0]})
    assert found.agreement("m", "n") == 1.0


def test_metrics_of_one_family_have_one_vote_and_those_made_of_others_none() -> None:
    values: dict[str, list[float | None]] = {
        "pmse": [1.0, 2.0, 3.0],
        "specks": [1.0, 2.0, 3.0],
        "po50": [1.0, 2.0, 3.0],
        "quality": [1.0, 2.0, 3.0],
        "mgd": [3.0, 2.0, 1.0],
        "of a user": [2.0, 2.0, 3.0],
    }
    found = ranking(values)
    assert found.families == {
        "tree classifier": ("pmse", "specks", "po50"),
        "mgd": ("mgd",),
        "of a user": ("of a user",),
    }
    assert [s.mean_rank for s in found.standings] == [
        pytest.approx((1 + 3 + 1.5) / 3),
        pytest.approx((2 + 2 + 1.5) / 3),
        pytest.approx((3 + 1 + 3) / 3),
    ]
    assert found.standings[0].won == ("pmse", "specks", "po50", "quality")


def releases(values: dict[str, list[float]]) -> UtilityResults:
    """Programs with the value of each release."""
    scored = tuple(
        Scored(f"{name}{k}", made(value, "m"), None, 0.0)
        for name, of in values.items()
        for k, value in enumerate(of)
    )
    programs = {name: tuple(f"{name}{k}" for k in range(len(of))) for name, of in values.items()}
    records = dict.fromkeys(("real", *(one.synthetic for one in scored)), 100)
    return UtilityResults("real", DOMAIN, records, scored, programs=programs)


def test_programs_are_ranked_by_what_their_releases_differ_by() -> None:
    near, same, far = [1.0, 1.2, 0.9, 1.1], [1.05, 1.15, 1.0, 1.02], [9.0, 8.0, 9.5, 8.7]
    found = rank(releases({"a": near, "b": same, "c": far}))
    assert found is not None
    first = found.metrics[0]
    assert intervals(first) == [(1, 2), (1, 2), (3, 3)]
    for pair, comparison in first.comparisons.items():
        of = {"a": near, "b": same, "c": far}
        told = ttest_ind(of[pair[0]], of[pair[1]], equal_var=False)
        assert comparison.basis == "releases"
        assert (comparison.outcome != 0) == (told.pvalue < 0.05)
        low, high = told.confidence_interval(0.95)
        assert comparison.margin == pytest.approx((high - low) / 2)


def test_one_release_ranks_no_program() -> None:
    found = rank(releases({"a": [1.0, 1.2], "b": [2.0], "c": [3.0, 3.1]}))
    assert found is not None
    assert [place.synthetic for place in found.metrics[0].places] == ["a", "c"]
    ((name, reason),) = found.metrics[0].unranked
    assert name == "b" and "one release" in reason
