"""The exact law of a mechanism under two neighbouring answers of its query.

A pair of laws is a product of losses that these two neighbours attain, or two finite rows of exact
chances. Noise on numbers attains its losses; what chooses, answers in bits or responds is finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

from integrals import Factor, between, exponential, integral, laplace, surely
from reading import Mechanism, Vector

from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    join,
)
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational, add, multiply
from synthesizers.selection import Exponential

Row = tuple[Exact, ...]

MAX_OUTPUTS = 500
"""The most outputs of a product of finite laws."""

MAX_BITS = 6
"""The most answers of the sparse vector technique of which all outputs are told apart."""


@dataclass(frozen=True)
class LossPair:
    """Losses whose product is the pair of laws of two neighbours."""

    losses: Losses


@dataclass(frozen=True)
class RowPair:
    """The chances of all outputs under the one and under the other neighbour."""

    left: Row
    right: Row


Pair = LossPair | RowPair


def variance(mechanism: Mechanism) -> Fraction:
    """σ² of a Gaussian, which ``mu`` states of a query that moves by 1."""
    if "mu" in mechanism.given:
        return 1 / mechanism.number("mu") ** 2
    if "sigma_squared" in mechanism.given:
        return mechanism.number("sigma_squared")
    return mechanism.number("sigma") ** 2


def additive(mechanism: Mechanism, left: Vector, right: Vector) -> LossPair:
    """Noise on each answer: the law only depends on how far each of them moves."""
    shifts = [abs(a - b) for a, b in zip(left, right, strict=True) if a != b]
    losses: list[tuple[int, Loss]]
    match mechanism.name:
        case "gaussian":
            squared = sum((x * x for x in shifts), Fraction(0)) / variance(mechanism)
            losses = [(1, GaussianLoss(squared))] if squared else []
        case "laplace":
            losses = [(1, LaplaceLoss(x / mechanism.number("scale"))) for x in shifts]
        case "discrete_laplace":
            rate = 1 / mechanism.number("scale")
            losses = [(1, DiscreteLaplaceLoss(rate, _whole(x))) for x in shifts]
        case _:
            losses = [(1, DiscreteGaussianLoss(variance(mechanism), _whole(x))) for x in shifts]
    return LossPair(join([(loss,) for loss in losses], [1] * len(losses)))


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise InputError("noise on the integers is for integer answers")
    return int(value)


def choose_exponentially(mechanism: Mechanism, scores: Vector) -> Row:
    """P[i] ∝ e^(rate·score): the law of the exponential mechanism, and of Gumbel noise."""
    rate = mechanism.number("rate") if "rate" in mechanism.given else 1 / mechanism.number("scale")
    return tuple(Exponential(rate).chances([_whole(score) for score in scores]))


def permute_and_flip(mechanism: Mechanism, scores: Vector) -> Row:
    """The law of permute-and-flip: candidates come at uniform times, each failing before t.

    With p = e^(rate·(score - best)): P[i] = p_i·∫ Π over j ≠ i of (1 - t·p_j) dt over [0, 1].
    """
    heads = [ExpRational.exp(mechanism.number("rate") * (s - max(scores))) for s in scores]
    row: list[Exact] = []
    for chosen, head in enumerate(heads):
        others = heads[:chosen] + heads[chosen + 1 :]
        total = ExpRational.of(0)
        for size in range(len(others) + 1):
            for some in combinations(others, size):
                term = math.prod(some, start=ExpRational.of(1))
                total += term * Fraction((-1) ** size, size + 1)
        row.append(head * total)
    return tuple(row)


def noisy_max(mechanism: Mechanism, scores: Vector) -> Row:
    """The index of the largest score with Laplace, exponential or Gumbel noise on each."""
    noise, scale = mechanism.word("noise", "laplace"), mechanism.number("scale")
    if noise == "gumbel":
        return choose_exponentially(mechanism, scores)
    law = {"laplace": laplace, "exponential": exponential}[noise]
    return tuple(
        integral(
            [law("density" if i == j else "below", scale, s) for j, s in enumerate(scores)], scores
        )
        for i in range(len(scores))
    )


def sparse_vector(mechanism: Mechanism, answers: Vector) -> Row:
    """Which answers are at least 0, the threshold, as far as the sparse vector technique tells.

    Scale 0 is no noise; without ``count`` it never stops. Where it ``releases`` the noisy answers
    the row is of one event: all but the last below, and that above with a noisy value up to 0.
    """
    threshold, scale = mechanism.number("threshold_scale"), mechanism.number("query_scale")

    def law(kind: str, answer: Fraction) -> Factor:
        return laplace(kind, scale, answer) if scale else surely(kind, answer)

    def chance(factors: Sequence[Factor]) -> ExpRational:
        if threshold:
            zero = Fraction(0)
            return integral([*factors, laplace("density", threshold, zero)], [zero, *answers])
        found = ExpRational.of(1)
        for factor in factors:
            terms = factor(Fraction(0)).items()
            found *= sum((ExpRational.exp(r) * a for (_, r), a in terms), ExpRational.of(0))
        return found

    if mechanism.word("releases", "bits") == "answers":
        last = law("above", answers[-1])
        shown = between(last, Fraction(0), last)
        event = chance([*(law("below", one) for one in answers[:-1]), shown])
        return event, 1 - event
    limit = mechanism.whole("count") if "count" in mechanism.given else len(answers)
    row = [
        chance([law("above" if bit else "below", a) for bit, a in zip(bits, answers, strict=False)])
        for bits in _outputs(len(answers), limit)
    ]
    return (*row, 1 - sum(row, ExpRational.of(0)))


def _outputs(answers: int, limit: int) -> list[tuple[bool, ...]]:
    """What may be released until so many bits say above.

    Of more than `MAX_BITS` answers it is told only if all that are below come first.
    """
    bits: Iterable[tuple[bool, ...]] = product((False, True), repeat=answers)
    if answers > MAX_BITS:
        bits = (tuple(place >= first for place in range(answers)) for first in range(answers + 1))
    return sorted({one[: _stop(one, limit)] for one in bits})


def _stop(bits: Sequence[bool], limit: int) -> int:
    """How many answers are looked at until so many are above."""
    places = [place + 1 for place, bit in enumerate(bits) if bit]
    return places[limit - 1] if len(places) >= limit else len(bits)


CHOICES: dict[str, Callable[[Mechanism, Vector], Row]] = {
    "exponential": choose_exponentially,
    "permute_and_flip": permute_and_flip,
    "noisy_max": noisy_max,
    "sparse_vector": sparse_vector,
}
"""Mechanisms with finitely many outputs, by their law under given answers."""

ADDITIVE = ("gaussian", "laplace", "discrete_laplace", "discrete_gaussian")
"""Mechanisms that add noise to each answer."""


def matrix_of(mechanism: Mechanism) -> list[Row]:
    """The law of a response to each value of one record."""
    if mechanism.name == "local":
        rows = mechanism.given.get("matrix")
        if not isinstance(rows, list):
            raise InputError("local needs a matrix")
        return [tuple(row) for row in rows]
    values, kept = mechanism.whole("values"), ExpRational.exp(mechanism.number("epsilon"))
    total = kept + (values - 1)
    return [
        tuple((kept if i == j else ExpRational.of(1)) / total for j in range(values))
        for i in range(values)
    ]


def responses(mechanism: Mechanism) -> Iterator[Pair]:
    """A response by one record whose value is exchanged for another."""
    if mechanism.name == "randomized_response" and "values" not in mechanism.given:
        yield LossPair(((1, ResponseLoss(mechanism.number("epsilon"))),))
        return
    for left, right in combinations(matrix_of(mechanism), 2):
        yield RowPair(left, right)


def sampling_rate(mechanism: Mechanism) -> Fraction:
    """The chance that a record is in the sample."""
    if mechanism.name == "poisson":
        return mechanism.number("q")
    return mechanism.number("sample") / mechanism.number("records")


def sample(pair: Pair, rate: Fraction) -> Pair | None:
    """The laws on a sample that holds the left record at a rate, and without it has right's law."""
    if isinstance(pair, LossPair):
        if len(pair.losses) == 1 and isinstance(pair.losses[0][1], GaussianLoss):
            loss = SampledGaussianLoss(rate, pair.losses[0][1].mu_squared)
            return LossPair(((1, loss),))
        coarse = coarsen(pair)
        return None if coarse is None else sample(coarse, rate)
    mixed = (
        add(multiply(rate, p), multiply(1 - rate, q))
        for p, q in zip(pair.left, pair.right, strict=True)
    )
    return RowPair(tuple(mixed), pair.right)


def sample_openly(pair: Pair, rate: Fraction) -> RowPair | None:
    """The laws where a record is sampled at a rate, and an output of its own says if it is not."""
    rows = pair if isinstance(pair, RowPair) else coarsen(pair)
    if rows is None:
        return None
    one, other = (tuple(multiply(rate, p) for p in row) for row in (rows.left, rows.right))
    return RowPair((1 - rate, *one), (1 - rate, *other))


def coarsen(pair: LossPair) -> RowPair | None:
    """One loss as finite rows: a response as it is, Laplace noise told only as far as thirds.

    Of Laplace noise it is told whether the noisy answer is beyond the larger or the smaller of
    the two true answers, or between: that has the same largest loss.
    """
    if len(pair.losses) != 1 or pair.losses[0][0] != 1:
        return None
    match pair.losses[0][1]:
        case LaplaceLoss(epsilon):
            far = ExpRational.exp(-epsilon) / 2
            ends = (ExpRational.of(Fraction(1, 2)), far)
        case ResponseLoss(epsilon, failure) if failure == 0:
            odds = ExpRational.exp(epsilon)
            ends = (odds / (odds + 1), 1 / (odds + 1))
        case ResponseLoss(epsilon, failure):
            odds = ExpRational.exp(epsilon)
            seen = [ExpRational.of(1 - failure) * x / (odds + 1) for x in (odds, ExpRational.of(1))]
            zero, sure = ExpRational.of(0), ExpRational.of(failure)
            return RowPair((sure, *seen, zero), (zero, *reversed(seen), sure))
        case _:
            return None
    rest = 1 - ends[0] - ends[1]
    return RowPair((ends[0], rest, ends[1]), (ends[1], rest, ends[0]))


def together(pairs: Sequence[tuple[int, Pair]]) -> Pair | None:
    """The pair of independent runs, each as often as its count; None where it has no such form."""
    losses = [(count, pair.losses) for count, pair in pairs if isinstance(pair, LossPair)]
    if len(losses) == len(pairs):
        return LossPair(join([each for _, each in losses], [count for count, _ in losses]))
    found = RowPair((Fraction(1),), (Fraction(1),))
    for count, pair in pairs:
        rows = pair if isinstance(pair, RowPair) else coarsen(pair)
        if rows is None or len(found.left) * _size(count, len(rows.left)) > MAX_OUTPUTS:
            return None
        left, right = _power(rows.left, count), _power(rows.right, count)
        found = RowPair(_product(found.left, left), _product(found.right, right))
    return found


def _size(count: int, outputs: int) -> int:
    return math.comb(count + outputs - 1, count)


def _power(row: Row, count: int) -> Row:
    """The chances of how often each output comes up; their order tells nothing more."""
    chances = []
    for drawn in combinations_with_replacement(range(len(row)), count):
        orders = math.factorial(count)
        for output in set(drawn):
            orders //= math.factorial(drawn.count(output))
        chance: Exact = Fraction(orders)
        for output in drawn:
            chance = multiply(chance, row[output])
        chances.append(chance)
    return tuple(chances)


def _product(left: Row, right: Row) -> Row:
    return tuple(multiply(a, b) for a in left for b in right)


def turn(pair: Pair) -> Pair | None:
    """The pair the other way round; None for losses that differ on the two sides."""
    if isinstance(pair, RowPair):
        return RowPair(pair.right, pair.left)
    sided = any(isinstance(loss, SampledGaussianLoss) for _, loss in pair.losses)
    return None if sided else pair
