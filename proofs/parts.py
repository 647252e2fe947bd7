"""Parts: a mechanism, how often it runs, and the theorem about its loss.

The theorem is made by the kernel from its base rules; what is read off a composition is
found by search (`proofs.search`). Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofs.entries import Entries
from proofs.errors import ProofError
from proofs.judgments import LossList, Private, Stable
from proofs.kernel import Theorem
from proofs.losses import FixedSizeLoss, GaussianLoss, Losses, SampledGaussianLoss
from proofs.profiles.entry_moments import pairs
from synthesizers.exact import parse_rational

ATTAINED = frozenset(
    {"additive-noise", "response", "sampled-gaussian", "allocated-gaussian", "fixed-size-gaussian"}
)
"""The rules whose pair, or one nearly as large, some two neighbours have."""


@dataclass(frozen=True)
class Part:
    """``count`` runs of one mechanism; ``theorem``: the losses of one run.

    ``repetition``: of one that tells one of a random number of runs of another, what it repeats.
    """

    name: str
    count: int
    theorem: Theorem
    repetition: Repetition | None = None

    @property
    def entries(self) -> Entries:
        """The losses of one run."""
        return entries_of(self.theorem)


@dataclass(frozen=True, eq=False)
class Repetition:
    """A mechanism that is repeated, and the law of how often, as the rules read it."""

    run: Part
    runs: Mapping[str, Any]


def entries_of(theorem: Theorem) -> Entries:
    """The losses that a theorem is about; ProofError where it is about another guarantee."""
    judgment = theorem.judgment
    if not isinstance(judgment, Private) or not isinstance(judgment.guarantee, LossList):
        raise ProofError("the theorem is not about a list of losses")
    return judgment.guarantee.losses


def attained_losses(part: Part) -> Losses | None:
    """The losses of a pair that some two neighbours have, or have at least; None if unknown.

    They are those of its dominating pair for noise on one answer that moves by its stated
    sensitivity, not for a pair that stands for a guarantee. Of a query whose sensitivity was
    derived, all answers need not move as far as the rule allows for at once. Records in k > 1 of t
    steps have at least the Gaussian loss of kμ/√t, that of the sum of all steps' outputs; samples
    of a fixed size that of a Poisson sample, where the record that takes the other's place never
    moves an answer.
    """
    theorem = part.theorem
    stated = [one.rule for one in theorem.premises] == ["stated-sensitivity"]
    if theorem.rule not in ATTAINED or not stated:
        return None
    given = theorem.parameters
    if theorem.rule == "allocated-gaussian" and given["times"] > 1:
        stable = theorem.premises[0].judgment
        assert isinstance(stable, Stable)
        squared = stable.l2_squared / parse_rational(given["sigma_squared"], "sigma_squared")
        return ((1, GaussianLoss(squared * given["times"] ** 2 / given["steps"])),)
    losses = pairs(part.entries)
    return tuple(
        (count, SampledGaussianLoss(loss.fraction, loss.mu_squared))
        if isinstance(loss, FixedSizeLoss)
        else (count, loss)
        for count, loss in losses
    )


def attains(part: Part) -> bool:
    """Whether some two neighbours have exactly the part's dominating pair."""
    losses = attained_losses(part)
    return losses is not None and losses == pairs(part.entries)
