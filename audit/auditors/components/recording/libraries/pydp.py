"""Mechanisms and algorithms of python-dp (PyDP), whose noise is drawn by Google's C++ library.

A mechanism says its ``epsilon`` and ``sensitivity``, of Laplace noise on a grid finer than any
bound that matters here; what an algorithm does inside cannot be seen, only what it says that it
spends.
"""

from __future__ import annotations

from typing import Any

from audit.auditors.components.recording.primitives import Arguments, Primitive, Said

LIBRARIES = ("pydp",)


def _argument(given: Arguments) -> Any:
    """What a method is given first; its name differs from version to version."""
    return next(given[name] for name in given if name != "self")


def _laplace(given: Arguments) -> Said:
    mechanism, value = given["self"], _argument(given)
    epsilon, sensitivity = float(mechanism.epsilon), float(mechanism.sensitivity)
    scale = {"scale": sensitivity / epsilon}
    return Said("laplace", scale, value, True, sensitivity, "l1", epsilon)


def _gaussian(given: Arguments) -> Said:
    mechanism, value = given["self"], _argument(given)
    scale = {"scale": float(mechanism.std)}
    return Said("normal", scale, value, True, float(mechanism.l2_sensitivity), "l2")


def _algorithm(given: Arguments) -> Said:
    return Said("unknown", {}, _argument(given), epsilon=getattr(given["self"], "epsilon", None))


PRIMITIVES = (
    Primitive(
        "pydp.algorithms.numerical_mechanisms:LaplaceMechanism.add_noise",
        _laplace,
        LIBRARIES,
        ("self", "value"),
    ),
    Primitive(
        "pydp.algorithms.numerical_mechanisms:GaussianMechanism.add_noise",
        _gaussian,
        LIBRARIES,
        ("self", "value"),
    ),
    Primitive("pydp.algorithms._algorithm:MetaAlgorithm.quick_result", _algorithm, LIBRARIES),
)
"""What makes noise there."""
