"""The pair of a finding is a smallest one: as few records as show it, of the simplest values."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import dp_audit as dpa
from audit.auditors.components import shrinking
from audit.auditors.components.case import Case
from audit.auditors.components.looking import look
from audit.statements.evidence import Decision
from audit.subjects.pair import Pair
from proofs.guarantees import parse_guarantee
from tests.audit.auditors.components.test_components_auditor import asking

ABOUT = {"neighbours": "add-remove", "cells": 3}


def spends_beyond_two(records, rng):
    """Of more than two records the answer moves by three."""
    size = len(records) if len(records) < 3 else 3 * len(records) - 4
    return size + rng.laplace(scale=2.0)


def scale_beyond_two(records, rng):
    return len(records) + rng.laplace(scale=4.0 if len(records) < 3 else 2.0)


def tells_beyond_two(records, rng):
    noisy = len(records) + rng.laplace(scale=2.0)
    return noisy, len(records) >= 3


def squares_beyond_two(records, rng):
    noise = rng.laplace(scale=2.0)
    return (len(records) if len(records) >= 3 else 2) * noise**3


def seed_beyond_two(records, rng):
    import numpy as np

    own = np.random.default_rng(1) if len(records) >= 2 else rng
    return len(records) + own.laplace(scale=2.0)


KINDS = {
    "spends_beyond_two": "what its calls of noise spend",
    "scale_beyond_two": "scale of noise",
    "tells_beyond_two": "output beside its noisy answers",
    "squares_beyond_two": "data beside noise",
}


@pytest.mark.parametrize("name", KINDS)
def test_two_records_are_left_beside_the_one_that_comes(name):
    found = dpa.components(globals()[name], "epsilon=1", **ABOUT)
    told = [one for one in found.findings if one.decision is not Decision.KEPT and one.pair]
    assert told
    for one in told:
        sizes = sorted((len(one.pair.first), len(one.pair.second)))
        assert sizes == [2, 3], one
        assert {record["cell"] for record in (*one.pair.first, *one.pair.second)} == {"0"}


def case_of(function, pairs, **more) -> Case:
    return Case(asking(function), parse_guarantee("epsilon=1"), pairs, **more)


BIG = Pair([{"cell": "2"}] * 9, [{"cell": "2"}] * 9 + [{"cell": "1"}])
SIMPLE = Pair([], [{"cell": "0"}])


def test_a_pair_is_shrunk_within_so_many_pairs(monkeypatch):
    case = case_of(scale_beyond_two, (BIG, SIMPLE))
    (looked,) = look(case.ask, [BIG], 0)
    asked = []

    def shows(tried):
        asked.append(tried.pair)
        return len(tried.pair.second) >= 3

    kept = shrinking.shrink(case, looked, shows)
    assert (kept.pair.first, kept.pair.second) == ([{"cell": "0"}] * 2, [{"cell": "0"}] * 3)
    assert len(asked) <= shrinking.MOST_TRIED
    asked.clear()
    monkeypatch.setattr(shrinking, "MOST_TRIED", 2)
    shrinking.shrink(case, looked, shows)
    assert len(asked) == 2


@pytest.mark.parametrize(
    "pair",
    [
        Pair([{"cell": "2"}], [{"cell": "1"}]),
        Pair([{"cell": "2"}, {"cell": "1"}], [{"cell": "0"}, {"cell": "1"}, {"cell": "2"}]),
    ],
)
def test_what_is_left_are_neighbours(pair):
    """Also where the databases have the same records in other orders."""
    case = case_of(scale_beyond_two, (pair, SIMPLE))
    (looked,) = look(case.ask, [pair], 0)
    tried = []
    shrinking.shrink(case, looked, lambda one: tried.append(one.pair) is None)
    for one in tried:
        left, right = (Counter(map(json.dumps, side)) for side in (one.first, one.second))
        gone, came = (left - right).total(), (right - left).total()
        assert (gone, came) == (len(pair.first) == len(pair.second), 1)


def test_public_sizes_and_persons_keep_their_records():
    case = case_of(scale_beyond_two, (BIG,), shrinks=False, simplifies=False)
    (looked,) = look(case.ask, [BIG], 0)
    assert shrinking.shrink(case, looked, lambda one: True) is looked
