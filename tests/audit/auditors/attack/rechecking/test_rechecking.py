"""Re-checking an attack's evidence: what its counts entail, and every way to say other."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from scipy.stats import beta, binom

from audit.auditors.attack.finding import evidence as attack_evidence
from audit.auditors.attack.guessing.floors import binomial_floor, binomial_p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Binomial, find_detectable
from audit.auditors.attack.rechecking.rechecking import Rechecked, recheck_attack
from audit.statements.certificate_json import decode_evidence, encode
from audit.statements.checks import Status
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import CONTRADICTING, Bound, Evidence, SampledWitness, Side
from audit.subjects.pair import Pair
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

Document = dict[str, Any]
ERROR, ALARM = Fraction(1, 20), Fraction(1, 10**6)
RULE: Document = {"score": "single", "low": -0.5, "high": 1.5}


def claim_of(text: str) -> Claim:
    return Claim(parse_guarantee(text), AddRemove(), "output", None, None)


def stated(
    text: str = "epsilon=1",
    guesses: Guesses | None = None,
    distance: int = 1,
    rule: Document = RULE,
) -> Document:
    """The evidence of a batch attack, as its auditor makes it."""
    found = guesses or Guesses(1000, 900, 20)
    claim = claim_of(text)
    about = attack_evidence.About(
        claim, attack_evidence.Attack(2000, 1, ERROR, ALARM), Pair(0, 1, distance), "batch"
    )
    floors = [
        binomial_floor(found, claim.guarantee, error, distance, about.covers)
        for error in (ERROR, CONTRADICTING)
    ]
    p = binomial_p_value(found, claim.guarantee, distance)
    test = attack_evidence.Tested("exact binomial", found, p, *floors)
    evidence = about.evidence(None, test, about.binomial, {})
    witness = SampledWitness(
        about.pair.show(),
        rule,
        "sha256:" + "0" * 64,
        ("said",),
        test.test,
        found.runs,
        found.correct,
        found.wrong,
        p,
    )
    whole = replace(evidence, witness=witness)
    document: Document = json.loads(json.dumps(encode(whole)))
    return document


def read(document: Document) -> Evidence:
    return decode_evidence(document)


def recheck(
    document: Document, text: str = "epsilon=1", again: Document | None = None
) -> Rechecked:
    return recheck_attack(read(document), claim_of(text), None if again is None else read(again))


def statuses(
    document: Document, text: str = "epsilon=1", again: Document | None = None
) -> list[Status]:
    return [check.status for check in recheck(document, text, again).checks]


SEVERAL = [
    ("epsilon=1", Guesses(1000, 900, 20), 1, RULE),
    ("epsilon=1", Guesses(1000, 700, 280), 1, RULE),
    ("epsilon=1/10", Guesses(1000, 700, 280), 22, RULE),
    ("epsilon=1, delta=1e-3", Guesses(1000, 900, 20), 1, RULE),
    ("rho=1/2", Guesses(1000, 990, 2), 1, RULE),
    ("mu=1", Guesses(1000, 100, 20, True), 1, {**RULE, "low": "-inf"}),
    ("mu=1", Guesses(1000, 800, 200, False, False), 2, {**RULE, "low": 0, "high": 5e-324}),
    ("alpha=2, rdp=1", Guesses(1000, 10, 0, True), 1, {**RULE, "high": "inf"}),
    ("epsilon=1", Guesses(1000, 0, 0), 1, RULE),
]


@pytest.mark.parametrize(("text", "guesses", "distance", "rule"), SEVERAL)
def test_what_follows_from_the_counts_is_confirmed_and_the_counts_are_not(
    text: str, guesses: Guesses, distance: int, rule: Document
) -> None:
    document = stated(text, guesses, distance, rule)
    assert statuses(document, text) == [Status.CONFIRMED, Status.UNCHECKED]
    found = recheck(document, text)
    assert not found.drawn and "dp-audit replay CERT.json" in found.checks[1].note
    data = encode(found.evidence)
    parts = ("decision", "bound", "strict", "power", "confidence", "whole", "covers")
    assert {part: data.get(part) for part in parts} == {p: document.get(p) for p in parts}


def test_the_numbers_are_those_of_textbooks() -> None:
    """900 right, 20 wrong: at ε = 1, σ(1) of guesses may be right; nine tenths of each error."""
    document = stated()
    accuracy = beta.ppf(0.05 * 0.9, 900, 21)
    least = math.log(accuracy / (1 - accuracy))
    assert float(document["bound"]["epsilon"]["lower"]) == pytest.approx(least, rel=1e-6)
    p = binom.sf(899, 920, math.e / (1 + math.e)) / 0.9
    assert document["witness"]["p_value"] == pytest.approx(p, rel=1e-6)
    strict = beta.ppf(1e-9 * 0.9, 900, 21)
    least = math.log(strict / (1 - strict))
    assert float(document["strict"]["epsilon"]["lower"]) == pytest.approx(least, rel=1e-6)


GONE = object()


def change(document: Document, path: tuple[str, ...], value: Any) -> Document:
    found = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return found


UNSEEN = stated(guesses=Guesses(1000, 700, 280))
FEW = stated(guesses=Guesses(60, 35, 15))
SUSPECT = stated(guesses=Guesses(1000, 780, 200))


@pytest.mark.parametrize(
    ("document", "path", "value"),
    [
        (stated(), ("bound", "epsilon", "lower"), "3.9"),
        (stated(), ("bound", "epsilon", "upper"), "9"),
        (stated(), ("bound",), None),
        (stated(), ("bound", "covers"), "all pairs"),
        (stated(), ("strict",), GONE),
        (stated(), ("witness", "p_value"), 1e-70),
        (stated(), ("witness", "correct"), 901),
        (stated(), ("witness", "wrong"), 19),
        (stated(), ("witness", "pair", "distance"), 2),
        (stated(), ("decision",), "no violation seen"),
        (stated(), ("confidence",), "0.99"),
        (stated(), ("confidence",), None),
        (stated(), ("replay", "error"), "1/100"),
        (stated(), ("power",), UNSEEN["power"]),
        (stated(), ("covers",), "all pairs"),
        (UNSEEN, ("decision",), "violated"),
        (UNSEEN, ("power",), GONE),
        (UNSEEN, ("power", "detectable"), 1.0),
        (UNSEEN, ("power", "detect"), 9.0),
        (UNSEEN, ("power", "delta"), 1e-9),
        (UNSEEN, ("power", "runs"), 10**6),
        (UNSEEN, ("power", "needed"), 10),
        (UNSEEN, ("resolution",), {"detectable": 1.5, "delta": 0.006, "runs": 1000}),
        (UNSEEN, ("control",), {"planted": 1.5, "rate": 0.5, "refuted": True}),
        (UNSEEN, ("control",), {"planted": 2.0, "rate": 0.9, "refuted": True}),
        (UNSEEN, ("control",), {"planted": 2.0, "rate": 0.5, "refuted": False}),
        (UNSEEN, ("replay", "detect"), "9"),
        (FEW, ("decision",), "no violation seen"),
        (FEW, ("power", "detectable"), 1.9),
        (FEW, ("power", "detect"), 9.0),
        (FEW, ("power", "needed"), 1),
        (FEW, ("power", "needed"), GONE),
        (SUSPECT, ("decision",), "no violation seen"),
        (UNSEEN, ("replay", "alarm"), "9/10"),
        (stated(), ("finding",), "nothing was seen"),
        (stated("epsilon=1", Guesses(1000, 880, 120), 2), ("covers",), "the pair of neighbours"),
    ],
)
def test_whatever_does_not_follow_from_the_counts_is_false(
    document: Document, path: tuple[str, ...], value: Any
) -> None:
    assert statuses(change(document, path, value))[0] is Status.FALSE


@pytest.mark.parametrize(("part", "floor"), [("bound", "3.2"), ("strict", "2")])
def test_a_floor_that_is_lower_than_the_counts_entail_is_true(part: str, floor: str) -> None:
    """An older certificate may have been made by a looser bound."""
    assert statuses(change(stated(), (part, "epsilon", "lower"), floor))[0] is Status.CONFIRMED
    assert statuses(change(stated(), (part, "epsilon", "lower"), "9"))[0] is Status.FALSE


def test_the_rate_of_runs_matters_where_the_claim_has_a_delta() -> None:
    text = "epsilon=1, delta=1e-3"
    document = stated(text, Guesses(1000, 900, 20))
    assert statuses(document, text)[0] is Status.CONFIRMED
    assert statuses(change(document, ("witness", "runs"), 10_000), text)[0] is Status.FALSE
    one_sided = change(document, ("witness", "rule", "low"), "-inf")
    assert statuses(one_sided, text)[0] is Status.FALSE
    sure = stated("mu=1", Guesses(1000, 800, 200, False, False), 1, {**RULE, "low": 1, "high": 2})
    assert statuses(sure, "mu=1")[0] is Status.FALSE


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("decision",), "holds"),
        (("decision",), 3),
        (("whole",), True),
        (("bound", "side"), "exact"),
        (("bound", "rigour"), "exact"),
        (("bound", "epsilon"), {"lower": "x", "upper": "inf"}),
        (("strict", "side"), "ceiling"),
        (("witness", "runs"), -5),
        (("witness", "runs"), 10**30),
        (("witness", "correct"), 10**9),
        (("witness", "correct"), 1.0),
        (("witness", "p_value"), None),
        (("witness", "p_value"), True),
        (("strict",), None),
        (("power",), None),
        (("witness", "rule"), None),
        (("witness", "rule", "low"), "nan"),
        (("witness", "pair"), []),
        (("witness", "pair", "distance"), 0),
        (("replay", "error"), "2"),
        (("replay", "alarm"), None),
        (("replay",), 3),
        (("resolution",), {"detectable": "x", "delta": 0, "runs": 3}),
        (("power",), {"detectable": "x", "detect": 2, "delta": 0, "runs": 3}),
        (("power",), {"detectable": 1, "detect": 2, "delta": 0, "runs": -3}),
        (("control",), {"planted": 2, "rate": 7, "refuted": True}),
        (("control",), {"planted": 2, "rate": 0.5, "refuted": "yes"}),
        (("finding",), None),
    ],
)
def test_malformed_evidence_is_an_input_error_or_false(path: tuple[str, ...], value: Any) -> None:
    document = change(stated(), path, value)
    if path == ("finding",):
        del document["finding"]
    try:
        found = statuses(document)
    except InputError:
        return
    assert found[0] is Status.FALSE


@pytest.mark.parametrize("key", list(stated()))
def test_evidence_without_a_key_is_an_input_error_or_false(key: str) -> None:
    document = {name: value for name, value in stated().items() if name != key}
    try:
        found = statuses(document)
    except InputError:
        return
    assert found[0] is Status.FALSE


def betting(**changed: Any) -> Document:
    document = change(stated(), ("witness", "test"), "e-process")
    del document["strict"]
    document["witness"]["p_value"] = 1e-7
    for key, value in changed.items():
        document[key] = value
    return document


def test_what_was_bet_does_not_follow_from_counts() -> None:
    assert statuses(betting()) == [Status.UNCHECKED, Status.UNCHECKED]
    weak = betting()
    weak["witness"]["p_value"] = 1e-3
    assert statuses(weak)[0] is Status.FALSE
    assert statuses(betting(witness=None))[0] is Status.FALSE


def test_an_invalid_run_with_a_bound_contradicts_itself() -> None:
    void = betting(decision="invalid run", bound=None, confidence=None, witness=None)
    assert statuses(void) == [Status.UNCHECKED, Status.UNCHECKED]
    assert "replay" not in recheck(void).checks[1].note
    for part in ("bound", "witness", "power"):
        stray = {**void, part: (UNSEEN if part == "power" else stated())[part]}
        assert statuses(stray)[0] is Status.FALSE


def test_the_same_attack_made_again_confirms_the_counts() -> None:
    document = stated()
    found = recheck(document, again=document)
    assert [check.status for check in found.checks] == [Status.CONFIRMED] and found.drawn
    # The last digits of numbers may differ between machines.
    near = change(document, ("witness", "p_value"), document["witness"]["p_value"] * (1 + 1e-9))
    assert statuses(document, again=near) == [Status.CONFIRMED, Status.CONFIRMED]
    assert recheck(document, again=near).drawn
    assert statuses(betting(), again=betting()) == [Status.CONFIRMED]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("witness", "correct"), 880),
        (("witness", "wrong"), 40),
        (("witness", "runs"), 1001),
        (("witness", "event"), ["other words"]),
        (("witness", "pair", "first"), 7),
        (("finding",), "something kinder"),
        (("replay", "seed"), 2),
        (("decision",), "no violation seen"),
        (("witness",), None),
    ],
)
def test_an_attack_made_again_with_another_result_shows_the_counts_to_be_false(
    path: tuple[str, ...], value: Any
) -> None:
    again = change(stated(), path, value)
    found = recheck(stated(), again=again)
    assert found.checks[1].status is Status.FALSE and not found.drawn


def test_another_rule_says_nothing_of_this_ones_counts() -> None:
    """What is learned may differ in its last digits on another machine."""
    again = change(stated(), ("witness", "digest"), "sha256:" + "1" * 64)
    assert statuses(stated(), again=again) == [Status.CONFIRMED, Status.UNCHECKED]


def test_the_confidence_is_the_decimal_below_one_minus_the_error() -> None:
    third = Fraction(1, 3)
    document = stated()
    floor = binomial_floor(
        Guesses(1000, 900, 20), parse_guarantee("epsilon=1"), third, 1, document["covers"]
    )
    document["bound"], document["replay"]["error"] = encode(floor), "1/3"
    document["confidence"] = "0.666666666666"
    assert statuses(document)[0] is Status.CONFIRMED


def test_a_floor_of_the_wrong_parameter_is_false() -> None:
    document = stated("mu=1", Guesses(1000, 700, 200))
    own = Bound(Side.FLOOR, Enclosure(Fraction(0), math.inf), document["covers"], "statistical")
    assert statuses({**document, "bound": encode(own)}, "mu=1")[0] is Status.FALSE


def test_the_decisions_of_the_examples_are_those_they_are_named_for() -> None:
    assert UNSEEN["decision"] == "no violation seen" and "needed" not in UNSEEN["power"]
    assert FEW["decision"] == "undecided" and FEW["finding"].startswith("too few runs")
    assert SUSPECT["decision"] == "undecided" and SUSPECT["finding"].startswith("suspicious")
    for document in (UNSEEN, FEW, SUSPECT):
        assert statuses(document) == [Status.CONFIRMED, Status.UNCHECKED]


def test_the_seconds_of_a_run_are_no_part_of_what_is_compared() -> None:
    timed = change(UNSEEN, ("power", "seconds"), 0.5)
    assert read(timed) == read(UNSEEN)
    assert statuses(timed, again=UNSEEN) == [Status.CONFIRMED]


def test_older_evidence_is_read_and_does_not_pass_for_having_seen_enough() -> None:
    """With a resolution in place of power: its runs may be too few, and it does not say so."""
    old = {key: value for key, value in FEW.items() if key != "power"}
    old |= {
        "decision": "no violation seen",
        "finding": "no violation seen: " + FEW["finding"].partition(": ")[2],
        "resolution": {"detectable": 4.0, "delta": 0.1, "runs": 60},
    }
    assert statuses(old)[0] is Status.FALSE
    seen = find_detectable(Binomial(parse_guarantee("epsilon=1"), 0.9e-6), Guesses(60, 50, 0), 0.8)
    old["resolution"]["detectable"] = seen
    assert statuses(old) == [Status.CONFIRMED, Status.UNCHECKED]
    assert recheck(old).weak and recheck(old, again=FEW).weak
    assert not recheck(UNSEEN).weak and not recheck(FEW).weak


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("power", "detect"), 30.0),
        (("power", "detectable"), 1.01),
        (("power", "runs"), 10**9),
        (("decision",), "undecided"),
    ],
)
def test_power_that_bets_can_not_have_is_false(path: tuple[str, ...], value: Any) -> None:
    power = {**UNSEEN["power"], "detectable": 1.9}
    document = change(betting(decision="no violation seen"), ("power",), power)
    document["witness"]["p_value"] = 0.5
    assert statuses(document)[0] is Status.UNCHECKED
    assert statuses(change(document, path, value))[0] is Status.FALSE


def test_a_cause_stands_beside_the_numbers_and_only_runs_tell_it_again() -> None:
    document = stated()
    document["cause"] = {"name": "low-bits", "seen": "the low bits of the output"}
    assert statuses(document) == [Status.CONFIRMED, Status.WORD, Status.UNCHECKED]
    assert statuses(document, again=document) == [Status.CONFIRMED]
    other = copy.deepcopy(document)
    other["cause"]["name"] = "order"
    assert statuses(document, again=other)[-1] is Status.FALSE


@pytest.mark.parametrize("name", ["sunspots", ""])
def test_a_cause_that_is_none_is_false(name: str) -> None:
    document = stated()
    document["cause"] = {"name": name, "seen": "so it is"}
    assert Status.FALSE in statuses(document)


def test_what_refutes_nothing_has_no_cause() -> None:
    document = stated(guesses=Guesses(1000, 700, 280))
    document["cause"] = {"name": "low-bits", "seen": "so it is"}
    assert Status.FALSE in statuses(document)


def behind(leaks: str = "the leak of low bits") -> Document:
    document = stated(rule={**RULE, "score": "behind", "leaks": leaks})
    document["replay"]["beyond"] = ["low-bits"]
    words = " behind the leak of low bits"
    for part in ("bound", "strict"):
        document[part]["covers"] += f",{words}"
    document["covers"] += f",{words}"
    document["finding"] = f"{words[1:]}: {document['finding']}"
    return document


def test_what_was_found_behind_a_leak_says_so_in_its_rule_and_in_what_it_covers() -> None:
    assert statuses(behind())[0] is Status.CONFIRMED
    assert statuses(behind("the leak of the schema"))[0] is Status.FALSE
    document = behind()
    document["covers"] = "the pair of neighbours tested"
    assert statuses(document)[0] is Status.FALSE
    document = behind()
    document["replay"]["beyond"] = ["sunspots"]
    with pytest.raises(InputError, match="no cause 'sunspots'"):
        recheck(document)


def early(runs: int = 1000, mode: str = "curtailed", **replay: Any) -> Document:
    """The evidence of an attack of 4,000 runs that stopped early."""
    found = Guesses(runs, 700, runs - 700)
    attack = attack_evidence.Attack(2000, 1, ERROR, ALARM, stop_early=True)
    about = attack_evidence.About(claim_of("epsilon=1"), attack, Pair(0, 1, 1), mode)
    tested = about.test_stopped(found)
    evidence = about.evidence(None, tested, about.stopped, {"repeatable": True, **replay})
    p = tested.p_value
    witness = SampledWitness(
        about.pair.show(),
        RULE,
        "sha256:" + "0" * 64,
        ("said",),
        tested.test,
        runs,
        700,
        runs - 700,
        p,
    )
    document: Document = json.loads(json.dumps(encode(replace(evidence, witness=witness))))
    return document


@pytest.mark.parametrize(
    ("document", "status"),
    [
        (early(learning_runs=2999), Status.CONFIRMED),
        (early(learning_runs=3000), Status.FALSE),
        (early(4000), Status.FALSE),
        (early(mode="batch"), Status.FALSE),
        (early(mode="anytime"), Status.FALSE),
    ],
)
def test_runs_that_stopped_early_are_fewer_than_planned(document: Document, status: Status) -> None:
    assert statuses(document)[0] is status


def test_an_interrupted_attack_has_no_test_of_one_rule() -> None:
    for document in (stated(), early()):
        assert statuses(document)[0] is Status.CONFIRMED
        document["replay"]["partial"] = True
        assert statuses(document)[0] is Status.FALSE
