"""Evidence: one finding of one auditor, and the verdict that findings entail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any

from audit.statements.codec import OPTIONAL, Kind, spelling, under
from audit.statements.decimals import Enclosure
from audit.statements.power import Control, Power, Resolution
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

CONTRADICTING = Fraction(1, 10**9)
"""The error of a floor that a contradiction may rest on (DESIGN.md, "Numbers")."""


ENCLOSURE = spelling(Enclosure.from_json, Enclosure.to_json, strange=True)

ENCLOSURE_OR_NONE = Kind(
    lambda value, place: None if value is None else ENCLOSURE.read(value, place),
    lambda ends: None if ends is None else ENCLOSURE.write(ends),
)

PROBABILITIES = Kind(
    lambda value, place: tuple(
        ENCLOSURE.read(value[side], place.at(side)) for side in ("from", "to")
    ),
    lambda ends: {"from": ends[0].to_json(), "to": ends[1].to_json()},
)
"""Of a witness's event, by the database."""


def _parse_leak(stated: str) -> Fraction:
    value = parse_rational(stated, "a leak")
    if value <= 0:
        raise InputError("a leak to be seen is more than 0")
    return value


LEAK = spelling(_parse_leak, str)
"""The size of a leak, in the claim's own parameter."""


class Verdict(Enum):
    """What a certificate concludes. Never "passed", "safe" or "secure"."""

    PROVED = "PROVED"
    EXACT = "EXACT"
    NOT_REFUTED = "NOT REFUTED"
    UNDECIDED = "UNDECIDED"
    REFUTED = "REFUTED"
    INVALID_RUN = "INVALID RUN"
    CONTRADICTION = "CONTRADICTION"

    @property
    def exit_code(self) -> int:
        """The process exit code of `dp-audit certify`."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.PROVED: 0,
    Verdict.EXACT: 0,
    Verdict.NOT_REFUTED: 0,
    Verdict.UNDECIDED: 3,
    Verdict.REFUTED: 1,
    Verdict.INVALID_RUN: 5,
    Verdict.CONTRADICTION: 70,
}


class Decision(Enum):
    """What one finding says about the claim on the databases that it covers.

    SILENT: it is about another instance (fewer records), shown beside the claim. OPEN: it bounds
    what is claimed, and the bound does not reach the claim. INVALID: runs that should be
    independent draws are not. UNSEEN: an attack saw no violation. KEPT, ROUNDED, EXCEEDED: of what
    is declared beside the claim, such as a sensitivity; no more than what was looked at. ROUNDED:
    it is kept up to the rounding of floats, whose size is stated.
    """

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
    SILENT = "another instance"
    OPEN = "left open"
    INVALID = "invalid run"
    UNSEEN = "no violation seen"
    KEPT = "declaration kept"
    ROUNDED = "declaration kept up to rounding"
    EXCEEDED = "declaration exceeded"

    @classmethod
    def of_declaration(cls, exceeded: bool, *, rounded: bool = False) -> Decision:
        """The decision about something that is declared beside the claim."""
        return cls.EXCEEDED if exceeded else cls.ROUNDED if rounded else cls.KEPT


class Side(Enum):
    """Whether a bound is the exact value, a floor or a ceiling."""

    FLOOR = "floor"
    EXACT = "exact"
    CEILING = "ceiling"


@dataclass(frozen=True)
class Bound:
    """The smallest ε at the claim's δ: its exact value, or a bound on it.

    ``rigour``: exact (no rounding, or an enclosure of an exact value), rigorous
    (a theorem), or statistical (at the evidence's confidence). ``parameter``: the
    name and the smallest value of the claim's own parameter, where that is not ε.
    """

    side: Side
    epsilon: Enclosure
    covers: str
    rigour: str
    parameter: tuple[str, Enclosure] | None = None


@dataclass(frozen=True)
class Witness:
    """Two neighbours, an event, and its probability under each: whoever holds it can check it.

    ``event``: outputs; ``probabilities``: of the event given ``source`` and
    given ``target``. A claim (ε, δ) is violated where the first exceeds
    e^ε times the second plus δ.
    """

    source: tuple[int, ...] = field(metadata=under("from"))
    target: tuple[int, ...] = field(metadata=under("to"))
    event: tuple[tuple[Any, ...], ...]
    probabilities: Annotated[tuple[Enclosure, Enclosure], PROBABILITIES]


@dataclass(frozen=True)
class Spending:
    """The question at fault on the way to a witness's event: what its answer tells of the pair.

    ``question``: its number, from 1 on; ``asked``: in words; ``loss``: ln of the ratio of the
    chances of its ``answer``; ``declared``: its own cost in ε; ``total``: the sum of the losses
    with this question, where that and not the question alone is what passes the claim. ``where``:
    the file and line, or step of a write-up, that asks it, where the program says so.
    """

    question: int
    asked: str
    answer: tuple[Any, ...]
    loss: Annotated[Enclosure, ENCLOSURE]
    declared: Annotated[Enclosure | None, ENCLOSURE_OR_NONE]
    total: Annotated[Enclosure | None, ENCLOSURE_OR_NONE]
    where: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True)
class ShownPair:
    """Two databases as plain data, or each by its digest; how far they are apart.

    ``distance``, ``pattern``, ``verified``: see `audit.subjects.pair.Pair`.
    """

    first: Any
    second: Any
    distance: int
    pattern: str
    verified: bool


@dataclass(frozen=True)
class SampledWitness:
    """A pair, a rule that was frozen before it was tested, and how its guesses came out.

    Whoever runs the subject again can test the rule on fresh randomness. ``rule``: as plain data.
    ``event``: when the rule guesses which database, in words. ``test``: "exact binomial", "bets
    until stopped", "e-process" or "if deterministic". ``evidence``: the p-value, or the reciprocal
    of the e-value, of the claim.
    """

    pair: ShownPair
    rule: Mapping[str, Any]
    digest: str
    event: tuple[str, ...]
    test: str
    runs: int
    correct: int
    wrong: int
    p_value: float


@dataclass(frozen=True)
class Search:
    """How the pair of an attack was searched for; it speaks of databases of ``min_records`` on.

    ``pairs``: how many candidates there were, of so many ``kinds``; ``tried``, ``kinds_tried``:
    those that were run. ``failed``: pairs on which every run failed on both databases.
    ``hopeless``: those that could not refute the claim, whatever the guesses. ``given``: candidates
    that came from elsewhere: witnesses of other auditors, or records of a public table.
    """

    pairs: int
    tried: int
    kinds: int
    kinds_tried: int
    failed: int
    hopeless: int
    min_records: int
    given: int


@dataclass(frozen=True)
class Cause:
    """What kind of leak a violation is; it stands beside the decision, and decides nothing.

    ``name``: of `audit.auditors.attack.veils.causes`; ``seen``: by what it was recognised.
    """

    name: str
    seen: str


@dataclass(frozen=True)
class Replay:
    """What a second run of an auditor needs to find the same again; of a proof, nothing."""


@dataclass(frozen=True, kw_only=True)
class EnumerationReplay(Replay):
    """``records``: of the largest database that was enumerated; None for a channel in a file."""

    records: int | None = field(default=None, metadata=OPTIONAL)
    arithmetic: str


@dataclass(frozen=True)
class TranscriptReplay(Replay):
    """What was released of independent cells."""

    released: str = "transcript"


ALIVE = "alive"
"""The mode of the few runs, before those of an attack, that show what of its input a box reads."""


@dataclass(frozen=True, kw_only=True)
class AttackReplay(Replay):
    """How a box was attacked, and what came of it beside the witness.

    ``mode``: "batch", "curtailed" (a batch whose runs may stop early) or "anytime", or `ALIVE`.
    ``runs``: a database, learning included; ``error``, ``alarm``: of the floor and of REFUTED.
    ``detect``: the leak that the user wants seen; None for the usual one. ``search``: of the pair;
    None where it was given.
    ``repeatable``: the same seed gives the same runs. ``shared_runs``, ``fresh_runs``: how many
    shared processes, and how many did not. ``partial``: the attack was interrupted. ``versions``:
    of what the same runs and the same rule need. ``look``: its number among the looks at this code,
    where these are counted: the errors are then those of this look alone. ``beyond``: the causes
    behind which it looked. ``numbers``: how many of how many numbers of an output were looked at,
    where it holds too many.
    """

    command: str = "dp-audit replay CERT.json"
    mode: str
    seed: int
    runs: int
    error: Fraction
    alarm: Fraction
    detect: Annotated[Fraction, LEAK] | None = field(default=None, metadata=OPTIONAL)
    attacker: str | None = field(default=None, metadata=OPTIONAL)
    learning_runs: int | None = field(default=None, metadata=OPTIONAL)
    total_runs: int | None = field(default=None, metadata=OPTIONAL)
    repeatable: bool | None = field(default=None, metadata=OPTIONAL)
    shared_runs: int | None = field(default=None, metadata=OPTIONAL)
    fresh_runs: int | None = field(default=None, metadata=OPTIONAL)
    partial: bool | None = field(default=None, metadata=OPTIONAL)
    look: int | None = field(default=None, metadata=OPTIONAL)
    numbers: tuple[int, int] | None = field(default=None, metadata=OPTIONAL)
    beyond: tuple[str, ...] | None = field(default=None, metadata=OPTIONAL)
    search: Search | None = field(default=None, metadata=OPTIONAL)
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Guesses:
    """How one run's guesses came out: as many as the replay says, ``right`` of them right.

    ``made``: a character a coin, in order: "+" for in, "-" for out, "." for no guess; None where
    that would say which confidential records were used. ``sha256``: of that text.
    """

    right: int
    sha256: str
    made: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class OneRunReplay(Replay):
    """How canaries were put in or left out by coins, and how the coins were guessed.

    ``design``: "inclusion", a coin decides whether a canary is in, "presence", the same where no
    canary is guessed out, or "pairs", a coin decides which of two is in.
    ``seed``: of the coins, in hexadecimal digits; empty where it would say which confidential
    records were used. ``canaries``, ``guesses``: coins, and guesses, of each run. ``runs``: how
    these came out. ``p_value``: of the claim. ``limit``: the floor if all guesses had been right.
    ``detect``: the leak that must be seen, in the claim's parameter;
    ``accuracy``: how often guesses are right at that leak, and ``detected``: whether that refutes
    the claim with a chance of 90 %. ``error``, ``alarm``: of the floor and of REFUTED.
    """

    design: str
    seed: str
    canaries: int
    guesses: int
    runs: tuple[Guesses, ...]
    p_value: float
    limit: float
    detect: float
    accuracy: float
    detected: bool
    error: Fraction
    alarm: Fraction


@dataclass(frozen=True)
class Evidence:
    """One finding of one auditor.

    ``whole``: the finding covers every database that the claim speaks of.
    ``replay``: what a second run needs to find the same again. ``proof``: the derivation behind
    a theorem, as plain data, for `proofs.checker`. ``strict``: a statistical floor at so small
    an error that a contradiction may rest on it. ``power``: what an attack that does not refute
    could have seen; ``control``: whether it saw a planted leak; ``resolution``: what certificates
    of before say of power.
    ``spending``: the question at fault, where a witness was reached by questions.
    ``cause``: what kind of leak an attack found, as far as it recognised it.
    """

    auditor: str
    finding: str
    decision: Decision
    covers: str
    whole: bool
    bound: Bound | None = None
    confidence: str | None = None
    witness: Witness | SampledWitness | None = None
    replay: Replay | TranscriptReplay | EnumerationReplay | AttackReplay | OneRunReplay = Replay()
    proof: Mapping[str, Any] | None = None
    strict: Bound | None = field(default=None, metadata=OPTIONAL)
    power: Power | None = field(default=None, metadata=OPTIONAL)
    control: Control | None = field(default=None, metadata=OPTIONAL)
    resolution: Resolution | None = field(default=None, metadata=OPTIONAL)
    spending: Spending | None = field(default=None, metadata=OPTIONAL)
    cause: Cause | None = field(default=None, metadata=OPTIONAL)

    @property
    def partial(self) -> bool:
        """Whether it comes of an attack that was interrupted."""
        return isinstance(self.replay, AttackReplay) and self.replay.partial is True

    @property
    def violated(self) -> bool:
        """Whether it speaks against the claim, or against what is declared beside it."""
        return self.decision in (Decision.VIOLATED, Decision.EXCEEDED)


def verdict(evidence: Sequence[Evidence], subject_is_ours: bool) -> Verdict:
    """The verdict that the findings entail.

    ``subject_is_ours``: one of our own programs, so that findings which
    contradict each other are a fault of ours.

    Guarantee
    ---------
    PROVED only if a theorem that covers the claim's whole domain implies it, EXACT only if an
    exact finding that does holds; both only if no finding is violated, none lies above a
    theorem's ceiling, and no declaration is exceeded. A declaration that is kept says nothing of
    the claim. Backed by ``tests/audit/statements/test_evidence.py``.
    """
    proved = any(_holds(e) and e.proof is not None for e in evidence)
    exact = any(_holds(e) and e.bound is not None and e.bound.rigour == "exact" for e in evidence)
    violated = any(e.decision is Decision.VIOLATED for e in evidence)
    if violated:
        ours = subject_is_ours and (proved or exact or _contradicts(evidence))
        return Verdict.CONTRADICTION if ours else Verdict.REFUTED
    if _contradicts(evidence):
        return Verdict.CONTRADICTION
    if any(e.decision is Decision.INVALID for e in evidence):
        return Verdict.INVALID_RUN
    # Theorem and channel rest on what is declared, of sensitivities, noises and costs.
    if any(e.decision is Decision.EXCEEDED for e in evidence):
        return Verdict.UNDECIDED
    if proved:
        return Verdict.PROVED
    if exact:
        return Verdict.EXACT
    if any(e.decision is Decision.UNDECIDED for e in evidence):
        return Verdict.UNDECIDED
    # A bound that does not reach the claim is no search for a violation of it, nor is a look at
    # what is declared beside it.
    silent = (Decision.OPEN, Decision.KEPT, Decision.ROUNDED)
    if evidence and all(e.decision in silent for e in evidence):
        return Verdict.UNDECIDED
    return Verdict.NOT_REFUTED


def _holds(evidence: Evidence) -> bool:
    return evidence.decision is Decision.HOLDS and evidence.whole


def _contradicts(evidence: Sequence[Evidence]) -> bool:
    """Whether a value lies above what an exact finding or a theorem about it allows.

    That is an exact value above a theorem's ceiling, or a strict floor above either. What is found
    on another instance is left out: its public constants differ.
    """
    heard = [e for e in evidence if e.decision is not Decision.SILENT]
    ceilings = [e.bound for e in heard if e.proof is not None and e.bound is not None]
    exact = [e for e in heard if e.bound is not None and e.bound.rigour == "exact"]
    values = [e.bound for e in exact if e.bound is not None and e.bound.side is not Side.CEILING]
    floors = [e.strict for e in heard if e.strict is not None]
    shown = [e.bound for e in exact if e.whole and e.bound is not None]
    limits = ceilings + [bound for bound in shown if bound.side is not Side.FLOOR]
    return any(_above(value, ceiling) for value in values for ceiling in ceilings) or any(
        _above(floor, limit) for floor in floors for limit in limits
    )


def _above(found: Bound, ceiling: Bound) -> bool:
    """Whether a value is certainly above a ceiling, in ε or in the claim's own parameter."""
    if found.epsilon.lower > ceiling.epsilon.upper:
        return True
    if found.parameter is None or ceiling.parameter is None:
        return False
    return found.parameter[1].lower > ceiling.parameter[1].upper
