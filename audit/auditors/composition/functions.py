"""A recount of plain functions from what they draw: how far the data move a statistic, by scale.

Where the output is a statistic plus noise (see `additive`), the pair's exact loss is known:
independent Laplace noise of scales b loses Σ|Δ|/b (Dwork et al. 2006), normal noise of deviations σ
is a Gaussian mechanism with μ² = ΣΔ²/σ² (Dong, Roth & Su 2022, Theorem 2.7). Of other functions
nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from audit.auditors.composition.additive import STREAMS, Function, Term, terms_heard
from audit.auditors.composition.recount import in_words
from audit.auditors.data_independence.pairs import list_neighbours
from audit.auditors.data_independence.recorded_draws import Listener, overheard
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.pair import Pair
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.losses import GaussianLoss, LaplaceLoss, Losses, join
from proofs.profiles import gaussian, laplace
from proofs.profiles.moments import log_moment

SLACK = Fraction(1, 10**9)
"""Relative margin against the accusation: parameters such as 1/0.3 are doubles, and what follows
from them is no closer than a few times 2^-53."""

ORDERS = (Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16), Fraction(64))
"""Orders at which a claim of zCDP is compared (each is a floor)."""

MOST_PAIRS = 48
"""Pairs that are looked at unless told otherwise."""


def recount_function(
    function: Function,
    claim: Claim,
    pairs: Sequence[tuple[Any, Any]] | None = None,
    *,
    seed: int = 0,
    most: int = MOST_PAIRS,
) -> tuple[Finding, ...]:
    """One finding: the most that a pair of neighbours spends, against the claim.

    ``pairs``: databases to look at, on the caller's word that they are neighbours; by default
    those of `list_neighbours` over the claim's domain. Deterministic given ``seed``. Raises
    InputError without a domain or pairs.

    Guarantee
    ---------
    Where additivity holds for all streams of noise, as it did for those tried, the pair's loss is
    exact and the claim's own parameter is at least what is said, less `SLACK`. Backed by
    ``tests/audit/auditors/composition/test_recounted_functions.py``.
    """
    listed: Sequence[Pair]
    if pairs is not None:
        listed = [Pair(first, second) for first, second in pairs]
    else:
        claim.require_domain()
        listed = list_neighbours(claim, most)
    worst: tuple[Pair, tuple[Term, ...]] | None = None
    read = 0
    listener = Listener()
    with overheard(listener):
        found = [(pair, terms_heard(function, pair, seed, listener)) for pair in listed]
    for pair, terms in found:
        if terms is None:
            continue
        read += 1
        if worst is None or _size(terms) > _size(worst[1]):
            worst = pair, terms
    return (_finding(function, claim, worst, read, len(listed), seed),)


def _size(terms: tuple[Term, ...]) -> tuple[Fraction, Fraction]:
    """What orders pairs: the Laplace part, and the square of the normal part."""
    lost, squared = _sum_costs(terms)
    return lost + squared, lost


def _sum_costs(terms: tuple[Term, ...]) -> tuple[Fraction, Fraction]:
    """Σ|Δ|/b of Laplace noise, and ΣΔ²/σ² of normal noise."""
    lost = sum((term.spent for term in terms if term.law == "laplace"), Fraction(0))
    squared = sum((term.spent**2 for term in terms if term.law == "normal"), Fraction(0))
    return lost, squared


def violates(terms: tuple[Term, ...], guarantee: Guarantee) -> bool:
    """Whether a pair of these terms breaks a claim, by more than `SLACK`.

    Guarantee
    ---------
    True only if the product of the terms' pairs of laws is no pair of the guarantee. Backed by
    ``tests/audit/auditors/composition/test_recounted_functions.py``.
    """
    lost, squared = _sum_costs(terms)
    more = 1 + SLACK
    match guarantee:
        case ApproxDP(epsilon, delta) if delta == 0:
            return squared > 0 or lost > epsilon * more
        case ApproxDP(epsilon, delta):
            return any(found > delta * more for found in _deltas(terms, epsilon * more))
        case GaussianDP(mu):
            return squared > (mu * more) ** 2
        case ZCDP(rho):
            return any(_renyi(terms, order) > rho * order * more for order in ORDERS)
        case RenyiDP(order, bound):
            return _renyi(terms, order) > bound * more


def _losses(terms: Sequence[Term]) -> Losses:
    found = [
        GaussianLoss(term.spent**2) if term.law == "normal" else LaplaceLoss(term.spent)
        for term in terms
        if term.moved
    ]
    return join([((1, loss),) for loss in found], [1] * len(found))


def _deltas(terms: tuple[Term, ...], epsilon: Fraction) -> Iterator[Fraction]:
    """Floors of δ(ε): of the normal entries alone, and of each kind of equal Laplace entries."""
    for entry in _losses(terms):
        of = gaussian.delta if isinstance(entry[1], GaussianLoss) else laplace.delta
        hint: Mapping[str, Any] = {} if isinstance(entry[1], GaussianLoss) else {"bits": 64}
        try:
            yield of((entry,), "remove", epsilon, hint).lower
        except ProofError:
            continue


def _renyi(terms: tuple[Term, ...], order: Fraction) -> Fraction:
    """A floor of the Rényi divergence of an order: those of independent entries add up."""
    moments = (
        count * log_moment(loss, order - 1, "remove").lower for count, loss in _losses(terms)
    )
    return sum(moments, Fraction(0)) / (order - 1)


def _finding(
    function: Function,
    claim: Claim,
    worst: tuple[Pair, tuple[Term, ...]] | None,
    read: int,
    pairs: int,
    seed: int,
) -> Finding:
    bad = worst is not None and violates(worst[1], claim.guarantee)
    dearest = max(worst[1], key=lambda term: term.spent, default=None) if worst else None
    shown = bad and worst is not None
    return Finding(
        auditor="composition",
        about="noise against what it hides",
        decision=Decision.of_declaration(bad),
        declared=str(claim.guarantee),
        found=_words(worst[1]) if worst else "the output is no statistic plus noise: not recounted",
        rigour=Rigour.FLOOR,
        covers=f"{read} of {pairs} pairs of neighbours, {STREAMS} streams of noise each",
        again=(
            "from audit.auditors.composition import recount_function\n"
            "recount_function(function, claim, [(finding.pair.first, finding.pair.second)], "
            f"seed={seed})  # {getattr(function, '__name__', type(function).__name__)}"
        ),
        pair=Shown(worst[0].first, worst[0].second) if shown and worst else None,
        responsible=None if dearest is None or not shown else _term(dearest),
    )


def _words(terms: tuple[Term, ...]) -> str:
    lost, squared = _sum_costs(terms)
    told = [f"Laplace noise: the sum of |change|/scale is {in_words(lost)}"] if lost else []
    told += [f"normal noise: the sum of change²/σ² is {in_words(squared)}"] if squared else []
    most = f", over {len(terms)} noisy entries"
    return "; ".join(told) + most if told else "no pair moves what the noise hides"


def _term(term: Term) -> str:
    return (
        f"{term.law} noise of scale {in_words(term.scale)} at {term.place}: "
        f"the statistic changes by {in_words(term.moved)}"
    )
