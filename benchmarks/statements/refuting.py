"""Counterexamples: two neighbours whose exact laws are further apart than a statement says.

What is searched is small: a few true answers and every stated move, or all databases of a few
records of the declared domain. Of a mechanism that is known by a guarantee alone some mechanisms
are tried that have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
from laws import (
    ADDITIVE,
    CHOICES,
    Attained,
    Pair,
    Rows,
    additive,
    responses,
    sample,
    together,
    told_if_sampled,
    turn,
)
from reading import Formal, Mechanism, Norm, Query, Term, Vector

from audit.auditors.deciding import decide
from audit.channels.channel import Channel
from audit.statements.evidence import Decision
from proofs import accountants
from proofs.channels import channel_certificate
from proofs.checker import check
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.profiles.gaussian import gaussian_delta
from proofs.profiles.moments import log_moment
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.exact import ExpRational
from synthesizers.intervals import float_below
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases, neighbour_pairs
from synthesizers.queries import answers_of_histograms
from synthesizers.questions_json import question_from_json

ORDERS = tuple(1 + Fraction(n, 8) for n in (1, 2, 4, 8, 16, 24, 56, 120, 248, 1000))
"""The orders at which a concentrated guarantee is tried."""

EPSILONS = tuple(Fraction(n, 4) for n in (0, 1, 2, 4, 6, 8, 12, 16, 24, 40, 160))
"""Where the profile of a pair is compared with that of a Gaussian guarantee."""

BITS = 128
"""The precision of the Gaussian profile that a counterexample has to exceed."""

LEVELS = (0, 1, 25)
"""The true answers that are combined, up to `MANY` of them; the last is far from the others."""

MANY = 3

ZERO = Fraction(0)


@dataclass(frozen=True)
class Counterexample:
    """Two neighbours, and by how much their laws break the claim, in words."""

    words: str


def refute(formal: Formal) -> Counterexample | None:
    """A certified counterexample; None where none was found.

    Guarantee
    ---------
    The neighbours are neighbours, and what is stated of them exceeds the claim. Backed by
    ``tests/benchmarks/test_statements.py``.
    """
    if isinstance(formal.claim, Norm):
        return _longer_move(formal)
    for words, pair in pairs_of(formal):
        found = exceed(pair, formal.claim, formal.neighbours)
        if found is not None:
            return Counterexample(f"{words}: {found}")
    return None


def _longer_move(formal: Formal) -> Counterexample | None:
    claim = formal.claim
    assert isinstance(claim, Norm)
    for words, left, right in neighbouring_answers(formal):
        move = [abs(a - b) for a, b in zip(left, right, strict=True)]
        norms = {
            "l0": Fraction(sum(x > 0 for x in move)),
            "l1": sum(move, ZERO),
            "l2_squared": sum((x * x for x in move), ZERO),
            "linf": max(move),
        }
        if norms[claim.name] > claim.value:
            return Counterexample(f"{words}: {claim.name} is {norms[claim.name]}")
    return None


# --- neighbours ----------------------------------------------------------------------------------


def neighbouring_answers(formal: Formal) -> Iterator[tuple[str, Vector, Vector]]:
    """True answers of some neighbours, in words and as vectors, each way round."""
    query = formal.query
    if query.declared is not None:
        yield from _on_databases(query, formal.neighbours)
        return
    signed = {tuple(side * x for x in move) for move in query.moves for side in (1, -1)}
    far = {
        tuple(map(sum, zip(*some, strict=True)))
        for some in combinations_with_replacement(sorted(signed), formal.steps)
    }
    moves = sorted(far, key=lambda move: -sum(map(abs, move)))
    for base in _bases(len(query.moves[0])):
        for move in moves:
            other = tuple(a + b for a, b in zip(base, move, strict=True))
            yield f"answers {_text(base)} and {_text(other)}", base, other


@cache
def _bases(answers: int) -> tuple[Vector, ...]:
    """True answers: all of `LEVELS`, or where there are many all alike but for one."""
    if answers <= MANY:
        levels = product(map(Fraction, LEVELS), repeat=answers)
        return tuple(base for base in levels if min(base) == 0)
    alike = tuple(map(Fraction, (0,) * answers))
    last = [(*alike[1:], Fraction(level)) for level in (-1, 1, 25)]
    first = [(Fraction(level), *alike[1:]) for level in (-25, 25)]
    return (alike, *last, *first)


def _text(answers: Vector) -> str:
    return f"({', '.join(map(str, answers))})"


def _on_databases(
    query: Query, neighbours: Neighbours
) -> Iterator[tuple[str, Vector, Vector]]:
    assert query.shape is not None and query.declared is not None
    attributes = tuple(
        Attribute(name, tuple(map(str, range(size)))) for name, size in query.shape.items()
    )
    domain = Domain("domain", attributes)
    noise = {"law": "discrete-laplace", "scale": "1"}
    asked = {"event": "measure", "query": dict(query.declared), "noise": noise}
    event = question_from_json({**asked, "low": 0, "high": 0}, domain)
    rows = databases(neighbours, domain.size, max(2, neighbours.unit.max_records))
    answers = answers_of_histograms(event.query, domain, rows)  # type: ignore[union-attr]
    seen = set()
    for pair in neighbour_pairs(neighbours, np.asarray(rows)).tolist():
        for one, other in (pair, pair[::-1]):
            left, right = (tuple(map(Fraction, answers[n].tolist())) for n in (one, other))
            if (left, right) not in seen:
                seen.add((left, right))
                yield f"counts {rows[one].tolist()} and {rows[other].tolist()}", left, right


# --- their laws ----------------------------------------------------------------------------------


def pairs_of(formal: Formal) -> Iterator[tuple[str, Pair]]:
    """The laws of some neighbours, each with the neighbours in words."""
    terms = formal.mechanism
    if not any(_looks_at_answers(mechanism) for _, mechanism in terms):
        yield from _of_terms(terms, formal, "one record", (ZERO,), (Fraction(1),))
        return
    shifts = all(mechanism.name in ADDITIVE for _, mechanism in terms)
    seen: set[Vector] = set()
    for words, left, right in neighbouring_answers(formal):
        move = tuple(sorted(abs(a - b) for a, b in zip(left, right, strict=True)))
        if not (shifts and move in seen):
            seen.add(move)
            yield from _of_terms(terms, formal, words, left, right)


def _looks_at_answers(mechanism: Mechanism) -> bool:
    inside = any(_looks_at_answers(inner) for _, inner in mechanism.inner)
    return inside or mechanism.name in ADDITIVE or mechanism.name in CHOICES


def _of_terms(
    terms: tuple[Term, ...], formal: Formal, words: str, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """Every combination of the terms' pairs: independent runs on the same two neighbours."""
    each = [list(_of_mechanism(mechanism, formal, left, right)) for _, mechanism in terms]
    for chosen in product(*each):
        counted = [(count, pair) for (count, _), (_, pair) in zip(terms, chosen, strict=True)]
        pair = together(counted)
        if pair is not None:
            names = " and ".join(name for name, _ in chosen if name)
            yield " on ".join(part for part in (names, words) if part), pair


def _of_mechanism(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    match mechanism.name:
        case name if name in ADDITIVE:
            yield "", additive(mechanism, left, right)
        case name if name in CHOICES:
            law = CHOICES[name]
            yield "", Rows(law(mechanism, left), law(mechanism, right))
        case "randomized_response" | "local" if formal.steps == 1:
            yield from (("", pair) for pair in responses(mechanism))
        case "pure" | "zcdp" | "gdp" | "renyi":
            yield from examples(premise_of(mechanism), formal.steps)
        case "post":
            yield from _of_terms(mechanism.inner, formal, "", left, right)
        case "poisson" | "without_replacement":
            yield from _sampled(mechanism, formal, left, right)
        case "parallel":
            yield from _parallel(mechanism, formal, left, right)


def _sampled(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """The record in question is sampled or not; the other records all give the right answers.

    Of a sample of fixed size it is exchanged for one of them. On Poisson samples under replace-one
    it is either of two records, and without either the output is a third, which shows that.
    """
    fixed = mechanism.name == "without_replacement"
    rate = sampling_rate(mechanism)
    exchanged = isinstance(formal.neighbours, ReplaceOne)
    if fixed and not exchanged:
        return
    for words, inner in _of_terms(mechanism.inner, formal, "", left, right):
        if fixed or not exchanged:
            found = sample(inner, rate)
        elif mechanism.inner[0][1].name == "pure":
            found = told_if_sampled(inner, rate)
        else:
            return
        if found is not None:
            yield words, found


def sampling_rate(mechanism: Mechanism) -> Fraction:
    """The chance that a record is in the sample."""
    if mechanism.name == "poisson":
        return mechanism.number("q")
    return mechanism.number("sample") / mechanism.number("records")


def _parallel(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """A record in one of the parts; under replace-one, two in one part or one in each of two."""
    terms: list[tuple[Term, ...]] = [((1, part),) for _, part in mechanism.inner]
    parts = [list(_of_terms(term, formal, "", left, right)) for term in terms]
    if isinstance(formal.neighbours, AddRemove):
        yield from (entry for part in parts for entry in part)
        return
    for term in terms:
        if not _looks_at_answers(term[0][1]):
            yield from _of_terms(term, replace(formal, given=AddRemove()), "", left, right)
    for (words, here), (more, there) in product(parts[0], parts[-1]):
        pair = together([(1, here), (1, turn(there))])
        if pair is not None:
            yield f"{words or more}, the record exchanged across parts", pair


# --- mechanisms that have a guarantee ------------------------------------------------------------


def premise_of(mechanism: Mechanism) -> Guarantee:
    """The guarantee by which a mechanism is known."""
    number = mechanism.number
    match mechanism.name:
        case "pure":
            delta = number("delta") if "delta" in mechanism.given else ZERO
            return ApproxDP(number("epsilon"), delta)
        case "zcdp":
            return ZCDP(number("rho"))
        case "gdp":
            return GaussianDP(number("mu"))
        case "renyi":
            return RenyiDP(number("alpha"), number("rdp"))
    raise InputError(f"{mechanism.name} is no guarantee")


def examples(premise: Guarantee, steps: int) -> Iterator[tuple[str, Pair]]:
    """Mechanisms that have a guarantee, on databases so many steps apart.

    Randomised response of ε has pure ε and ρ = ε·tanh(ε/2) (Steinke 2024, Theorem 5), and failing
    with chance δ it is (ε, δ)-DP (Kairouz, Oh & Viswanath 2015); discrete Laplace noise loses ε a
    step. A Gaussian of μ a step is μ²/2-zCDP and has the δ of Balle & Wang 2018. Two chances are
    tried for a Rényi guarantee, where their divergences are certified not to exceed it.
    """
    match premise:
        case ApproxDP(epsilon, delta):
            if steps == 1:
                yield "randomised response", Attained(((1, ResponseLoss(epsilon, delta)),))
            if delta:
                squared = _largest_gaussian(epsilon, delta) * steps**2
                yield "Gaussian noise", Attained(((1, GaussianLoss(squared)),))
            elif epsilon:
                loss = DiscreteLaplaceLoss(epsilon, steps)
                yield "geometric noise", Attained(((1, loss),))
        case ZCDP(rho):
            squared = 2 * rho * steps**2
            yield "Gaussian noise", Attained(((1, GaussianLoss(squared)),))
            if steps == 1:
                loss = ResponseLoss(_largest_response(rho))
                yield "randomised response", Attained(((1, loss),))
        case GaussianDP(mu):
            squared = (mu * steps) ** 2
            yield "Gaussian noise", Attained(((1, GaussianLoss(squared)),))
        case RenyiDP(order, bound):
            squared = 2 * bound / order * steps**2
            yield "Gaussian noise", Attained(((1, GaussianLoss(squared)),))
            if steps == 1:
                yield from _two_chances(premise)


def _largest_gaussian(epsilon: Fraction, delta: Fraction) -> Fraction:
    """A μ² nearly as large as (ε, δ)-DP allows."""
    low, high = ZERO, Fraction(100)
    for _ in range(24):
        middle = (low + high) / 2
        fits = gaussian_delta(middle, epsilon, BITS).upper <= delta
        low, high = (middle, high) if fits else (low, middle)
    return low or high / 2**100


def _largest_response(rho: Fraction) -> Fraction:
    """An ε with ε·tanh(ε/2) <= ρ, nearly the largest."""
    low, high = ZERO, rho + 2
    for _ in range(24):
        middle = (low + high) / 2
        odds = ExpRational.exp(middle)
        slope = (odds - 1) * middle / (odds + 1)
        fits = slope.enclosure().upper <= rho
        low, high = (middle, high) if fits else (low, middle)
    return low


@cache
def _two_chances(premise: RenyiDP) -> tuple[tuple[str, Pair], ...]:
    """Laws of two outputs, one of them rare, that keep a Rényi guarantee and nearly exhaust it."""
    found: list[tuple[str, Pair]] = []
    for size in (1, 2, 4, 8, 16, 32):
        p = Fraction(1, 2**size)
        low, high = ZERO, p
        for _ in range(30):
            middle = (low + high) / 2
            pair = Rows((p, 1 - p), (middle, 1 - middle))
            kept = decide(channel_of(pair, AddRemove()), premise).decision is Decision.HOLDS
            low, high = (low, middle) if kept else (middle, high)
        found.append((f"an event of chances {p} and {high}", Rows((p, 1 - p), (high, 1 - high))))
    return tuple(found)


# --- how far they are apart ----------------------------------------------------------------------


def exceed(pair: Pair, claim: Guarantee, neighbours: Neighbours) -> str | None:
    """How a pair of laws breaks a guarantee, in words; None where that is not certain."""
    if isinstance(pair, Attained):
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
            found = accountants.delta(losses, epsilon).lower
            if found > delta:
                return f"delta at epsilon={epsilon} is {float_below(found):.6g} or more"
        case GaussianDP(mu):
            for epsilon in EPSILONS:
                most = gaussian_delta(mu * mu, epsilon, BITS).upper if mu else ZERO
                found = accountants.delta(losses, epsilon).lower
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


def _exceed_by_certificate(pair: Rows, claim: ApproxDP, neighbours: Neighbours) -> str | None:
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


def channel_of(pair: Rows, neighbours: Neighbours) -> Channel:
    """The two rows as a channel."""
    listed = np.array(_databases(neighbours))
    chances = np.empty((2, len(pair.left)), object)
    chances[0], chances[1] = pair.left, pair.right
    outputs = tuple((number,) for number in range(len(pair.left)))
    domain = Domain.from_cells(str(listed.shape[1]))
    return Channel.of_exact(domain, _relation(neighbours), listed, outputs, chances, "output")
