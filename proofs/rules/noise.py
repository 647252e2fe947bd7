"""Rules of added noise, and of mechanisms that are known without a query."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from proofs.entries import Entry, NoiseLoss
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Mechanism, Private, RenyiCurve, Stable
from proofs.losses import GaussianLoss, join
from proofs.parameters import choice, neighbours, positive, record, text
from proofs.rules.guarantee_json import guarantee_from_json
from proofs.rules.rule import Conclusion, nothing, query, require, rule
from synthesizers.neighbours import Neighbours

CONTINUOUS = ("laplace", "gaussian")
"""The laws on the real line; the others are drawn exactly, as integers."""


@rule(
    "additive-noise",
    query,
    law=choice("laplace", "rounded-laplace", "discrete-laplace", "gaussian", "discrete-gaussian"),
    amount=positive,
)
def additive_noise(stable: Stable, law: str, amount: Fraction) -> Conclusion:
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
    stated = {"query": json.loads(stable.query), "amount": str(amount)}
    found = Private(Mechanism.of(law, stated), stable.neighbours, LossList(entries))
    return Conclusion(found, BASE | {"real-numbers"} if law in CONTINUOUS else BASE)


@rule("stated-guarantee", nothing, neighbours=neighbours, mechanism=text, guarantee=record)
def stated_guarantee(
    neighbours: Neighbours, mechanism: str, guarantee: dict[str, Any]
) -> Conclusion:
    """A mechanism known only by its guarantee, which is an open hypothesis.

    Source: none.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_stated_guarantee_is_taken_as_stated``.
    """
    held = guarantee_from_json(guarantee)
    kinds = ApproxDP | ZCDP | GaussianDP | RenyiCurve | LossList
    require(isinstance(held, kinds), "a mechanism can't be stated by that kind")
    found = Private(Mechanism.of("stated-guarantee", {"mechanism": mechanism}), neighbours, held)
    return Conclusion(found, BASE | {"stated-guarantee"})


@rule("public-draw", nothing, neighbours=neighbours, law=record)
def public_draw(neighbours: Neighbours, law: dict[str, Any]) -> Conclusion:
    """Randomness whose law looks at no data: there is no loss.

    Source: the definition of differential privacy.

    Guarantee
    ---------
    ``tests/proofs/rules/test_noise_rules.py::test_a_public_draw_costs_nothing``.
    """
    found = Private(Mechanism.of("public-draw", {"law": law}), neighbours, LossList(()))
    return Conclusion(found, BASE)


RULES = (additive_noise, stated_guarantee, public_draw)
