"""Naming: the cause of what an attack refuted, beside its evidence."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from audit.auditors.attack.finding.confirming import Finding
from audit.auditors.attack.finding.evidence import About
from audit.auditors.attack.guessing.floors import claimed_value
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.pairs.given_pairs import REORDERED
from audit.auditors.attack.recognising.cases import PLENTY, Case
from audit.auditors.attack.recognising.recognising import recognise
from audit.auditors.attack.scores.scores import Behind
from audit.auditors.attack.veils.veils import hide
from audit.statements.evidence import Decision, Evidence
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Source
from proofs.guarantees import ApproxDP

MOST_RUNS = 20_000
"""Runs that a cause is read from, at most (a second or two, and what tells shows in fewer)."""


def name_cause(evidence: Evidence, found: Finding, source: Source) -> Evidence:
    """The evidence with the cause of what it refutes; unchanged where it refutes nothing.

    ``source``: makes further runs where only these can tell.
    """
    runs = found.learning
    if evidence.decision is not Decision.VIOLATED or runs is None or not len(runs):
        return evidence
    about, attack = found.about, found.about.attack
    runs = runs.take(np.arange(min(len(runs), MOST_RUNS)))
    aim = Aim(
        about.claim.guarantee, float(attack.error), float(attack.alarm), PLENTY, about.pair.distance
    )
    aligned = _align_runs(about.pair, source, len(runs))
    if found.rule is not None and isinstance(found.rule.score, Behind):
        # What is known already is not named again.
        veils = found.rule.score.veils
        runs = Runs(hide(runs.outcomes, veils), runs.coins)
        aligned = None if aligned is None else Runs(hide(aligned.outcomes, veils), aligned.coins)
    case = Case(found.rule, runs, about.pair, aim, _factor(evidence, about), aligned)
    return replace(evidence, cause=recognise(case))


def _factor(evidence: Evidence, about: About) -> float:
    """The floor over the claim, in the claim's own parameter; 0 where that says nothing of noise.

    With a δ, a larger ε at the same δ is no measure of the noise.
    """
    guarantee, bound = about.claim.guarantee, evidence.bound
    claimed = float(claimed_value(guarantee))
    if bound is None or not claimed or (isinstance(guarantee, ApproxDP) and guarantee.delta):
        return 0.0
    value = bound.epsilon if bound.parameter is None else bound.parameter[1]
    return float(value.lower) / claimed


def _align_runs(pair: Pair, source: Source, runs: int) -> Runs | None:
    """Runs on the pair with what both databases hold in the same places; None where it is so."""
    if pair.pattern != REORDERED or not isinstance(source, Drawing):
        return None
    # Runs of their own: they decide nothing.
    return source.runs("check", align_pair(pair), 0, runs)


def align_pair(pair: Pair) -> Pair:
    """The pair with the records that both databases hold in front, in one order."""
    first, second = pair.first, pair.second
    left, right = ({id(r): _text(r) for r in records} for records in (first, second))
    shared = Counter(left[id(r)] for r in first) & Counter(right[id(r)] for r in second)
    ends = _in_front(first, left, shared), _in_front(second, right, shared)
    return replace(pair, first=ends[0], second=ends[1], pattern="given")


def _in_front(records: list[Any], texts: dict[int, str], shared: Counter[str]) -> list[Any]:
    room = Counter(shared)
    front: list[Any] = []
    back: list[Any] = []
    for record in records:
        text = texts[id(record)]
        (front if room[text] > 0 else back).append(record)
        room[text] -= 1
    return [*sorted(front, key=lambda record: texts[id(record)]), *back]


def _text(record: Any) -> str:
    return json.dumps(record, sort_keys=True)
