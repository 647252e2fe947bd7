"""The proof auditor: a theorem about the program, for databases of any size.

The theorem is that of the program's budget, which its curator never exceeds, or
that of its ledger where that is the same along every transcript. The kernel
makes it; the certificate carries it as data for the independent checker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from audit.auditors.deciding import spell
from audit.auditors.effort import Effort
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Evidence, Side
from audit.subjects.subject import ProgramSubject
from proofs.derivation import derivation
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.kernel import Theorem, prove
from proofs.ledger.programs import about_program, fixed_ledger, of_budget, of_ledger
from proofs.parts import Part
from proofs.search.best import Offer, settle, strongest
from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.events import Event

Ledgers = frozenset[tuple[Event, ...]] | None
"""All ledgers met in a full enumeration, where there was one."""

PARAMETERS = {ApproxDP: "epsilon", ZCDP: "rho", GaussianDP: "mu", RenyiDP: "rdp"}
"""The parameter that a claim of each kind bounds."""


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """The best theorem about the program, where a rule gives one."""
    evidence = conclude(subject, claim, effort.setting(claim), effort.ledgers(subject, claim))
    if evidence is not None:
        yield evidence


def conclude(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    ledgers: Ledgers,
) -> Evidence | None:
    """The best theorem about the program, or None where no rule gives one.

    Guarantee
    ---------
    HOLDS only if a theorem of the kernel implies the claim under its neighbours; the theorem
    is about the budget or the ledger of this program, and the output is post-processing of its
    answers. Backed by ``tests/audit/auditors/test_proof.py``.
    """
    found: list[Offer] = []
    pure: list[Offer] = []
    for reading in _readings(subject, setting, ledgers):
        if isinstance(reading, InputError):
            continue
        found += reading.offers(claim.guarantee)
        if not isinstance(claim.guarantee, ApproxDP):
            pure += reading.offers(ApproxDP(Fraction(0)))
    if not found:
        return None
    found.sort(key=lambda offer: offer.value)
    chosen = settle(found, claim.guarantee, claim.neighbours)
    return _evidence(claim, setting, found, pure, chosen)


def _evidence(
    claim: Claim,
    setting: Setting,
    found: Sequence[Offer],
    pure: Sequence[Offer],
    chosen: Offer | None,
) -> Evidence:
    # The number stated is that of the proof carried, which a looser rule may have settled.
    told = found[0] if chosen is None else chosen
    own = Enclosure(told.value, told.value)
    name = PARAMETERS[type(claim.guarantee)]
    epsilon, parameter, beside = own, None, list[Offer]()
    if name != "epsilon":
        beside = sorted(pure, key=lambda offer: (offer.kernel_only, offer.value))[:1]
        ends = [Enclosure(offer.value, offer.value) for offer in beside]
        epsilon, parameter = (ends or [Enclosure.infinite()])[0], (name, own)
    # A public n is a constant of the program: its theorem is about this n alone.
    covers = (
        claim.covers if claim.neighbours.records_public else replace(claim, records=None).covers
    )
    finding = f"a theorem: {name} is at most {spell(own)} over {covers}, by {told.rule}"
    if chosen is None:
        finding += ", which leaves the claim open"
    return Evidence(
        auditor="proof",
        finding=finding,
        decision=Decision.OPEN if chosen is None else Decision.HOLDS,
        covers=covers,
        whole=True,
        bound=Bound(Side.CEILING, epsilon, covers, "rigorous", parameter),
        proof=_proof_json(told, found, beside, claim.released),
    )


def _proof_json(
    offer: Offer, found: Sequence[Offer], beside: Sequence[Offer], released: str
) -> dict[str, Any]:
    """The proof as data, for all that the bound says.

    Where the checker can't afford it, the best one follows that it can; then those ``beside`` it,
    of a claim's ε where that is not its own parameter.
    """
    others = [other for other in found if not other.kernel_only][:1] if offer.kernel_only else []
    own, *more = (
        derivation(_release(each.theorem, released)) for each in (offer, *others, *beside)
    )
    return {"derivation": own, **({"alternatives": more} if more or offer.kernel_only else {})}


MAPS = {
    "output": "what the program makes of its clamped answers and of public randomness",
    "transcript": "the program's clamped answers",
}
"""What each kind of release makes of a program's answers."""


def _release(theorem: Theorem, released: str) -> Theorem:
    return prove("post-processing", [theorem], {"map": MAPS[released], "released": released})


@dataclass(frozen=True)
class _Reading:
    """What the program can be proved from, and how a theorem of it is one about the program."""

    name: str
    parts: Sequence[Part]
    about: Callable[[Theorem], Theorem]

    def offers(self, guarantee: Guarantee) -> list[Offer]:
        found = strongest(self.parts, guarantee)
        return [replace(offer, theorem=self.about(offer.theorem)) for offer in found]


def explain_refusal(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    ledgers: Ledgers,
) -> str:
    """Why `conclude` finds no theorem, in the words of what refused it; empty if it finds one."""
    nothing = f"nothing finite follows for {PARAMETERS[type(claim.guarantee)]}"
    refusals = list[str]()
    for read in _readings(subject, setting, ledgers):
        if isinstance(read, InputError):
            refusals.append(str(read))
        elif read.offers(claim.guarantee):
            return ""
        else:
            refusals.append(f"of {read.name}: {nothing}")
    return "; ".join(refusals)


def _readings(
    subject: ProgramSubject, setting: Setting, ledgers: Ledgers
) -> Iterator[_Reading | InputError]:
    """The ledger and the budget, or why nothing follows of them."""
    for read in (_read_ledger, _read_budget):
        try:
            yield read(subject, setting, ledgers)
        except InputError as refusal:
            yield refusal


def _read_ledger(subject: ProgramSubject, setting: Setting, ledgers: Ledgers) -> _Reading:
    """The ledger where it is fixed; raises InputError where it is not, or no rule speaks of it."""
    budget = subject.budget(setting)
    events = fixed_ledger(subject.program, budget, setting, ledgers, ours=subject.built_in)
    if events is None and ledgers is not None:
        raise InputError("its questions follow its answers")
    if events is None:
        raise InputError("it declares no list of questions, and nobody has seen all that it asks")
    if not events:
        raise InputError("it asks no question about the data, of which a rule could speak")
    program = {**subject.to_json(), "rows": setting.rows}
    declared = subject.ledger(setting) is not None
    return _Reading(
        "its questions",
        of_ledger(events, setting),
        lambda theorem: about_program(theorem, program, ledgers, setting, declared=declared),
    )


def _read_budget(subject: ProgramSubject, setting: Setting, ledgers: Ledgers) -> _Reading:
    """The budget; raises InputError where there is none that says anything."""
    program = {**subject.to_json(), "rows": setting.rows}
    parts = of_budget(subject.budget(setting), setting.neighbours, program, setting)
    return _Reading("its budget", parts, lambda theorem: theorem)
