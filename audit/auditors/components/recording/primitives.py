"""What makes noise, and how its arguments are read: a table for each library.

A `Primitive` is a function or a method by the place where it lives. Its ``read`` reads a call's
arguments, all of them by name, defaults included, and says what `steps.Call` has of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from audit.auditors.components.recording.tracers import strip

STATED = "stated"
"""The law of a call of which a library states what it spends, and no more."""


@dataclass(frozen=True)
class Said:
    """What a call's arguments say of its noise: the fields of `steps.Call` that they fix.

    ``value``: a number, or an array as the answer is; None where they hold none. ``symmetric``: the
    noise may be stretched about the value.
    """

    law: str
    parameters: dict[str, Any] = field(default_factory=dict)
    value: Any = None
    symmetric: bool = False
    sensitivity: Any = None
    norm: str = "l1"
    epsilon: Any = None
    delta: Any = None


Arguments = dict[str, Any]


@dataclass(frozen=True)
class Primitive:
    """A callable that makes noise.

    ``where``: "package.module:attribute" or "package.module:Class.method"; what it is called is
    that with a dot. ``read``: reads the arguments, by name; of a method, ``self`` is one of them.
    ``libraries``: packages whose lines are not the foreign code's. ``names``: of the arguments, of
    a compiled callable that doesn't say them. ``in_place``: a method that fills its tensor.
    """

    where: str
    read: Callable[[Arguments], Said]
    libraries: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    in_place: bool = False

    @property
    def name(self) -> str:
        """What a recording calls it."""
        return self.where.replace(":", ".")


def read_located(law: str, location: str, *parameters: str, symmetric: bool = True) -> Any:
    """A law whose location is an argument: what noise is added to."""

    def read(given: Arguments) -> Said:
        fixed = {name: given[name] for name in parameters}
        return Said(law, fixed, given[location], symmetric)

    return read


def read_drawn(law: str, *parameters: str) -> Any:
    """A law none of whose arguments holds data, if the mechanism is an honest one."""
    return lambda given: Said(law, {name: given[name] for name in parameters})


def read_weighed(law: str, weights: str, *parameters: str) -> Any:
    """A law whose weights or rates are what it hides."""

    def read(given: Arguments) -> Said:
        fixed = {name: given[name] for name in parameters}
        return Said(law, fixed, given[weights])

    return read


def read_stated(metric: str, bounds: Sequence[tuple[float, float, float]]) -> dict[str, Any]:
    """The parameters of a stated call: by the distance of its values, at most what it spends.

    ``bounds``: distances by the ``metric``, the small ones first, each with its ε and δ.
    """
    reach, epsilon, delta = zip(*bounds)
    return {"metric": metric, "reach": reach, "epsilon": epsilon, "delta": delta}


def read_unknown(given: Arguments) -> Said:
    """A law that nobody knows: whatever it is given must be the same on neighbours."""
    return Said("unknown", {name: one for name, one in given.items() if name != "self"})


def _choice(given: Arguments) -> Said:
    many = int(strip(given["a"]))
    weights = [1 / many] * many if given["p"] is None else given["p"]
    return Said("choice", {"among": many, "replace": bool(given.get("replace", True))}, weights)


def _integers(given: Arguments) -> Said:
    low, high = strip(given["low"]), strip(given["high"])
    low, high = (0, low) if high is None else (low, high)
    return Said("integers", {"low": low, "high": high + bool(given.get("endpoint", False))})


def _arrangement(population: str, taken: str | None = None) -> Callable[[Arguments], Said]:
    """Places in an order, all orders alike."""

    def read(given: Arguments) -> Said:
        among = strip(given[population])
        many = int(among) if np.ndim(among) == 0 else len(among)
        return Said("arrangement", {"among": many, "taken": given[taken] if taken else many})

    return read


def _covariance(given: Arguments) -> Said:
    covariance = np.asarray(strip(given["cov"]), np.float64)
    flat = covariance == np.diag(np.diag(covariance))
    if bool(np.all(flat)):
        return Said("normal", {"scale": np.sqrt(np.diag(covariance))}, given["mean"])
    return Said("multivariate normal", {"cov": covariance}, given["mean"])


_LAWS_OF_NUMPY: dict[str, Callable[[Arguments], Said]] = {
    "laplace": read_located("laplace", "loc", "scale"),
    "normal": read_located("normal", "loc", "scale"),
    "logistic": read_located("logistic", "loc", "scale"),
    "gumbel": read_located("gumbel", "loc", "scale", symmetric=False),
    "multivariate_normal": _covariance,
    "standard_normal": lambda given: Said("normal", {"scale": 1.0}, None, True),
    "exponential": read_drawn("exponential", "scale"),
    "standard_exponential": lambda given: Said("exponential", {"scale": 1.0}),
    "geometric": read_drawn("geometric", "p"),
    "random": lambda given: Said("uniform", {"low": 0.0, "high": 1.0}),
    "uniform": read_drawn("uniform", "low", "high"),
    "integers": _integers,
    "permutation": _arrangement("x"),
    "shuffle": _arrangement("x"),
    "gamma": read_drawn("gamma", "shape", "scale"),
    "standard_gamma": read_drawn("gamma", "shape"),
    "beta": read_weighed("beta", "a", "b"),
    "binomial": read_weighed("binomial", "p", "n"),
    "poisson": read_weighed("poisson", "lam"),
    "negative_binomial": read_weighed("negative binomial", "p", "n"),
    "multinomial": read_weighed("multinomial", "pvals", "n"),
    "dirichlet": read_weighed("dirichlet", "alpha"),
    "choice": _choice,
}
"""Of `numpy.random.Generator`; methods that are not listed are draws of an unknown law."""

_OLD_NAMES = {
    "random_sample": "random",
    "rand": "random",
    "randn": "standard_normal",
    "randint": "integers",
    "ranf": "random",
    "sample": "random",
}
"""Of `numpy.random.RandomState`, where they differ."""


def law_of_numpy(method: str) -> Callable[[Arguments], Said]:
    """How the arguments of a method of a generator of numpy are read."""
    known = _LAWS_OF_NUMPY.get(_OLD_NAMES.get(method, method))
    return known or read_unknown


def _gauss(given: Arguments) -> Said:
    return Said("normal", {"scale": given["sigma"]}, given["mu"], True)


def _randrange(given: Arguments) -> Said:
    start, stop = strip(given["start"]), strip(given["stop"])
    if strip(given["step"]) != 1:
        return read_unknown(given)
    low, high = (0, start) if stop is None else (start, stop)
    return Said("integers", {"low": low, "high": high})


def _weights_of(among: int, weights: Any = None) -> Said:
    """A choice with replacement, by weights of any sum; all alike without."""
    known = np.ones(among) if weights is None else np.asarray(strip(weights), np.float64)
    return Said("choice", {"among": among, "replace": True}, known / known.sum())


def _choices(given: Arguments) -> Said:
    weights, summed = given["weights"], given["cum_weights"]
    if weights is None and summed is not None:
        weights = np.diff(np.asarray(strip(summed), np.float64), prepend=0.0)
    return _weights_of(len(given["population"]), weights)


_LAWS_OF_PYTHON: dict[str, Callable[[Arguments], Said]] = {
    "gauss": _gauss,
    "normalvariate": _gauss,
    "random": lambda given: Said("uniform", {"low": 0.0, "high": 1.0}),
    "uniform": lambda given: Said("uniform", {"low": given["a"], "high": given["b"]}),
    "expovariate": lambda given: Said("exponential", {"scale": 1 / strip(given["lambd"])}),
    "randint": lambda given: Said("integers", {"low": given["a"], "high": given["b"] + 1}),
    "randrange": _randrange,
    "getrandbits": lambda given: Said("integers", {"low": 0, "high": 2 ** given["k"]}),
    "choice": lambda given: _weights_of(len(given["seq"])),
    "choices": _choices,
    "sample": _arrangement("population", "k"),
    "shuffle": _arrangement("x"),
}


def law_of_python(method: str) -> Callable[[Arguments], Said]:
    """How the arguments of a method of `random.Random` are read."""
    return _LAWS_OF_PYTHON.get(method, read_unknown)


def of_scipy(law: str, **fixed: float) -> Callable[[Arguments], Said]:
    """``rvs`` of a distribution of `scipy.stats` with a location."""

    def read(given: Arguments) -> Said:
        return Said(law, {"scale": given.get("scale", 1), **fixed}, given.get("loc", 0), True)

    return read


SCIPY: dict[str, str] = {"laplace": "laplace", "norm": "normal", "gumbel_r": "gumbel"}
"""Distributions of `scipy.stats`, whose ``rvs`` takes loc and scale."""
