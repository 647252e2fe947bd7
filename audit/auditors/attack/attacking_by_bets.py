"""Attacking by bets: every run is bet on before it is drawn, until the claim is refuted."""

from __future__ import annotations

from typing import Any

from audit.auditors.attack.attacked import (
    AttackedBox,
    Recorded,
    judge_all,
    note_comparison,
    require_outputs,
)
from audit.auditors.attack.finding.confirming import Finding
from audit.auditors.attack.finding.evidence import About, Tested
from audit.auditors.attack.guessing.power import find_best_bets
from audit.auditors.attack.independence.independence import RunsKind
from audit.auditors.attack.learning import anytime
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.search import describe_search_by_bets, drop_hopeless
from audit.auditors.effort import Attack, Watch
from audit.statements.claim import Claim
from audit.subjects.runs import Runs


def attack_by_bets(
    target: AttackedBox, claim: Claim, attack: Attack, places: Places, watch: Watch
) -> Finding:
    """Anytime mode: bet from the first run on."""
    recorded = Recorded(target.source)
    aim = Aim(claim.guarantee, float(attack.error), float(attack.alarm), 2 * attack.runs)
    pairs = drop_hopeless(places.pairs, aim)
    state: anytime.Anytime | None = None
    rules: dict[int, GuessingRule] = {}
    partial: dict[str, Any] = {}
    try:
        for state in anytime.attack(
            recorded,
            pairs,
            claim.guarantee,
            float(attack.error),
            float(attack.alarm),
            attack.runs,
            True,
            causes=attack.beyond,
        ):
            if state.rule is not None:
                rules[state.pair] = state.rule
            watch(state.runs, 2 * attack.runs, state.floor)
    except KeyboardInterrupt:
        partial = {"partial": True}
    if state is None:
        about = About(claim, attack, pairs[0], "anytime")
        return Finding(about, about.interrupted_evidence())
    looked_at = {number: Runs.join(parts) for number, parts in recorded.kept.items()}
    require_outputs(Runs.join(looked_at.values()))
    told = describe_search_by_bets(places, pairs, looked_at, attack.min_records)
    about = About(claim, attack, pairs[state.pair], "anytime", None if attack.pair else told)
    seen = judge_all(target, recorded, pairs, state.pair, attack.seed)
    if seen.kind is RunsKind.DEPENDENT:
        return Finding(about, about.of_dependence(seen), state.pair, state.runs)
    rule = rules.get(state.pair)
    on_pair = Runs.join(recorded.kept[state.pair])
    alarm, distance = float(attack.alarm), about.pair.distance
    bets, frequent = find_best_bets(state.process, alarm, distance, state.runs)
    if seen.kind is RunsKind.DETERMINISTIC and not attack.beyond:
        evidence = about.of_determinism(seen, state.p_value, bets, frequent)
        return Finding(about, evidence, state.pair, state.runs, learning=on_pair)
    notes: dict[str, Any] = {"total_runs": state.runs, "repeatable": seen.repeatable}
    notes |= note_comparison(seen, state.runs, state.p_value > attack.alarm) | partial
    tested = Tested("e-process", state.guesses, state.p_value, about.floor(state.floor))
    evidence = about.evidence(rule, tested, bets, notes, frequent=frequent)
    guesses = None if rule is None else rule.count(on_pair.outcomes, on_pair.coins)
    return Finding(about, evidence, state.pair, state.runs, rule, guesses, on_pair)
