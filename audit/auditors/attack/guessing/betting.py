"""Betting: wealth that seldom grows while a claim holds, so that one may stop at any time.

In each run a fair coin picks the database, and a guess of the coin, or none, is bet on: Z is +1
if it is right, -e^ε if it is wrong, 0 without a guess. Under (ε, δ) the mean of Z is at most δ,
half of that if one coin is never guessed, so that wealth multiplied by 1 + λ(Z - δ) grows by no
bet on average. Ville (1939): such wealth, 1 at first, ever reaches 1/α with probability at most α.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_ndtr, ndtr

from audit.auditors.attack.guessing.floors import claimed_value, takes_distance
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError

Array = NDArray[np.float64]

ADVANTAGES = np.array([1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0])
"""By how much ε is really larger where a bet is best (at δ = 0), from what 10^6 runs can tell to
what a few can (neighbours on the grid lose at most a sixth of growth)."""

ADVANTAGE_SHARES = np.array([0.01, 0.01, 0.02, 0.05, 0.15, 0.25, 0.34, 0.17])
"""The wealth that begins on each (small advantages take many runs, beside
which the logarithm of a small share is little)."""

MULTIPLES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
"""The ε, in standard deviations of the privacy loss, at which a profile is tested (beyond three,
events of chance 0.001 would decide)."""

MULTIPLE_SHARES = np.array([0.25, 0.25, 0.2, 0.15, 0.1, 0.05])
"""The wealth that begins on each."""

GRID = 1e-4 * 1.002 ** np.arange(7000)
"""Values that are rejected one after the other, up to 118, at steps of 0.2 % (below what 10^6 runs
tell apart)."""

SLACK = 1e-9
"""Relative margin of e^ε and absolute margin of δ for the rounding of doubles (some thousand times
what the formulas lose); as much of the logarithm of wealth."""


GuessKind = tuple[int, bool]
"""What the stakes of a guess depend on: the distance of the pair, and whether the rule that made
it is one-sided: never guesses one of the two coins."""


@dataclass(frozen=True, eq=False)
class Stakes:
    """Bets on hypotheses, and what they make of wealth.

    ``factors``: [hypotheses, bets, 3 kinds], the logarithms of what a right guess, a wrong guess
    and none multiply wealth by, for each kind of guess in turn. ``log_shares``: [bets], of the
    wealth that begins on each.
    """

    factors: Array
    log_shares: Array

    def log_wealth(self, tally: NDArray[np.int64]) -> Array:
        """[…, hypotheses], what wealth 1 became by guesses of a tally […, 3 kinds]."""
        exponents = np.tensordot(tally.astype(np.float64), self.factors, (-1, -1))
        return np.asarray(np.logaddexp.reduce(exponents + self.log_shares, axis=-1))


def stakes(guarantee: Guarantee, values: Array, kinds: Sequence[GuessKind]) -> Stakes:
    """The bets on each of ``values`` [hypotheses] of the claim's own parameter.

    Guarantee
    ---------
    While the mechanism satisfies the guarantee with a value between neighbours, no bet on that
    value multiplies wealth by more than 1 on average, given all that was before, whatever rule the
    past has chosen. Backed by ``tests/audit/auditors/attack/guessing/test_betting.py``.
    """
    factors = []
    for distance, one_sided in kinds:
        if distance != 1 and not takes_distance(guarantee):
            raise InputError(
                "databases apart by more than one step say nothing sharp of this claim"
            )
        epsilons, deltas, shares = limits(guarantee, values, distance)
        most = np.exp(epsilons)[..., None] * (1 + SLACK)
        extra = (deltas / 2 if one_sided else deltas)[..., None]
        # At δ = 0 this is the best bet on guesses that are right with chance σ(ε + advantage): it
        # multiplies wealth by the ratio of that chance, or its complement, to σ(ε), or its own.
        part = -np.expm1(-ADVANTAGES) * expit(epsilons[..., None] + ADVANTAGES)
        bet = part / (most + extra)
        outcomes = np.log1p(bet * (1 - extra)), np.log1p(-part), np.log1p(-bet * extra)
        factors.append(np.stack(outcomes, -1).reshape(len(values), -1, 3))
    both = np.log(shares[:, None] * ADVANTAGE_SHARES)
    return Stakes(np.concatenate(factors, axis=-1), both.ravel())


def limits(guarantee: Guarantee, values: Array, distance: int) -> tuple[Array, Array, Array]:
    """Pairs (ε, δ) that each value of the claim's parameter implies, and shares of wealth.

    Returns ε and δ [values, pairs] and the shares [pairs]; δ is rounded up.

    Guarantee
    ---------
    Between databases at ``distance``, the mechanism is (ε, δ)-DP with each of the pairs. GDP: its
    profile (Dong, Roth & Su 2022, Corollary 1). RDP: Canonne, Kamath & Steinke (2020), Proposition
    12; zCDP: the same at the best order of a grid. Backed by
    ``tests/audit/auditors/attack/guessing/test_betting.py``.
    """
    match guarantee:
        case ApproxDP(delta=delta):
            bound = float(delta) * (1 + SLACK)
            epsilons = (values * distance)[:, None]
            return epsilons, np.full_like(epsilons, bound), np.ones(1)
        case GaussianDP():
            mu = (values * distance)[:, None]
            epsilons = mu * MULTIPLES
            inside = np.exp(epsilons + log_ndtr(-MULTIPLES - mu / 2))
            deltas = ndtr(-MULTIPLES + mu / 2) - inside
        case ZCDP():
            rho = values[:, None]
            epsilons = rho + np.sqrt(2 * rho) * MULTIPLES
            orders = 1 + 2.0 ** (np.arange(-24, 49) / 4)
            deltas = _conversion(rho[..., None] * orders, orders, epsilons[..., None]).min(axis=-1)
        case RenyiDP(alpha=alpha):
            order = np.array(float(alpha))
            divergence = values[:, None]
            epsilons = divergence * (MULTIPLES / 2) + MULTIPLES / (order - 1)
            deltas = _conversion(divergence, order, epsilons)
    return epsilons, np.clip(deltas + SLACK, 0.0, 1.0), MULTIPLE_SHARES


def _conversion(divergence: Array, order: Array, epsilon: Array) -> Array:
    """The δ of a Rényi divergence: e^((α-1)(D-ε)) (1-1/α)^(α-1) / α."""
    exponent = (order - 1) * (divergence - epsilon + np.log1p(-1 / order)) - np.log(order)
    return np.asarray(np.exp(np.minimum(exponent, 0.0)))


@dataclass(frozen=True, eq=False)
class EProcess:
    """Wealth against the claim and against every value of a grid, shared out over experts.

    ``log_shares``: [experts], of the wealth that each begins with; what an expert has not yet bet
    stays as it is. ``kinds``: of guesses that may come. ``tally``: [experts, kinds, 3], the right,
    wrong and no guesses so far. ``rejected``: how many values of the grid were, in their order.
    ``highest``: the largest logarithm of the wealth against the claim, so far.
    """

    guarantee: Guarantee
    error: float
    log_shares: Array
    kinds: tuple[GuessKind, ...]
    tally: NDArray[np.int64]
    rejected: int = 0
    highest: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.error < 1:
            raise InputError("the error of a bound lies strictly between 0 and 1")

    @classmethod
    def start(
        cls, guarantee: Guarantee, error: float, shares: Array, kinds: tuple[GuessKind, ...]
    ) -> EProcess:
        """Before the first run; ``shares`` of wealth over experts add up to at most 1."""
        tally = np.zeros((len(shares), len(kinds), 3), np.int64)
        return cls(guarantee, error, np.log(shares), kinds, tally)

    @property
    def values(self) -> Array:
        """The values that are rejected one after the other: the grid, and the claimed one."""
        return _values(self.guarantee)

    @property
    def floor(self) -> float:
        """The largest value of the claim's own parameter that is rejected with all smaller ones.

        Guarantee
        ---------
        The chance that it is ever as large as the true value is at most ``error``, whenever one
        stops: some value of the grid at which the guarantee holds would have to be rejected, the
        smallest of them before all others. Backed by
        ``tests/audit/auditors/attack/guessing/test_betting.py``.
        """
        return float(self.values[self.rejected - 1]) if self.rejected else 0.0

    @property
    def frontier(self) -> float:
        """The smallest value that is not yet rejected."""
        return float(self.values[min(self.rejected, len(self.values) - 1)])

    @property
    def p_value(self) -> float:
        """The reciprocal of the largest wealth against the claim: a p-value, whenever one stops."""
        return math.exp(-self.highest)

    @property
    def log_wealth(self) -> float:
        """The logarithm of the wealth against the claim."""
        return float(self.log_wealths(_list_claimed(self.guarantee))[0])

    def log_wealths(self, values: Array) -> Array:
        """[values], the logarithms of the wealth against each."""
        table = stakes(self.guarantee, values, self.kinds)
        found = table.log_wealth(self.tally.reshape(len(self.tally), -1))
        # What no expert holds is not bet either, and is left out.
        return np.asarray(np.logaddexp.reduce(found + self.log_shares[:, None], axis=0)) - SLACK

    def after(self, tally: NDArray[np.int64]) -> EProcess:
        """The same after further guesses [experts, kinds, 3].

        Their rules were fixed before these runs; what an expert had at stake is counted run by run,
        so that an expert without a rule has no guesses and abstentions either.
        """
        grown = replace(self, tally=self.tally + tally)
        values, rejected, step = self.values, self.rejected, 1
        needed = -math.log(self.error)
        while rejected < len(values):
            wealth = grown.log_wealths(values[rejected : rejected + step])
            below = int(np.argmax(np.append(wealth, -np.inf) < needed))
            rejected += below
            if below < len(wealth):
                break
            step = min(64, 2 * step)
        return replace(grown, rejected=rejected, highest=max(self.highest, grown.log_wealth))


def tally_guesses(guesses: NDArray[np.int8], coins: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of the guesses (1, -1, or 0 for none) are right, how many wrong, how many none."""
    made = int(np.count_nonzero(guesses))
    right = int(np.count_nonzero(guesses == np.where(coins, 1, -1)))
    return np.array([right, made - right, len(guesses) - made], np.int64)


def along(guarantee: Guarantee, distance: int, one_sided: bool, error: float) -> EProcess:
    """The process of one frozen rule: `after` takes ``tallied(guesses, coins)[None, None]``."""
    return EProcess.start(guarantee, error, np.ones(1), ((distance, one_sided),))


def _list_claimed(guarantee: Guarantee) -> Array:
    return np.array([float(claimed_value(guarantee))])


@cache
def _values(guarantee: Guarantee) -> Array:
    return np.union1d(GRID, _list_claimed(guarantee))
