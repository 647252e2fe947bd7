"""Re-checking: what a certificate says of one run, as far as it follows from its own guesses.

The run is not made again: no certificate says what a training gave. From its seed follow the coins,
from these and the guesses their counts, and from the counts all that is concluded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from audit.auditors.one_run.concluding import INCLUSION, NAME, PAIRS, PRESENCE, Setup, conclude
from audit.auditors.one_run.guessing import (
    IN,
    NONE,
    OUT,
    count_right,
    guess_presence,
    tell_guesses,
)
from audit.auditors.one_run.planning import Plan
from audit.statements.assumptions import say_the_same
from audit.statements.certificate_json import Document, as_written
from audit.statements.checks import Check, Status, compare_bound, worst
from audit.statements.evidence import Evidence, OneRunReplay
from audit.statements.reproduce import parse_command
from audit.subjects.coins import draw_coins
from audit.subjects.split_release import RESTS_ON as RELEASE
from audit.subjects.split_release import ReleaseSubject, split_release
from audit.subjects.training import RESTS_ON as TRAINING
from synthesizers.errors import InputError

NEAR = 0.02
"""How far, relatively, p-values and limits may lie apart: weights are searched in doubles, and the
last digit of one may lead to others."""

GUESSES = f"{NAME}: the guesses"


def recheck_one_run(document: Document) -> Iterator[Check]:
    """The checks of a certificate's one finding, and of the verdict that rests on it.

    Guarantee
    ---------
    Nothing is confirmed but what the stated guesses entail, with the coins of the stated seed, or
    with those of the split's files where these lie here; guesses themselves are confirmed by such
    files alone. Backed by ``tests/audit/auditors/one_run/test_rechecking.py``.
    """
    if len(document.evidence) != 1 or document.evidence[0].auditor != NAME:
        yield Check("the list of evidence", Status.FALSE, "one run is one finding, and no other")
        return
    stated = document.evidence[0]
    replay, release = stated.replay, document.subject["kind"] == "release"
    wrong = _find_misfit(document, replay)
    if wrong or not isinstance(replay, OneRunReplay):
        yield Check(NAME, Status.FALSE, wrong)
        return
    if not say_the_same(document.assumptions, RELEASE if release else TRAINING):
        yield Check("assumptions", Status.FALSE, "they are not those that the verdict rests on")
    guesses = _recheck_release(document, replay) if release else _recheck_coins(replay)
    yield guesses
    yield _recheck_conclusion(document, stated, replay)
    known = guesses.status is Status.CONFIRMED and release
    name = f"verdict {document.verdict.value}"
    if guesses.status is Status.FALSE:
        yield Check(name, Status.FALSE, "it rests on guesses that are not those of the certificate")
    elif known:
        yield Check(name, Status.CONFIRMED)
    else:
        yield Check(name, Status.UNCHECKED, "it rests on a run that was not made again")


def _find_misfit(document: Document, replay: object) -> str:
    """What no audit of one run states; empty where it may be one."""
    if not isinstance(replay, OneRunReplay) or not replay.runs:
        return "it does not say how coins were guessed"
    kind, public = document.subject["kind"], document.about.neighbours.records_public
    if kind not in ("training", "release") or not document.unit.is_record:
        return "one run is that of a training or a release, with a canary a record"
    designs = (PRESENCE if kind == "release" else INCLUSION, None if kind == "release" else PAIRS)
    if replay.design != designs[public]:
        return "coins decide otherwise under these neighbours"
    shown = [one.made is not None for one in replay.runs]
    if kind == "release" and (any(shown) or replay.seed or len(replay.runs) > 1):
        return "of confidential records it states neither coins nor guesses"
    if kind == "training" and not (all(shown) and replay.seed):
        return "the coins or the guesses are missing"
    if any(one.right > replay.guesses for one in replay.runs) or replay.guesses > replay.canaries:
        return "more guesses are right than were made"
    return ""


def _recheck_coins(replay: OneRunReplay) -> Check:
    """Whether the counts are those of the stated guesses, and of the coins of the seed."""
    for run, one in enumerate(replay.runs):
        made = one.made or ""
        counts = [made.count(mark) for mark in (IN, OUT, NONE)]
        if len(made) != replay.canaries or counts[0] + counts[1] != replay.guesses:
            return Check(GUESSES, Status.FALSE, "they are more or fewer than it says")
        if replay.design == INCLUSION and counts[1] != replay.guesses // 2:
            return Check(GUESSES, Status.FALSE, "they are not in and out in equal shares")
        if hashlib.sha256(made.encode("ascii")).hexdigest() != one.sha256:
            return Check(GUESSES, Status.FALSE, "their digest differs")
        if count_right(made, draw_coins(replay.seed, run, replay.canaries)) != one.right:
            return Check(GUESSES, Status.FALSE, "with the coins of its seed, others are right")
    note = "right as often as stated, by the coins of the seed; the run was not made again"
    return Check(GUESSES, Status.UNCHECKED, note)


def _recheck_release(document: Document, replay: OneRunReplay) -> Check:
    """Whether they are those of the release and the split, where both lie in this folder."""
    subject = _find_release(document)
    if subject is None:
        note = "the release and its split do not lie in this folder as they were"
        return Check(GUESSES, Status.UNCHECKED, note)
    places = subject.canaries
    made = guess_presence(subject.scores(), replay.guesses, subject.split.seed)
    found = tell_guesses(made, subject.split.chosen[places], shown=False)
    if len(places) != replay.canaries or (found,) != replay.runs:
        return Check(GUESSES, Status.FALSE, "the release and its split give others")
    return Check(GUESSES, Status.CONFIRMED)


def _find_release(document: Document) -> ReleaseSubject | None:
    """The subject by its files; None unless these are the stated ones, and of this folder."""
    here, name = Path.cwd().resolve(), document.subject["name"]
    try:
        split = parse_command(document.reproduce).value("split")
        paths = [Path(name.removeprefix("outputs:")), Path(split or "")]
        if not all(path.is_file() and path.resolve().is_relative_to(here) for path in paths):
            return None
        subject = split_release(name, str(split))
    except InputError:
        return None
    return subject if subject.to_json() == dict(document.subject) else None


def _recheck_conclusion(document: Document, stated: Evidence, replay: OneRunReplay) -> Check:
    """Whether what is concluded follows from the counts."""
    try:
        setup = Setup(
            document.about,
            replay.design,
            replay.seed,
            replay.canaries,
            len(replay.runs),
            replay.error,
            replay.alarm,
            "records" if document.subject["kind"] == "release" else "canaries",
            Fraction(replay.detect),
            replay.guesses,
        )
        plan: Plan = setup.plan()
        again = as_written(conclude(setup, plan, replay.runs))
    except InputError as error:
        return Check(NAME, Status.FALSE, str(error))
    if again == stated:
        return Check(NAME, Status.CONFIRMED)
    assert isinstance(again.replay, OneRunReplay)
    own, others = _numbers(replay), _numbers(again.replay)
    far = [key for key in own if abs(own[key] - others[key]) > NEAR * others[key]]
    if stated.decision is not again.decision:
        return Check(NAME, Status.FALSE, f"its counts entail: {again.decision.value}")
    if far or replay.detected != again.replay.detected:
        return Check(NAME, Status.FALSE, f"its {(far or ['detected'])[0]} does not follow")
    for key in ("covers", "whole", "confidence"):
        if getattr(stated, key) != getattr(again, key):
            return Check(NAME, Status.FALSE, f"its {key} does not follow from its counts")
    note = "in words or last digits, it is told otherwise today"
    return worst(
        compare_bound(NAME, stated.bound, again.bound), Check(NAME, Status.UNCHECKED, note)
    )


def _numbers(replay: OneRunReplay) -> Mapping[str, float]:
    named: tuple[str, ...] = ("p_value", "limit", "accuracy")
    return {name: getattr(replay, name) for name in named}
