"""Samplers and additive mechanisms as they are stated: callables with a declared law."""

from __future__ import annotations

import copy
import inspect
import math
import numbers
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.noise_law.laws import FloatArray, NoiseLaw, declared_law
from audit.subjects.importing import import_attribute
from synthesizers.errors import InputError, ProtocolError
from synthesizers.noise import Noise
from synthesizers.randomness import InsecureSeededEntropy

RNG_NAMES = frozenset({"rng", "generator", "random_state", "random", "prng"})
SIZE_NAMES = frozenset({"size", "n", "draws", "shape", "count", "runs"})
"""What parameters are commonly called that take a generator, or a number of draws."""

Draw = Callable[[np.random.Generator, int], FloatArray]
Value = float | Sequence[float]


@dataclass(frozen=True, eq=False)
class StatedNoise:
    """A sampler of noise, and the law that it is said to have.

    ``sample``: ``sample(rng, size)`` or ``sample(size)``, which return ``size`` numbers, or
    ``sample(rng)`` or ``sample()``, which return one; told apart by the parameters' names and
    number. As a text ``module:function`` it is looked at in fresh interpreters, too. ``declared``:
    such as ``laplace(scale=1)`` (`audit.auditors.noise_law.laws.LAWS`), or one of our `Noise`
    laws.

    Raises InputError for a law or a form that is not known.
    """

    name: str
    sample: Callable[..., Any] | str
    declared: str | Noise | NoiseLaw

    def __post_init__(self) -> None:
        declared_law(self.declared)
        if not isinstance(self.sample, str):
            _roles(self.sample)

    @classmethod
    def of(cls, noise: Noise) -> StatedNoise:
        """One of our own laws with its own sampler."""

        def sample(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
            entropy = InsecureSeededEntropy(int(rng.integers(2**63)))
            return noise.sample(size, entropy)

        return cls(noise.name, sample, noise)

    @property
    def law(self) -> NoiseLaw:
        """The declared law."""
        return declared_law(self.declared)


@dataclass(frozen=True, eq=False)
class StatedMechanism:
    """A mechanism that adds noise to a value, and the law that its noise is said to have.

    ``mechanism``: ``mechanism(value, rng)`` or ``mechanism(value)``, which returns a number for a
    number, and as many numbers for a list of them, each with noise of its own. As a text
    ``module:function`` it is looked at in fresh interpreters, too. ``values``: two or more true
    values, between which its outputs are compared; by default 0 and a power of two as large as
    the scale.

    Raises InputError for a law, a form or values that do not fit.
    """

    name: str
    mechanism: Callable[..., Any] | str
    declared: str | Noise | NoiseLaw
    values: tuple[Value, ...] | None = None

    def __post_init__(self) -> None:
        law = declared_law(self.declared)
        if not isinstance(self.mechanism, str):
            _mechanism_roles(self.mechanism)
        if self.values is None:
            return
        try:
            rows = [np.asarray(value) for value in self.values]
        except (TypeError, ValueError):
            # No tuple of values, or lists of lists of several lengths.
            rows = []
        if len(rows) < 2 or any(
            row.dtype.kind not in "iuf"
            or row.ndim > 1
            or not np.all(np.isfinite(row))
            or not row.size
            for row in rows
        ):
            raise InputError("values are two or more finite numbers, or lists of such numbers")
        if len({row.shape for row in rows}) > 1:
            raise InputError("values must all be numbers, or all lists of one length")
        if law.discrete and any(np.any(row != np.round(row)) for row in rows):
            raise InputError("values must be whole numbers where noise on the integers is declared")

    @property
    def law(self) -> NoiseLaw:
        """The declared law."""
        return declared_law(self.declared)

    @property
    def compared(self) -> tuple[Value, ...]:
        """The values; by default 0 and the largest power of two that is at most the scale."""
        if self.values is not None:
            return self.values
        power = 2.0 ** math.floor(math.log2(self.law.scale))
        return (0, int(max(1.0, power))) if self.law.discrete else (0.0, power)


def load(name: str) -> Callable[..., Any]:
    """The function that ``module:function`` names; raises InputError where there is none."""
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    found = import_attribute(name)
    if not callable(found):
        raise InputError(f"{name} can't be called; expected a function")
    function: Callable[..., Any] = found
    return function


def sampler(name: str, sample: Callable[..., Any] | str) -> Draw:
    """``draw(rng, size)`` of a sampler of any form: float64 [size], infinities and NaN included.

    It raises ProtocolError where the sampler raises, or returns anything else than its numbers;
    InputError for a form that is not known.
    """
    call = load(sample) if isinstance(sample, str) else sample
    roles = _roles(call)

    def draw(rng: np.random.Generator, size: int) -> FloatArray:
        given = {"rng": rng, "size": size}
        if "size" in roles.values():
            return _numbers(name, _call(name, call, roles, given), (size,))
        return np.fromiter(
            (_number(name, _call(name, call, roles, given)) for _ in range(size)),
            np.float64,
            size,
        )

    return draw


def is_scalar(sample: Callable[..., Any] | str) -> bool:
    """Whether a sampler gives one draw a call."""
    call = load(sample) if isinstance(sample, str) else sample
    return "size" not in _roles(call).values()


def outputs(
    name: str, mechanism: Callable[..., Any] | str, value: Value
) -> Callable[[np.random.Generator], FloatArray]:
    """One output a call, float64 [d] for a value of d numbers, [1] for a single number.

    It raises ProtocolError where the mechanism raises, or returns anything else than numbers.
    """
    call = load(mechanism) if isinstance(mechanism, str) else mechanism
    roles = _mechanism_roles(call)
    shape = np.shape(value)

    def run(rng: np.random.Generator) -> FloatArray:
        # A mechanism may change the list that it is handed.
        found = _call(name, call, roles, {"rng": rng, "value": copy.copy(value)})
        if shape:
            return _numbers(name, found, shape)
        return np.array([_number(name, found)])

    return run


Roles = dict[str | int, str]
"""What each argument is, by its place or, where it has a default, by its name."""


def _roles(sample: Callable[..., Any]) -> Roles:
    """Which argument of a sampler takes the generator, and which the number of draws."""
    asked = list(
        _open_parameters(
            sample, "a sampler is sample(rng, size), sample(size), sample(rng), sample()"
        )
    )
    named = {key: _role(name) for key, name in asked}
    left = [key for key, role in named.items() if role is None]
    open_roles = [role for role in ("rng", "size") if role not in named.values()]
    # A single argument of another name is the number of draws.
    fill = open_roles[-len(left) :] if left else []
    if len(left) > len(open_roles) or len(named) > 2:
        raise InputError(
            f"a sampler is sample(rng, size), sample(size), sample(rng) or sample(); this takes "
            f"{', '.join(name for _, name in asked)}"
        )
    filled = dict(zip(left, fill, strict=True))
    return {key: role or filled[key] for key, role in named.items()}


def _mechanism_roles(mechanism: Callable[..., Any]) -> Roles:
    """Which argument of a mechanism takes the value, and which the generator."""
    form = "a mechanism is mechanism(value, rng) or mechanism(value)"
    asked = list(_open_parameters(mechanism, form))
    named = {key: "rng" if name in RNG_NAMES else None for key, name in asked}
    left = [key for key, role in named.items() if role is None]
    open_roles = ["value", "rng"] if "rng" not in named.values() else ["value"]
    if not 1 <= len(left) <= len(open_roles) or len(named) > 2:
        found = ", ".join(name for _, name in asked) or "nothing"
        raise InputError(f"{form}; this takes {found}")
    filled = dict(zip(left, open_roles, strict=False))
    return {key: role or filled[key] for key, role in named.items()}


def _role(name: str) -> str | None:
    if name in RNG_NAMES:
        return "rng"
    return "size" if name in SIZE_NAMES else None


def _open_parameters(call: Callable[..., Any], form: str) -> Iterator[tuple[str | int, str]]:
    """Parameters without a default, and those with one whose name says what they take."""
    if not callable(call):
        raise InputError(f"{form}; this is {type(call).__name__} and can't be called")
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        raise InputError(f"{form}; the parameters of this can't be seen: wrap it") from None
    place = 0
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty and parameter.kind != parameter.KEYWORD_ONLY:
            yield place, parameter.name
            place += 1
        elif parameter.default is parameter.empty or parameter.name in RNG_NAMES | SIZE_NAMES:
            yield parameter.name, parameter.name


def _call(name: str, call: Callable[..., Any], roles: Roles, given: dict[str, Any]) -> object:
    places = [given[role] for key, role in roles.items() if isinstance(key, int)]
    words = {key: given[role] for key, role in roles.items() if isinstance(key, str)}
    try:
        found: object = call(*places, **words)
    except (Exception, SystemExit) as error:
        raise ProtocolError(
            f"{name} raised {type(error).__name__} where it should return noise; make it run first"
        ) from None
    return found


def _number(name: str, found: object) -> float:
    if isinstance(found, np.ndarray) and found.shape == ():
        found = found[()]
    if isinstance(found, bool | np.bool_) or not isinstance(found, numbers.Real):
        raise ProtocolError(f"{name} must return one number a call, found {type(found).__name__}")
    try:
        return float(found)
    except OverflowError:
        return math.nan


def _numbers(name: str, found: object, shape: tuple[int, ...]) -> FloatArray:
    try:
        array = np.asarray(found)
    except ValueError:
        array = np.array(None)
    if array.dtype == object and array.shape == shape:
        return np.array([_number(name, item) for item in array.tolist()], np.float64)
    if array.dtype.kind not in "iuf" or array.shape != shape:
        raise ProtocolError(
            f"{name} must return an array of {shape[0]} numbers, found {type(found).__name__} of "
            f"shape {array.shape} and type {array.dtype}"
        )
    return array.astype(np.float64)
