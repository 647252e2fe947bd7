"""Questions made of the examples of declared classes, and their plain data changed in one place."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from synthesizers.declared import (
    NOISES,
    PUBLIC_LAWS,
    QUERIES,
    RUNS,
    SAMPLED_NOISES,
    SELECTIONS,
    SUMS,
    TABLE_LAWS,
)
from synthesizers.domain import Domain
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal, Total
from synthesizers.runs import GeometricRuns
from synthesizers.selection import Exponential

NOISE = DiscreteLaplace(Fraction(3, 2))


def domain_of(value: Any) -> Domain:
    """The domain that an example is made for."""
    shape = value.shape if type(value) in (CellSuppression, RecordSwapping) else (2, 2)
    return Domain.from_cells("x".join(map(str, shape)))


def questions_with(value: Any) -> list[Event]:
    """The questions that a declared object can be a part of."""
    kind, asked = type(value), []
    if kind in QUERIES:
        asked += [Measure(value, NOISE, -3, 2**40), Select(value, Exponential(Fraction(2)))]
    if kind in SUMS:
        noise = RoundedGaussian(Fraction(2))
        asked.append(MeasureSampled(value, Fraction(1, 3), noise, -1, 4))
    if kind in NOISES:
        asked.append(Measure(Total(), value, 0, 3))
        asked.append(MeasureBest(Total(), value, GeometricRuns(Fraction(1, 3)), 0, 3))
    if kind in RUNS:
        asked.append(MeasureBest(Marginal(("a1",)), NOISE, value, -1, 2))
    if kind in SAMPLED_NOISES:
        asked.append(MeasureSampled(Total(), Fraction(1, 3), value, 0, 3))
    if kind in SELECTIONS:
        asked.append(Select(Marginal(("a1",)), value))
    if kind in TABLE_LAWS:
        asked.append(Sanitize(value))
    if kind in PUBLIC_LAWS:
        asked.append(Draw(value))
    return asked


def parts_of(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values within a JSON value, itself included."""
    members = plain.items() if isinstance(plain, dict) else []
    members = enumerate(plain) if isinstance(plain, list) else members
    return [path, *(deeper for k, v in members for deeper in parts_of(v, (*path, k)))]


def put(plain: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = plain.copy()
    copied[path[0]] = put(plain[path[0]], path[1:], value)
    return copied
