"""Mechanisms of diffprivlib: ``randomise(value)``, whose law its class and its parameters say.

Truncated and folded mechanisms call the plain one, which is recorded; what they do with its answer
is followed as any operation is. Laws: Holohan, Braghin, Mac Aonghusa & Levacher (2019),
"Diffprivlib: the IBM differential privacy library", and the sources of version 0.6.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from audit.auditors.components.recording.primitives import (
    STATED,
    Arguments,
    Primitive,
    Said,
    read_stated,
)

LIBRARIES = ("diffprivlib",)


def read_by_class(law: str, scale: Callable[[Any], float]) -> Callable[[Arguments], Said]:
    """Noise that is added to the value; without any, where the parameters make it vanish."""

    def read(given: Arguments) -> Said:
        mechanism, value = given["self"], given["value"]
        found = float(scale(mechanism))
        if not found > 0:
            return _of_mechanism(mechanism, "none", value)
        return _of_mechanism(mechanism, law, value, {"scale": found}, symmetric=True)

    return read


def _of_mechanism(
    mechanism: Any,
    law: str,
    value: Any,
    parameters: dict[str, Any] | None = None,
    symmetric: bool = False,
) -> Said:
    return Said(
        law,
        parameters or {},
        value,
        symmetric,
        getattr(mechanism, "sensitivity", None),
        "l1",
        getattr(mechanism, "epsilon", None),
        getattr(mechanism, "delta", None),
    )


def _laplace_scale(mechanism: Any) -> float:
    spent = mechanism.epsilon - math.log(1 - mechanism.delta) if mechanism.delta < 1 else math.inf
    return float(mechanism.sensitivity) / spent


def _geometric_scale(mechanism: Any) -> float:
    return float(mechanism.sensitivity) / float(mechanism.epsilon)


def _own_scale(mechanism: Any) -> float:
    return float(mechanism._scale)


def _chances(find: Callable[[Any, Any], Any]) -> Callable[[Arguments], Said]:
    """A draw among candidates; ``find``: their chances, by the mechanism and the value."""

    def read(given: Arguments) -> Said:
        mechanism = given["self"]
        chances = [float(chance) for chance in find(mechanism, given["value"])]
        found = _of_mechanism(mechanism, "choice", chances, {"among": len(chances)})
        # What is bounded is how far a score moves, and not a chance.
        return Said(found.law, found.parameters, found.value, epsilon=found.epsilon)

    return read


def _binary(mechanism: Any, value: Any) -> tuple[float, float]:
    kept = 1 / (1 + math.exp(-mechanism.epsilon))
    return (kept, 1 - kept) if value == mechanism.value0 else (1 - kept, kept)


def _exponential(mechanism: Any, value: Any) -> Any:
    return np.diff(mechanism._probabilities, prepend=0.0)


def permuted_and_flipped(logarithms: Any) -> list[float]:
    """The chances of permute-and-flip, where a coin of candidate i shows heads with e^l[i].

    Candidates come at uniform times, so that i is chosen with ∫ w_i ∏(1 - u·w_j) du over the
    others (McKenna & Sheldon 2020, "Permute-and-Flip", Algorithm 1).
    """
    weights = [math.exp(one) for one in logarithms]
    found = []
    for place, weight in enumerate(weights):
        others = np.polynomial.Polynomial([1.0])
        for other in (*weights[:place], *weights[place + 1 :]):
            others = others * np.polynomial.Polynomial([1.0, -other])
        found.append(weight * float(others.integ()(1.0)))
    return found


def _categorical(mechanism: Any, value: Any) -> list[float]:
    total = mechanism._normalising_constant[value]
    targets = sorted(mechanism._normalising_constant, key=repr)
    return [mechanism._get_prob(value, target) / total for target in targets]


def _read_bound(given: Arguments) -> Said:
    """What it says of itself: ε and δ, of values that lie its sensitivity apart at most."""
    mechanism = given["self"]
    bounds = [(float(mechanism.sensitivity), float(mechanism.epsilon), float(mechanism.delta))]
    return _of_mechanism(mechanism, STATED, given["value"], read_stated("AbsoluteDistance", bounds))


def _mechanism(where: str, said: Callable[[Arguments], Said]) -> Primitive:
    return Primitive(f"diffprivlib.mechanisms.{where}.randomise", said, LIBRARIES)


PRIMITIVES = (
    _mechanism("laplace:Laplace", read_by_class("laplace", _laplace_scale)),
    _mechanism("gaussian:Gaussian", read_by_class("normal", _own_scale)),
    _mechanism("gaussian:GaussianDiscrete", read_by_class("discrete gaussian", _own_scale)),
    _mechanism("geometric:Geometric", read_by_class("discrete laplace", _geometric_scale)),
    _mechanism("binary:Binary", _chances(_binary)),
    _mechanism("exponential:Exponential", _chances(_exponential)),
    _mechanism(
        "exponential:PermuteAndFlip",
        _chances(lambda mechanism, _: permuted_and_flipped(mechanism._probabilities)),
    ),
    _mechanism("exponential:ExponentialCategorical", _chances(_categorical)),
    *(
        _mechanism(where, _read_bound)
        for where in (
            "laplace:LaplaceBoundedDomain",
            "laplace:LaplaceBoundedNoise",
            "staircase:Staircase",
            "uniform:Uniform",
            "snapping:Snapping",
        )
    ),
)
"""Those that hide a number or choose among candidates; vectors, matrices and transformers are not
listed, whose draws are recorded one by one."""
