"""Confirming: what runs that share processes show against a subject, tested on first runs.

An honest subject may draw its randomness where it is loaded, so that runs of one process, or forks
of it, have noise in common. Neither REFUTED nor INVALID RUN rests on such runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from audit.auditors.attack.finding.evidence import About
from audit.auditors.attack.guessing.floors import BETTOR_SHARE
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.independence.first_runs import (
    FEWEST,
    FirstRuns,
    count_enough_steady,
    enough,
    shares,
)
from audit.auditors.attack.independence.independence import RunsKind, examine
from audit.auditors.attack.scores.rules import GuessingRule
from audit.parallel import here
from audit.statements.evidence import AttackReplay, Decision, Evidence
from audit.subjects.black_box import Starting
from audit.subjects.failures import describe_failure
from audit.subjects.runs import Drawing, Runs, Seeds, Source, freeze
from synthesizers.errors import ProtocolError

SHARED = (
    "runs of one process share something, such as a generator made when the program was loaded; "
    "it must take fresh entropy in each run"
)


@dataclass(frozen=True, eq=False)
class Finding:
    """What an attack found, with what it takes to confirm it.

    ``number``: the pair's, of the search. ``runs``: how many were made. ``rule``: the frozen one,
    with its ``guesses`` in these runs; None where no guesses were tested. ``learning``: runs on the
    pair that did not test the rule, from which its cause is read.
    """

    about: About
    evidence: Evidence
    number: int = 0
    runs: int = 0
    rule: GuessingRule | None = None
    guesses: Guesses | None = None
    learning: Runs | None = None


def confirm(finding: Finding, source: Source, box: object) -> Evidence:
    """The evidence as it stands where each run is the only one of its process.

    It is that of the finding, unless it speaks against a box whose runs share processes and may
    owe it to that. Raises ProtocolError where all first runs fail.

    Guarantee
    ---------
    Of a box that keeps the claim when each run has a process of its own, whatever runs of one
    process have in common, the decision is VIOLATED with probability at most ``attack.alarm``, and
    INVALID with at most the error of `examine`: the rule, the number of first runs and the one
    test that is made of them were settled before, by other runs. Backed by
    ``tests/audit/auditors/attack/finding/test_confirming.py``.
    """
    stated, about = finding.evidence, finding.about
    against = stated.decision in (Decision.VIOLATED, Decision.INVALID)
    assert isinstance(stated.replay, AttackReplay)
    if not (against and shares(box, stated.replay.repeatable)):
        return stated
    notes: dict[str, Any] = {
        "repeatable": stated.replay.repeatable,
        "shared_runs": finding.runs,
        "fresh_runs": 0,
    }
    if stated.partial:
        return about.of_sharing(f"{stated.finding}; {_NOT_YET}", notes | {"partial": True})
    wanted = _count_first_runs(finding)
    if wanted is None:
        return about.of_sharing(f"{stated.finding}; {_TOO_MANY}", notes)
    try:
        rule = "" if finding.rule is None else finding.rule.digest()
        first = _make_first_runs(freeze(source, rule), box, about, finding.number, wanted)
    except KeyboardInterrupt:
        return about.of_sharing(f"{stated.finding}; {_NOT_YET}", notes | {"partial": True})
    failed = describe_failure(first.outcomes)
    if failed is not None:
        raise ProtocolError(
            f"{box.name}: {failed}, where each had a process of its own; a submission that serves "
            "must also run by version 1 of the protocol"
        )
    return _judge(finding, first, notes | {"fresh_runs": wanted})


_NOT_YET = "seen in runs that share processes; interrupted before runs in processes of their own"
_TOO_MANY = (
    "seen in runs that share processes; too many runs in processes of their own would be needed to "
    "confirm it"
)


def _count_first_runs(finding: Finding) -> int | None:
    """How many first runs are made; None where none of a bearable number would do."""
    about = finding.about
    guarantee, distance = about.claim.guarantee, about.pair.distance
    alarm = float(about.attack.alarm * (1 - BETTOR_SHARE))
    if finding.evidence.decision is Decision.INVALID:
        return FEWEST
    if finding.rule is None:
        return count_enough_steady(guarantee, alarm, distance)
    assert finding.guesses is not None
    return enough(finding.guesses, guarantee, alarm, distance)


def _make_first_runs(source: Source, box: Starting, about: About, number: int, runs: int) -> Runs:
    if isinstance(source, Drawing):
        drawing = replace(source, box=FirstRuns(box))
    else:
        drawing = Drawing(FirstRuns(box), Seeds(about.attack.seed, about.attack.look), here)
    return drawing.runs("confirm", about.pair, number, runs)


def _judge(finding: Finding, first: Runs, notes: dict[str, Any]) -> Evidence:
    """What first runs say: of a rule its one test, without a rule whether they are steady."""
    about, attack = finding.about, finding.about.attack
    rule = finding.rule
    score = None if rule is None else rule.score.evaluate(first.outcomes)
    seen = replace(examine(first, attack.seed, score), repeatable=notes["repeatable"])
    if seen.kind is RunsKind.DEPENDENT:
        return about.of_dependence(seen, notes)
    if rule is None:
        p = about.p_value_of_steady(len(first)) if seen.kind is RunsKind.DETERMINISTIC else 1.0
        if p <= attack.alarm:
            return about.of_determinism(seen, p, about.binomial, Guesses(0, 0, 0), notes)
        told = "do not show it"
        if seen.kind is RunsKind.DETERMINISTIC:
            told = "gave one output on each database, which the claim allows so few"
    else:
        guesses = rule.count(first.outcomes, first.coins)
        tested = about.test_all(guesses)
        if tested.p_value <= attack.alarm:
            return about.evidence(rule, tested, about.binomial, notes)
        told = f"do not confirm it ({guesses.correct} of {guesses.number} guesses right)"
    return about.of_sharing(
        f"{finding.evidence.finding}; seen in runs that share processes, and {len(first)} runs in "
        f"processes of their own {told}: {SHARED}",
        notes,
    )
