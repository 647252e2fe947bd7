"""Rules of added noise: from how far answers move to what their noisy versions reveal."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.hypotheses import BASE
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Mechanism,
    Private,
    RenyiCurve,
    Stable,
)
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
)
from proofs.parameters import Parameters
from proofs.profiles.gaussian import gaussian_delta
from proofs.rules.guarantee_json import guarantee_from_json
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require
from synthesizers.intervals import Interval, log_interval

CONTINUOUS = ("laplace", "gaussian")
"""The laws on the real line; the others are drawn exactly, as integers."""

PRECISIONS = (128, 512, 2048)
"""Bits of relative precision that the Gaussian curve is enclosed with, one after the other, until
its comparison is decided."""


def laplace(premises: Premises, parameters: Parameters) -> Conclusion:
    """Laplace noise of scale b on each answer: ε = L1/b, δ = 0.

    Source: Dwork & Roth 2014, Theorem 3.6; the discrete law: Ghosh, Roughgarden & Sundararajan
    2012.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_noise_on_a_vector_keeps_its_pure_epsilon``.
    """
    stable, law, scale = _laplace(premises, parameters)
    guarantee = ApproxDP(stable.l1 / scale)
    return _conclude_measurement(stable, law, {"scale": scale}, guarantee)


def laplace_pair(premises: Premises, parameters: Parameters) -> Conclusion:
    """Laplace noise of scale b: dominated by some independent shifts of Linf (`_each`).

    Source: Dong, Roth & Su 2022, Theorem 2.14 (chains); Zhu, Dong & Wang 2022, Theorem 10
    (products).

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_pairs_dominate_noise_on_vectors``.
    """
    stable, law, scale = _laplace(premises, parameters)
    shift = stable.linf if law == "laplace" else _shift(stable, premises.rule)
    loss: Loss = LaplaceLoss(shift / scale)
    if law == "discrete-laplace":
        loss = DiscreteLaplaceLoss(1 / scale, int(shift))
    guarantee = _each(stable, loss)
    return _conclude_measurement(stable, law, {"scale": scale}, guarantee)


def gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise of variance σ² on each answer: the pair of μ² = L2²/σ².

    Source: Dong, Roth & Su 2022, Theorem 2.7.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_the_gaussian_pair_has_the_norm_of_the_shift``.
    """
    stable, variance = premises.one(Stable), parameters.positive("sigma_squared")
    squared = stable.l2_squared / variance
    guarantee = Dominated(((1, GaussianLoss(squared)),) if squared else ())
    return _conclude_measurement(stable, "gaussian", {"sigma_squared": variance}, guarantee)


def analytic_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise of variance σ²: (ε, δ) with δ >= Φ(μ/2 - ε/μ) - e^ε·Φ(-μ/2 - ε/μ), μ = L2/σ.

    Source: Balle & Wang 2018, Theorem 8.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_the_analytic_gaussian_is_tight``.
    """
    stable, variance = premises.one(Stable), parameters.positive("sigma_squared")
    guarantee = _point(parameters, premises.rule)
    squared, found = stable.l2_squared / variance, Interval(Fraction(0), Fraction(0))
    for bits in PRECISIONS if squared else ():
        found = gaussian_delta(squared, guarantee.epsilon, bits)
        if found.upper <= guarantee.delta or found.lower > guarantee.delta:
            break
    at_most(found, guarantee.delta, premises.rule, "delta must be at least that of the Gaussian")
    return _conclude_measurement(stable, "gaussian", {"sigma_squared": variance}, guarantee)


def classical_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Gaussian noise of variance σ² >= 2·ln(1.25/δ)·L2²/ε²: (ε, δ), for ε < 1 alone.

    Source: Dwork & Roth 2014, Theorem A.1.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_the_classical_gaussian_is_never_below_the_truth``.
    """
    stable, variance = premises.one(Stable), parameters.positive("sigma_squared")
    guarantee = _point(parameters, premises.rule)
    epsilon, delta = guarantee.epsilon, guarantee.delta
    require(0 < epsilon < 1, premises.rule, "its theorem is for 0 < epsilon < 1")
    require(delta > 0, premises.rule, "Gaussian noise needs delta > 0")
    needed = 2 * log_interval(Fraction(5, 4) / delta) * (stable.l2_squared / epsilon**2)
    at_most(needed, variance, premises.rule, "the variance must be 2·ln(1.25/δ)·l2²/ε² or more")
    return _conclude_measurement(stable, "gaussian", {"sigma_squared": variance}, guarantee)


def discrete_gaussian(premises: Premises, parameters: Parameters) -> Conclusion:
    """Discrete Gaussian noise of parameter σ² on integer answers: ρ = L2²/(2σ²).

    Source: Canonne, Kamath & Steinke 2020, Proposition 5 and Theorem 4.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_the_discrete_gaussian_keeps_its_rho``.
    """
    stable, variance = _discrete(premises, parameters)
    guarantee = ZCDP(stable.l2_squared / (2 * variance))
    return _conclude_measurement(stable, "discrete-gaussian", {"variance": variance}, guarantee)


def discrete_gaussian_pair(premises: Premises, parameters: Parameters) -> Conclusion:
    """Discrete Gaussian noise: dominated by some independent shifts of Linf (`_each`).

    Source: as for `laplace_pair`.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_pairs_dominate_noise_on_vectors``.
    """
    stable, variance = _discrete(premises, parameters)
    loss = DiscreteGaussianLoss(variance, _shift(stable, premises.rule))
    guarantee = _each(stable, loss)
    return _conclude_measurement(stable, "discrete-gaussian", {"variance": variance}, guarantee)


def stated_guarantee(premises: Premises, parameters: Parameters) -> Conclusion:
    """A mechanism known only by its guarantee, which is an open hypothesis.

    Source: none.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_stated_guarantee_is_taken_as_stated``.
    """
    premises.none()
    guarantee = guarantee_from_json(parameters.record("guarantee"))
    kinds = ApproxDP | ZCDP | ApproxZCDP | GaussianDP | RenyiCurve | Dominated
    require(isinstance(guarantee, kinds), premises.rule, "a mechanism can't be stated by that kind")
    name = parameters.text("mechanism")
    mechanism = Mechanism.of(premises.rule, {"mechanism": name})
    found = Private(mechanism, parameters.neighbours(), guarantee)
    return Conclusion(found, BASE | {"stated-guarantee"})


def public_draw(premises: Premises, parameters: Parameters) -> Conclusion:
    """Randomness whose law looks at no data: ε = 0.

    Source: the definition of differential privacy.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_public_draw_costs_nothing``.
    """
    premises.none()
    mechanism = Mechanism.of(premises.rule, {"law": parameters.record("law")})
    return Conclusion(Private(mechanism, parameters.neighbours(), ApproxDP(Fraction(0))), BASE)


def _laplace(premises: Premises, parameters: Parameters) -> tuple[Stable, str, Fraction]:
    stable = premises.one(Stable)
    law = parameters.choice("law", "laplace", "rounded-laplace", "discrete-laplace")
    whole = law == "laplace" or stable.integers
    require(whole, premises.rule, "noise on the integers needs integer answers")
    return stable, law, parameters.positive("scale")


def _discrete(premises: Premises, parameters: Parameters) -> tuple[Stable, Fraction]:
    stable = premises.one(Stable)
    require(stable.integers, premises.rule, "noise on the integers needs integer answers")
    return stable, parameters.positive("variance")


def _shift(stable: Stable, rule: str) -> int:
    whole = stable.linf.denominator == 1
    require(whole, rule, "the largest move of an integer answer must be stated as an integer")
    return stable.linf.numerator


def _each(stable: Stable, loss: Loss) -> Dominated:
    """The loss of one move of Linf, as often as the moves of all answers can need it.

    Moves with sum Linf are no worse than one of Linf, and moves with sum L1 fall into fewer than
    2·L1/Linf groups with such sums.
    """
    groups = max(1, math.ceil(2 * stable.l1 / stable.linf) - 1) if stable.linf else 0
    count = groups if stable.l0 is None else min(groups, stable.l0)
    return Dominated(((count, loss),) if count else ())


def _point(parameters: Parameters, rule: str) -> ApproxDP:
    epsilon, delta = parameters.rational("epsilon"), parameters.rational("delta")
    require(epsilon >= 0 and 0 <= delta < 1, rule, "epsilon >= 0 and 0 <= delta < 1 are needed")
    return ApproxDP(epsilon, delta)


def _conclude_measurement(
    stable: Stable, law: str, noise: dict[str, Fraction], guarantee: Guarantee
) -> Conclusion:
    """The noisy answers of a query, whichever rule speaks of them, are one mechanism."""
    numbers = {name: str(value) for name, value in noise.items()}
    mechanism = Mechanism.of(law, {"query": json.loads(stable.query), **numbers})
    found = Private(mechanism, stable.neighbours, guarantee)
    return Conclusion(found, BASE | {"real-numbers"} if law in CONTINUOUS else BASE)


RULES: dict[str, Rule] = {
    "laplace": laplace,
    "laplace-pair": laplace_pair,
    "gaussian": gaussian,
    "analytic-gaussian": analytic_gaussian,
    "classical-gaussian": classical_gaussian,
    "discrete-gaussian": discrete_gaussian,
    "discrete-gaussian-pair": discrete_gaussian_pair,
    "stated-guarantee": stated_guarantee,
    "public-draw": public_draw,
}
"""The rules of noise by their names."""
