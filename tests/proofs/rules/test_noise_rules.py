"""Noise of every law against the divergences of small mechanisms, computed here from the laws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proofs.entries import NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Private, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
)
from proofs.parts import entries_of
from proofs.profiles.entry_moments import pairs
from proofs.profiles.gaussian import gaussian_delta
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)
from tests.synthesizers.brute_force import RELATIONS, relation_id

FloatArray = NDArray[np.float64]
Moves = tuple[int, ...]
LAPLACE_LAWS = ("laplace", "rounded-laplace", "discrete-laplace")
LAWS = (*LAPLACE_LAWS, "gaussian", "discrete-gaussian")
EPSILONS = (0.0, 0.1, 0.5, 1.0, 1.5, 2.5)
REACH = 45
"""Laws of scale 1 or variance 1 are cut there: what is left out is below 1e-19."""


def marginal(neighbours: Neighbours, cells: int) -> Theorem:
    query = {"kind": "marginal", "attributes": ["cell"]}
    given = {"neighbours": neighbours, "shape": {"cell": cells}, "query": query}
    return prove("marginal", (), given)


def stated(**change: Any) -> Theorem:
    """One real answer that moves by 1, unless said otherwise."""
    norms: dict[str, Any] = {"l0": 1, "l1": 1, "l2_squared": 1, "linf": 1}
    kind = {"neighbours": AddRemove(), "query": "q", "monotone": True, "integers": False}
    return prove("stated-sensitivity", (), {**norms, **kind, **change})


def concluded(theorem: Theorem) -> Any:
    assert isinstance(theorem.judgment, Private)
    return theorem.judgment.guarantee


@cache
def moves(neighbours: Neighbours, cells: int) -> tuple[Moves, ...]:
    """How the counts of all cells differ between neighbours, up to the order of the cells."""
    rows = databases(neighbours, cells, 2 * neighbours.unit.max_records)
    pairs = neighbour_pairs(neighbours, rows)
    steps = rows[pairs[:, 1]] - rows[pairs[:, 0]]
    return tuple(sorted({tuple(sorted(map(int, step))) for step in steps}))


def masses(law: str, shift: int) -> FloatArray:
    """Chances of the integers -REACH … REACH under a law of scale or variance 1, shifted."""
    z = np.arange(-REACH, REACH + 1) - shift
    if law == "rounded-laplace":
        size = np.abs(z)
        outer = np.exp(-size) * math.sinh(0.5)
        return np.where(size == 0, -math.expm1(-0.5), outer)
    weights = np.exp(-np.abs(z)) if law == "discrete-laplace" else np.exp(-(z**2) / 2)
    whole = np.arange(-9 * REACH, 9 * REACH + 1)
    total = np.exp(-np.abs(whole)) if law == "discrete-laplace" else np.exp(-(whole**2) / 2)
    return np.asarray(weights / total.sum(), np.float64)


@cache
def losses_of(law: str, shift: int, pieces: int = 400) -> tuple[FloatArray, FloatArray]:
    """Losses of one answer that moves by ``shift``, and their chances under the shifted law.

    For the continuous law the losses strictly between the ends are taken at midpoints.
    """
    if law == "laplace":
        edges = np.linspace(0.0, abs(shift), pieces + 1)
        below = np.exp(edges - abs(shift)) / 2
        middles = edges[1:] + edges[:-1] - abs(shift)
        values = np.concatenate([[-abs(shift)], middles, [abs(shift)]])
        return values, np.concatenate([[below[0]], np.diff(below), [0.5]])
    high, low = masses(law, abs(shift)), masses(law, 0)
    kept = (high > 1e-290) & (low > 1e-290)
    return np.log(high[kept] / low[kept]), high[kept]


def delta(law: str, shifts: Sequence[int], epsilon: float, pieces: int = 400) -> float:
    """The hockey-stick divergence of independent noise on answers with these shifts."""
    moving = [shift for shift in shifts if shift]
    parts = [losses_of(law, shift, pieces) for shift in moving]
    zero = (np.zeros(1), np.ones(1))
    values, chances = reduce(_added, parts, zero)
    return float((chances * -np.expm1(np.minimum(epsilon - values, 0.0))).sum())


def _added(
    left: tuple[FloatArray, FloatArray], right: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    values = np.add.outer(left[0], right[0]).ravel()
    chances = np.multiply.outer(left[1], right[1]).ravel()
    kept = chances > 1e-25
    return values[kept], chances[kept]


def noised(law: str, premise: Theorem, amount: Any = 1) -> Theorem:
    return prove("additive-noise", [premise], {"law": law, "amount": amount})


def pairs_of(theorem: Theorem) -> Losses:
    return pairs(entries_of(theorem))


def shifts_of(theorem: Theorem) -> list[int]:
    """The shifts of the pairs of a mechanism, for laws of scale or variance 1."""
    shifts = []
    for count, loss in pairs_of(theorem):
        shift = loss.epsilon if isinstance(loss, LaplaceLoss) else getattr(loss, "shift", None)
        assert shift is not None and int(shift) == shift
        shifts += [int(shift)] * count
    return shifts


def pure(theorem: Theorem, epsilon: Fraction) -> Theorem:
    """ε-DP by the sum of the largest losses."""
    given = {"method": "sum", "epsilon": epsilon, "delta": 0, "hints": {}}
    return prove("to-approx", [theorem], given)


def least_pure(theorem: Theorem) -> Fraction:
    """The ε of a mechanism of one loss: proved, and nothing below it."""
    ((_, entry),) = entries_of(theorem)
    assert isinstance(entry, NoiseLoss)
    epsilon = entry.l1 / entry.amount
    assert concluded(pure(theorem, epsilon)) == ApproxDP(epsilon)
    with pytest.raises(ProofError, match="largest losses"):
        pure(theorem, epsilon - Fraction(1, 10**30))
    return epsilon


@pytest.mark.parametrize("law", ["laplace", "rounded-laplace", "discrete-laplace"])
@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_noise_on_a_vector_keeps_its_pure_epsilon(neighbours: Neighbours, law: str) -> None:
    """The largest loss of every move of three counts, at every outcome."""
    premise = marginal(neighbours, 3)
    for scale in (Fraction(1), Fraction(2, 3)):
        epsilon = least_pure(noised(law, premise, scale))
        largest = max(_largest_loss(law, step, scale) for step in moves(neighbours, 3))
        assert largest <= epsilon
        # Attained: where all answers lie far beyond both truths.
        assert largest == epsilon or law == "rounded-laplace"


def _largest_loss(law: str, step: Moves, scale: Fraction) -> Fraction:
    """Sup over outcomes of the log of the ratio of chances, answer by answer."""
    total = Fraction(0)
    for shift in step:
        if law == "rounded-laplace":
            ratio = masses(law, shift)[5:-5] / masses(law, 0)[5:-5]
            # Of scale 1: of another scale the loss is no larger than the continuous law's.
            total += Fraction(float(np.log(ratio).max())) * (1 - Fraction(1, 10**12)) / scale
        else:
            total += max(Fraction(abs(z) - abs(z - shift)) for z in range(-20, 20)) / scale
    return total


def test_pure_epsilon_is_attained() -> None:
    """Epsilons of one marginal by hand: l1/scale, 1/b and 2/b for a record."""
    for law in LAPLACE_LAWS:
        for neighbours, l1 in ((AddRemove(), 1), (ReplaceOne(), 2)):
            theorem = noised(law, marginal(neighbours, 4), "0.4")
            assert least_pure(theorem) == Fraction(5 * l1, 2)


@pytest.mark.parametrize("law", [*LAPLACE_LAWS, "discrete-gaussian"])
@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_losses_dominate_noise_on_vectors(neighbours: Neighbours, law: str) -> None:
    """Every move of three counts against the pairs' product, at several epsilons."""
    theorem = noised(law, marginal(neighbours, 3))
    # The rounded law is bounded by the continuous pair.
    pair_law = "laplace" if law == "rounded-laplace" else law
    shifts, pieces = shifts_of(theorem), 70
    slack = 3e-4 if pair_law == "laplace" else 1e-12
    for epsilon in EPSILONS:
        bound = delta(pair_law, shifts, epsilon, pieces)
        attained = max(delta(law, step, epsilon, pieces) for step in moves(neighbours, 3))
        assert attained <= bound + slack
        if neighbours.unit.is_record and law != "rounded-laplace":
            assert attained >= bound - slack


@pytest.mark.parametrize("law", ["laplace", "discrete-laplace", "discrete-gaussian"])
def test_moves_in_several_answers_are_dominated_by_their_sum(law: str) -> None:
    """One answer that moves by the sum is worse than all ways to spread it over three."""
    slack = 3e-4 if law == "laplace" else 1e-12
    for first, second, third in itertools.combinations_with_replacement(range(4), 3):
        for epsilon in (0.0, 0.3, 1.0, 2.0, 4.0):
            together = delta(law, (first + second + third,), epsilon, 70)
            assert delta(law, (first, second, third), epsilon, 70) <= together + slack


def random_moves(draw: Any, most: int) -> Moves:
    return tuple(draw(st.lists(st.integers(-most, most), min_size=1, max_size=4)))


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["discrete-laplace", "discrete-gaussian"]), st.booleans())
def test_pairs_dominate_any_vector_of_the_stated_norms(
    data: st.DataObject, law: str, known: bool
) -> None:
    step = random_moves(data.draw, 3)
    assume(any(step))
    size = [abs(move) for move in step]
    premise = stated(
        l0=sum(move > 0 for move in size) if known else None,
        l1=sum(size),
        l2_squared=sum(move * move for move in size),
        linf=max(size),
        integers=True,
    )
    shifts = shifts_of(noised(law, premise))
    assume(len(shifts) <= 4)
    epsilon = data.draw(st.sampled_from(EPSILONS))
    # Four answers of 91 outcomes are too many: rare outcomes go into the slack.
    assert _thinned(law, step, epsilon) <= _thinned(law, shifts, epsilon) + 1e-6


def _thinned(law: str, shifts: Sequence[int], epsilon: float) -> float:
    """As `delta`, with equal losses put together."""
    total: dict[float, float] = {0.0: 1.0}
    for shift in shifts:
        joined: dict[float, float] = {}
        values, chances = losses_of(law, shift) if shift else (np.zeros(1), np.ones(1))
        for loss, chance in zip(np.round(values, 9), chances, strict=True):
            for other, weight in total.items():
                if weight * chance > 1e-12:
                    value = round(other + float(loss), 9)
                    joined[value] = joined.get(value, 0.0) + weight * float(chance)
        total = joined
    return sum(w * -math.expm1(min(epsilon - value, 0.0)) for value, w in total.items())


def test_one_answer_has_its_own_pair() -> None:
    given = {"neighbours": AddRemove(Unit("person", 3)), "shape": {"cell": 2}}
    total = prove("total", (), {**given, "query": {"kind": "total"}})
    pairs = {
        "laplace": LaplaceLoss(Fraction(6)),
        "rounded-laplace": LaplaceLoss(Fraction(6)),
        "discrete-laplace": DiscreteLaplaceLoss(Fraction(2), 3),
    }
    for law, loss in pairs.items():
        theorem = noised(law, total, "1/2")
        kept = "laplace" if law == "rounded-laplace" else law
        three, nine = Fraction(3), Fraction(9)
        entry = NoiseLoss(kept, Fraction(1, 2), 1, three, nine, three)
        assert concluded(theorem) == LossList(((1, entry),))
        assert pairs_of(theorem) == ((1, loss),)
    theorem = noised("discrete-gaussian", total, "7/2")
    assert pairs_of(theorem) == ((1, DiscreteGaussianLoss(Fraction(7, 2), 3)),)


def test_persons_need_few_pairs() -> None:
    """A person's records move one count by all of them, or several by less: never all by all."""

    def count(premise: Theorem) -> int:
        return len(shifts_of(noised("discrete-laplace", premise)))

    for m in (1, 2, 5):
        person = Unit("person", m)
        assert count(marginal(AddRemove(person), 9)) == 1
        assert count(marginal(ReplaceOne(person), 9)) == min(2 * m, 3)
        assert count(marginal(ReplaceOne(person), 2)) == 2
    assert count(marginal(AddRemove(), 9)) == 1
    assert count(marginal(ReplaceOne(), 9)) == 2
    unknown = stated(l0=None, l1=7, l2_squared=20, linf=3, integers=True)
    assert count(unknown) == 4
    assert count(stated(l0=3, l1=7, l2_squared=20, linf=3, integers=True)) == 3


def test_integer_answers_move_by_whole_numbers() -> None:
    """A largest move of 3/2 is one of 1, and one of 1/2 none: the moves are integers."""
    halves = stated(l0=2, l1=2, l2_squared="5/2", linf="3/2", integers=True)
    for law in ("discrete-laplace", "discrete-gaussian"):
        assert shifts_of(noised(law, halves)) == [1, 1]
        still = stated(l0=2, l1=1, l2_squared="1/2", linf="1/2", integers=True)
        assert shifts_of(noised(law, still)) == []
    # Real answers may move by fractions.
    real = stated(l0=2, l1=2, l2_squared="5/2", linf="3/2")
    assert pairs_of(noised("laplace", real)) == ((2, LaplaceLoss(Fraction(3, 2))),)


def test_what_does_not_depend_on_the_data_costs_nothing() -> None:
    """The number of records under replace-one: every law, every reading."""
    given = {"neighbours": ReplaceOne(), "shape": {"cell": 2}, "query": {"kind": "total"}}
    still = stated(l0=None, l1=0, l2_squared=0, linf=0, integers=True)
    for premise, law in itertools.product((prove("total", (), given), still), LAWS):
        theorem = noised(law, premise, "1/10")
        assert concluded(theorem) == LossList(())
        assert concluded(pure(theorem, Fraction(0))) == ApproxDP(Fraction(0))
        point = {"method": "gaussian", "epsilon": 0, "delta": 0, "hints": {}}
        assert concluded(prove("to-approx", [theorem], point)) == ApproxDP(Fraction(0))
        assert concluded(prove("to-zcdp", [theorem], {"rho": 0})) == ZCDP(Fraction(0))
        mu = prove("to-gdp", [theorem], {"mu": 0, "shares": []})
        assert concluded(mu) == GaussianDP(Fraction(0))


def test_discrete_laws_refuse_fractions() -> None:
    fractional = stated()
    for law in ("discrete-laplace", "rounded-laplace", "discrete-gaussian"):
        with pytest.raises(ProofError, match="integer"):
            noised(law, fractional)
    # Continuous noise takes them.
    noised("laplace", fractional)
    noised("gaussian", fractional)


@pytest.mark.parametrize("size", [0, -1, "0", "-1/2"])
def test_noise_without_size_is_refused(size: int | str) -> None:
    premise = marginal(AddRemove(), 2)
    for law in LAWS:
        with pytest.raises(ProofError, match="above 0"):
            noised(law, premise, size)


def test_noise_needs_one_query_and_a_known_law() -> None:
    premise, scaled = marginal(AddRemove(), 2), {"law": "laplace", "amount": 1}
    noisy = prove("additive-noise", [premise], scaled)
    for premises in ([], [premise, premise], [noisy]):
        with pytest.raises(ProofError):
            prove("additive-noise", premises, scaled)
    for law in ("staircase", 1):
        with pytest.raises(ProofError):
            prove("additive-noise", [premise], {**scaled, "law": law})


def discrete_delta(loss: Loss, epsilon: Fraction) -> mpmath.mpf:
    """The divergence of a discrete pair with 50 digits, term by term."""
    with mpmath.workdps(50):
        if isinstance(loss, DiscreteLaplaceLoss):
            shift, rate = loss.shift, mpmath.mpf(loss.rate.numerator) / loss.rate.denominator
            reach = int(200 / rate) + shift

            def weight(z: int) -> mpmath.mpf:
                return mpmath.exp(-rate * abs(z))
        else:
            assert isinstance(loss, DiscreteGaussianLoss)
            shift = loss.shift
            variance = mpmath.mpf(loss.variance.numerator) / loss.variance.denominator
            reach = int(20 * mpmath.sqrt(variance)) + 20 + shift

            def weight(z: int) -> mpmath.mpf:
                return mpmath.exp(-mpmath.mpf(z * z) / (2 * variance))

        power = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        total = sum(weight(z) for z in range(-2 * reach, 2 * reach + 1))
        steps = (weight(z - shift) - power * weight(z) for z in range(-reach, reach + 1))
        return sum(step for step in steps if step > 0) / total


@pytest.mark.parametrize(
    ("law", "size", "epsilon", "shift", "digits"),
    [
        ("discrete-gaussian", "1", "1", 1, "0.14135133940562191"),
        ("discrete-gaussian", "0.25", "2", 1, "0.10476484410989827"),
        ("discrete-gaussian", "100", "0.1", 1, "0.0087623539239480945"),
        ("discrete-gaussian", "0.09", "1", 1, "0.9857357077999525"),
        ("discrete-laplace", "1", "0.5", 1, "0.28764913664496792"),
        ("discrete-laplace", "5", "0.3", 4, "0.22410820605019391"),
    ],
)
def test_discrete_mechanisms_have_their_known_deltas(
    law: str, size: str, epsilon: str, shift: int, digits: str
) -> None:
    """Reference values of 60-digit sums, 17 digits shown."""
    premise = stated(l1=shift, l2_squared=shift**2, linf=shift, integers=True)
    ((count, loss),) = pairs_of(noised(law, premise, size))
    found = discrete_delta(loss, Fraction(epsilon))
    assert count == 1
    assert mpmath.almosteq(found, mpmath.mpf(digits), rel_eps=mpmath.mpf("1e-15"))


def gaussian_truth(mu_squared: Fraction, epsilon: Fraction) -> mpmath.mpf:
    """Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ) in the caller's precision."""
    mu = mpmath.sqrt(mpmath.mpf(mu_squared.numerator) / mu_squared.denominator)
    e = mpmath.mpf(epsilon.numerator) / epsilon.denominator
    tail = [mpmath.erfc(-(side * mu / 2 - e / mu) / mpmath.sqrt(2)) / 2 for side in (1, -1)]
    return tail[0] - mpmath.exp(e) * tail[1]


GAUSSIANS = [
    ("1", "0", ".38292492254802621"),
    ("1", "1", ".12693673750664395"),
    ("1", "5", "5.7937216919194941e-7"),
    ("2", ".5", ".052440323287669662"),
    (".5", "4", ".084953318671071063"),
]
CALIBRATED = [
    ("1", "1e-5", "4.3771780956812246"),
    ("1", "1e-6", "4.886554117462212"),
    ("1", "1e-10", "6.547924066864951"),
    ("2", "1e-6", "2.2540846502197409"),
    ("5", "1e-6", ".83411754862405235"),
    (".5", "1e-9", "13.534772219165538"),
]


def analytic(
    sigma_squared: Fraction, epsilon: Any, delta: Any, premise: Theorem | None = None
) -> Theorem:
    """(ε, δ) read off Gaussian noise on one answer that moves by 1, or on a premise."""
    noisy = noised("gaussian", stated() if premise is None else premise, sigma_squared)
    point = {"method": "gaussian", "epsilon": epsilon, "delta": delta, "hints": {}}
    return prove("to-approx", [noisy], point)


def test_the_analytic_gaussian_is_tight() -> None:
    """Known values to their last digits: just above them proved, just below refused."""
    near = Fraction(1, 10**15)
    for sigma, epsilon, digits in GAUSSIANS:
        variance, truth = Fraction(sigma) ** 2, Fraction(digits)
        theorem = analytic(variance, Fraction(epsilon), truth * (1 + near))
        assert concluded(theorem) == ApproxDP(Fraction(epsilon), truth * (1 + near))
        with pytest.raises(ProofError):
            analytic(variance, Fraction(epsilon), truth * (1 - near))
    for sigma, small, digits in CALIBRATED:
        variance, truth = Fraction(sigma) ** 2, Fraction(digits)
        analytic(variance, truth * (1 + near), Fraction(small))
        with pytest.raises(ProofError):
            analytic(variance, truth * (1 - near), Fraction(small))


@given(
    st.fractions(Fraction(1, 10**8), 400),
    st.fractions(0, 200),
    st.sampled_from([1, 10**-6, 10**-30]),
    st.sampled_from([64, 256]),
)
def test_the_gaussian_curve_is_enclosed(
    mu_squared: Fraction, epsilon: Fraction, small: float, bits: int
) -> None:
    mu_squared, epsilon = mu_squared * Fraction(small), epsilon * Fraction(small)
    assert_encloses_the_truth(mu_squared, epsilon, bits)


def test_the_root_of_the_mean_is_enclosed() -> None:
    """Few bits, far out: there an error of the root weighs more than those of Φ."""
    for squared in range(2, 60):
        assert_encloses_the_truth(Fraction(squared, 7), Fraction(80), 12)


def assert_encloses_the_truth(mu_squared: Fraction, epsilon: Fraction, bits: int) -> None:
    found = gaussian_delta(mu_squared, epsilon, bits)
    with mpmath.workprec(1000):
        truth = gaussian_truth(mu_squared, epsilon)
        assert to_mpf(found.lower) <= truth
        assert truth <= to_mpf(found.upper)


def test_the_analytic_gaussian_holds_at_the_ends_of_its_range() -> None:
    one, tiny = Fraction(1), Fraction(1, 10**30)
    # A move of a hundred-millionth of σ: Φ would be asked 10^8 deviations out.
    analytic(Fraction(10**16), one, Fraction(1, 10**300))
    # Two values of Φ that agree to 29 digits: δ = 2·Φ(μ/2) - 1 = μ·(2π)^-1/2, nearly.
    share = Fraction(math.sqrt(1 / (2 * math.pi)))
    analytic(Fraction(10**60), Fraction(0), share * (1 + tiny * 10**20) / 10**30)
    with pytest.raises(ProofError):
        analytic(Fraction(10**60), Fraction(0), share * (1 - tiny * 10**20) / 10**30)
    for sigma_squared in (tiny, one, 1 / tiny):
        with pytest.raises(ProofError):
            analytic(sigma_squared, one, Fraction(0))
    with pytest.raises(ProofError):
        analytic(tiny, one, Fraction(999, 1000))


def test_the_norm_of_the_move_counts() -> None:
    """One marginal under replace-one: L2 = √2, not 1 and not 2."""
    premise, epsilon = marginal(ReplaceOne(), 3), Fraction(1)
    with mpmath.workdps(40):
        truth = Fraction(str(gaussian_truth(Fraction(2, 9), epsilon)))
    for factor, holds in ((Fraction(1001, 1000), True), (Fraction(999, 1000), False)):
        if holds:
            analytic(Fraction(9), epsilon, truth * factor, premise)
        else:
            with pytest.raises(ProofError):
                analytic(Fraction(9), epsilon, truth * factor, premise)


def test_the_gaussian_pair_has_the_norm_of_the_shift() -> None:
    """Two counts that move by +1 and -1: the divergence over the plane, cell by cell."""
    premise = marginal(ReplaceOne(), 2)
    assert concluded(noised("gaussian", premise, 3)) == LossList(
        ((1, GaussianLoss(Fraction(2, 3))),)
    )
    grid = np.arange(-16, 16, 0.02) + 0.01
    first = np.exp(-((grid - 1) ** 2) / 6)
    still, second = np.exp(-(grid**2) / 6), np.exp(-((grid + 1) ** 2) / 6)
    area = 0.02**2 / (2 * math.pi * 3)
    for epsilon in (0.0, 0.5, 1.0):
        moved, fixed = np.outer(first, second), np.outer(still, still)
        plane = np.maximum(moved - math.exp(epsilon) * fixed, 0.0).sum() * area
        truth = gaussian_truth(Fraction(2, 3), Fraction(epsilon))
        assert abs(plane - truth) < 1e-5


@pytest.mark.parametrize(
    "change", [{"delta": 1}, {"delta": -1}, {"epsilon": "-0.1"}, {"delta": "2"}, {"epsilon": 0.5}]
)
def test_points_out_of_range_are_refused(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {"epsilon": "0.5", "delta": "0.1"}
    analytic(Fraction(10**6), **given)
    with pytest.raises(ProofError):
        analytic(Fraction(10**6), **{**given, **change})


def classical_variance(epsilon: Fraction, small: Fraction) -> Fraction:
    """2·ln(1.25/δ)/ε², to 40 digits."""
    with mpmath.workdps(40):
        ratio = Fraction(5, 4) / small
        log = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator)
        return 2 * Fraction(str(log)) / epsilon**2


def test_the_classical_gaussian_is_never_below_the_truth() -> None:
    """Below ε = 1 the classical calibration is proved, for every size of δ below 1."""
    deltas = [Fraction(1, 10**k) for k in (1, 2, 3, 8, 30)]
    deltas += [Fraction(k, 100) for k in (25, 40, 41, 60, 80, 99)]
    for epsilon in (Fraction(k, 20) for k in (*range(1, 20, 3), 19)):
        for small in deltas:
            theorem = analytic(classical_variance(epsilon, small), epsilon, small)
            assert concluded(theorem) == ApproxDP(epsilon, small)


@pytest.mark.parametrize(
    ("small", "first"), [("1e-3", "7.4634743701155063"), ("1e-8", "9.3743367396024572")]
)
def test_the_classical_calibration_first_fails_where_it_is_known_to(small: str, first: str) -> None:
    """Reference values of a bisection with 60 digits; the analytic curve finds them."""
    step = Fraction(1, 10**13)
    for epsilon, holds in ((Fraction(first) - step, True), (Fraction(first) + step, False)):
        variance = classical_variance(epsilon, Fraction(small))
        if holds:
            analytic(variance, epsilon, Fraction(small))
        else:
            with pytest.raises(ProofError):
                analytic(variance, epsilon, Fraction(small))


@pytest.mark.parametrize(
    ("epsilon", "small", "digits"),
    [
        (1, "1e-3", "8.1469985182547743e-6"),
        (5, "1e-3", ".00024901363122369562"),
        (10, "1e-3", ".0033619400754722597"),
        (50, "1e-3", ".99710108474083228"),
        (1, "1e-8", "2.1393425728437143e-11"),
        (5, "1e-8", "7.3197063608926184e-10"),
        (10, "1e-8", "1.4030946899310804e-8"),
        (50, "1e-8", ".016979702916911929"),
    ],
)
def test_the_classical_calibration_has_its_known_deltas(
    epsilon: int, small: str, digits: str
) -> None:
    near, truth = Fraction(1, 10**15), Fraction(digits)
    variance = classical_variance(Fraction(epsilon), Fraction(small))
    analytic(variance, Fraction(epsilon), truth * (1 + near))
    with pytest.raises(ProofError):
        analytic(variance, Fraction(epsilon), truth * (1 - near))


def renyi(variance: Fraction, shift: int, order: mpmath.mpf) -> mpmath.mpf:
    """The Rényi divergence of a discrete Gaussian from its shift, term by term."""
    wide, reach = mpmath.mpf(variance.numerator) / variance.denominator, 60 + 30 * abs(shift)

    def weight(z: int) -> mpmath.mpf:
        return mpmath.mpf(z * z) / (2 * wide)

    total = sum(mpmath.exp(-weight(z)) for z in range(-reach, reach + 1))
    powers = (-order * weight(z - shift) - (1 - order) * weight(z) for z in range(-reach, reach))
    return mpmath.log(sum(mpmath.exp(power) for power in powers) / total) / (order - 1)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("variance", [Fraction(1, 4), Fraction(2)])
def test_the_discrete_gaussian_keeps_its_rho(neighbours: Neighbours, variance: Fraction) -> None:
    theorem = noised("discrete-gaussian", marginal(neighbours, 3), variance)
    assert theorem.hypotheses == BASE
    ((_, entry),) = entries_of(theorem)
    assert isinstance(entry, NoiseLoss)
    rho = entry.l2_squared / (2 * variance)
    assert concluded(prove("to-zcdp", [theorem], {"rho": rho})) == ZCDP(rho)
    with pytest.raises(ProofError):
        prove("to-zcdp", [theorem], {"rho": rho - Fraction(1, 10**40)})
    worst = mpmath.mpf(0)
    for order in (mpmath.mpf("1.1"), mpmath.mpf("1.5"), mpmath.mpf(2), mpmath.mpf("2.5")):
        by_shift = {shift: renyi(variance, shift, order) for shift in range(4)}
        for step in moves(neighbours, 3):
            found = sum(by_shift[abs(move)] for move in step) / order
            assert found <= mpmath.mpf(rho.numerator) / rho.denominator * (1 + mpmath.mpf("1e-12"))
            worst = max(worst, found)
    # Attained at integer orders.
    assert mpmath.almosteq(worst, mpmath.mpf(rho.numerator) / rho.denominator, rel_eps=1e-12)


def test_only_continuous_noise_rests_on_real_numbers() -> None:
    for law in LAWS:
        theorem = noised(law, marginal(AddRemove(), 2), 2)
        real = {"real-numbers"} if law in ("laplace", "gaussian") else set()
        assert theorem.hypotheses == BASE | real
        assert "stated-sensitivity" in noised(law, stated(integers=True)).hypotheses


def test_a_stated_guarantee_is_taken_as_stated() -> None:
    given: dict[str, Any] = {"neighbours": ReplaceOne(), "mechanism": "a survey's own release"}
    half = Fraction(1, 2)
    losses = LossList(((2, NoiseLoss("laplace", half, None, half, half**2, half)),))
    curve = RenyiCurve(((Fraction(2), half),))
    for guarantee in (ApproxDP(half, half), ZCDP(half), GaussianDP(half), curve, losses):
        data = guarantee_to_json(guarantee)
        theorem = prove("stated-guarantee", (), {**given, "guarantee": data})
        assert concluded(theorem) == guarantee
        assert isinstance(theorem.judgment, Private)
        assert theorem.judgment.neighbours == ReplaceOne()
        assert theorem.hypotheses == BASE | {"stated-guarantee"}
    profile = {"kind": "profile", "points": [["1", "0"]]}
    odometer = {"kind": "odometer", "levels": [["1", "1"]], "delta": "0"}
    for refused in (profile, odometer, {"kind": "approx", "epsilon": "1"}, {}, "epsilon=1"):
        with pytest.raises(ProofError):
            prove("stated-guarantee", (), {**given, "guarantee": refused})
    with pytest.raises(ProofError):
        prove("stated-guarantee", (theorem,), {**given, "guarantee": data})


def test_a_public_draw_costs_nothing() -> None:
    law = {"law": "uniform", "size": 6}
    theorem = prove("public-draw", (), {"neighbours": AddRemove(), "law": law})
    assert concluded(theorem) == LossList(())
    assert theorem.hypotheses == BASE
    assert concluded(pure(theorem, Fraction(0))) == ApproxDP(Fraction(0))
    for change in ({"law": "uniform"}, {"neighbours": "add-remove"}, {"epsilon": 0}):
        with pytest.raises(ProofError):
            prove("public-draw", (), {"neighbours": AddRemove(), "law": law, **change})
    with pytest.raises(ProofError):
        prove("public-draw", (theorem,), {"neighbours": AddRemove(), "law": law})
