"""The declared kinds of question: a curator answers these and no others.

A query or a law runs on private data and states its own chances and costs. One
of a program's own could keep a record or understate its cost, so the curator
takes exactly the classes listed here, subclasses excluded. The same holds of
every number and text within them, for a law hands true counts to its parameters
when it compares or adds them.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from synthesizers.errors import ProtocolError
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.cell_keys import CellKey, PerturbationTable
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.public_laws import Multinomial, Seed, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    CellErrors,
    CriticGradient,
    IndependenceDistance,
    ItemsetCounts,
    Layer,
    LinearQueries,
    Marginal,
    MaximalCorrelation,
    ModelError,
    MutualInformation,
    RankDistance,
    RecodedMarginal,
    TableDistances,
    Total,
)
from synthesizers.runs import GeometricRuns, LogarithmicRuns
from synthesizers.selection import Exponential

QUERIES: set[type] = {
    BoundedSum,
    CellCounts,
    CellErrors,
    CriticGradient,
    IndependenceDistance,
    ItemsetCounts,
    LinearQueries,
    Marginal,
    MaximalCorrelation,
    ModelError,
    MutualInformation,
    RankDistance,
    RecodedMarginal,
    TableDistances,
    Total,
}
SUMS: set[type] = {
    BoundedSum,
    CellCounts,
    CriticGradient,
    LinearQueries,
    Marginal,
    RecodedMarginal,
    Total,
}
"""The queries whose answers are sums over records: those that are asked of samples."""

NOISES: set[type] = {DiscreteLaplace, RoundedLaplace, DiscreteGaussian}
SAMPLED_NOISES: set[type] = {RoundedGaussian}
RUNS: set[type] = {GeometricRuns, LogarithmicRuns}
SELECTIONS: set[type] = {Exponential}
TABLE_LAWS: set[type] = {
    Bootstrap,
    CellKey,
    CellSuppression,
    DirichletMultinomial,
    GlobalRecoding,
    KAnonymity,
    PlugInMultinomial,
    PostRandomisation,
    RandomRounding,
    RandomizedResponse,
    RecordSwapping,
    Subsample,
}
PUBLIC_LAWS: set[type] = {Multinomial, Seed, UniformChoice}

PLAIN: set[type] = {int, bool, str}
"""The classes of what a declared object is made of, beside tuples and Fractions of them."""


def require_declared(event: Event) -> None:
    """Raise ProtocolError unless every part of the event is of a declared class.

    Guarantee
    ---------
    An event that passes holds nothing but objects of the listed classes, and of
    exactly them. Backed by ``tests/synthesizers/test_declared.py``.
    """
    parts = _parts(event)
    for part, kinds in parts:
        if type(part) not in kinds:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise ProtocolError(
                f"the program asked with {type(part).__name__}, which the curator does not know; "
                f"it takes {names}, and no subclass of them"
            )
    looked_at = {id(part) for part, _ in parts}
    for part, _ in parts:
        for field in fields(part):
            _require_plain(getattr(part, field.name), looked_at)


def _parts(event: Event) -> list[tuple[Any, set[type]]]:
    match event:
        case Measure():
            return [*_query_parts(event.query), (event.noise, NOISES)]
        case MeasureSampled():
            asked = [(part, kinds & SUMS or kinds) for part, kinds in _query_parts(event.query)]
            return [*asked, (event.noise, SAMPLED_NOISES)]
        case MeasureBest():
            asked = _query_parts(event.query)
            return [*asked, (event.noise, NOISES), (event.runs, RUNS)]
        case Select():
            return [*_query_parts(event.scores), (event.noise, SELECTIONS)]
        case Sanitize():
            return _law_parts(event.law)
        case Draw():
            return [(event.law, PUBLIC_LAWS)]


def _query_parts(query: object) -> list[tuple[Any, set[type]]]:
    parts: list[tuple[Any, set[type]]] = [(query, QUERIES)]
    if type(query) is ModelError:
        parts += [(candidate, {Marginal, RecodedMarginal}) for candidate in query.candidates]
    elif type(query) is CellErrors or type(query) is TableDistances:
        parts += [(marginal, {Marginal}) for marginal in query.marginals]
    elif type(query) is LinearQueries:
        parts += [(layer, {Layer}) for layer in query.layers]
    return parts


def _law_parts(law: object) -> list[tuple[Any, set[type]]]:
    parts: list[tuple[Any, set[type]]] = [(law, TABLE_LAWS)]
    if type(law) is CellKey:
        parts.append((law.table, {PerturbationTable}))
    return parts


def _require_plain(value: object, parts: set[int]) -> None:
    """``parts``: the identities of the objects that are looked at by themselves."""
    if type(value) is tuple:
        if not set(map(type, value)) <= PLAIN:
            for member in value:
                _require_plain(member, parts)
    elif type(value) is Fraction:
        _require_plain((value.numerator, value.denominator), parts)
    elif type(value) not in PLAIN and id(value) not in parts:
        raise ProtocolError(
            f"the program asked with a {type(value).__name__} within its question; write Python's "
            "own int, Fraction, str, bool or tuple"
        )
