"""Re-checking: what a certificate says of an attack, as far as it follows from its own counts.

The counts of guesses are trusted only where they are drawn anew; but from counts the floor, the
p-value, the decision and the power follow, and a certificate that says other is false.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any

from audit.auditors.attack.causes import CAUSES, UNRECOGNISED, leaks_in_words, parse_causes
from audit.auditors.attack.evidence import About, Tested, versions
from audit.auditors.attack.floors import (
    BETTOR_SHARE,
    binomial_floor,
    binomial_p_value,
    takes_distance,
)
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.planting import MOST_PLANTED
from audit.auditors.attack.power import (
    OF_BEFORE,
    Bets,
    Binomial,
    find_detectable,
    required_detect,
    unseen_chance,
)
from audit.auditors.attack.replaying import GIVEN, MOST_RUNS, ends_of, is_digest, read_pair
from audit.auditors.effort import Attack
from audit.statements.certificate_json import Document, as_written
from audit.statements.checks import Check, Status, compare_bound
from audit.statements.claim import Claim
from audit.statements.evidence import (
    ALIVE,
    CONTRADICTING,
    AttackReplay,
    Decision,
    Evidence,
    SampledWitness,
    Search,
    Side,
)
from audit.statements.power import Control, Power, Resolution, lack
from audit.statements.reproduce import parse_command
from audit.subjects.pair import Pair
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

NEAR = 1e-5
"""How far, relatively, p-values and powers may lie apart between versions of scipy: ten times
the step at which a root is left."""

AS_MANY = 1.25
"""By how much the runs that would do may differ: power rises in steps as runs are added, and a
last digit may decide which is the first that is high enough."""

BINOMIAL = "exact binomial"

Stated = Power | Control | Resolution

NAME = "evidence of the attack auditor"

REPLAY = "dp-audit replay CERT.json"
"""The command that makes fresh runs: our own word, whatever a certificate states."""


@dataclass(frozen=True)
class Rechecked:
    """What came of an attack's evidence.

    ``evidence``: what is stated, for the verdict that it entails. ``drawn``: whether its runs were
    drawn again, and gave the same. ``weak``: it says that no violation was seen, as was said before
    an attack had to show that its runs see enough, and they do not.
    """

    checks: tuple[Check, ...]
    evidence: Evidence
    drawn: bool
    weak: bool = False


def recheck_attack(stated: Evidence, claim: Claim, again: Evidence | None = None) -> Rechecked:
    """Check an attack's evidence against its own counts, and these against the attack made again.

    ``again``: the evidence of the same attack on the same subject, as it is written; None where it
    was not made. Raises InputError where what is stated is what no attack concludes.

    Guarantee
    ---------
    Of a binomial test nothing is confirmed but what its counts entail, at the errors that the
    evidence states; counts are confirmed only if the same rule had the same counts again. Backed
    by ``tests/audit/auditors/attack/test_rechecking.py``.
    """
    _require_attack(stated)
    _require_search(replay_of(stated).search)
    seen = replace(stated, witness=None)
    if stated.resolution is not None and again is not None:
        again = _as_before(again, claim)
    weak = _is_weak(stated, claim)
    stated, words = _compare_words(stated, again)
    if again is not None and stated.cause is None:
        # Older certificates state none.
        again = replace(again, cause=None)
    if stated == again:
        return Rechecked((*words, Check(NAME, Status.CONFIRMED)), seen, True, weak)
    cause = _check_cause(stated, again)
    checks = (_check_entailment(stated, claim), *words, *cause, _runs(stated, again))
    return Rechecked(checks, seen, checks[-1].status is Status.CONFIRMED, weak)


_OLDER_WORDS = re.compile(r"it guesses [AB] where .+ comes to at (?:least|most) \S+")
"""How rules were told at first."""


def _compare_words(stated: Evidence, again: Evidence | None) -> tuple[Evidence, tuple[Check, ...]]:
    """The evidence in today's words, where it tells the same rule in those of older versions."""
    old, new = stated.witness, None if again is None else again.witness
    if not (isinstance(old, SampledWitness) and isinstance(new, SampledWitness)):
        return stated, ()
    older = all(_OLDER_WORDS.fullmatch(line) for line in old.event)
    if old.digest != new.digest or old.event == new.event or not older:
        return stated, ()
    note = f"this version tells the same rule so: {'; '.join(new.event)}"
    told = Check(f"{NAME}: the rule in words", Status.WORD, note)
    return replace(stated, witness=replace(old, event=new.event)), (told,)


def _check_cause(stated: Evidence, again: Evidence | None) -> tuple[Check, ...]:
    """Whether a stated cause is one; which it is, runs alone tell."""
    if stated.cause is None:
        return ()
    name = f"{NAME}: the cause"
    known = stated.cause.name in (*CAUSES, UNRECOGNISED)
    if not known or stated.decision not in (Decision.VIOLATED, Decision.INVALID):
        return (Check(name, Status.FALSE, "no attack states this cause of this finding"),)
    if again is not None:
        # Whether it is the same, `_runs` compares.
        return ()
    return (
        Check(name, Status.WORD, "read off runs that were not drawn again; no verdict rests on it"),
    )


def attack_of(evidence: Evidence, document: Document) -> Attack | None:
    """The attack of an entry of evidence; None where it would not find the same again.

    Nothing finds the same again without the same versions, where the subject has randomness of its
    own, where the audit was interrupted, where a pair is not carried, or where candidates came from
    a public table, which no certificate carries. Those of other auditors follow from what these
    find again.
    """
    replay, witness, outputs = replay_of(evidence), evidence.witness, document.subject["kind"]
    lasting = replay.repeatable or outputs == "outputs"
    # Without a witness there is no telling whether the pair was given.
    if not lasting or replay.partial or replay.versions != versions():
        return None
    if not isinstance(witness, SampledWitness):
        return None
    stated, pair = witness.pair, None
    searched = replay.search
    if searched is None and stated.pattern not in GIVEN and outputs != "outputs":
        # An older search tried other pairs.
        return None
    if searched is not None and searched.given and _reads_table(document):
        return None
    if stated.pattern in GIVEN and outputs != "outputs":
        if is_digest(stated.first) or is_digest(stated.second):
            return None
        pair = read_pair(stated, document.about)
    if replay.runs > MOST_RUNS:
        raise InputError("the runs of the certificate's attack are more than anybody waits for")
    return Attack(
        replay.runs,
        replay.seed,
        replay.error,
        replay.alarm,
        replay.mode == "anytime",
        pair,
        detect=replay.detect,
        look=replay.look,
        beyond=_named_causes(document),
        min_records=0 if searched is None else searched.min_records,
    )


def _reads_table(document: Document) -> bool:
    """Whether the stated command names a table, or is no command."""
    try:
        return "data" in parse_command(document.reproduce).flags
    except InputError:
        return True


def _named_causes(document: Document) -> tuple[str, ...]:
    """The causes behind which the attacks of a certificate looked from the second one on.

    Those that the user named are among them, and the rest is found again.
    """
    if len(document.attacks) < 2:
        return ()
    return parse_causes(replay_of(document.attacks[1]).beyond or ())


def effort_beside(document: Document) -> Attack | None:
    """How an attack was to be made beside which others looked at what can only be run.

    Its alarm is that of the whole audit. None where a pair was given that is not carried. Raises
    InputError where the stated command is none, or says of no runs.
    """
    command = parse_command(document.reproduce)
    pair = None
    if "pair" in command.flags:
        witness = document.attacks[0].witness if document.attacks else None
        if not isinstance(witness, SampledWitness):
            return None
        if is_digest(witness.pair.first) or is_digest(witness.pair.second):
            return None
        pair = read_pair(witness.pair, document.about)
    runs, seed = command.number("runs"), command.number("seed")
    if runs is None or seed is None or runs > MOST_RUNS:
        raise InputError("the certificate's command does not say how many runs were made")
    error, alarm = (parse_rational(command.value(name), name) for name in ("confidence", "alarm"))
    detect = command.value("detect")
    asked = Attack(
        runs,
        seed,
        1 - error,
        alarm,
        "until-decided" in command.flags,
        pair,
        None if detect is None else parse_rational(detect, "--detect"),
        parse_causes((command.value("beyond") or "").split(","))
        if "beyond" in command.flags
        else (),
        command.number("min-records") or 0,
        data_is_public="data-is-public" in command.flags,
    )
    return asked.at_look(replay_of(document.attacks[0]).look) if document.attacks else asked


def _require_attack(stated: Evidence) -> None:
    """Raise InputError for what is no conclusion of an attack, on a pair by a floor."""
    decisions = {Decision.VIOLATED, Decision.UNSEEN, Decision.INVALID, Decision.UNDECIDED}
    if replay_of(stated).mode == ALIVE:
        decisions = {Decision.UNDECIDED, Decision.SILENT}
    floors = all(
        (bound.side, bound.rigour) == (Side.FLOOR, "statistical")
        for bound in (stated.bound, stated.strict)
        if bound is not None
    )
    if stated.whole or stated.decision not in decisions or not floors:
        raise InputError("the certificate's evidence of an attack concludes what no attack does")


def _require_search(search: Search | None) -> None:
    """Raise InputError for counts of a search that can't be."""
    if search is None:
        return
    if min(vars(search).values()) < 0 or not (
        search.failed <= search.tried <= search.pairs - search.hopeless
        and search.kinds_tried <= search.kinds <= search.pairs
        and search.kinds_tried <= search.tried
        and search.given <= search.pairs
    ):
        raise InputError("the certificate counts more pairs of a search than there were")


def _runs(stated: Evidence, again: Evidence | None) -> Check:
    """What is known of the counts."""
    name, old = f"{NAME}: what the runs gave", stated.witness
    if again is None:
        fresh = "" if old is None else f"; fresh ones: {REPLAY}"
        return Check(name, Status.UNCHECKED, f"they were not drawn again{fresh}")
    new = again.witness
    if isinstance(old, SampledWitness) and isinstance(new, SampledWitness):
        if old.digest != new.digest:
            note = f"run again, the attack chose another rule; fresh runs of this one: {REPLAY}"
            return Check(name, Status.UNCHECKED, note)
        # What follows from the counts, `_check_entailment` compares.
        entailed = ("bound", "strict", "power", "resolution")
        follows = {part: getattr(stated, part) for part in entailed}
        alike = replace(new, p_value=old.p_value) == old
        if alike and replace(again, witness=old, **follows) == stated:
            return Check(name, Status.CONFIRMED)
    return Check(name, Status.FALSE, "drawn again, the runs gave otherwise")


def _check_entailment(stated: Evidence, claim: Claim) -> Check:
    """Whether the numbers follow from the counts, as far as anything follows from these."""
    witness = stated.witness
    if isinstance(witness, SampledWitness) and witness.test == BINOMIAL:
        return _binomial(stated, witness, claim)
    false = _inconsistent(stated, claim)
    if false:
        return Check(NAME, Status.FALSE, false)
    return Check(NAME, Status.UNCHECKED, "it does not follow from counts alone")


def _binomial(stated: Evidence, witness: SampledWitness, claim: Claim) -> Check:
    """Whether all that is said of a binomial test follows from the counts."""
    replay = replay_of(stated)
    guesses, distance = _guesses(witness), witness.pair.distance
    behind = parse_causes(replay.beyond or ())
    if behind and witness.rule.get("leaks") != leaks_in_words(behind):
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
        "batch",
    )
    test = Tested(
        BINOMIAL,
        guesses,
        binomial_p_value(guesses, claim.guarantee, distance),
        binomial_floor(guesses, claim.guarantee, replay.error, distance, about.covers),
        binomial_floor(guesses, claim.guarantee, CONTRADICTING, distance, about.covers),
    )
    refuted = stated.decision is Decision.VIOLATED
    if refuted and replay.fresh_runs not in (None, guesses.runs):
        return Check(NAME, Status.FALSE, "its rule was tested on runs that share processes")
    notes = _shared_and_fresh(replay)
    entailed = as_written(about.evidence(None, test, about.binomial, notes, stated.control))
    if stated.resolution is not None:
        entailed = _as_before(replace(entailed, witness=witness), claim)
    for old, new in ((stated.bound, entailed.bound), (stated.strict, entailed.strict)):
        check = compare_bound(NAME, old, new)
        if check.status is not Status.CONFIRMED:
            return check
    if not _close(witness.p_value, test.p_value):
        return Check(NAME, Status.FALSE, f"its counts have the p-value {test.p_value:.3g}")
    if stated.control is not None and not _is_of(stated.control, stated.power):
        return Check(NAME, Status.FALSE, "its control is of another leak")
    for part in ("power", "resolution", "control"):
        if not _alike(getattr(stated, part), getattr(entailed, part)):
            return Check(NAME, Status.FALSE, f"its {part} does not follow from its counts")
    for part in ("decision", "confidence", "covers", "finding"):
        if getattr(stated, part) != getattr(entailed, part):
            return Check(NAME, Status.FALSE, f"its {part} does not follow from its counts")
    return Check(NAME, Status.CONFIRMED)


def _is_of(control: Control, power: Power | None) -> bool:
    """Whether a control had the leak planted that had to be seen."""
    same = power is not None and control.planted == power.detect
    return same and 0 < control.rate <= MOST_PLANTED


def _is_weak(stated: Evidence, claim: Claim) -> bool:
    """Whether what is stated in the way of before would be undecided today."""
    witness = stated.witness
    if stated.decision is not Decision.UNSEEN or stated.power is not None:
        return False
    if not isinstance(witness, SampledWitness):
        return True
    replay, guesses = replay_of(stated), _guesses(witness)
    alarm = float(replay.alarm * (1 - BETTOR_SHARE))
    seen = find_detectable(Binomial(claim.guarantee, alarm, witness.pair.distance), guesses)
    detect = float(required_detect(claim.guarantee, replay.detect))
    power = Power(seen, detect, unseen_chance(guesses.runs), guesses.runs)
    return lack(witness.p_value, power, None) is not None


def _as_before(entailed: Evidence, claim: Claim) -> Evidence:
    """Evidence as it was stated before an attack had to show what it could have seen."""
    witness = entailed.witness
    if entailed.power is None or not isinstance(witness, SampledWitness):
        return entailed
    alarm = float(replay_of(entailed).alarm * (1 - BETTOR_SHARE))
    test, guesses = Binomial(claim.guarantee, alarm, witness.pair.distance), _guesses(witness)
    seen = find_detectable(test, guesses, OF_BEFORE)
    _, _, told = entailed.finding.partition(": ")
    return replace(
        entailed,
        finding=f"no violation seen: {told}",
        decision=Decision.UNSEEN,
        power=None,
        control=None,
        resolution=Resolution(seen, unseen_chance(guesses.runs), guesses.runs),
    )


def _inconsistent(stated: Evidence, claim: Claim) -> str:
    """What contradicts itself in evidence that can't be made again from counts; or nothing."""
    witness, power = stated.witness, stated.power
    of_nothing = stated.decision in (Decision.UNDECIDED, Decision.SILENT) and power is None
    if stated.decision is Decision.INVALID or of_nothing:
        stray = stated.bound or stated.strict or stated.resolution or witness or power
        return "runs that decide nothing bound nothing" if stray else ""
    if stated.decision is Decision.VIOLATED:
        if not isinstance(witness, SampledWitness):
            return "a violation needs a witness"
        if witness.p_value > replay_of(stated).alarm:
            return "its decision does not follow from its p-value"
    return "" if power is None else _impossible(stated, power, claim)


def _impossible(stated: Evidence, power: Power, claim: Claim) -> str:
    """What no attack of such a size says of its power; or nothing."""
    replay = replay_of(stated)
    witness = stated.witness if isinstance(stated.witness, SampledWitness) else None
    if power.detect != float(required_detect(claim.guarantee, replay.detect)):
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
        lacking = lack(witness.p_value, power, stated.control)
        wanted = Decision.UNSEEN if lacking is None else Decision.UNDECIDED
        if stated.decision not in (wanted, Decision.VIOLATED):
            return "its decision does not follow from its power"
    elif stated.decision is Decision.UNSEEN and not power.enough:
        return "its decision does not follow from its power"
    return ""


def replay_of(stated: Evidence) -> AttackReplay:
    """How the attack of a piece of evidence was made; raises InputError for another auditor's."""
    if not isinstance(stated.replay, AttackReplay):
        raise InputError("the evidence is of no attack")
    return stated.replay


def _guesses(witness: SampledWitness) -> Guesses:
    """The counts, as those of the rule that is stated; raises InputError."""
    if max(witness.runs, witness.pair.distance) > MOST_RUNS:
        raise InputError(f"counts of guesses are whole numbers up to {MOST_RUNS}")
    low, high = ends_of(witness.rule)
    one_sided = low == -math.inf or high == math.inf
    abstains = math.nextafter(low, math.inf) < high
    return Guesses(witness.runs, witness.correct, witness.wrong, one_sided, abstains)


def _shared_and_fresh(replay: AttackReplay) -> dict[str, Any]:
    """How many runs shared processes, and how many did not, where the evidence says so."""
    notes = {"shared_runs": replay.shared_runs, "fresh_runs": replay.fresh_runs}
    stated = [note for note in notes.values() if note is not None]
    if len(stated) == 1:
        raise InputError("the certificate says of some runs alone which processes they had")
    return notes if stated else {}


def _close(stated: float, found: float) -> bool:
    return math.isclose(stated, found, rel_tol=NEAR, abs_tol=1e-300)


def _alike(stated: Stated | None, found: Stated | None) -> bool:
    """Whether what is said of power is what was found, but for the rounding of doubles.

    ``seconds`` is what the clock of whoever made it said; how many runs would do moves in steps.
    """
    if stated is None or found is None:
        return stated is found
    ours = {name: own for name, own in vars(found).items() if name not in ("needed", "seconds")}
    alike = all(_close(getattr(stated, name), own) for name, own in ours.items())
    return type(stated) is type(found) and alike and _as_many(stated, found)


def _as_many(stated: Stated, found: Stated) -> bool:
    """Whether as many runs are named as would do, within a step or two."""
    needed = [one.needed for one in (stated, found) if isinstance(one, Power)]
    several = [number for number in needed if number is not None]
    if len(several) < len(needed):
        return not several
    return not several or max(several) <= min(several) * AS_MANY
