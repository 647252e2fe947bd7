"""Certifying in batch: a rule is learned, frozen, and tested once on runs of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from audit.auditors.attack.attacked import AttackedBox, judge_runs, note_comparison, require_outputs
from audit.auditors.attack.finding.confirming import Finding
from audit.auditors.attack.finding.evidence import About, Tested
from audit.auditors.attack.finding.planting import Planted, plant
from audit.auditors.attack.guessing.betting import along, tally_guesses
from audit.auditors.attack.guessing.floors import BETTOR_SHARE
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import find_detectable, require_detect
from audit.auditors.attack.guessing.stopping import is_futile, is_look, stopped_p_value
from audit.auditors.attack.independence.independence import Independence, RunsKind, examine
from audit.auditors.attack.independence.orders import LONGEST
from audit.auditors.attack.learning import batch
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import PORTFOLIO
from audit.auditors.attack.learning.behind import veil_attackers
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.search import search
from audit.auditors.effort import Attack, Watch
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.subjects.outcomes import count_numbers
from audit.subjects.runs import Runs, freeze


def certify_in_batch(
    target: AttackedBox, claim: Claim, attack: Attack, places: Places, watch: Watch
) -> Finding:
    """Batch mode: search, learn, freeze, certify."""
    total = 2 * attack.runs
    about = About(claim, attack, places.pairs[0], attack.mode)
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (attack.error, attack.alarm))
    number = spent = 0
    try:
        attackers = veil_attackers(PORTFOLIO, attack.beyond)
        if attack.pair is None:
            # A search leaves some two thirds of the runs, of which a quarter is learned from.
            aim = Aim(claim.guarantee, error, alarm, total // 2)
            chosen = search(target.source, places, attackers, aim, total, attack.min_records)
            number, spent = chosen.number, chosen.runs
            about = About(claim, attack, chosen.pair, attack.mode, chosen.search)
        watch(spent, total, 0.0)
        left = (total - spent) // 2
        learned = batch.learn(
            target.source, about.pair, number, claim.guarantee, error, alarm, left, attackers
        )
    except KeyboardInterrupt:
        return Finding(about, about.interrupted_evidence())
    require_outputs(learned.learning)
    seen = judge_runs(target, about.pair, learned.learning, attack.seed)
    made = spent + len(learned.learning)
    if seen.kind is RunsKind.DEPENDENT:
        return Finding(about, about.of_dependence(seen), number, made)
    if seen.kind is RunsKind.DETERMINISTIC and not attack.beyond:
        p = about.p_value_of_steady(len(learned.learning))
        if p <= attack.alarm:
            evidence = about.of_determinism(seen, p, about.binomial, Guesses(0, 0, 0))
            return Finding(about, evidence, number, made, learning=learned.learning)
    return _test(target, about, number, learned, seen, watch)


def _test(
    target: AttackedBox,
    about: About,
    number: int,
    learned: batch.Learned,
    seen: Independence,
    watch: Watch,
) -> Finding:
    """The certify runs: a binomial test at their end, a bettor for whoever can't wait.

    A control is heeded beside them: its rule is learned before, and meets them as this one does.
    """
    attack, guarantee, distance = about.attack, about.claim.guarantee, about.pair.distance
    rule, total = learned.choice.rule, 2 * attack.runs
    spent = total - learned.certifying
    bettor = along(guarantee, distance, rule.one_sided, float(attack.error * BETTOR_SHARE))
    guesses = Guesses(0, 0, 0, rule.one_sided, rule.abstains)
    kept: list[Runs] = []
    source = freeze(target.source, rule.digest())
    notes: dict[str, Any] = {
        "attacker": learned.choice.attacker,
        "learning_runs": len(learned.learning),
        "repeatable": seen.repeatable,
        "numbers": count_numbers(learned.learning.outcomes),
    }
    planted: Planted | None = None
    try:
        planted = _plant(about, learned)
        for block, guesses in batch.certify(source, about.pair, number, learned):
            made = rule.guesses(block.outcomes)
            bettor = bettor.after(tally_guesses(made, block.coins)[None, None])
            if planted is not None:
                planted.heed(block)
            if sum(map(len, kept)) < LONGEST:
                kept.append(block)
            watch(spent + guesses.runs, total, bettor.floor)
            if attack.stop_early and _may_end(about, len(block), guesses, learned, planted):
                break
    except KeyboardInterrupt:
        p = min(1.0, bettor.p_value / float(BETTOR_SHARE))
        tested = Tested("e-process", guesses, p, about.floor(bettor.floor))
        bets = about.bets(float(BETTOR_SHARE))
        notes |= note_comparison(seen, spent + guesses.runs, p > attack.alarm) | {"partial": True}
        evidence = about.evidence(rule, tested, bets, notes)
        made_until_then = spent + guesses.runs
        return Finding(about, evidence, number, made_until_then, rule, guesses, learned.learning)
    stopped, runs = guesses.runs < learned.certifying, spent + guesses.runs
    test = about.stopped if stopped else about.binomial
    looked_at = Runs.join(kept)
    again = examine(looked_at, attack.seed, rule.score.evaluate(looked_at.outcomes))
    if again.kind is RunsKind.DEPENDENT:
        return Finding(about, about.of_dependence(again), number, runs)
    if again.kind is RunsKind.DETERMINISTIC and not attack.beyond:
        again = replace(again, repeatable=seen.repeatable)
        p = about.p_value_of_steady(len(looked_at))
        evidence = about.of_determinism(again, p, test, guesses)
        return Finding(about, evidence, number, runs, learning=learned.learning)
    tested = about.test_stopped(guesses) if stopped else about.test_all(guesses)
    notes |= note_comparison(seen, runs, tested.p_value > attack.alarm)
    control = None if planted is None else planted.control(test)
    evidence = about.evidence(rule, tested, test, notes, control)
    return Finding(about, evidence, number, runs, rule, guesses, learned.learning)


def _may_end(
    about: About, block: int, guesses: Guesses, learned: batch.Learned, planted: Planted | None
) -> bool:
    """Whether the runs may end with this block: the claim is refuted, or will not be.

    It will not be where those left are not expected to refute it, and the runs until now say what
    all of them were to say: a leak of the size asked for would have been refuted by them, and so
    was the one that is planted.
    """
    guarantee, distance = about.claim.guarantee, about.pair.distance
    if stopped_p_value(guesses, guarantee, distance) <= about.attack.alarm:
        return True
    if not is_look(guesses.runs - block, guesses.runs, learned.certifying):
        return False
    if not is_futile(guesses, learned.certifying, about.binomial):
        return False
    control = None if planted is None else planted.control(about.stopped)
    tested = about.test_stopped(guesses)
    seen = about.evidence(learned.choice.rule, tested, about.stopped, {}, control)
    return seen.decision is Decision.UNSEEN


def _plant(about: About, learned: batch.Learned) -> Planted | None:
    """The control, where its leak could be seen and nothing larger is expected of the rule."""
    rule, learning = learned.choice.rule, learned.learning
    made = rule.count(learning.outcomes, learning.coins).number * learned.certifying
    number = learned.certifying if not rule.abstains else made // max(len(learning), 1)
    expected = Guesses(learned.certifying, number, 0, rule.one_sided, rule.abstains)
    detect = require_detect(about.claim.guarantee, about.attack.detect)
    if learned.choice.prediction.refutes or find_detectable(about.binomial, expected) > detect:
        return None
    attack, error = about.attack, float(about.attack.error * (1 - BETTOR_SHARE))
    aim = Aim(
        about.claim.guarantee, error, about.binomial.alarm, learned.certifying, about.pair.distance
    )
    return plant(detect, learned, about.pair, aim, attack.seed)
