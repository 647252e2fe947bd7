"""Revisions: two versions of one submission, and what the second shows that the first did not.

What became better or worse is what is *shown*, in the submission's favour. A floor is what an
attack came upon: one that is lower shows no smaller leak, and it is judged only where it lies above
what the other version cannot exceed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from audit.review.rereading import Reread, bounded_parameter, claimed_parameter
from audit.statements.decimals import Enclosure, Extended
from audit.statements.evidence import Bound, Decision, Side, Verdict
from audit.statements.isolation import FILESYSTEMS, NETWORKS, PROCESSES

RANKS = (
    Verdict.PROVED,
    Verdict.EXACT,
    Verdict.NOT_REFUTED,
    Verdict.UNDECIDED,
    Verdict.REFUTED,
)
"""Verdicts, the most that is shown for a claim first; the others say nothing of it."""


class Turn(Enum):
    """What became of a statement. OPEN: it changed, and neither version's is the better one."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    OPEN = "changed"


@dataclass(frozen=True)
class Change:
    """A statement of both versions, and what became of it; ``why`` where that needs a word."""

    statement: str
    turn: Turn
    why: str = ""


@dataclass(frozen=True)
class Revision:
    """Two versions of one subject, made of other code, with one claim."""

    before: Reread
    after: Reread
    changes: tuple[Change, ...]


def find_revisions(entries: Sequence[Reread]) -> tuple[Revision, ...]:
    """Those versions of one subject that follow each other among believed certificates."""
    last: dict[Any, Reread] = {}
    revisions = []
    for entry in entries:
        key = _identity(entry)
        before = last.get(key)
        if before is not None and _differ_in_code(before, entry):
            revisions.append(Revision(before, entry, _changes(before, entry)))
        last[key] = entry
    return tuple(revisions)


def code_digests(entry: Reread) -> tuple[str, ...]:
    """The digests of what a subject is made of; none of one that is built in."""
    subject = entry.document.subject
    keys = ("sources_sha256", "source_sha256", "sha256", "split_sha256")
    stated = [subject.get(key) for key in keys]
    return tuple(
        digest
        for value in stated
        if value is not None
        for digest in (value if isinstance(value, list | tuple) else [value])
    )


def _identity(entry: Reread) -> Any:
    claim, subject = entry.certificate.claim, entry.document.subject
    about = (subject["kind"], subject["name"], claim.guarantee, claim.neighbours, claim.released)
    return about, claim.domain, claim.records


def _differ_in_code(before: Reread, after: Reread) -> bool:
    digests = code_digests(before), code_digests(after)
    return all(digests) and digests[0] != digests[1]


def _changes(before: Reread, after: Reread) -> tuple[Change, ...]:
    judges: tuple[tuple[str, Callable[[Reread, Reread], Change | Turn]], ...] = (
        ("verdict", _judge_verdict),
        ("floor", _judge_floor),
        ("exact value", _judge_exact),
        ("ceiling", _judge_ceiling),
        ("power", _judge_power),
        ("isolation", _judge_isolation),
        ("assumptions", lambda a, b: _judge_fewer(a.document.assumptions, b.document.assumptions)),
        ("hypotheses", lambda a, b: _judge_fewer(hypotheses(a), hypotheses(b))),
        ("parameters", _judge_parameters),
    )
    changes = []
    for name, judge in judges:
        found = judge(before, after)
        changes.append(found if isinstance(found, Change) else Change(name, found))
    return tuple(changes)


def hypotheses(entry: Reread) -> tuple[str, ...]:
    """What a certificate's theorem rests on, by name; none without a theorem."""
    proof = entry.document.proof
    return () if proof is None else tuple(map(str, proof["derivation"]["hypotheses"]))


def detectable_leak(entry: Reread) -> float | None:
    """The smallest leak that an attack of the certificate would have seen; None without one."""
    seen = [e.power.detectable for e in entry.document.evidence if e.power is not None]
    return min(seen, default=None)


def _judge_verdict(before: Reread, after: Reread) -> Turn:
    old, new = before.certificate.verdict, after.certificate.verdict
    if old is new:
        return Turn.SAME
    if old not in RANKS or new not in RANKS:
        return Turn.OPEN
    return _less_is_better(RANKS.index(old), RANKS.index(new))


def _judge_floor(before: Reread, after: Reread) -> Change:
    old, new = (_ends(entry, Side.FLOOR) for entry in (before, after))
    name = "floor"
    above, below = _most(before), _most(after)
    if new is not None and above is not None and new.lower > above:
        return Change(name, Turn.WORSE, "it lies above what the version before could not exceed")
    if old is not None and below is not None and old.lower > below:
        return Change(name, Turn.BETTER, "the new version cannot exceed what was seen before")
    if old == new:
        return Change(name, Turn.SAME)
    why = "a floor is what was come upon: another says nothing of the leak itself"
    return Change(name, Turn.OPEN, why)


def _judge_exact(before: Reread, after: Reread) -> Change:
    name = "exact value"
    old, new = (_bound(entry, Side.EXACT) for entry in (before, after))
    if old is None or new is None:
        return Change(name, Turn.SAME if old is new else Turn.OPEN)
    if old.covers != new.covers:
        return Change(name, Turn.OPEN, "it is about other databases")
    ends, others = _ends(before, Side.EXACT), _ends(after, Side.EXACT)
    if ends is None or others is None or ends == others:
        return Change(name, Turn.SAME if ends == others else Turn.OPEN)
    if others.upper < ends.lower:
        return Change(name, Turn.BETTER)
    if others.lower > ends.upper:
        return Change(name, Turn.WORSE)
    return Change(name, Turn.OPEN, "the enclosures overlap")


def _judge_ceiling(before: Reread, after: Reread) -> Change:
    name = "ceiling"
    old, new = (_bound(entry, Side.CEILING) for entry in (before, after))
    if old is None or new is None:
        appears = Turn.BETTER if old is None else Turn.WORSE
        return Change(name, Turn.SAME if old is new else appears)
    if old.covers != new.covers:
        return Change(name, Turn.OPEN, "it is about other databases")
    ends, others = _ends(before, Side.CEILING), _ends(after, Side.CEILING)
    if ends is None or others is None:
        return Change(name, Turn.SAME if ends == others else Turn.OPEN)
    return Change(name, _less_is_better(ends.upper, others.upper))


def _judge_power(before: Reread, after: Reread) -> Turn:
    old, new = detectable_leak(before), detectable_leak(after)
    if old is None or new is None:
        return Turn.SAME if old is new else Turn.OPEN
    return _less_is_better(old, new)


def _judge_isolation(before: Reread, after: Reread) -> Turn:
    old, new = before.document.isolation, after.document.isolation
    if old == new:
        return Turn.SAME
    if old is None or new is None or old.trusted != new.trusted:
        return Turn.OPEN
    steps = [
        list(known).index(getattr(new, field)) - list(known).index(getattr(old, field))
        for field, known in _SCALES
    ]
    if all(step <= 0 for step in steps):
        return Turn.BETTER
    return Turn.WORSE if all(step >= 0 for step in steps) else Turn.OPEN


_SCALES = (("process", PROCESSES), ("filesystem", FILESYSTEMS), ("network", NETWORKS))


def _judge_fewer(before: Collection[str], after: Collection[str]) -> Turn:
    old, new = set(before), set(after)
    if old == new:
        return Turn.SAME
    if new < old:
        return Turn.BETTER
    return Turn.WORSE if old < new else Turn.OPEN


def _judge_parameters(before: Reread, after: Reread) -> Turn:
    old, new = (entry.document.subject.get("parameters") for entry in (before, after))
    return Turn.SAME if old == new else Turn.OPEN


def _bound(entry: Reread, side: Side) -> Bound | None:
    return entry.certificate.bound(side)


def _ends(entry: Reread, side: Side) -> Enclosure | None:
    """What the bound of a side says of the claim's parameter."""
    bound = _bound(entry, side)
    name, _ = claimed_parameter(entry.certificate.claim.guarantee)
    return None if bound is None else bounded_parameter(bound, name)


def _most(entry: Reread) -> Extended | None:
    """What the parameter cannot exceed, by a finding about all that the claim speaks of."""
    name, _ = claimed_parameter(entry.certificate.claim.guarantee)
    found = [
        bounded_parameter(one.bound, name)
        for one in entry.document.evidence
        if one.whole
        and one.bound is not None
        and one.bound.side is not Side.FLOOR
        and one.decision is not Decision.SILENT
    ]
    return min((ends.upper for ends in found if ends is not None), default=None)


def _less_is_better(old: Extended, new: Extended) -> Turn:
    if new == old:
        return Turn.SAME
    return Turn.BETTER if new < old else Turn.WORSE
