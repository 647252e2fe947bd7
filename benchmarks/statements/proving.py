"""The search for a theorem that implies a statement's claim: nobody trusts it.

A mechanism becomes parts, as in `proofs.ledger.terms`, and `proofs.search.best` composes and
converts them; some more is tried at the claimed numbers themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from laws import sampling_rate
from reading import Formal, Mechanism, Norm
from theorems import channel_theorem, losses_of, sample_theorem, stable_theorem

from proofs.checker import check
from proofs.derivation import derivation
from proofs.guarantees import ApproxDP
from proofs.implication import implies
from proofs.judgments import Stable
from proofs.kernel import Theorem
from proofs.parts import Part
from proofs.search.best import settle, strongest
from proofs.search.ways import tight_at
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Proof:
    """A theorem that implies a statement's claim.

    ``kernel_only``: it holds a number that the independent checker can't afford.
    """

    theorem: Theorem
    kernel_only: bool

    @property
    def rules(self) -> list[str]:
        """The rules of its steps, each after those that it rests on."""
        return [step["rule"] for step in derivation(self.theorem)["steps"]]


def prove_statement(formal: Formal) -> Proof | None:
    """A theorem that implies the claim and that the checker accepts; None without one.

    Where the checker can't afford some number of all that are found, the first of them.
    """
    spare = None
    for theorem in _candidates(formal):
        if not _settles(theorem, formal):
            continue
        status = check(derivation(theorem)).status
        if status == "checked":
            return Proof(theorem, kernel_only=False)
        if status == "kernel only":
            spare = spare or Proof(theorem, kernel_only=True)
    return spare


def _settles(theorem: Theorem, formal: Formal) -> bool:
    claim, judgment = formal.claim, theorem.judgment
    if not isinstance(claim, Norm):
        return implies(theorem, claim, formal.neighbours)
    if not isinstance(judgment, Stable) or judgment.neighbours != formal.neighbours:
        return False
    norm = getattr(judgment, claim.name)
    return norm is not None and norm <= claim.value


def _candidates(formal: Formal) -> Iterator[Theorem]:
    for way in (_of_query, _of_losses, _of_channel, _of_sample):
        try:
            yield from way(formal)
        except InputError:
            # Some mechanism, or what the statement makes of it, has no such rule.
            continue


def _of_query(formal: Formal) -> Iterator[Theorem]:
    if isinstance(formal.claim, Norm):
        yield stable_theorem(formal.query, formal.neighbours)


def _of_losses(formal: Formal) -> Iterator[Theorem]:
    """What follows of the composed losses, also at the claimed ε and δ themselves."""
    claim = formal.claim
    if isinstance(claim, Norm):
        return
    parts = [
        Part(mechanism.name, count, losses_of(mechanism, formal))
        for count, mechanism in formal.mechanism
    ]
    found = settle(strongest(parts, claim), claim, formal.neighbours)
    if found is not None:
        yield found.theorem
    if isinstance(claim, ApproxDP) and claim.delta:
        exact = tight_at(parts, claim.epsilon, claim.delta)
        if exact is not None:
            yield exact.theorem


def _of_channel(formal: Formal) -> Iterator[Theorem]:
    """What one answer's chances say at the claimed ε and δ."""
    mechanism, claim = _only_run(formal), formal.claim
    if mechanism is None or not isinstance(claim, ApproxDP) or claim.delta == 0:
        return
    if mechanism.name in ("local", "randomized_response"):
        yield channel_theorem(mechanism, formal.neighbours, claim)


def _of_sample(formal: Formal) -> Iterator[Theorem]:
    """What a point of the profile of the mechanism inside gives at the claim's ε on a sample."""
    mechanism, claim = _only_run(formal), formal.claim
    if mechanism is None or not isinstance(claim, ApproxDP) or claim.delta == 0:
        return
    if mechanism.name in ("poisson", "without_replacement") and formal.given == formal.neighbours:
        ((count, inner),) = mechanism.inner
        whole = Part(inner.name, count, losses_of(inner, formal))
        rate = sampling_rate(mechanism)
        for found in strongest([whole], ApproxDP(Fraction(0), claim.delta / rate)):
            yield sample_theorem(mechanism, found.theorem, claim.epsilon)


def _only_run(formal: Formal) -> Mechanism | None:
    """The mechanism of a statement about one run of one."""
    match formal.mechanism:
        case ((1, mechanism),):
            return mechanism
    return None
