"""Subgroups in every form of report."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from audit.report.page import UtilitySection
from audit.report.utility.document import utility_json
from audit.report.utility.subgroups import MAX_LISTED, MAX_MAPPED, VARIED
from audit.report.utility.view import utility_view
from audit.utility.results import UtilityResults
from audit.utility.score import Breakdown
from audit.utility.subgroups.division import Subgroup
from audit.utility.subgroups.findings import Subgroups, SubgroupScore
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import HOSTILE
from tests.audit.report.utility import samples
from tests.audit.report.utility.test_terminal import printed, words_of

INF = math.inf
COEFFICIENTS = Breakdown("coefficients", ("term", "real"), (("age", 0.5),))


def scores(value: str, shift: float, seed: int) -> tuple[SubgroupScore, ...]:
    """Two metrics of a subgroup, ``shift`` worse than random subsets."""
    draws = np.random.default_rng(seed).normal(0.3, 0.02, (2, 20))
    lower = samples.score(0.3 + shift, "total-variation", details=(COEFFICIENTS,))
    higher = samples.score(700 - 900 * shift, "k-marginal", (0.0, 1000.0), "higher")
    return (
        SubgroupScore(value, lower, tuple(draws[0].tolist())),
        SubgroupScore(value, higher, tuple((1000 * (1 - draws[1])).tolist())),
    )


def divide_tables(values: tuple[str, ...] = ("N1", "N2", "N3")) -> Subgroups:
    """The second value is worse; one is lost, one small; a metric was refused."""
    groups = [Subgroup(value, k, 1200 - k, 1100, 1190.0) for k, value in enumerate(values)]
    left = (Subgroup("N8", 8, 90, 0, 89.4), Subgroup("N9", 9, 7, 3, 6.8))
    scored = [
        one
        for k, value in enumerate(values)
        for one in scores(value, 0.3 if k == 1 else 0.0, seed=k)
    ]
    mgd: list[float | None] = [None, 0.5, INF, *[0.5] * (len(values) - 3)]
    for value, own in zip(values, mgd, strict=True):
        subsets = (0.5, *[None] * 19) if own is None else tuple(k / 10 for k in range(20))
        scored.append(SubgroupScore(value, samples.score(own, "mgd", (0.0, INF)), subsets))
    return Subgroups(
        "neighbourhood",
        samples.FILES[0],
        (*groups, *left),
        20,
        tuple(scored),
        (("pay-gap", "it would take long"),),
    )


def results_with(*found: Subgroups) -> UtilityResults:
    return dataclasses.replace(samples.results(), subgroups=found)


(VIEW,) = utility_view(results_with(divide_tables())).subgroups


def test_the_outcome_names_who_is_worse_and_how_often_chance_would() -> None:
    assert VIEW.title == "synthetic/marginals_eps1.csv by neighbourhood"
    outcome, counted, lost, small = VIEW.sentences
    assert "worse than their size explains: N2. Were the values of neighbourhood dealt" in outcome
    assert outcome.endswith("at most 1 in 20.")
    assert "3 of 8 scores" in counted and "0.38 would be expected" in counted
    assert lost.endswith("worse than any score: N8 (90 real).")
    assert small.endswith("fewer than 50 records in one of the tables: N9 (7 real, 3 synthetic).")
    assert "90.5 % or more, less where some have no value" in VIEW.method and VARIED in VIEW.method


def test_where_persons_have_several_records_the_chance_is_said_to_be_larger() -> None:
    plain = results_with(divide_tables())
    domain = dataclasses.replace(plain.domain, individual="person")
    (view,) = utility_view(dataclasses.replace(plain, domain=domain)).subgroups
    assert view.sentences[0].endswith("called so far more often.")


def test_nobody_is_worse_where_scores_are_those_of_random_subsets() -> None:
    found = divide_tables()
    calm = dataclasses.replace(
        found,
        scores=tuple(
            dataclasses.replace(one, score=dataclasses.replace(one.score, value=one.known[10]))
            for one in found.scores
            if one.score.metric == "total-variation"
        ),
    )
    (view,) = utility_view(results_with(calm)).subgroups
    assert "no subgroup is worse than the worst of random subsets" in view.sentences[0]
    assert view.standings is not None and not view.standings.peaks


def test_the_worst_come_first() -> None:
    assert VIEW.standings is not None and VIEW.worst is not None
    names = [name for name, _ in VIEW.standings.rows]
    assert names[0] == "N2" and VIEW.standings.peaks == {(0, 2)}
    assert VIEW.standings.rows[0][1][:2] == ("1,199", "1,100")
    first = [name for name, _ in VIEW.worst.rows][:3]
    assert {*first} == {"total-variation, N2", "k-marginal, N2", "mgd, N3"}
    assert [cells[-1] for _, cells in VIEW.worst.rows] == ["worse"] * 3 + [""] * 6


def test_marks_and_intervals_lie_on_one_track_a_metric() -> None:
    blocks = {block.metric: block for block in VIEW.blocks}
    for metric in ("total-variation", "k-marginal"):
        worst, *others = blocks[metric].rows
        assert worst.name == "N2" and not worst.first and worst.rank == "worse"
        assert worst.at is not None and worst.low is not None and worst.high is not None
        assert worst.at < worst.low < worst.high
        for row in others:
            assert row.first and row.at is not None and 0 < row.at < 1
    mgd = blocks["mgd"].rows
    assert [(row.name, row.undefined != "") for row in mgd] == [
        ("N3", False),
        ("N2", False),
        ("N1", True),
    ]
    assert mgd[0].value == "∞" and mgd[0].at == 0.0 and mgd[2].at is None


def test_the_map_has_every_subgroup_by_every_metric() -> None:
    assert VIEW.map is not None
    assert VIEW.map.columns == ("total-variation", "k-marginal", "mgd")
    cells = dict(VIEW.map.rows)
    assert VIEW.map.rows[0][0] == "N2"
    assert cells["N2"][0].step == 15 and cells["N2"][0].inside.endswith("!")
    assert cells["N3"][2].step == 15 and cells["N1"][2].step is None
    assert VIEW.map.hatched == "no value"


def test_of_many_subgroups_the_worst_are_shown() -> None:
    many = divide_tables(tuple(f"N{100 + k}" for k in range(60)))
    (view,) = utility_view(results_with(many)).subgroups
    assert view.standings is not None and view.worst is not None and view.map is not None
    assert len(view.standings.rows) == len(view.worst.rows) == MAX_LISTED
    assert view.standings_note == "48 further subgroups are in the JSON document."
    assert view.worst_note == "168 further scores are in the JSON document."
    text = words_of(printed(results_with(many)))
    assert view.standings_note in text and view.worst_note in text
    assert len(view.map.rows) == MAX_MAPPED
    assert [len(block.rows) for block in view.blocks] == [MAX_LISTED] * 3
    assert view.blocks[0].stated == ("48 better subgroups are in the JSON document",)


def test_a_lost_subgroup_is_told_before_all_scores() -> None:
    text = words_of(printed(results_with(divide_tables())))
    told = "has no record of neighbourhood = N8, of which confidential.csv has 90: some 89 were to"
    assert told in text and text.index(told) < text.index("Scores")
    assert utility_view(results_with(divide_tables())).warnings[-1].endswith("were to be expected.")


def test_everything_is_printed_and_on_the_page() -> None:
    results = results_with(divide_tables())
    page = checked(page_of(UtilitySection("Utility", results)))
    text = words_of(printed(results, width=250))
    for words in (*VIEW.sentences, VIEW.method, "pay-gap", "it would take long"):
        assert words in page and words in text
    for encoding in ("utf-8", "ascii"):
        for width in (60, 80):
            printed(results, encoding, width)


def test_hostile_texts_are_shown_as_text() -> None:
    value = HOSTILE + "2"
    found = dataclasses.replace(
        divide_tables(("a", value, "c")),
        attribute=HOSTILE,
        synthetic=HOSTILE,
        refused=((HOSTILE, HOSTILE),),
    )
    results = dataclasses.replace(samples.hostile(), subgroups=(found,))
    checked(page_of(UtilitySection("Utility", results)))
    printed(results, "ascii")


def test_where_nothing_was_scored_that_is_said() -> None:
    found = dataclasses.replace(divide_tables(), scores=())
    results = results_with(found)
    (view,) = utility_view(results).subgroups
    assert view.sentences[0] == "No subgroup could be scored."
    assert view.standings is None and view.map is None and view.method == ""
    assert "No subgroup could be scored." in checked(page_of(UtilitySection("Utility", results)))
    printed(results)


def test_the_document_has_all_of_it() -> None:
    (found,) = utility_json(results_with(divide_tables()))["subgroups"]
    assert (found["attribute"], found["synthetic"]) == ("neighbourhood", samples.FILES[0])
    groups = {one["value"]: one for one in found["groups"]}
    assert groups["N2"]["worse"] is True and groups["N2"]["deviation"] > 2
    assert groups["N8"]["lost"] is True and groups["N8"]["synthetic"] == 0
    assert groups["N8"]["worse"] is None and groups["N9"]["deviation"] is None
    assert len(found["scores"]) == 9
    for one in found["scores"]:
        assert set(one) >= samples.CONTRACT - {"synthetic"} and len(one["subsets"]) == 20
    kept = {(one["metric"], one["group"]): one for one in found["scores"]}
    own = kept["total-variation", "N2"]
    assert own["worse"] is True and own["chance"] == 1 / 21 and own["coverage"] == 1 - 2 / 21
    assert own["details"][0]["name"] == "coefficients" and len(own["interval"]) == 2
    assert kept["mgd", "N1"]["chance"] is None and kept["mgd", "N3"]["value"] == "inf"
    assert found["refused"] == [{"metric": "pay-gap", "reason": "it would take long"}]
    assert utility_json(samples.results())["subgroups"] == []


def test_files_are_renamed_here_too() -> None:
    names = {file: f"x{k}" for k, file in enumerate(("confidential.csv", *samples.FILES))}
    assert results_with(divide_tables()).rename(names).subgroups[0].synthetic == "x1"
