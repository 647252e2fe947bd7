"""How far two laws are apart, where that is certainly further than a guarantee allows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from laws import LossPair, Pair, RowPair

from audit.auditors.deciding import decide
from audit.channels.channel import Channel
from audit.statements.evidence import Decision
from proofs.channels import channel_certificate
from proofs.checker import check
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.losses import (
    DiscreteGaussianLoss,
    GaussianLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.profiles.gaussian import gaussian_delta
from proofs.profiles.moments import log_moment
from proofs.search.ends import enclose_delta
from synthesizers.domain import Domain
from synthesizers.intervals import float_below
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

ORDERS = tuple(1 + Fraction(n, 8) for n in (1, 2, 4, 8, 16, 24, 56, 120, 248, 1000))
"""The orders at which a concentrated guarantee is tried."""

EPSILONS = tuple(Fraction(n, 4) for n in (0, 1, 2, 4, 6, 8, 12, 16, 24, 40, 160))
"""Where the profile of a pair is compared with that of a Gaussian guarantee."""

BITS = 128
"""The precision of the Gaussian profile that has to be exceeded."""

ZERO = Fraction(0)


def exceed(pair: Pair, claim: Guarantee, neighbours: Neighbours) -> str | None:
    """How a pair of laws breaks a guarantee, in words; None where that is not certain."""
    if isinstance(pair, LossPair):
        try:
            return _exceed_by_losses(pair.losses, claim)
        except ProofError:
            return None
    if isinstance(claim, ApproxDP):
        return _exceed_by_certificate(pair, claim, neighbours)
    decided = decide(channel_of(pair, neighbours), claim)
    return decided.finding if decided.decision is Decision.VIOLATED else None


_UNBOUNDED = (GaussianLoss, SampledGaussianLoss, DiscreteGaussianLoss)
"""Losses above every number with a chance above 0; those of no move are not among any losses."""


def _exceed_by_losses(losses: Losses, claim: Guarantee) -> str | None:
    fails = any(isinstance(loss, ResponseLoss) and loss.delta for _, loss in losses)
    unbounded = any(isinstance(loss, _UNBOUNDED) for _, loss in losses)
    match claim:
        case ApproxDP(_, delta) if delta == 0 and (unbounded or fails):
            return "the loss has no bound"
        case ApproxDP(epsilon, delta):
            found = enclose_delta(losses, epsilon).lower
            if found > delta:
                return f"delta at epsilon={epsilon} is {float_below(found):.6g} or more"
        case GaussianDP(mu):
            for epsilon in EPSILONS:
                most = gaussian_delta(mu * mu, epsilon, BITS).upper if mu else ZERO
                found = enclose_delta(losses, epsilon).lower
                if found > most:
                    return f"delta at epsilon={epsilon} is {float_below(found):.6g} or more"
        case ZCDP() | RenyiDP() if fails:
            return "the loss is infinite with a chance above 0"
        case ZCDP(rho):
            for order in ORDERS:
                if (found := _divergence(losses, order)) > rho * order:
                    return f"the divergence of order {order} is {float_below(found):.6g} or more"
        case RenyiDP(order, bound):
            if (found := _divergence(losses, order)) > bound:
                return f"the divergence is {float_below(found):.6g} or more"
    return None


def _divergence(losses: Losses, order: Fraction) -> Fraction:
    """A lower end of the Rényi divergence; 0 at an order where none is known."""
    try:
        each = [count * log_moment(loss, order - 1, "remove").lower for count, loss in losses]
    except ProofError:
        return ZERO
    return sum(each, ZERO) / (order - 1)


def _exceed_by_certificate(pair: RowPair, claim: ApproxDP, neighbours: Neighbours) -> str | None:
    """The same by a certificate of the two rows, which the independent checker accepts."""
    try:
        certificate = channel_certificate(
            _relation(neighbours), _databases(neighbours), [pair.left, pair.right], claim
        )
    except ProofError:
        return None
    if certificate["finding"] != "violated" or check(certificate).status != "checked":
        return None
    first, second = certificate["probabilities"]
    return f"an event has the chances {_decimal(first)} and {_decimal(second)}"


def _decimal(chance: str | list[str]) -> str:
    ends = [chance] if isinstance(chance, str) else chance
    return f"{float(Fraction(ends[0])):.6g}"


def _relation(neighbours: Neighbours) -> Neighbours:
    """The relation between records: two databases are named, whoever's records they differ by."""
    return AddRemove() if isinstance(neighbours, AddRemove) else ReplaceOne()


def _databases(neighbours: Neighbours) -> list[list[int]]:
    """Names for the two neighbours: a record is there or not, or of one of two values."""
    return [[1], [0]] if isinstance(neighbours, AddRemove) else [[1, 0], [0, 1]]


def channel_of(pair: RowPair, neighbours: Neighbours) -> Channel:
    """The two rows as a channel."""
    listed = np.array(_databases(neighbours))
    chances = np.empty((2, len(pair.left)), object)
    chances[0], chances[1] = pair.left, pair.right
    outputs = tuple((number,) for number in range(len(pair.left)))
    domain = Domain.from_cells(str(listed.shape[1]))
    return Channel.of_exact(domain, _relation(neighbours), listed, outputs, chances, "output")
