"""Exact laws of outputs, where all that is drawn is coins and choices."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import dp_audit as dpa
from audit.auditors.components.asking import ask_live
from audit.auditors.components.outcomes import find_laws
from audit.auditors.components.recording.hearing import listen_to
from audit.auditors.components.recording.running import Listened, run
from audit.auditors.components.recording.tape import Tape
from audit.statements.evidence import Decision
from audit.subjects.subject import LiveObject
from tests.audit.auditors.components import chance_functions
from tests.audit.auditors.components.chance_functions import BROKEN, KEPT, LEFT_OPEN

RECORDS = [{"cell": "0"}, {"cell": "1"}]


def examine(name, claim, relation):
    function = getattr(chance_functions, name)
    return dpa.components(function, claim, neighbours=relation, cells=3, records=3)


def find_law(name):
    function = getattr(chance_functions, name)
    ask = ask_live(LiveObject(function, "function", {}, None, None), name, ())
    laws = find_laws(ask, [RECORDS], 0)
    return None if laws is None else laws[0]


@pytest.mark.parametrize(("name", "claim", "relation"), KEPT)
def test_an_honest_function_keeps_its_claim(name, claim, relation):
    found = examine(name, claim, relation)
    assert [one.decision for one in found.findings] == [Decision.KEPT] * len(found.findings), found
    assert found.lines_spending


@pytest.mark.parametrize(("name", "claim", "relation"), BROKEN)
def test_a_wrong_function_is_named_with_its_line(name, claim, relation):
    found = examine(name, claim, relation)
    assert found.exit_code == 1, found
    against = [one for one in found.findings if one.violated]
    assert any("chance_functions.py:" in str(one.responsible) for one in against)
    assert all(one.pair is not None for one in against)


@pytest.mark.parametrize(("name", "claim", "relation"), LEFT_OPEN)
def test_what_is_not_followed_is_left_open(name, claim, relation):
    found = examine(name, claim, relation)
    assert found.exit_code == 3, found


def test_the_law_of_coins_is_exact():
    law = find_law("flipped")
    tails, heads = Fraction(0.27), 1 - Fraction(0.27)
    assert law == {
        (None, "'list 2'", "1", "0"): heads**2,
        (None, "'list 2'", "1", "1"): heads * tails,
        (None, "'list 2'", "0", "0"): heads * tails,
        (None, "'list 2'", "0", "1"): tails**2,
    }


def test_the_law_of_a_ranking_is_the_exponential_mechanism():
    law = find_law("gumbel_halved")
    weights = [math.exp(score) for score in (1, 1, 0)]
    expected = [weight / sum(weights) for weight in weights]
    assert [float(law[None, str(place)]) for place in range(3)] == pytest.approx(expected)


def test_both_ways_to_permute_and_flip_have_one_law():
    ways = [find_law(name) for name in ("permute_and_flip", "exponential_max")]
    told = [[float(way[key]) for key in sorted(way)] for way in ways]
    assert told[0] == pytest.approx(told[1], rel=1e-12)


@pytest.mark.parametrize("name", ["coin_unseen", "coin_unseen_in_part", "choice_of_a_seed"])
def test_there_is_no_law_of_what_is_not_seen(name):
    assert find_law(name) is None


NAMES = sorted({name for name, _, _ in (*KEPT, *BROKEN, *LEFT_OPEN)})


@pytest.mark.parametrize("name", NAMES)
def test_recording_changes_no_bit_of_an_output(name):
    function = getattr(chance_functions, name)
    listened = Listened(function, function.__code__.co_filename)
    plain = [run(listened, RECORDS, seed, None) for seed in range(5)]
    with listen_to(()):
        recorded = [run(listened, RECORDS, seed, Tape()) for seed in range(5)]
    assert [one.error for one in plain] == [None] * 5
    assert [one.output for one in recorded] == [one.output for one in plain]
