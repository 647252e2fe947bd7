"""Data independence of what can only be run: functions, estimators, commands.

The examination runs where the subject does. What it finds is the word of that process: a subject
that wants to deceive can hide there, or accuse itself, and nothing is proved by a clean answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from audit.auditors.attack.independence.first_runs import FirstRuns
from audit.auditors.attack.pairs.encodings import find_encodings
from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.data_independence.case import MOST_PAIRS, length
from audit.auditors.data_independence.facets import Facet
from audit.auditors.data_independence.inside import (
    VISIBLE,
    Asked,
    Examination,
    Inside,
    answer,
    wrap_form,
)
from audit.auditors.data_independence.looking import (
    LookingFromOutside,
    look_from_within,
    look_in_a_copy,
)
from audit.auditors.data_independence.pairs import list_neighbours
from audit.auditors.data_independence.separation import LEARNING
from audit.auditors.data_independence.subjects import AuditedFunction, Left
from audit.auditors.effort import Effort
from audit.auditors.registry import LeftOut
from audit.statements import strict_json
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour
from audit.statements.limits import Limits
from audit.statements.shares import SHARES
from audit.subjects.black_box import BlackBox
from audit.subjects.command import CommandBox
from audit.subjects.forked import call_forked
from audit.subjects.isolated import IsolatedBox, put_inside, read_text
from audit.subjects.outputs import OutputsBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.served import AloneBox, ServedBox
from audit.subjects.specs import Spec
from audit.subjects.subject import BlackBoxSubject, LiveObject
from synthesizers.errors import CannotFork, InputError, ProtocolError
from synthesizers.neighbours import describe

NAME = "data independence"

OF_OUTPUT = frozenset((Facet.OUTCOME, Facet.SCHEMA, Facet.ROWS, Facet.VALUES, Facet.EXCEPTIONS))
"""What a call hands to its caller, and a claim speaks of: what it returns, or raises. The rest can
be seen of a run by whoever sees more than that, and not of a command, from outside."""

RUNS_OF_TIME = 10
"""So many times what one run may take is what an examination may take (ten minutes, where nobody
says otherwise; a subject whose every run hangs is left to the attack)."""

MOST_FINDINGS = 100
"""Of one examination: there is one a facet, and one of what was read."""

Ask = Callable[[Examination], tuple[Finding, ...]]


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """What tells neighbours apart beside noise: each facet that did, then all others in one.

    Raises LeftOut where there are no databases to look at, where the runs are too few, and where
    no examination comes to its end.

    Guarantee
    ---------
    VIOLATED only of what a call gives its caller, and only if a second examination, whose runs
    are each the first of a copy of a new process, says the same of the same pair with other
    random numbers: of a subject that keeps the claim with a chance of at most the share of the
    alarm, if its runs are independent. Whatever the subject's process sends, pairs are neighbours
    under the claim, and texts are short and printable. Backed by
    ``tests/audit/auditors/data_independence/test_black_boxes.py``.
    """
    attack = effort.require_attack()
    asked = _plan(subject, claim, effort)
    ask, visible = _choose_way_to_ask(subject, claim)
    try:
        found = ask(asked)
        against = [one for one in found if _is_against_claim(one)]
        again = ask(_repeat(asked, against)) if against else ()
    except (ProtocolError, InputError) as error:
        raise LeftOut(str(error)) from None
    repeated = {(one.responsible, _words(one)) for one in again if _is_against_claim(one)}
    hidden = subject.live is None and attack.pair is not None and not attack.data_is_public
    for one in found:
        stands = (one.responsible, _words(one)) in repeated
        yield _state(one, asked, stands, hidden)
    yield _find_rest(asked, [facet for facet in Facet if facet in visible], found)


def _plan(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Examination:
    attack = effort.require_attack()
    budget = attack.runs_beside
    if budget < 2 + 4 * LEARNING:
        raise LeftOut(f"a tenth of the runs is too few: give --runs {5 * (2 + 4 * LEARNING)}")
    # Smaller pairs would be none of the user's, of another size where it is public, or too small.
    chosen = attack.pair is not None or attack.min_records > 0
    pairs = (attack.pair,) if attack.pair is not None else _list_pairs(subject, claim, effort)
    if not pairs:
        raise LeftOut("without a domain or a pair there are no databases to look at")
    return Examination(
        claim.guarantee,
        claim.neighbours,
        pairs,
        attack.seed,
        float(attack.alarm * SHARES[NAME]),
        budget,
        not chosen and not (claim.neighbours.records_public and claim.records is not None),
        look_from_within,
    )


def _list_pairs(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> tuple[Pair, ...]:
    """As many as half of the budget is enough for, in the encodings that the subject reads."""
    if claim.domain is None:
        return ()
    attack, box = effort.require_attack(), subject.box
    assert not isinstance(box, OutputsBox)
    most, least = min(MOST_PAIRS, attack.runs_beside // (2 * LEARNING)), attack.min_records
    source = Drawing(box, Seeds(attack.seed, attack.look), effort.share)
    encodings = find_encodings(source, claim, least)
    return list_neighbours(claim, most, least, encodings)


def _repeat(asked: Examination, against: Sequence[Finding]) -> Examination:
    """The examination of the telling pairs alone, in copies of a process, by other numbers."""
    shown = {str(one.pair): one.pair for one in against if one.pair is not None}
    pairs = tuple(Pair(pair.first, pair.second, 1, NAME, True) for pair in shown.values())
    return replace(asked, pairs=pairs, seed=asked.seed + 1, shrinks=False, look=look_in_a_copy)


def _choose_way_to_ask(subject: BlackBoxSubject, claim: Claim) -> tuple[Ask, frozenset[Facet]]:
    """How the examination reaches the subject, and what it sees of it."""
    box: Any = subject.box
    match box:
        case _ if subject.live is not None:
            return lambda asked: read_answer(
                _ask_live(subject.live, subject.name, asked), claim
            ), VISIBLE
        case IsolatedBox(python=None):
            return lambda asked: read_answer(_ask_process(box, asked), claim), VISIBLE
        case CommandBox() | ServedBox() | AloneBox():
            # Of one that serves, too, each run is looked at in a process of its own.
            served = box.served if isinstance(box, AloneBox) else box
            command = served.command if isinstance(served, ServedBox) else served
            return lambda asked: _look_from_outside(command, asked), OF_OUTPUT
        case IsolatedBox():
            # Nothing of ours looks on in another interpreter.
            return lambda asked: _look_from_outside(_alone(box, asked), asked), OF_OUTPUT
    raise LeftOut("nobody can look at it as it runs")


def _ask_process(box: IsolatedBox, asked: Examination) -> str:
    """The answer of a new process of a named subject, in the same confinement as its runs."""
    spec = Spec(box.subject, box.form, dict(box.parameters), None, box.rows, box.columns)
    process = put_inside(box, Inside, RUNS_OF_TIME * box.seconds)
    pair = Pair(Asked(spec, asked, box.seconds), None)
    return read_text(process.draw_afresh(pair, np.zeros(1, np.bool_), 0), process.seconds)


def _ask_live(live: LiveObject | None, name: str, asked: Examination) -> str:
    """The answer of a copy of this process; of this process where it can't be copied.

    What this process says of the caller's own code nothing confirms, so that it is repeated in
    copies or not at all.
    """
    assert live is not None
    seconds = Limits().seconds
    seen = wrap_form(live.given, live.form, live.parameters, live.rows, live.columns, name)
    try:
        text = call_forked(lambda: answer(seen, asked, seconds), RUNS_OF_TIME * seconds)
    except CannotFork:
        if asked.look is look_in_a_copy:
            return json.dumps({"findings": []})
        text = answer(seen, asked, seconds)
    return str(text)


def _look_from_outside(box: BlackBox, asked: Examination) -> tuple[Finding, ...]:
    outside = replace(asked, look=LookingFromOutside(box))
    subject = AuditedFunction(box.name, lambda database, rng: Left(None), None, True)
    return tuple(outside.findings(subject))


def _alone(box: IsolatedBox, asked: Examination) -> BlackBox:
    """The box, each run of which is the only one of its process where copies were asked for."""
    return FirstRuns(box) if asked.look is look_in_a_copy else box


def read_answer(text: str, claim: Claim) -> tuple[Finding, ...]:
    """The findings of an answer; raises ProtocolError for anything else.

    A pair must be of neighbours under the claim.

    Guarantee
    ---------
    Whatever the text, what is read is findings of this auditor, on neighbours under the claim, with
    short and printable texts. Backed by
    ``tests/audit/auditors/data_independence/test_black_boxes.py``.
    """
    no_answer = ProtocolError("the examined process sent something else than findings")
    try:
        document = strict_json.loads(text)
        strict_json.require_shallow(document)
        match document:
            case {"refused": str(why), **rest} if not rest:
                told: Any = "".join(c if c.isprintable() else "?" for c in why[:MOST_WORDS])
            case {"findings": list(told), **rest} if not rest and len(told) <= MOST_FINDINGS:
                return tuple(_require_own(Finding.from_report_json(one), claim) for one in told)
            case _:
                raise no_answer
    except (ValueError, RecursionError):
        raise no_answer from None
    raise ProtocolError(told)


MOST_WORDS = 500
"""The most characters of a process's own words that are shown."""

_ABOUT = {facet.value for facet in Facet} | {"data read outside measurements"}


def _require_own(finding: Finding, claim: Claim) -> Finding:
    """A finding of this auditor on neighbours under the claim; raises ValueError for another."""
    if finding.auditor != NAME or finding.about not in _ABOUT:
        raise ValueError("a finding of another auditor")
    if finding.pair is not None:
        pair = finding.pair
        given_pair(pair.first, pair.second, claim.neighbours, claim.domain, records=claim.records)
    return finding


def _is_against_claim(one: Finding) -> bool:
    """Whether it says that what a call gives tells neighbours apart better than is claimed."""
    of_output = {facet.value for facet in OF_OUTPUT}
    return one.violated and one.about in of_output and one.rigour is Rigour.STATISTICAL


def _words(one: Finding) -> str:
    """What was found, without the number of runs that showed it."""
    return one.found.rpartition(", in ")[0]


def _state(one: Finding, asked: Examination, stands: bool, hidden: bool) -> Finding:
    """A finding in this side's words, but for what was found.

    ``hidden``: it is about databases of the user, of which nothing is told.
    """
    decision, found = one.decision, one.found
    if hidden:
        found = "it tells the two given databases apart; --data-is-public shows how"
    if stands:
        decision = Decision.VIOLATED
        found += ", and again in processes of their own"
    return Finding(
        auditor=NAME,
        about=one.about,
        decision=decision,
        declared=f"the same on neighbours, or as private as {asked.guarantee}",
        found=found,
        rigour=one.rigour,
        covers=_covers(asked),
        again=one.again,
        pair=None if hidden else one.pair,
        responsible=None if hidden else one.responsible,
        error=None if one.rigour is Rigour.EXACT else asked.alarm,
    )


def _find_rest(asked: Examination, facets: Sequence[Facet], found: Sequence[Finding]) -> Finding:
    """All facets of which nothing was found, in one finding."""
    seen = {one.about for one in found}
    rest = ", ".join(facet.value for facet in facets if facet.value not in seen)
    return Finding(
        auditor=NAME,
        about="what can be seen of a run",
        decision=Decision.KEPT,
        declared=f"the same on neighbours, or as private as {asked.guarantee}",
        found=f"no difference beyond noise in {2 * LEARNING} runs of a pair: {rest}",
        rigour=Rigour.STATISTICAL,
        covers=_covers(asked),
        again="",
        error=asked.alarm,
    )


def _covers(asked: Examination) -> str:
    pairs = len(asked.pairs)
    largest = max(max(length(pair.first), length(pair.second)) for pair in asked.pairs)
    return (
        f"at most {pairs} {'pair' if pairs == 1 else 'pairs'} of neighbours "
        f"({describe(asked.neighbours)}), of at most {largest} records, in at most {asked.budget} "
        "runs; by the word of the process that ran the subject"
    )
