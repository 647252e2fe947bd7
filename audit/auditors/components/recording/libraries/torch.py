"""Generators of torch: its functions, the methods of tensors that fill them, its distributions.

Tensors are not traced through torch's own code. Where a noisy tensor is put out, the output itself
is asked whether it follows the draws in proportion, as it is of other code that nobody sees into.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.auditors.components.recording.primitives import (
    Arguments,
    Primitive,
    Said,
    read_unknown,
)

LIBRARIES = ("torch",)


def _numbers(value: Any) -> Any:
    """A tensor as an array, whatever gradients it has; anything else as it is."""
    return np.asarray(value.detach().tolist()) if hasattr(value, "detach") else value


def _normal(given: Arguments) -> Said:
    scale = {"scale": _numbers(given.get("std", 1.0))}
    return Said("normal", scale, _numbers(given.get("mean", 0.0)), True)


def _standard_normal(given: Arguments) -> Said:
    return Said("normal", {"scale": 1.0}, None, True)


def _uniform(given: Arguments) -> Said:
    return Said("uniform", {"low": 0.0, "high": 1.0})


def _filled_uniform(given: Arguments) -> Said:
    return Said("uniform", {"low": given.get("from", 0.0), "high": given.get("to", 1.0)})


def _filled_exponential(given: Arguments) -> Said:
    return Said("exponential", {"scale": 1 / float(_numbers(given.get("lambd", 1.0)))})


def _of_distribution(law: str) -> Any:
    def read(given: Arguments) -> Said:
        own = given["self"]
        scale = {"scale": _numbers(own.scale)}
        return Said(law, scale, _numbers(own.loc), symmetric=law != "gumbel")

    return read


def _function(name: str, read: Any, *names: str) -> Primitive:
    return Primitive(f"torch:{name}", read, LIBRARIES, names)


def _filling(name: str, read: Any, *names: str) -> Primitive:
    return Primitive(f"torch:Tensor.{name}", read, LIBRARIES, ("self", *names), in_place=True)


def _distribution(kind: str, law: str) -> tuple[Primitive, ...]:
    module = f"torch.distributions.{kind.lower()}"
    return tuple(
        Primitive(f"{module}:{kind}.{name}", _of_distribution(law), LIBRARIES, ("self",))
        for name in ("sample", "rsample")
    )


PRIMITIVES = (
    _function("randn", _standard_normal),
    _function("randn_like", _standard_normal),
    _function("normal", _normal, "mean", "std", "size"),
    _function("rand", _uniform),
    _function("rand_like", _uniform),
    *(
        _function(name, read_unknown)
        for name in ("bernoulli", "multinomial", "poisson", "randint", "randint_like", "randperm")
    ),
    _filling("normal_", _normal, "mean", "std"),
    _filling("uniform_", _filled_uniform, "from", "to"),
    _filling("exponential_", _filled_exponential, "lambd"),
    *(
        _filling(name, read_unknown)
        for name in ("bernoulli_", "cauchy_", "geometric_", "log_normal_", "random_")
    ),
    *_distribution("Laplace", "laplace"),
    *_distribution("Normal", "normal"),
    *_distribution("Gumbel", "gumbel"),
)
"""What makes noise there."""
