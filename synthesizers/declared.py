"""The declared kinds of question: a curator answers these and no others.

A query or a law runs on private data and states its own chances and costs. One
of a program's own could keep a record or understate its cost, so the curator
takes exactly the classes listed here, subclasses excluded.
"""

from __future__ import annotations

from synthesizers.errors import ProtocolError
from synthesizers.events import Draw, Event, Measure, Sanitize, Select
from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.cell_keys import CellKey
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.public_laws import Multinomial, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.laws.table_laws import Subsample
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import BoundedSum, CellCounts, Marginal, ModelError, Total
from synthesizers.selection import Exponential

QUERIES: set[type] = {Marginal, CellCounts, Total, BoundedSum, ModelError}
NOISES: set[type] = {DiscreteLaplace, RoundedLaplace, DiscreteGaussian}
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
PUBLIC_LAWS: set[type] = {Multinomial, UniformChoice}


def require_declared(event: Event) -> None:
    """Raise ProtocolError unless every part of the event is of a declared class."""
    for part, kinds in _parts(event):
        if type(part) not in kinds:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise ProtocolError(
                f"the program asked with {type(part).__name__}, which the curator does not know; "
                f"it takes {names}, and no subclass of them"
            )


def _parts(event: Event) -> list[tuple[object, set[type]]]:
    match event:
        case Measure():
            return [*_query_parts(event.query), (event.noise, NOISES)]
        case Select():
            return [*_query_parts(event.scores), (event.noise, SELECTIONS)]
        case Sanitize():
            return [(event.law, TABLE_LAWS)]
        case Draw():
            return [(event.law, PUBLIC_LAWS)]


def _query_parts(query: object) -> list[tuple[object, set[type]]]:
    parts: list[tuple[object, set[type]]] = [(query, QUERIES)]
    if type(query) is ModelError:
        parts += [(marginal, {Marginal}) for marginal in query.candidates]
    return parts
