"""Rules of added noise, and of mechanisms that are known without a query."""

from __future__ import annotations

from typing import Literal

from proofs.entries import Entry, NoiseLoss
from proofs.errors import require
from proofs.hypotheses import BASE
from proofs.judgments import Guarantee, Odometer, Private, Profile, Stable
from proofs.losses import GaussianLoss, join
from proofs.parameters import Positive, Record
from proofs.rules.rule import Conclusion, lose, rule
from synthesizers.neighbours import Neighbours

CONTINUOUS = ("laplace", "gaussian")
"""The laws on the real line; the others are drawn exactly, as integers."""


Law = Literal["laplace", "rounded-laplace", "discrete-laplace", "gaussian", "discrete-gaussian"]


@rule("additive-noise")
def additive_noise(stable: Stable, law: Law, amount: Positive) -> Conclusion:
    """Independent noise of a law on each answer, whose loss is that of the answers' moves.

    ``amount``: the scale of a Laplace law, the σ² of a Gaussian one. Rounded Laplace noise is made
    of Laplace noise. Source: Dwork & Roth 2014, Theorem 3.6; Ghosh, Roughgarden & Sundararajan 2012
    (discrete Laplace); Dong, Roth & Su 2022, Theorem 2.7 (Gaussian); Canonne, Kamath & Steinke
    2020, Theorem 4 (discrete Gaussian).

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_losses_dominate_noise_on_vectors``.
    """
    require(law in CONTINUOUS or stable.integers, "noise on the integers needs integer answers")
    entry: Entry = GaussianLoss(stable.l2_squared / amount)
    if law != "gaussian":
        own = "laplace" if law == "rounded-laplace" else law
        norms = (stable.l0, stable.l1, stable.l2_squared, stable.linf)
        entry = NoiseLoss(own, amount, *norms)
    # What never moves has no loss.
    entries = join([((1, entry),)], [1]) if stable.l1 else ()
    return lose(stable.neighbours, entries, *(["real-numbers"] if law in CONTINUOUS else []))


@rule("stated-guarantee")
def stated_guarantee(neighbours: Neighbours, mechanism: str, guarantee: Guarantee) -> Conclusion:
    """A mechanism known only by its guarantee, which is an open hypothesis.

    Source: none.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_stated_guarantee_is_taken_as_stated``.
    """
    kinds = Profile | Odometer
    require(not isinstance(guarantee, kinds), "a mechanism can't be stated by that kind")
    return Conclusion(Private(neighbours, guarantee), BASE | {"stated-guarantee"})


@rule("public-draw")
def public_draw(neighbours: Neighbours, law: Record) -> Conclusion:
    """Randomness whose law looks at no data: there is no loss.

    Source: the definition of differential privacy.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_public_draw_costs_nothing``.
    """
    return lose(neighbours, ())
