"""Queries of every declared kind, and the scores among them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from audit.testing.strategies.bounds import require_between
from synthesizers.domain import Domain
from synthesizers.errors import InputError
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
    TableDistances,
    Total,
)

MOST_CANDIDATES = 3
"""Of a drawn selection (the first that shows who is second and third)."""

MODEL_CELLS = 12
"""The most cells of a candidate of several attributes."""

SUMMANDS = 5
"""The largest size of a drawn summand, and of a model's count."""


def marginals(domain: Domain, *, max_answers: int = 64) -> st.SearchStrategy[Marginal]:
    """Marginals of at most so many cells; they shrink to the first attribute's.

    Raises InputError where every attribute has more values than that.
    """
    require_between(1, max_answers, "answers", 1)
    fitting = [a.name for a in domain.attributes if a.size <= max_answers]
    if not fitting:
        raise InputError(
            f"every attribute of the domain has more than {max_answers} values; raise max_answers"
        )
    several = st.lists(st.sampled_from(fitting), min_size=1, max_size=len(fitting), unique=True)
    return several.map(lambda names: Marginal(_within(domain, names, max_answers)))


def _within(domain: Domain, names: list[str], most: int) -> tuple[str, ...]:
    """The names, up to the first with which the marginal would be too large."""
    sizes = [domain.attribute(name).size for name in names]
    kept = next(k for k in range(len(names), 0, -1) if math.prod(sizes[:k]) <= most)
    return tuple(names[:kept])


def queries(domain: Domain, *, max_answers: int = 64) -> st.SearchStrategy[Query]:
    """Declared queries of a domain, of at most so many answers; they shrink to the total.

    Raises InputError for impossible bounds.
    """
    return st.one_of(list(query_kinds(domain, max_answers).values()))


def query_kinds(domain: Domain, max_answers: int = 64) -> dict[type, st.SearchStrategy[Query]]:
    """The declared queries that a domain has, class by class."""
    require_between(1, max_answers, "answers", 1)
    found: dict[type, st.SearchStrategy[Query]] = {
        Total: st.just(Total()),
        CellCounts: _cell_counts(domain, max_answers),
        BoundedSum: _bounded_sums(domain),
        RecodedMarginal: _recodings(domain, max_answers),
        LinearQueries: _linear_queries(domain, max_answers),
        **_score_kinds(domain, min(max_answers, MOST_CANDIDATES)),
    }
    if min(domain.shape) <= max_answers:
        found[Marginal] = marginals(domain, max_answers=max_answers)
    return found


def scores(domain: Domain, *, max_candidates: int = MOST_CANDIDATES) -> st.SearchStrategy[Query]:
    """Queries whose answers are the scores of at most so many candidates.

    Raises InputError for impossible bounds.
    """
    require_between(1, max_candidates, "candidates", 1)
    kinds = _score_kinds(domain, max_candidates).values()
    return st.one_of(_cell_counts(domain, max_candidates), *kinds)


def _score_kinds(domain: Domain, most: int) -> dict[type, st.SearchStrategy[Query]]:
    found: dict[type, st.SearchStrategy[Query]] = {
        ModelError: _model_errors(domain, most),
        CellErrors: _cell_errors(domain, most),
        TableDistances: _table_distances(domain, most),
    }
    if len(domain.names) > 1:
        pairs = st.lists(_two_sides(domain), min_size=1, max_size=most).map(tuple)
        found[IndependenceDistance] = st.builds(IndependenceDistance, pairs, st.integers(1, 3))
    return found


def _cell_counts(domain: Domain, most: int) -> st.SearchStrategy[CellCounts]:
    cells = st.integers(0, domain.size - 1)
    listed = st.lists(cells, min_size=1, max_size=min(most, domain.size), unique=True)
    return listed.map(lambda found: CellCounts(tuple(found)))


@st.composite
def _bounded_sums(draw: st.DrawFn, domain: Domain) -> BoundedSum:
    name = draw(st.sampled_from(domain.names))
    size = domain.attribute(name).size
    summands = st.integers(-SUMMANDS, SUMMANDS)
    values = draw(st.lists(summands, min_size=size, max_size=size))
    low = draw(summands)
    return BoundedSum(name, tuple(values), low, draw(st.integers(low, SUMMANDS)))


def _small_marginals(domain: Domain) -> st.SearchStrategy[Marginal]:
    return marginals(domain, max_answers=max(MODEL_CELLS, *domain.shape))


@st.composite
def _recodings(draw: st.DrawFn, domain: Domain, most: int) -> RecodedMarginal:
    """Of at most so many groups in all."""
    names = draw(st.lists(st.sampled_from(domain.names), min_size=1, max_size=3, unique=True))
    groups, answers = [], 1
    for name in names:
        size = domain.attribute(name).size
        count = draw(st.integers(1, min(size, most // answers)))
        codes = draw(st.lists(st.integers(-1, count - 1), min_size=size, max_size=size))
        codes[draw(st.integers(0, size - 1))] = count - 1
        groups.append(tuple(codes))
        answers *= count
    return RecodedMarginal(tuple(names), tuple(groups))


@st.composite
def _linear_queries(draw: st.DrawFn, domain: Domain, most: int) -> LinearQueries:
    """One or two layers of a few answers."""
    table = draw(_small_marginals(domain))
    cells, last = table.size(domain), min(most, MOST_CANDIDATES) - 1
    layers = []
    for _ in range(draw(st.integers(1, 2))):
        rows = draw(st.lists(st.integers(-1, last), min_size=cells, max_size=cells))
        rows[draw(st.integers(0, cells - 1))] = draw(st.integers(0, last))
        weight = draw(st.integers(-SUMMANDS, SUMMANDS).filter(bool))
        layers.append(Layer(weight, tuple(rows)))
    return LinearQueries(table.attributes, tuple(layers))


@st.composite
def _model_errors(draw: st.DrawFn, domain: Domain, most: int) -> ModelError:
    tables = st.one_of(_small_marginals(domain), _recodings(domain, MODEL_CELLS))
    candidates = tuple(draw(st.lists(tables, min_size=1, max_size=most)))
    counts = st.integers(0, SUMMANDS)
    models = tuple(
        tuple(draw(st.lists(counts, min_size=size, max_size=size)))
        for size in (candidate.size(domain) for candidate in candidates)
    )
    few = st.lists(st.integers(0, 3), min_size=len(candidates), max_size=len(candidates))
    weights, offsets = (draw(st.one_of(st.just([]), few)) for _ in range(2))
    return ModelError(candidates, models, tuple(weights), tuple(offsets))


@st.composite
def _cell_errors(draw: st.DrawFn, domain: Domain, most: int) -> CellErrors:
    tables = draw(st.lists(_small_marginals(domain), min_size=1, max_size=min(2, most)))
    chosen, models = [], []
    for table in tables:
        size = table.size(domain)
        cells = st.lists(
            st.integers(0, size - 1),
            min_size=1,
            max_size=min(size, most // len(tables)),
            unique=True,
        )
        chosen.append(tuple(draw(cells)))
        counts = st.lists(
            st.integers(0, SUMMANDS), min_size=len(chosen[-1]), max_size=len(chosen[-1])
        )
        models.append(tuple(draw(counts)))
    return CellErrors(tuple(tables), tuple(chosen), tuple(models), draw(st.integers(1, 3)))


@st.composite
def _table_distances(draw: st.DrawFn, domain: Domain, most: int) -> TableDistances:
    tables = draw(st.lists(_small_marginals(domain), min_size=1, max_size=2))
    cells = sum(table.size(domain) for table in tables)
    numbers = st.lists(st.integers(0, SUMMANDS), min_size=cells, max_size=cells).map(tuple)
    models = draw(st.lists(numbers, min_size=1, max_size=most))
    return TableDistances(tuple(tables), tuple(models), draw(st.integers(1, 3)))


@st.composite
def _two_sides(draw: st.DrawFn, domain: Domain) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two different attributes."""
    left, right = draw(st.lists(st.sampled_from(domain.names), min_size=2, max_size=2, unique=True))
    return (left,), (right,)
