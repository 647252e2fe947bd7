from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import pytest

from audit.report.utility.pair_map import colour_step, pair_map
from audit.report.utility.phrases import PHRASES
from audit.report.utility.ranking import FILES_ALONE, RankingView, ranking_view
from audit.report.utility.scores import NULL, Track, rank_text, score_blocks
from audit.report.utility.view import REFUSED, utility_view
from audit.utility.catalogue import METRICS
from audit.utility.copies import Copies
from audit.utility.ranking import Place, rank
from audit.utility.results import Promise, Scored, UtilityResults
from tests.audit.report.utility import samples
from tests.audit.utility.made_scores import results_of

pytestmark = pytest.mark.smoke

INF = math.inf
VIEW = utility_view(samples.results())
BLOCKS = {block.metric: block for block in VIEW.blocks}


def rows(metric: str) -> dict[str, object]:
    return {row.name: row for row in BLOCKS[metric].rows}


def view_of(values: dict[str, Sequence[float | None]], files: Sequence[str]) -> RankingView:
    results = results_of(values, files)
    ranking = rank(results)
    assert ranking is not None
    return ranking_view(ranking, results)


def test_files_are_told_with_their_size() -> None:
    assert [(f.role, f.records, f.part) for f in VIEW.files[:3]] == [
        ("real", "10,000", ""),
        ("synthetic", "10,000", "as many as the real table"),
        ("synthetic", "9,612", "0.961 times as many as the real table"),
    ]
    assert VIEW.columns.startswith("6 columns of the domain patients: sex (2 values), age")


@pytest.mark.parametrize(
    ("track", "shares"),
    [
        (Track(10.0, 0.0, ""), {10.0: 0.0, 5.0: 0.5, 0.0: 1.0, 12.0: 0.0, INF: 0.0, -INF: 1.0}),
        (Track(500.0, 1000.0, ""), {500.0: 0.0, 750.0: 0.5, 1000.0: 1.0, -INF: 0.0, INF: 1.0}),
    ],
)
def test_right_is_better_on_every_track(track: Track, shares: dict[float, float]) -> None:
    assert {value: track.share(value) for value in shares} == shares


def test_a_track_reaches_from_the_baseline_to_the_best_possible() -> None:
    block = BLOCKS["k-marginal"]
    assert block.track == Track(505.0, 1000.0, "best possible")
    assert block.ends == ("505", "1,000")
    assert rows("k-marginal")[NULL].at == 0.0


def test_a_track_reaches_to_the_worst_file_where_that_is_worse_than_the_baseline() -> None:
    results = samples.results()
    low = tuple(
        dataclasses.replace(s, score=dataclasses.replace(s.score, value=100.0))
        if (s.score.metric, s.synthetic) == ("k-marginal", samples.FILES[2])
        else s
        for s in results.scored
    )
    blocks = score_blocks(dataclasses.replace(results, scored=low), None)
    assert blocks[1].track == Track(100.0, 1000.0, "best possible")


def test_without_a_baseline_a_track_is_the_whole_range() -> None:
    (block,) = utility_view(samples.single()).blocks
    assert block.track == Track(1.0, 0.0, "best possible")
    assert [row.at for row in block.rows] == [0.75]


def test_a_track_without_a_best_end_reaches_to_the_best_value() -> None:
    results = samples.results()
    open_ended = tuple(
        dataclasses.replace(
            s,
            score=dataclasses.replace(s.score, lowest=-INF),
            baseline=None,
        )
        for s in results.of_metric("mgd")
    )
    (block,) = score_blocks(dataclasses.replace(results, scored=open_ended), None)
    assert block.track == Track(1.71, 0.28, "best here")


def test_nothing_is_drawn_of_infinite_values_alone() -> None:
    scored = tuple(
        dataclasses.replace(s, score=dataclasses.replace(s.score, value=INF), baseline=None)
        for s in samples.results().of_metric("pmse-ratio")
    )
    (block,) = score_blocks(dataclasses.replace(samples.results(), scored=scored), None)
    assert block.track is None and block.ends == ("", "")
    assert {row.value for row in block.rows} == {"∞"}


def test_scores_have_error_rank_and_what_holds_for_their_file_alone() -> None:
    first = rows("k-marginal")[samples.FILES[0]]
    assert (first.value, first.error, first.rank, first.first) == ("886.3", "± 4.6", "1 to 2", True)
    assert first.low < first.at < first.high
    assert BLOCKS["k-marginal"].stated == (
        "sets of 3 distinct attributes",
        "a group empty on one side scores 0",
    )
    alike = rows("subsample-equivalent")[samples.FILES[0]]
    assert alike.remarks == ("as good as a 19 % sample, by k-marginal (886.289)",)
    assert BLOCKS["subsample-equivalent"].stated == (
        "5 subsamples of each size without replacement",
    )
    assert rows("mgd")[samples.FILES[0]].remarks == ("all that is known: from 0.27 to 0.32",)
    assert rows("pay-gap")[samples.FILES[2]].undefined == "no city has wages of both sexes"


def test_baselines_that_differ_are_told_apart_by_their_file() -> None:
    results = samples.results()
    scored = tuple(
        dataclasses.replace(
            s, baseline=dataclasses.replace(s.baseline, value=500.0) if place else s.baseline
        )
        for place, s in enumerate(results.of_metric("k-marginal"))
        if s.baseline is not None
    )
    (block,) = score_blocks(dataclasses.replace(results, scored=scored), None)
    names = [row.name for row in block.rows if row.baseline]
    assert names == [f"{NULL} ({samples.FILES[0]})", f"{NULL} ({samples.FILES[1]})"]


def test_undefined_and_refused_scores_are_listed() -> None:
    ((metric, reason),) = samples.results().refused
    assert VIEW.missing == (
        ("pay-gap", samples.FILES[2], "no city has wages of both sexes"),
        (metric, REFUSED, reason),
    )


def test_a_reason_does_not_repeat_the_metric_beside_it() -> None:
    own = samples.score(None, "m", undefined="m: no such column")
    scored = (dataclasses.replace(samples.single().scored[0], score=own),)
    results = dataclasses.replace(samples.single(), scored=scored, refused=(("n", "n: a rule"),))
    view = utility_view(results)
    assert view.missing == (("m", "s.csv", "no such column"), ("n", REFUSED, "a rule"))


def test_what_several_metrics_state_stands_once() -> None:
    scored = tuple(
        Scored("s.csv", samples.score(0.1, metric, stated=("a tree", metric)), None, 0.0)
        for metric in ("m", "n")
    )
    view = utility_view(dataclasses.replace(samples.single(), scored=scored))
    assert view.shared == (("m, n", "a tree"),)
    assert [block.stated for block in view.blocks] == [("m",), ("n",)]


def test_programs_stand_with_the_spread_of_their_releases() -> None:
    files = ["a1", "a2", "b1", "b2"]
    results = results_of({"m": [1.0, 3.0, 10.0, 12.0]}, files)
    programs = {"a": ("a1", "a2"), "b": ("b1", "b2")}
    promises = {"a1": Promise("epsilon=1, add-remove", "ledger a.json")}
    results = dataclasses.replace(results, programs=programs, promises=promises)
    view = utility_view(results)
    assert view.ranking is not None and view.ranking.spread is not None
    assert view.ranking.spread.rows == (("m", ("2, releases ±1.4", "11, releases ±1.4")),)
    assert FILES_ALONE not in view.ranking.sentences
    assert any("different guarantees" in text for text in view.ranking.sentences)
    told = [file.promise for file in view.files]
    assert told[:3] == ["", "epsilon=1, add-remove (ledger a.json)", "no claim is stated"]
    assert [row.rank for row in view.blocks[0].rows] == ["1", "1", "2", "2"]


@pytest.mark.parametrize(("records", "warned"), [(1, True), (49, True), (50, False)])
def test_a_table_of_few_records_is_warned_of(records: int, warned: bool) -> None:
    results = results_of({"m": [1.0]}, ["a"])
    results = dataclasses.replace(results, records={"real": 100, "a": records})
    assert any("a has" in text for text in utility_view(results).warnings) == warned


def test_copies_of_what_several_persons_share_are_one_warning() -> None:
    results = results_of({"m": [1.0, 2.0, 3.0]}, ["a", "b", "c"])
    copies = {
        "a": Copies(100, 0, whole=False),
        "b": Copies(100, 0, whole=False),
        "c": Copies(100, 1, whole=False),
    }
    records = {"real": 100, "a": 100, "b": 100, "c": 100}
    told = utility_view(dataclasses.replace(results, records=records, copies=copies)).warnings
    assert told == (
        "Every record of a and b equals a real record in every column; each of these real records "
        "occurs more than once.",
        "100 of 100 records of c equal a real record in every column, 1 of them a real record that "
        "occurs once.",
    )


def test_ranks_are_intervals() -> None:
    assert rank_text(Place("a", 1, 1)) == "1"
    assert rank_text(Place("a", 1, 3)) == "1 to 3"
    assert rank_text(None) == "–"


def test_the_outcome_is_told_with_the_metrics_that_say_otherwise() -> None:
    view = VIEW.ranking
    assert view is not None
    assert view.sentences[0] == (
        "synthetic/marginals_eps1.csv has the best mean rank, 1.46 over 4 families of metrics."
    )
    assert (
        "Another file is ahead by 2 of 7 metrics: pmse-ratio (synthetic/bayes"
        in (view.sentences[1])
    )
    assert "pay-gap" in view.podium_note
    assert view.podium.peaks == {(0, 0)}
    assert view.ranks.columns[0] == samples.FILES[0]
    assert view.ranks.rows[1] == ("k-marginal", ("1 to 2", "1 to 2", "3"))
    assert {(1, 0), (1, 1)} <= view.ranks.peaks and (1, 2) not in view.ranks.peaks


def test_metrics_that_agree_are_said_to() -> None:
    view = view_of({"m": [1.0, 2.0], "n": [3.0, 4.0]}, ["a", "b"])
    assert view.sentences[1:] == (
        "By no metric is another file better beyond chance.",
        FILES_ALONE,
    )
    assert view.disagreement == ("Every two metrics put the files in the same order (τ = 1).",)
    assert view.agreement is None and view.taus is None


def test_two_metrics_that_disagree_are_one_sentence() -> None:
    view = view_of({"m": [1.0, 2.0], "n": [5.0, 4.0]}, ["a", "b"])
    assert view.sentences[0] == "a and b share the best mean rank, 1.5 over 2 families of metrics."
    assert view.disagreement == ("Kendall's τ-b between m and n is −1.",)


def test_metrics_without_an_order_are_named() -> None:
    view = view_of({"m": [1.0, 1.0], "n": [5.0, 4.0]}, ["a", "b"])
    assert view.disagreement == ("No two files can be told apart by m.",)


def test_of_like_mean_ranks_the_file_that_wins_most_stands_first() -> None:
    view = view_of({"m": [2.0, 1.0, 3.0], "n": [2.0, 3.0, 1.0]}, ["a", "b", "c"])
    assert [(name, *cells[:2]) for name, cells in view.podium.rows] == [
        ("b", "2", "1"),
        ("c", "2", "1"),
        ("a", "2", "0"),
    ]


def test_without_a_metric_of_all_files_there_is_no_mean_rank() -> None:
    view = view_of({"m": [1.0, None, 2.0], "n": [None, 5.0, 4.0]}, ["a", "b", "c"])
    assert view.sentences == (
        "No metric with a vote has a value for every file: there is no mean rank.",
        FILES_ALONE,
    )
    assert [cells[0] for _, cells in view.podium.rows] == ["–", "–", "–"]


def test_the_map_of_agreement_has_every_two_metrics() -> None:
    view = VIEW.ranking
    assert view is not None and view.agreement is not None and view.taus is not None
    texts = {cell.text: cell for _, row in view.agreement.rows for cell in row}
    assert len(texts) == 21
    assert texts["total-variation × workload-error: 1"].step == 0
    assert texts["total-variation × pay-gap: −1"].step == 15
    assert texts["mgd × pay-gap: no value"].step is None
    assert view.taus.rows[0] == ("k-marginal", ("0.82", "", "", "", "", ""))


def test_a_map_of_pairs_has_every_pair_once() -> None:
    names = [f"attribute {k}" for k in range(7)]
    values = {(a, b): 0.1 for k, a in enumerate(names) for b in names[k + 1 :]}
    drawn = pair_map("Pairs", "Deeper is more.", names, values, (0.0, 1.0), deep_is_low=False)
    assert len({cell.text for _, row in drawn.rows for cell in row}) == 21 and not drawn.hatched
    assert drawn.columns == tuple(names[:-1])
    assert [(name, len(row)) for name, row in drawn.rows] == list(
        zip(names[1:], range(1, 7), strict=True)
    )
    assert drawn.alternative == "Deeper is more. From 0 to 1." and drawn.legend == ("0", "1")


def test_of_many_names_the_first_are_drawn() -> None:
    names = [str(k) for k in range(50)]
    drawn = pair_map("Pairs", "", names, {}, (0.0, 1.0), deep_is_low=False)
    assert sum(len(row) for _, row in drawn.rows) == 40 * 39 // 2
    assert drawn.hatched == "no value"


@pytest.mark.parametrize(
    ("value", "low", "step"),
    [(0.0, False, 0), (1.0, False, 15), (0.5, False, 8), (0.0, True, 15), (INF, False, 15)],
)
def test_colours_deepen_towards_the_worse_end(value: float, low: bool, step: int) -> None:
    assert colour_step(value, (0.0, 1.0), low) == step
    assert colour_step(0.0, (0.0, 0.0), False) == 0


def test_one_file_has_no_ranking() -> None:
    view = utility_view(samples.single())
    assert view.ranking is None
    assert [row.rank for block in view.blocks for row in block.rows] == [""]


def test_results_without_scores_are_empty() -> None:
    results = UtilityResults("r", samples.DOMAIN, {"r": 1}, (), (("m", "why"),))
    view = utility_view(results)
    assert view.blocks == view.dives == () and view.missing == (("m", REFUSED, "why"),)


def test_every_built_in_metric_has_a_plain_phrase() -> None:
    assert set(PHRASES) == set(METRICS)
    assert VIEW.glance.phrases is PHRASES
    assert all(len(phrase) < 70 for phrase in PHRASES.values())


def test_all_scores_are_in_one_table_with_the_best_that_there_is() -> None:
    table = VIEW.glance
    assert table.columns == (*samples.FILES, NULL, "best possible")
    cells = dict(table.rows)
    assert cells["total-variation"] == ("0.03", "0.09", "0.58", "0.62", "0")
    assert cells["k-marginal"] == ("886", "889", "555", "505", "1,000")
    assert cells["pay-gap"][2:] == ("–", "–", "1,000,000")
    names = [name for name, _ in table.rows]
    assert {(names[row], column) for row, column in table.peaks} >= {
        ("total-variation", 0),
        ("k-marginal", 0),
        ("k-marginal", 1),
        ("pmse-ratio", 1),
    }


def test_the_answer_says_which_file_is_nearest_and_how_near() -> None:
    assert VIEW.answer == (
        f"{samples.FILES[0]} is nearest to confidential.csv, all metrics taken together. By 5 of 6 "
        "metrics, it is more than halfway from a table that knows only the domain to the best "
        "possible score."
    )
    tied = utility_view(results_of({"m": [1.0, 2.0], "n": [5.0, 4.0]}, ["a", "b"])).answer
    assert tied == "a and b are nearest to real, all metrics taken together."
    results = samples.results()
    first = dataclasses.replace(
        results, scored=tuple(s for s in results.scored if s.synthetic == samples.FILES[0])
    )
    # Of the metrics with a baseline, mgd at 0.31 of 1.8 and pmse-ratio at 1.9 of 44 among them.
    assert utility_view(first).answer == (
        f"By 5 of 6 metrics, {samples.FILES[0]} is more than halfway from a table that knows only "
        "the domain to the best possible score."
    )
    assert utility_view(samples.single()).answer == ""


def test_what_has_no_value_is_counted_in_a_line() -> None:
    assert VIEW.missing_note == "1 metric does not apply to this table, 1 score is undefined"
    assert utility_view(samples.single()).missing_note == ""
