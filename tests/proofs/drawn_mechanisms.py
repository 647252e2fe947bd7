"""What the soundness tests draw: queries, questions, ledgers and random tables on small domains.

With it come premises whose numbers are a table's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from proofs.entries import RenyiCurve
from proofs.guarantees import ApproxDP
from proofs.judgments import Private, guarantee_to_json
from proofs.kernel import Theorem, prove
from synthesizers.domain import Domain
from synthesizers.events import Event, Measure, MeasureBest, Sanitize, Select
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    CellErrors,
    IndependenceDistance,
    Layer,
    LinearQueries,
    Marginal,
    ModelError,
    Query,
    RecodedMarginal,
    Total,
)
from synthesizers.runs import GeometricRuns, LogarithmicRuns
from synthesizers.selection import Exponential
from tests.proofs.small_mechanisms import (
    Counts,
    Table,
    above,
    all_databases,
    delta,
    directed_pairs,
    mp,
    renyi,
    wide,
)
from tests.synthesizers.brute_force import RELATIONS

F = Fraction

RECORD, SWAP = AddRemove(), ReplaceOne()

bulk = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
"""What every change runs."""

more = settings(bulk, max_examples=800)
"""What `-m slow` runs."""

few = settings(bulk, max_examples=5)
"""Of what takes the prover long."""

relations = st.sampled_from(RELATIONS)
domains = st.sampled_from(["2", "2", "3", "2x2"]).map(Domain.from_cells)
amounts = st.fractions(F(1, 3), 4, max_denominator=6)
deltas = st.sampled_from([F(1, 10**9), F(1, 1000), F(1, 20), F(1, 5), F(1, 2)])
orders = st.sampled_from([F(21, 20), F(3, 2), F(2), F(4), F(19, 2), F(40)])
epsilons = st.sampled_from([F(0), F(1, 10), F(1, 2), F(1), F(3)])


def databases(relation: Neighbours, domain: Domain) -> tuple[Counts, ...]:
    """All of a small size."""
    return all_databases(relation.records_public, domain.size, 2 if domain.size > 2 else 3)


@st.composite
def queries(draw: st.DrawFn, domain: Domain, most: int = 4) -> Query:
    """A declared query of a few answers."""
    names = domain.names
    chosen = st.lists(st.sampled_from(names), min_size=1, max_size=len(names), unique=True)
    cells = st.lists(st.integers(0, domain.size - 1), min_size=1, max_size=most, unique=True)
    kinds = ["marginal", "marginal", "cells", "total", "sum", "recoded", "linear"]
    kind = draw(st.sampled_from(kinds))
    if kind == "marginal":
        return Marginal(tuple(draw(chosen)))
    if kind == "cells":
        return CellCounts(tuple(draw(cells)))
    if kind == "total":
        return Total()
    if kind == "recoded":
        return draw(recodings(domain))
    if kind == "linear":
        rows = st.lists(st.integers(-1, 1), min_size=domain.size, max_size=domain.size)
        layers = [
            Layer(draw(st.sampled_from([-2, -1, 1, 2])), tuple(draw(rows.filter(any_answer))))
            for _ in range(draw(st.integers(1, 2)))
        ]
        return LinearQueries(names, tuple(layers))
    name = draw(st.sampled_from(names))
    size = domain.attribute(name).size
    values = draw(st.lists(st.integers(-2, 3), min_size=size, max_size=size))
    low = draw(st.integers(-2, 1))
    return BoundedSum(name, tuple(values), low, low + draw(st.integers(0, 3)))


def any_answer(rows: list[int]) -> bool:
    return max(rows) >= 0


@st.composite
def recodings(draw: st.DrawFn, domain: Domain) -> RecodedMarginal:
    """One or two groups of an attribute's values, or of two attributes'."""
    names = draw(st.lists(st.sampled_from(domain.names), min_size=1, max_size=2, unique=True))
    groups = []
    for name in names:
        size = domain.attribute(name).size
        codes = st.lists(st.integers(-1, 1), min_size=size, max_size=size)
        groups.append(tuple(draw(codes.filter(any_answer))))
    return RecodedMarginal(tuple(names), tuple(groups))


@st.composite
def score_queries(draw: st.DrawFn, domain: Domain) -> Query:
    """Scores of two or three candidates."""
    if draw(st.booleans()):
        cells = st.lists(st.integers(0, domain.size - 1), min_size=2, max_size=3, unique=True)
        return CellCounts(tuple(draw(cells)))
    names = draw(st.lists(st.sampled_from(domain.names), min_size=2, max_size=3))
    kind = draw(st.sampled_from(["model", "cells", "independence"]))
    if kind == "cells":
        tables = tuple(Marginal((name,)) for name in names)
        numbers = [draw(st.integers(-1, 3)) for _ in tables]
        scale = draw(st.integers(1, 2))
        return CellErrors(tables, ((0,),) * len(tables), tuple((n,) for n in numbers), scale)
    if kind == "independence" and len(domain.names) > 1:
        pair = (domain.names[:1], domain.names[1:])
        return IndependenceDistance((pair, pair[::-1]), draw(st.integers(1, 2)))
    recoded = draw(st.booleans())
    candidates = tuple(draw(recodings(domain)) if recoded else Marginal((name,)) for name in names)
    models = tuple(
        tuple(draw(st.integers(0, 2)) for _ in range(c.size(domain))) for c in candidates
    )
    few = st.lists(st.integers(0, 2), min_size=len(names), max_size=len(names))
    weights, offsets = (tuple(draw(st.one_of(st.just([]), few))) for _ in range(2))
    return ModelError(candidates, models, weights, offsets)


@st.composite
def measurements(draw: st.DrawFn, domain: Domain) -> Measure:
    """A noisy query of at most some dozens of outcomes."""
    query = draw(queries(domain))
    answers_of = query.size(domain)
    low = draw(st.integers(-1, 1))
    span = draw(st.integers(1, 6 if answers_of == 1 else 3 if answers_of == 2 else 1))
    noise = draw(st.sampled_from([DiscreteLaplace, RoundedLaplace, DiscreteGaussian]))
    return Measure(query, noise(draw(amounts)), low, low + span)


@st.composite
def events(draw: st.DrawFn, domain: Domain, relation: Neighbours) -> Event:
    """One question, of a kind that has a finite guarantee."""
    kinds = ["measure", "measure", "best", "select", "posterior"]
    kinds += ["response", "matrix"] if relation.records_public else []
    kind = draw(st.sampled_from(kinds))
    if kind == "measure":
        return draw(measurements(domain))
    if kind == "best":
        one, gamma = (
            draw(measurements(domain)),
            draw(st.sampled_from([F(1, 50), F(1, 3), F(9, 10)])),
        )
        law = draw(st.sampled_from([GeometricRuns, LogarithmicRuns]))
        return MeasureBest(one.query, one.noise, law(gamma), one.low, one.high)
    if kind == "select":
        return Select(draw(score_queries(domain)), Exponential(draw(amounts)))
    if kind == "posterior":
        law = draw(st.sampled_from([DirichletMultinomial, PlugInMultinomial]))
        alpha = tuple(draw(amounts) for _ in range(draw(st.sampled_from([1, domain.size]))))
        return Sanitize(law(alpha, draw(st.integers(0, 2))))
    if kind == "response":
        return Sanitize(RandomizedResponse(draw(amounts)))
    size = domain.size
    rows = [
        draw(st.lists(st.integers(1, 5), min_size=size - 1, max_size=size - 1)) for _ in range(size)
    ]
    return Sanitize(PostRandomisation(tuple((*row, 5 * size - sum(row)) for row in rows)))


def written(event: Event, domain: Domain, relation: Neighbours) -> dict[str, Any]:
    """An event as ledgers write it."""
    return event.to_json(domain, relation)


@st.composite
def random_tables(draw: st.DrawFn, listed: tuple[Counts, ...], zeros: bool = True) -> Table:
    """Any chances at all, zeros among them."""
    size, least = draw(st.integers(2, 4)), 0 if zeros else 1
    rows = []
    for _ in listed:
        weights = draw(st.lists(st.integers(least, 6), min_size=size, max_size=size).filter(any))
        rows.append([mp(F(weight, sum(weights))) for weight in weights])
    return Table(listed, np.array(rows, dtype=object))


def stated(relation: Neighbours, guarantee: Any) -> Theorem:
    """A guarantee known to hold, as a premise."""
    return prove(
        "stated-guarantee",
        [],
        {"neighbours": relation, "mechanism": "a table", "guarantee": guarantee_to_json(guarantee)},
    )


def exact_point(found: Table, relation: Neighbours, at: Fraction) -> ApproxDP | None:
    """The table's own (ε, δ) at an ε; None where no δ below 1 holds."""
    least = above(delta(found, directed_pairs(relation, found.databases), at))
    return ApproxDP(at, least) if least < 1 else None


def exact_curve(found: Table, relation: Neighbours, at: Sequence[Fraction]) -> RenyiCurve | None:
    """The table's own Rényi divergences; None where they are infinite."""
    pairs = directed_pairs(relation, found.databases)
    values = [renyi(found, pairs, order) for order in at]
    if wide.inf in values:
        return None
    return RenyiCurve(tuple(zip(at, map(above, values), strict=True)))


def guarantee_of(theorem: Theorem) -> Any:
    """What a theorem of a mechanism promises."""
    assert isinstance(theorem.judgment, Private)
    return theorem.judgment.guarantee
