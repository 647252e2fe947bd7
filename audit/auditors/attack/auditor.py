"""The attack auditor: what repeated runs of a black box show of the claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from threadpoolctl import threadpool_limits

from audit.auditors.attack import anytime, batch
from audit.auditors.attack.aims import Aim
from audit.auditors.attack.attackers import PORTFOLIO
from audit.auditors.attack.behind import veil_attackers
from audit.auditors.attack.betting import along, tally_guesses
from audit.auditors.attack.confirming import Finding, confirm
from audit.auditors.attack.evidence import About, Tested
from audit.auditors.attack.floors import (
    BETTOR_SHARE,
    binomial_floor,
    binomial_p_value,
    claimed_name,
    claimed_value,
)
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.independence import (
    FALSE_ALARM,
    Independence,
    RunsKind,
    examine,
    guard,
    initial,
)
from audit.auditors.attack.naming import name_cause
from audit.auditors.attack.orders import LONGEST
from audit.auditors.attack.places import Places, places_of
from audit.auditors.attack.planting import Planted, plant
from audit.auditors.attack.power import best_bets, find_detectable, required_detect
from audit.auditors.attack.rules import GuessingRule
from audit.auditors.attack.search import describe_search_by_bets, drop_hopeless, search
from audit.auditors.effort import Attack, Watch
from audit.parallel import Map, here
from audit.statements.claim import Claim
from audit.statements.evidence import CONTRADICTING, Evidence
from audit.statements.power import Control
from audit.subjects.black_box import BlackBox
from audit.subjects.failures import describe_failure, unread_always
from audit.subjects.outcomes import count_numbers
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Source, freeze
from synthesizers.errors import InputError, ProtocolError

LEAST_LOOKED_AT = 200
"""Runs on a pair that independence is judged by, at least, where more can be had (the weakest
correlation seen is then some 0.6)."""

MOST_CLAIMED = 1e300
"""The largest claim that is attacked: what is computed of it must be a double."""


@dataclass(frozen=True, eq=False)
class AttackedBox:
    """What is attacked: where its runs come from, and the box itself unless they are given."""

    source: Source
    box: BlackBox | None


def attack_box(
    target: AttackedBox, claim: Claim, attack: Attack, watch: Watch | None = None
) -> Evidence:
    """The evidence of an attack; interrupted, that of the runs made until then, marked partial.

    All that is learned is learned by one thread of linear algebra: of matrices as small as these
    several take longer.

    Raises ProtocolError where every run fails, InputError where there is no pair to attack.

    Guarantee
    ---------
    Of a box that keeps the claim, with independent runs, the decision is VIOLATED with probability
    at most ``attack.alarm``, and the floor exceeds the truth with at most ``attack.error``: one
    rule is tested, on runs that nothing was learned from, or one process bets on guesses that are
    fixed before each run, over all pairs. Where runs share processes, see
    `audit.auditors.attack.confirming.confirm`. Backed by ``benchmarks/coverage.py`` and
    ``tests/audit/auditors/attack/test_auditor.py``.
    """
    if claimed_value(claim.guarantee) > MOST_CLAIMED:
        raise InputError(
            f"an attack can't test a {claimed_name(claim.guarantee)} above {MOST_CLAIMED:g}: no "
            "number of runs would refute it; run it without --runs, or state a smaller claim"
        )
    required_detect(claim.guarantee, attack.detect)
    with threadpool_limits(limits=1, user_api="blas"):
        return _attack_box(target, claim, attack, watch or (lambda done, total, floor: None))


def _attack_box(target: AttackedBox, claim: Claim, attack: Attack, heard: Watch) -> Evidence:
    source, timed = target.source, _Timed(here)
    if isinstance(source, Drawing):
        timed = _Timed(source.share)
        source = replace(source, share=timed)
    heard(0, 2 * attack.runs, 0.0)
    try:
        places = places_of(source, target.box, claim, attack)
    except KeyboardInterrupt:
        mode = "anytime" if attack.until_decided else "batch"
        return About(claim, attack, Pair(None, None), mode).interrupted_evidence()
    attack_at = _bet if attack.until_decided else _certify_in_batch
    finding = attack_at(replace(target, source=source), claim, attack, places, heard)
    evidence = name_cause(confirm(finding, target.source, target.box), finding, target.source)
    if evidence.power is None or not timed.runs_made:
        return evidence
    seconds = float(f"{timed.seconds / timed.runs_made:.3g}")
    return replace(evidence, power=replace(evidence.power, seconds=seconds))


@dataclass(eq=False)
class _Timed:
    """Shares calls out as another does, and heeds the clock: how long blocks of runs took."""

    share: Map
    seconds: float = 0.0
    runs_made: int = 0

    def __call__(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Any:
        """The blocks, in order."""
        blocks = iter(self.share(function, calls))
        while True:
            begun = time.monotonic()
            block = next(blocks, None)
            self.seconds += time.monotonic() - begun
            if block is None:
                return
            self.runs_made += len(block)
            yield block


def _certify_in_batch(
    target: AttackedBox, claim: Claim, attack: Attack, places: Places, watch: Watch
) -> Finding:
    """Batch mode: search, learn, freeze, certify."""
    total = 2 * attack.runs
    about = About(claim, attack, places.pairs[0], "batch")
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (attack.error, attack.alarm))
    number = spent = 0
    try:
        attackers = veil_attackers(PORTFOLIO, attack.beyond)
        if attack.pair is None:
            # A search leaves some two thirds of the runs, of which a quarter is learned from.
            aim = Aim(claim.guarantee, error, alarm, total // 2)
            chosen = search(target.source, places, attackers, aim, total, attack.min_records)
            number, spent = chosen.number, chosen.runs
            about = About(claim, attack, chosen.pair, "batch", chosen.search)
        watch(spent, total, 0.0)
        left = (total - spent) // 2
        learned = batch.learn(
            target.source, about.pair, number, claim.guarantee, error, alarm, left, attackers
        )
    except KeyboardInterrupt:
        return Finding(about, about.interrupted_evidence())
    _require_outputs(learned.learning)
    seen = _judge(target, about.pair, learned.learning, attack.seed)
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
    except KeyboardInterrupt:
        p = min(1.0, bettor.p_value / float(BETTOR_SHARE))
        tested = Tested("e-process", guesses, p, about.floor(bettor.floor))
        bets = about.bets(float(BETTOR_SHARE))
        notes |= _comparison_notes(seen, spent + guesses.runs, p > attack.alarm) | {"partial": True}
        evidence = about.evidence(rule, tested, bets, notes)
        made_until_then = spent + guesses.runs
        return Finding(about, evidence, number, made_until_then, rule, guesses, learned.learning)
    looked_at = Runs.join(kept)
    again = examine(looked_at, attack.seed, rule.score.evaluate(looked_at.outcomes))
    if again.kind is RunsKind.DEPENDENT:
        return Finding(about, about.of_dependence(again), number, total)
    if again.kind is RunsKind.DETERMINISTIC and not attack.beyond:
        again = replace(again, repeatable=seen.repeatable)
        p = about.p_value_of_steady(len(looked_at))
        evidence = about.of_determinism(again, p, about.binomial, guesses)
        return Finding(about, evidence, number, total, learning=learned.learning)
    bound, strict = (
        binomial_floor(guesses, guarantee, error, distance, about.covers)
        for error in (attack.error, CONTRADICTING)
    )
    p = binomial_p_value(guesses, guarantee, distance)
    tested = Tested("exact binomial", guesses, p, bound, strict)
    notes |= _comparison_notes(seen, total, p > attack.alarm)
    control = None if planted is None else _control(about, planted)
    evidence = about.evidence(rule, tested, about.binomial, notes, control)
    return Finding(about, evidence, number, total, rule, guesses, learned.learning)


def _plant(about: About, learned: batch.Learned) -> Planted | None:
    """The control, where its leak could be seen and nothing larger is expected of the rule."""
    rule, learning = learned.choice.rule, learned.learning
    made = rule.count(learning.outcomes, learning.coins).number * learned.certifying
    number = learned.certifying if not rule.abstains else made // max(len(learning), 1)
    expected = Guesses(learned.certifying, number, 0, rule.one_sided, rule.abstains)
    detect = required_detect(about.claim.guarantee, about.attack.detect)
    if learned.choice.prediction.refutes or find_detectable(about.binomial, expected) > detect:
        return None
    attack, error = about.attack, float(about.attack.error * (1 - BETTOR_SHARE))
    aim = Aim(
        about.claim.guarantee, error, about.binomial.alarm, learned.certifying, about.pair.distance
    )
    return plant(detect, learned, about.pair, aim, attack.seed)


def _control(about: About, planted: Planted) -> Control:
    guesses, distance = planted.guesses, about.pair.distance
    p = binomial_p_value(guesses, about.claim.guarantee, distance)
    return planted.control(p <= about.attack.alarm)


def _bet(
    target: AttackedBox, claim: Claim, attack: Attack, places: Places, watch: Watch
) -> Finding:
    """Anytime mode: bet from the first run on."""
    recorded = _Recorded(target.source)
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
    _require_outputs(Runs.join(looked_at.values()))
    told = describe_search_by_bets(places, pairs, looked_at, attack.min_records)
    about = About(claim, attack, pairs[state.pair], "anytime", None if attack.pair else told)
    seen = _judge_all(target, recorded, pairs, state.pair, attack.seed)
    if seen.kind is RunsKind.DEPENDENT:
        return Finding(about, about.of_dependence(seen), state.pair, state.runs)
    rule = rules.get(state.pair)
    on_pair = Runs.join(recorded.kept[state.pair])
    alarm, distance = float(attack.alarm), about.pair.distance
    bets, frequent = best_bets(state.process, alarm, distance, state.runs)
    if seen.kind is RunsKind.DETERMINISTIC and not attack.beyond:
        evidence = about.of_determinism(seen, state.p_value, bets, frequent)
        return Finding(about, evidence, state.pair, state.runs, learning=on_pair)
    notes: dict[str, Any] = {"total_runs": state.runs, "repeatable": seen.repeatable}
    notes |= _comparison_notes(seen, state.runs, state.p_value > attack.alarm) | partial
    tested = Tested("e-process", state.guesses, state.p_value, about.floor(state.floor))
    evidence = about.evidence(rule, tested, bets, notes, frequent=frequent)
    guesses = None if rule is None else rule.count(on_pair.outcomes, on_pair.coins)
    return Finding(about, evidence, state.pair, state.runs, rule, guesses, on_pair)


def _comparison_notes(seen: Independence, shared: int, stands: bool) -> dict[str, int]:
    """How many runs a submission served, and how many first runs they were compared with.

    Nothing where the finding does not stand by these runs: see `audit.auditors.attack.confirming`.
    """
    return {"shared_runs": shared, "fresh_runs": seen.compared} if seen.compared and stands else {}


@dataclass(eq=False)
class _Recorded:
    """A source that keeps what it gave, up to what independence is judged by."""

    source: Source
    kept: dict[int, list[Runs]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)

    def blocks(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Any:
        """As the source's."""
        for block in self.source.blocks(stage, pair, number, runs, start):
            if self.sizes.get(number, 0) < LONGEST:
                self.kept.setdefault(number, []).append(block)
                self.sizes[number] = self.sizes.get(number, 0) + len(block)
            yield block

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """As the source's."""
        return Runs.join(self.blocks(stage, pair, number, runs, start))


def _require_outputs(runs: Runs) -> None:
    """Raise ProtocolError where no run gave an output, or none that can be compared."""
    failed = describe_failure(runs.outcomes)
    if failed is not None:
        raise ProtocolError(
            f"{failed}; a subject that never gives an output can't be audited: check that it runs "
            "on these databases, and that all it reads lies in its own folder"
        )
    unread = unread_always(runs)
    if unread is not None:
        raise ProtocolError(
            f"outputs of type {unread} on both databases hold what can't be compared; return "
            "numbers, text, a table, or lists and mappings of these"
        )


def _judge(
    target: AttackedBox, pair: Pair, runs: Runs, seed: int, error: float = FALSE_ALARM / 3
) -> Independence:
    """Independence of runs on a pair; of a box that can be run, by new calls as well."""
    if target.box is None:
        return examine(runs, seed, error=error)
    return guard(target.box, pair, runs, seed, error=error)


def _judge_all(
    target: AttackedBox, recorded: _Recorded, pairs: Sequence[Pair], leading: int, seed: int
) -> Independence:
    """Independence on every pair that was bet on; more runs are made of the leading one if few."""
    runs = Runs.join(recorded.kept[leading])
    if target.box is not None and len(runs) < LEAST_LOOKED_AT:
        more = LEAST_LOOKED_AT - len(runs)
        runs = Runs.join([runs, target.source.runs("check", pairs[leading], leading, more)])
    # How many runs there are was decided by what they showed, but for a length that was fixed.
    error = FALSE_ALARM / 3 / (1 + len(recorded.kept))
    part, share = (runs, 1.0) if len(runs) == LEAST_LOOKED_AT else initial(runs)
    found = _judge(target, pairs[leading], part, seed, error * share)
    for parts in recorded.kept.values():
        part, share = initial(Runs.join(parts))
        other = examine(part, seed, error=error * share)
        if found.kind is not RunsKind.DEPENDENT and other.kind is RunsKind.DEPENDENT:
            found = other
    return found
