"""The search for a theorem that implies a statement's claim: nobody trusts it.

A mechanism becomes components, as in `proofs.accounts`, and `proofs.prover` composes and converts
them; some more is tried at the claimed numbers themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from laws import sampling_rate
from reading import Formal, Mechanism, Norm
from theorems import (
    channel_theorem,
    of_one,
    renyi_theorems,
    sample_theorem,
    stable_theorem,
    theorems_of,
)

from proofs.checker import check
from proofs.components import Component, component
from proofs.derivation import derivation
from proofs.guarantees import ApproxDP, Guarantee
from proofs.implication import implies
from proofs.judgments import Stable
from proofs.kernel import Theorem
from proofs.offers import tight_at
from proofs.prover import settling, strongest
from synthesizers.errors import InputError
from synthesizers.intervals import to_mpf


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
    claim = formal.claim
    try:
        if isinstance(claim, Norm):
            yield stable_theorem(formal.query, formal.neighbours)
            return
        components = [
            component(mechanism.name, count, theorems_of(mechanism, formal))
            for count, mechanism in formal.mechanism
        ]
        found = settling(strongest(components, claim), claim, formal.neighbours)
        if found is not None:
            yield found.theorem
        yield from _at_the_claim(components, claim)
        yield from _of_single(formal)
    except InputError:
        # Some mechanism, or what the statement makes of it, has no rule.
        return


def _at_the_claim(components: Sequence[Component], claim: Guarantee) -> Iterator[Theorem]:
    """What follows at the claimed numbers themselves: of a profile, or of a Rényi guarantee."""
    if isinstance(claim, ApproxDP) and claim.delta:
        exact = tight_at(components, claim.epsilon, claim.delta)
        if exact is not None:
            yield exact.theorem
    yield from renyi_theorems(components, claim)


def _of_single(formal: Formal) -> Iterator[Theorem]:
    """What is proved of one mechanism at the numbers of a claim of ε and δ > 0."""
    claim, ((count, mechanism), *more) = formal.claim, formal.mechanism
    if more or count != 1 or not isinstance(claim, ApproxDP) or claim.delta == 0:
        return
    match mechanism.name:
        case "local" | "randomized_response":
            yield channel_theorem(mechanism, formal.neighbours, claim)
        case "poisson" | "without_replacement" if formal.given == formal.neighbours:
            theorem = _of_sample(mechanism, formal, claim)
            if theorem is not None:
                yield theorem


def _of_sample(mechanism: Mechanism, formal: Formal, claim: ApproxDP) -> Theorem | None:
    """What a point of the profile of the mechanism inside gives at the claim's ε on a sample."""
    ((_, inner),) = mechanism.inner
    whole = component(inner.name, 1, list(of_one(inner, formal.query, formal.given)))
    rate = sampling_rate(mechanism)
    with mpmath.workdps(30):
        # The least digits are cut off, so that the sample's ε is no larger than the claim's.
        point = mpmath.log1p(mpmath.expm1(to_mpf(claim.epsilon)) / to_mpf(rate))
        epsilon = Fraction(int(point * 10**15), 10**15)
    found = tight_at([whole], epsilon, claim.delta / rate)
    if found is None:
        return None
    return sample_theorem(mechanism, found.theorem, claim.epsilon)
