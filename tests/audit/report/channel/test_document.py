"""The channel JSON of the contract, key by key."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings

from audit.channels.analysis import Wishes, analyse, analyse_streamed
from audit.channels.channel import Channel, log_odds
from audit.channels.enumerate import channel_of, instance
from audit.channels.measures.optimum import Optimum
from audit.channels.measures.unavailable import Unavailable
from audit.channels.streamed import streamed_channel
from audit.report.channel.document import to_json
from audit.statements.decimals import Enclosure, exact_text
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    channel_of_rows,
    encloses,
    floated,
    matrix,
    numbers,
    ordered_pairs,
    rational_channels,
)
from tests.audit.report import samples

F = Fraction
EPSILONS = {"1": F(1), "0.50": F(1, 2), "1/3": F(1, 3)}


def document_of(channel: Channel, exact: bool = False) -> dict[str, Any]:
    """The JSON, through text, as a reader sees it: no NaN, no infinity."""
    text = json.dumps(to_json(analyse(channel, Wishes(EPSILONS)), exact), allow_nan=False)
    return json.loads(text)


def small() -> Channel:
    rows: list[list[Exact]] = [
        [F(1, 2), F(1, 2), F(0), F(0)],
        [F(1, 4), F(1, 2), F(1, 4), F(0)],
        [F(1, 4), F(1, 4), F(1, 4), F(1, 4)],
    ]
    return channel_of_rows(rows)


def test_every_key_of_the_contract() -> None:
    document = document_of(small())
    assert document["databases"] == [[0, 2], [1, 1], [2, 0]]
    assert document["outputs"] == [[0], [1], [2], [3]]
    assert document["probabilities"][1] == [0.25, 0.5, 0.25, 0.0]
    assert document["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert set(document["delta"]) == set(EPSILONS) == set(document["probabilistic_delta"])
    for value in document["delta"].values():
        assert set(value) == {"lower", "upper"}
        assert 0 <= value["lower"] <= value["upper"] <= 1
    for value in document["probabilistic_delta"].values():
        assert set(value) >= {"worst", "average"}
        assert set(value["average"]) >= {"uniform", "multinomial"}
    infinite = {"lower": "inf", "upper": "inf"}
    assert document["zcdp"] == {**infinite, "order": None}
    assert document["gdp"] == infinite
    assert document["optimum"] is None
    assert isinstance(document["optimum_reason"], str)
    witness = document["witness"]
    assert set(witness) == {"from", "to", "output", "probabilities"}
    assert witness == {
        "from": [1, 1],
        "to": [0, 2],
        "output": [2],
        "probabilities": [0.25, 0.0],
    }
    assert document["released"] == "output"
    assert document["neighbours"] == "replace-one"


def test_log_odds_of_every_ordered_pair_once() -> None:
    channel = small()
    found = {
        (tuple(e["from"]), tuple(e["to"])): e["values"] for e in document_of(channel)["log_odds"]
    }
    pairs = {(channel.counts(a), channel.counts(b)) for a, b in ordered_pairs(channel)}
    assert set(found) == pairs
    assert len(document_of(channel)["log_odds"]) == len(pairs)
    ln2 = pytest.approx(math.log(2), rel=1e-15)
    assert found[(0, 2), (1, 1)] == [ln2, 0.0, "-inf", None]
    assert found[(1, 1), (0, 2)] == [-math.log(2), 0.0, "inf", None]
    assert found[(1, 1), (2, 0)] == [0.0, ln2, 0.0, "-inf"]


def test_exact_numbers_are_strings() -> None:
    document = document_of(small(), exact=True)
    assert document["probabilities"][1] == ["1/4", "1/2", "1/4", "0"]
    assert document["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert document["delta"]["1/3"]["lower"].startswith("0.")
    assert document["witness"]["probabilities"] == [
        {"lower": "0.25", "upper": "0.25"},
        {"lower": "0", "upper": "0"},
    ]
    odds = document["log_odds"][0]["values"]
    assert F(odds[0]["lower"]) < F(odds[0]["upper"])
    with mpmath.workdps(60):
        assert encloses(Enclosure.from_json(odds[0]), mpmath.log(2))
    assert odds[1:] == ["0", "-inf", None]
    assert_no_floats(document)


def assert_no_floats(value: Any) -> None:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            assert_no_floats(part)
    assert not isinstance(value, float)


@given(rational_channels())
@settings(max_examples=40)
def test_exact_strings_enclose_and_floats_agree(channel: Channel) -> None:
    exact, plain = document_of(channel, exact=True), document_of(channel)
    assert_no_floats(exact)
    table = numbers(channel)
    rows = [tuple(row) for row in channel.databases.tolist()]
    for line, shown in zip(exact["log_odds"], plain["log_odds"], strict=True):
        a, b = rows.index(tuple(line["from"])), rows.index(tuple(line["to"]))
        assert (line["from"], line["to"]) == (shown["from"], shown["to"])
        for p, q, text, value in zip(
            table[a], table[b], line["values"], shown["values"], strict=True
        ):
            if p == 0 or q == 0:
                expected = None if p == q else "inf" if q == 0 else "-inf"
                assert text == value == expected
                continue
            with mpmath.workdps(60):
                truth = mpmath.log(p / q)
            assert abs(value - truth) < 1e-14
            ends = {"lower": text, "upper": text} if isinstance(text, str) else text
            assert encloses(Enclosure.from_json(ends), truth)
    for key in EPSILONS:
        inner, outer = plain["delta"][key], Enclosure.from_json(exact["delta"][key])
        assert F(inner["lower"]) <= outer.upper
        assert outer.lower <= F(inner["upper"])


def test_exact_log_odds_that_are_rational_are_points() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 3)
    program = build("geometric-sanitizer", {"epsilon": "3/2"})
    document = document_of(channel_of(program, setting, exact=True).channel, exact=True)
    assert document["epsilon"] == {"lower": "1.5", "upper": "1.5"}
    values = {str(value) for line in document["log_odds"] for value in line["values"]}
    assert {"3/2", "-3/2"} <= values
    # No fraction: the decimal ends of an enclosure, rounded outwards.
    for row in document["probabilities"]:
        for cell in row:
            assert 0 < F(cell["lower"]) < F(cell["upper"]) < 1


def test_doubles_in_exact_form_show_their_enclosures() -> None:
    channel = floated(small(), 5, [1, -1])
    document = document_of(channel, exact=True)
    assert_no_floats(document)
    cell = document["probabilities"][0][0]
    assert F(cell["lower"]) <= F(1, 2) <= F(cell["upper"])
    odds = document["log_odds"][0]["values"]
    with mpmath.workdps(60):
        assert encloses(Enclosure.from_json(odds[0]), mpmath.log(2))
    assert odds[2:] == ["-inf", None]


def test_vague_chances_have_open_log_odds() -> None:
    vague = Interval(F(0), F(1, 2))
    document = document_of(channel_of_rows([[vague, 1 - vague], [F(1, 4), F(3, 4)]]), exact=True)
    forth, back = (line["values"][0] for line in document["log_odds"])
    assert forth["lower"] == "-inf"
    assert back["upper"] == "inf"
    with mpmath.workdps(60):
        assert F(forth["upper"]) >= F(str(mpmath.nstr(mpmath.log(2), 30)))
        assert F(back["lower"]) <= -F(str(mpmath.nstr(mpmath.log(2), 30)))


def test_chances_below_the_doubles_have_their_log_odds() -> None:
    tiny = F(1, 10**400)
    channel = channel_of_rows([[1 - tiny, tiny, F(0)], [1 - 2 * tiny, tiny, tiny]])
    (_, _, values), _ = log_odds(channel)
    assert values == [0.0, 0.0, -math.inf]
    steep = channel_of_rows([[1 - tiny, tiny], [F(1, 2), F(1, 2)]])
    (_, _, values), _ = log_odds(steep)
    assert values[1] == pytest.approx(-400 * math.log(10) + math.log(2), rel=1e-12)
    far = channel_of_rows([[ExpRational.exp(-3000)], [ExpRational.exp(-2000)]])
    (_, _, values), _ = log_odds(far)
    assert values == [pytest.approx(-1000)]


def test_suppressed_counts_are_null_and_text_stays() -> None:
    channel = small()
    odd = Channel.of_exact(
        channel.domain,
        channel.neighbours,
        channel.databases,
        ((None, 2), ("a",), (1, 1), (0, None)),
        matrix(channel.exact.tolist() if channel.exact is not None else []),
        "transcript",
    )
    document = document_of(odd)
    assert document["outputs"] == [[None, 2], ["a"], [1, 1], [0, None]]
    assert document["released"] == "transcript"


def test_without_neighbours_there_is_no_witness() -> None:
    document = document_of(channel_of_rows([[F(1)]]))
    assert document["witness"] is None
    assert document["log_odds"] == []
    assert document["epsilon"] == {"lower": 0.0, "upper": 0.0}


def test_log_odds_that_are_too_many_are_left_out_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 4 ordered pairs of 4 outputs.
    for name, exact in (("MAX_LOG_ODDS", False), ("MAX_EXACT_LOG_ODDS", True)):
        monkeypatch.setattr(f"audit.report.channel.document.{name}", 15)
        document = document_of(small(), exact)
        assert document["log_odds"] is None
        assert "15" in document["log_odds_reason"]
        monkeypatch.setattr(f"audit.report.channel.document.{name}", 16)
        assert len(document_of(small(), exact)["log_odds"]) == 4


def test_probabilistic_delta_shows_the_certified_side() -> None:
    channel = floated(small(), 100, [1, -1])
    document = document_of(channel)["probabilistic_delta"]["1"]
    # A zero on one side: 1/4 of the middle table, to either neighbour; of the last, 1/4.
    assert F(document["worst"]) >= F(1, 4)
    assert F(document["worst_lower"]) <= F(1, 4)
    assert document["worst_database"] in ([1, 1], [2, 0])
    exact = document_of(small(), exact=True)["probabilistic_delta"]["1"]
    assert F(exact["worst"]) >= F(1, 4)


def test_chances_as_text() -> None:
    assert exact_text(F(1, 3)) == "1/3"
    assert exact_text(F(2)) == "2"
    assert exact_text(ExpRational.of(F(2, 3))) == "2/3"
    third = exact_text(Interval(F(1, 3), F(1, 3)))
    assert third == {"lower": "0.33333333333333333", "upper": "0.33333333333333334"}
    # Thousands of digits give way to an enclosure.
    long = exact_text(F(1, 3**10_000))
    assert isinstance(long, dict)
    assert F(long["lower"]) <= F(1, 3**10_000) <= F(long["upper"])


def test_a_wide_table_of_long_fractions_is_written() -> None:
    setting = Setting(Domain.from_cells("2"), ReplaceOne(), 1, 300)
    program = build("multinomial-dirichlet", {"alpha": "1.000000001", "posterior": "mean"})
    channel = channel_of(program, setting, size=1, exact=True).channel
    document = document_of(channel, exact=True)
    for row in document["probabilities"]:
        ends = [cell if isinstance(cell, dict) else {"lower": cell, "upper": cell} for cell in row]
        assert sum(F(cell["lower"]) for cell in ends) <= 1 <= sum(F(cell["upper"]) for cell in ends)


def response() -> Channel:
    """Randomised response of one record with odds 3 : 1."""
    return channel_of_rows([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]])


def around(ends: dict[str, float], value: float) -> bool:
    return ends["lower"] <= value <= ends["upper"] <= ends["lower"] + 1e-6


def test_every_measure_of_randomised_response_by_hand() -> None:
    tables = Channel.of_exact(
        response().domain,
        ReplaceOne(),
        response().databases,
        ((0, 1), (1, 0)),
        matrix(response().exact.tolist()),
        "output",
    )
    document = json.loads(
        json.dumps(to_json(analyse(tables, Wishes(EPSILONS, F(1, 10))), False), allow_nan=False)
    )
    ln3 = math.log(3)
    assert around(document["renyi"]["2"], math.log(7 / 3))
    # The supremum is the limit at order 1, the divergence of Kullback and Leibler.
    assert around(document["zcdp"], ln3 / 2)
    assert document["zcdp"]["order"] == 1
    assert around(document["gdp"], 2 * 0.6744897501960817)
    first = document["profile"]["points"][0]
    assert first["epsilon"] == 0 and around(first["delta"], 0.5)
    assert document["profile"]["limit"] == {"lower": 0.0, "upper": 0.0}
    assert document["tradeoff"]["lower"] == [[0.0, 1.0], [0.25, 0.25], [1.0, 0.0]]
    assert document["rows"]["diagonal"]["largest"]["lower"] == 0.75
    assert document["rows"]["cells"][0]["differs"]["upper"] == 0.25
    assert document["last_record"]["prior"] == "1/10"
    assert around(document["last_record"]["odds_gain"], 3)
    assert around(document["last_record"]["posterior"], 0.25)
    # With a prior of 1/10 the rarer database is never named: 3/4·1/10 < 1/4·9/10.
    assert document["guess"]["prior"] == "1/10"
    assert around(document["guess"]["right"], 0.9)
    assert around(document["guess"]["advantage"], 0.8)
    assert document["naming"]["uniform"]["without"] == "1/2"
    assert around(document["naming"]["uniform"]["right"], 0.75)
    (single,) = document["groups"]["distances"]
    assert (single["distance"], single["pairs"]) == (1, 1)
    assert around(single["epsilon"], ln3)
    # A loss of 2 records moved with chance 1/4, and no ε-DP mechanism does better.
    optimum = document["optimum"]
    assert optimum["loss"] == "l1"
    for key in ("uniform", "worst", "own_uniform", "own_worst"):
        assert optimum[key] == pytest.approx(0.5, abs=1e-6)


def test_what_is_not_available_is_null_with_its_reason() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 4)
    program = build("multinomial-dirichlet", {})
    channel = streamed_channel(program, setting, instance(setting, 4), "output")
    document = to_json(analyse_streamed(channel, Wishes(EPSILONS), 1), False)
    whole = document_of(channel_of(program, setting, exact=True).channel)
    missing = ("probabilities", "log_odds", "zcdp", "gdp", "profile", "tradeoff", "rows", "groups")
    for key in (*missing, "guess", "naming", "optimum"):
        assert document[key] is None
        assert isinstance(document[f"{key}_reason"], str)
    assert document["epsilon"]["upper"] == pytest.approx(whole["epsilon"]["upper"])
    assert set(document["delta"]) == set(EPSILONS)
    assert document["renyi"]["2"]["lower"] == pytest.approx(whole["renyi"]["2"]["lower"])
    assert document["last_record"]["prior"] == "1/2"


ANALYSIS = samples.analysis(samples.response())


def written(optimum: Optimum | Unavailable, exact: bool) -> dict[str, Any]:
    document = to_json(replace(ANALYSIS, optimum=optimum), exact)
    return {key: json.loads(json.dumps(document[key])) for key in document if "optimum" in key}


@pytest.mark.parametrize("exact", [False, True])
def test_the_optimum_is_rounded_down_and_the_own_loss_up(exact: bool) -> None:
    seventh, third = Enclosure(F(1, 7), F(1, 7)), Enclosure(F(1, 3), F(2, 3))
    document = written(Optimum(seventh, third, third, third, third, "all"), exact)
    assert set(document) == {"optimum"}
    body = document["optimum"]
    names = {"epsilon", "uniform", "worst", "own_uniform", "own_worst"}
    assert set(body) == names | {"loss", "enclosures", "ranges_over", "note"}
    assert body["loss"] == "l1"
    assert body["ranges_over"] == "all"
    assert set(body["enclosures"]) == names
    for name, ends in body["enclosures"].items():
        side = "lower" if name in ("uniform", "worst") else "upper"
        assert body[name] == ends[side]
        assert isinstance(body[name], str if exact else float)
        truth = (F(1, 7), F(1, 7)) if name == "epsilon" else (F(1, 3), F(2, 3))
        assert F(ends["lower"]) <= truth[0] <= truth[1] <= F(ends["upper"])
        assert F(ends["upper"]) - F(ends["lower"]) < truth[1] - truth[0] + F(1, 10**15)


def test_only_a_wide_optimum_has_a_note() -> None:
    point, wide = Enclosure(F(1), F(1)), Enclosure(F(1), F(2))
    narrow = Optimum(point, point, point, point, point, "all")
    assert "note" not in written(narrow, False)["optimum"]
    vague = replace(narrow, worst=wide)
    assert written(vague, False)["optimum"]["note"] == vague.note is not None


def test_no_optimum_is_null_with_its_reason() -> None:
    assert written(Unavailable("because"), False) == {
        "optimum": None,
        "optimum_reason": "because",
    }
