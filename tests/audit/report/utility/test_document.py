from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.report.json_text import json_text
from audit.report.utility.document import plain, utility_json
from audit.report.utility.words import NOTICE
from tests.audit.report.utility import samples


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def document(results: Any) -> dict[str, Any]:
    text = json_text(utility_json(results))
    assert text.isascii() and text.endswith("}\n")
    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


DOCUMENT = document(samples.results())


def of(metric: str, file: int) -> dict[str, Any]:
    (found,) = [
        score
        for score in DOCUMENT["scores"]
        if (score["metric"], score["synthetic"]) == (metric, samples.FILES[file])
    ]
    return dict(found)


def test_every_score_has_what_the_contract_names() -> None:
    assert len(DOCUMENT["scores"]) == 7 * 3
    for score in DOCUMENT["scores"]:
        assert set(score) >= samples.CONTRACT
        assert (score["value"] is None) == (score["undefined"] is not None)


def test_the_notice_stands_first() -> None:
    assert next(iter(DOCUMENT)) == "notice" and DOCUMENT["notice"] == NOTICE
    assert "not private" in NOTICE and "confidential data" in NOTICE


def test_a_score_keeps_its_numbers_in_full() -> None:
    score = of("k-marginal", 0)
    (own,) = [
        s.score
        for s in samples.results().of_metric("k-marginal")
        if s.synthetic == samples.FILES[0]
    ]
    assert score["value"] == own.value and score["standard_error"] == own.standard_error
    assert (score["draws"], score["seed"], score["range"]) == (300, 0, [0.0, 1000.0])
    assert score["parts"] == list(own.parts)
    assert score["stated"] == list(own.stated)
    assert score["direction"] == "higher" and score["mode"] == "fixed"


def test_fractions_brackets_and_replicates_are_written() -> None:
    assert of("total-variation", 0)["exact"] == "3/100"
    assert of("mgd", 0)["bracket"] == ["27/100", "8/25"]
    assert of("mgd", 1)["bracket"] is None
    assert of("pmse-ratio", 0)["replicates"] == [1.8, 2.1, 2.0]


def test_infinity_is_text() -> None:
    assert of("pmse-ratio", 2)["value"] == "inf"
    assert of("pmse-ratio", 0)["range"] == [0.0, "inf"]
    terms = of("mgd", 0)["details"][1]
    assert terms["columns"] == ["term", "score"] and terms["rows"][1] == ["hoc", "inf"]


def test_undefined_and_refused_have_their_reasons() -> None:
    assert of("pay-gap", 2)["value"] is None
    assert of("pay-gap", 2)["undefined"] == "no city has wages of both sexes"
    assert DOCUMENT["refused"][0]["metric"] == "longitudinal"


def test_the_baseline_stands_beside_each_score() -> None:
    baseline = of("k-marginal", 1)["baseline"]
    assert baseline["value"] == 505.0 and baseline["undefined"] is None
    assert document(samples.single())["scores"][0]["baseline"] is None


def test_files_and_domain_are_named() -> None:
    real = {"file": "confidential.csv", "records": 10_000, "undeclared": []}
    assert DOCUMENT["real"] == real
    synthetic = {"file": samples.FILES[1], "records": 9_612, "undeclared": []}
    synthetic |= {"copies": None, "promise": None}
    assert DOCUMENT["synthetic"][1] == synthetic
    assert DOCUMENT["domain"]["attributes"] == list(samples.NAMES)


def test_the_ranking_has_ties_and_agreement() -> None:
    ranking = DOCUMENT["ranking"]
    by_metric = {metric["metric"]: metric for metric in ranking["metrics"]}
    assert by_metric["mgd"]["ranks"][0] == {
        "synthetic": samples.FILES[0],
        "rank": 1.5,
        "best": 1,
        "worst": 2,
    }
    (tied,) = [c for c in by_metric["mgd"]["comparisons"] if samples.FILES[2] not in c["files"]]
    assert tied["better"] is None and tied["basis"] == "brackets"
    assert by_metric["pay-gap"]["unranked"] == [
        {"synthetic": samples.FILES[2], "reason": "no city has wages of both sexes"}
    ]
    assert ranking["leaders"] == [samples.FILES[0]]
    assert ranking["dissenting"] == ["pmse-ratio", "pay-gap"]
    assert ranking["files"][0]["mean_rank"] == pytest.approx(
        (1 + (1.5 + 1 + 1.5) / 3 + 2 + 1.5) / 4
    )
    agreement = {tuple(a["metrics"]): a["kendall_tau_b"] for a in ranking["agreement"]}
    assert len(agreement) == 21 and agreement["total-variation", "workload-error"] == 1.0
    assert agreement["mgd", "pay-gap"] is None


def test_one_file_has_no_ranking() -> None:
    assert document(samples.single())["ranking"] is None


def test_draws_stay_out_since_they_may_repeat_records() -> None:
    text = json_text(utility_json(samples.results()))
    assert '"drawn"' not in text
    assert all(name not in str(of("k-marginal", 0)["parts"]) for name in samples.NAMES)


def test_hostile_text_stays_text() -> None:
    found = document(samples.hostile())
    assert found["scores"][0]["metric"] == samples.HOSTILE


def test_numbers_of_numpy_are_plain_ones() -> None:
    values = [np.float64(0.5), np.int64(3), np.float64(math.inf), math.nan, Fraction(1, 3)]
    assert plain((*values, True, None, "x", {"a": -math.inf})) == [
        0.5,
        3,
        "inf",
        None,
        "1/3",
        True,
        None,
        "x",
        {"a": "-inf"},
    ]
    with pytest.raises(TypeError, match="set has no form"):
        plain({1})
