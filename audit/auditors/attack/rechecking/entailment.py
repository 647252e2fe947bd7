"""Entailment: what follows from the counts that an attack's evidence states, and what can't be."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from audit.auditors.attack.finding.evidence import BINOMIAL, STOPPED, About
from audit.auditors.attack.finding.planting import MOST_PLANTED
from audit.auditors.attack.guessing.floors import takes_distance
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Bets, find_detectable, require_detect
from audit.auditors.attack.rechecking.older_attacks import state_as_before
from audit.auditors.attack.rechecking.stated_attacks import NAME, read_guesses, require_replay
from audit.auditors.attack.veils.causes import describe_leaks, parse_causes
from audit.auditors.effort import Attack
from audit.statements.certificate_json import as_written
from audit.statements.checks import Check, Status, compare_bound
from audit.statements.claim import Claim
from audit.statements.evidence import (
    AttackReplay,
    Decision,
    Evidence,
    SampledWitness,
)
from audit.statements.power import Control, Power, Resolution, find_lack
from audit.subjects.pair import Pair
from synthesizers.errors import InputError

NEAR = 1e-5
"""How far, relatively, p-values and powers may lie apart between versions of scipy: ten times
the step at which a root is left."""

AS_MANY = 1.25
"""By how much the runs that would do may differ: power rises in steps as runs are added, and a
last digit may decide which is the first that is high enough."""

Stated = Power | Control | Resolution


def check_entailment(stated: Evidence, claim: Claim) -> Check:
    """Whether the numbers follow from the counts, as far as anything follows from these."""
    witness = stated.witness
    if isinstance(witness, SampledWitness) and witness.test in (BINOMIAL, STOPPED):
        return _check_counts(stated, witness, claim)
    false = _find_inconsistency(stated, claim)
    if false:
        return Check(NAME, Status.FALSE, false)
    return Check(NAME, Status.UNCHECKED, "it does not follow from counts alone")


def _check_counts(stated: Evidence, witness: SampledWitness, claim: Claim) -> Check:
    """Whether all that is said of a test of one frozen rule follows from the counts."""
    replay = require_replay(stated)
    guesses, distance = read_guesses(witness), witness.pair.distance
    behind = parse_causes(replay.beyond or ())
    if behind and witness.rule.get("leaks") != describe_leaks(behind):
        return Check(NAME, Status.FALSE, "its rule looks behind other leaks than it says")
    about = About(
        claim,
        Attack(
            replay.runs,
            0,
            replay.error,
            replay.alarm,
            detect=replay.detect,
            beyond=behind,
            look=replay.look,
        ),
        Pair(None, None, distance),
        replay.mode,
    )
    stopped = witness.test == STOPPED
    wrong = _find_wrong_size(replay, witness.runs, stopped)
    if wrong:
        return Check(NAME, Status.FALSE, wrong)
    test = about.test_stopped(guesses) if stopped else about.test_all(guesses)
    by = about.stopped if stopped else about.binomial
    refuted = stated.decision is Decision.VIOLATED
    if refuted and replay.fresh_runs not in (None, guesses.runs):
        return Check(NAME, Status.FALSE, "its rule was tested on runs that share processes")
    notes = _read_shared_and_fresh(replay)
    entailed = as_written(about.evidence(None, test, by, notes, stated.control))
    if stated.resolution is not None:
        entailed = state_as_before(replace(entailed, witness=witness), claim)
    for old, new in ((stated.bound, entailed.bound), (stated.strict, entailed.strict)):
        check = compare_bound(NAME, old, new)
        if check.status is not Status.CONFIRMED:
            return check
    if not _is_close(witness.p_value, test.p_value):
        return Check(NAME, Status.FALSE, f"its counts have the p-value {test.p_value:.3g}")
    if stated.control is not None and not _is_of(stated.control, stated.power):
        return Check(NAME, Status.FALSE, "its control is of another leak")
    for part in ("power", "resolution", "control"):
        if not _is_alike(getattr(stated, part), getattr(entailed, part)):
            return Check(NAME, Status.FALSE, f"its {part} does not follow from its counts")
    for part in ("decision", "confidence", "covers", "finding"):
        if getattr(stated, part) != getattr(entailed, part):
            return Check(NAME, Status.FALSE, f"its {part} does not follow from its counts")
    return Check(NAME, Status.CONFIRMED)


def _find_wrong_size(replay: AttackReplay, runs: int, stopped: bool) -> str:
    """Why no attack of its size tests a frozen rule on so many runs; or nothing."""
    if stopped and replay.mode != "curtailed":
        return "its runs ended early, and were not to do so"
    if replay.partial:
        return "an interrupted attack has another test"
    if replay.fresh_runs is not None:
        # They are made besides, as many as it takes.
        return ""
    left = 2 * replay.runs - (replay.learning_runs or 0)
    return "" if runs < left or (runs == left and not stopped) else "so many runs were not made"


def _is_of(control: Control, power: Power | None) -> bool:
    """Whether a control had the leak planted that had to be seen."""
    same = power is not None and control.planted == power.detect
    return same and 0 < control.rate <= MOST_PLANTED


def _find_inconsistency(stated: Evidence, claim: Claim) -> str:
    """What contradicts itself in evidence that can't be made again from counts; or nothing."""
    witness, power = stated.witness, stated.power
    of_nothing = stated.decision in (Decision.UNDECIDED, Decision.SILENT) and power is None
    if stated.decision is Decision.INVALID or of_nothing:
        stray = stated.bound or stated.strict or stated.resolution or witness or power
        return "runs that decide nothing bound nothing" if stray else ""
    if stated.decision is Decision.VIOLATED:
        if not isinstance(witness, SampledWitness):
            return "a violation needs a witness"
        if witness.p_value > require_replay(stated).alarm:
            return "its decision does not follow from its p-value"
    return "" if power is None else _find_impossible(stated, power, claim)


def _find_impossible(stated: Evidence, power: Power, claim: Claim) -> str:
    """What no attack of such a size says of its power; or nothing."""
    replay = require_replay(stated)
    witness = stated.witness if isinstance(stated.witness, SampledWitness) else None
    if power.detect != float(require_detect(claim.guarantee, replay.detect)):
        return "another leak had to be seen"
    if not 0 <= power.runs <= 2 * replay.runs:
        return "so many runs were not made"
    if witness is not None or not takes_distance(claim.guarantee):
        # As if every run had led to a guess, by one rule with all wealth.
        distance = 1 if witness is None else witness.pair.distance
        bets = Bets(claim.guarantee, float(replay.alarm), distance)
        best = find_detectable(bets, Guesses(power.runs, power.runs, 0))
        if power.detectable < best * (1 - NEAR):
            return "so few runs can't see so small a leak"
    if witness is not None:
        lacking = find_lack(witness.p_value, power, stated.control)
        wanted = Decision.UNSEEN if lacking is None else Decision.UNDECIDED
        if stated.decision not in (wanted, Decision.VIOLATED):
            return "its decision does not follow from its power"
    elif stated.decision is Decision.UNSEEN and not power.enough:
        return "its decision does not follow from its power"
    return ""


def _read_shared_and_fresh(replay: AttackReplay) -> dict[str, Any]:
    """How many runs shared processes, and how many did not, where the evidence says so."""
    notes = {"shared_runs": replay.shared_runs, "fresh_runs": replay.fresh_runs}
    stated = [note for note in notes.values() if note is not None]
    if len(stated) == 1:
        raise InputError("the certificate says of some runs alone which processes they had")
    return notes if stated else {}


def _is_close(stated: float, found: float) -> bool:
    return math.isclose(stated, found, rel_tol=NEAR, abs_tol=1e-300)


def _is_alike(stated: Stated | None, found: Stated | None) -> bool:
    """Whether what is said of power is what was found, but for the rounding of doubles.

    ``seconds`` is what the clock of whoever made it said; how many runs would do moves in steps.
    """
    if stated is None or found is None:
        return stated is found
    ours = {name: own for name, own in vars(found).items() if name not in ("needed", "seconds")}
    alike = all(_is_close(getattr(stated, name), own) for name, own in ours.items())
    return type(stated) is type(found) and alike and _is_as_many(stated, found)


def _is_as_many(stated: Stated, found: Stated) -> bool:
    """Whether as many runs are named as would do, within a step or two."""
    needed = [one.needed for one in (stated, found) if isinstance(one, Power)]
    several = [number for number in needed if number is not None]
    if len(several) < len(needed):
        return not several
    return not several or max(several) <= min(several) * AS_MANY
