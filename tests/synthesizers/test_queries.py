"""Sensitivities against exhaustion, and the two ways of answering against each other."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from proofs.judgments import Stable
from proofs.kernel import prove
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases, neighbour_pairs
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
    Sensitivity,
    Total,
    answer,
    answers_of_histograms,
    whole_table,
)
from tests.synthesizers.brute_force import RELATIONS, relation_id

PAIR = Domain.from_cells("2x2")
LINE = Domain.from_cells("3")
POINT = Domain.from_cells("1")
SIDES = (Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2")))
HALF = RecodedMarginal(("a2", "a1"), ((0, -1), (0, 1)))
BOTH = (("a1",), ("a2",))

# What is bounded through marginals, columns or distances is not tight in every norm.
CASES: list[tuple[Domain, Query, bool]] = [
    (PAIR, Marginal(("a1",)), True),
    (PAIR, Marginal(("a2", "a1")), True),
    (LINE, whole_table(LINE), True),
    (POINT, whole_table(POINT), True),
    (PAIR, CellCounts((0,)), True),
    (PAIR, CellCounts((3, 1)), True),
    (PAIR, CellCounts((2, 0, 1, 3)), True),
    (POINT, CellCounts((0,)), True),
    (PAIR, Total(), True),
    (LINE, BoundedSum("cell", (0, 1, 2), 0, 2), True),
    (LINE, BoundedSum("cell", (-5, 1, 9), -2, 3), True),
    (LINE, BoundedSum("cell", (2, 3, 5), 0, 9), True),
    (LINE, BoundedSum("cell", (-2, -3, -5), -9, 9), True),
    (LINE, BoundedSum("cell", (7, 7, 7), 0, 9), True),
    (LINE, BoundedSum("cell", (7, 8, 9), 4, 4), True),
    (POINT, BoundedSum("cell", (3,), 0, 5), True),
    (PAIR, ModelError(SIDES, ((1, 0), (2, 2), (0, 0, 1, 0))), False),
    (POINT, ModelError((Marginal(("cell",)),), ((1,),)), False),
    (PAIR, RecodedMarginal(("a1", "a2"), ((0, 1), (1, 0))), True),
    (PAIR, RecodedMarginal(("a1",), ((0, 0),)), True),
    (PAIR, RecodedMarginal(("a1",), ((0, -1),)), True),
    (PAIR, HALF, True),
    (LINE, RecodedMarginal(("cell",), ((0, 3, -1),)), False),
    (LINE, LinearQueries(("cell",), (Layer(1, (0, 1, 2)), Layer(1, (3, 3, 4)))), False),
    (LINE, LinearQueries(("cell",), (Layer(2, (0, 1, -1)), Layer(-3, (-1, 0, 0)))), False),
    (LINE, LinearQueries(("cell",), (Layer(2, (0, 0, 0)), Layer(-2, (0, 0, 1)))), False),
    (PAIR, LinearQueries(("a2",), (Layer(-1, (0, 2)),)), False),
    (POINT, LinearQueries(("cell",), (Layer(3, (0,)),)), True),
    (PAIR, ModelError((HALF, SIDES[2]), ((1, 0), (2, 2, 0, 1)), (3, 1), (-4, 9)), False),
    (PAIR, ModelError(SIDES[:1], ((1, 0),), (0,), (5,)), False),
    (PAIR, CellErrors(SIDES[1:], ((1,), (0, 3)), ((2,), (1, 0)), 3), False),
    (PAIR, CellErrors(SIDES[:1], ((1, 0),), ((-5, 1),)), False),
    (PAIR, IndependenceDistance((BOTH,), 3), False),
    (PAIR, IndependenceDistance((BOTH, BOTH[::-1])), False),
    (Domain.from_cells("2x3"), IndependenceDistance((BOTH,), 2), False),
    (Domain.from_cells("1x3"), IndependenceDistance((BOTH,), 2), True),
]  # fmt: skip


def exhausted(
    domain: Domain, query: Query, neighbours: Neighbours
) -> tuple[Sensitivity, NDArray[np.int64]]:
    """The largest norms over all neighbours of up to 2m + 1 records."""
    most = 2 * neighbours.unit.max_records + (1 if domain.size < 4 else 0)
    rows = databases(neighbours, domain.size, max(most, 2))
    answers = answers_of_histograms(query, domain, rows)
    pairs = neighbour_pairs(neighbours, rows)
    steps = answers[pairs[:, 1]] - answers[pairs[:, 0]]
    if not len(steps):
        steps = np.zeros((1, answers.shape[1]), np.int64)
    one_way = bool(((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all())
    size = np.abs(steps)
    return (
        Sensitivity(
            int(size.sum(axis=1).max()),
            int((size**2).sum(axis=1).max()),
            int(size.max()),
            one_way,
        ),
        steps,
    )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_sensitivities_against_exhaustion(
    domain: Domain, query: Query, tight: bool, neighbours: Neighbours
) -> None:
    found, _ = exhausted(domain, query, neighbours)
    claimed = query.sensitivity(domain, neighbours)
    assert claimed.l1 >= found.l1
    assert claimed.l2_squared >= found.l2_squared
    assert claimed.linf >= found.linf
    # Claimed monotone and not so would halve the cost of a selection.
    assert found.monotone or not claimed.monotone
    assert all(type(value) is int for value in (claimed.l1, claimed.l2_squared, claimed.linf))
    if tight:
        assert (claimed.l1, claimed.l2_squared, claimed.linf) == (
            found.l1,
            found.l2_squared,
            found.linf,
        )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_table_of_conventions(neighbours: Neighbours) -> None:
    """One marginal: L1 k, L2 k; under replace-one L1 2, L2 √2; a count 1; n 1 or 0; model error."""
    k = neighbours.unit.max_records
    sides = 1 if isinstance(neighbours, AddRemove) else 2
    marginal = Marginal(("a1",)).sensitivity(PAIR, neighbours)
    assert (marginal.l1, marginal.l2_squared) == (sides * k, sides * k * k)
    assert marginal.monotone == (sides == 1)
    assert CellCounts((1,)).sensitivity(PAIR, neighbours).l1 == k
    public = neighbours == ReplaceOne()
    assert Total().sensitivity(PAIR, neighbours).l1 == (0 if public else k)
    error = ModelError((Marginal(("a1",)),), ((0, 0),)).sensitivity(PAIR, neighbours)
    assert error.linf == sides * k and not error.monotone


@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_answers_of_records_and_of_histograms_agree(
    domain: Domain, query: Query, tight: bool
) -> None:
    rows = databases(AddRemove(), domain.size, 3)
    listed = answers_of_histograms(query, domain, rows)
    assert listed.shape == (len(rows), query.size(domain))
    for row, wanted in zip(rows, listed, strict=True):
        data = Dataset.from_histogram(domain, row)
        backwards = Dataset(domain, data.codes[::-1])
        assert answer(query, data).tolist() == wanted.tolist()
        assert answer(query, backwards).tolist() == wanted.tolist()


def test_answers_by_hand() -> None:
    rows = np.array([[3, 0, 1, 2]])
    domain = PAIR

    def of(query: Query) -> list[int]:
        found: list[int] = answers_of_histograms(query, domain, rows)[0].tolist()
        return found

    assert of(Marginal(("a1",))) == [3, 3] and of(Marginal(("a2",))) == [4, 2]
    assert of(Marginal(("a1", "a2"))) == [3, 0, 1, 2]
    assert of(Marginal(("a2", "a1"))) == [3, 1, 0, 2]
    assert of(CellCounts((3, 1, 0))) == [2, 0, 3]
    assert of(Total()) == [6]
    assert of(BoundedSum("a1", (-4, 10), -1, 5)) == [-3 + 15]
    assert of(ModelError((Marginal(("a1",)), Marginal(("a2",))), ((1, 1), (9, 0)))) == [4, 7]
    assert of(RecodedMarginal(("a1", "a2"), ((0, -1), (1, 0)))) == [0, 3]
    assert of(LinearQueries(("a2",), (Layer(5, (0, 2)), Layer(-1, (2, -1))))) == [20, 0, 10 - 4]
    weighted = ModelError((HALF, Marginal(("a1",))), ((0, 0), (3, 0)), (2, 10), (-100, 1))
    assert of(weighted) == [2 * (3 + 1) - 100, 10 * 3 + 1]
    errors = CellErrors((Marginal(("a2",)), SIDES[2]), ((1,), (3, 0)), ((7,), (-1, 100)), 4)
    assert of(errors) == [abs(8 - 7), 8 + 1, abs(12 - 100)]
    # By hand: 3·2 of 6 records off the products of (3, 3) and (4, 2), four times |3 - 2|.
    assert of(IndependenceDistance((BOTH,), 10)) == [40]


def test_marginals_of_random_domains_count_as_loops_do() -> None:
    random = np.random.default_rng(7)
    domain = Domain.from_cells("2x3x2")
    codes = np.stack([random.integers(0, c, 50) for c in domain.shape], axis=1)
    data = Dataset(domain, codes)
    for size in (1, 2, 3):
        for names in itertools.permutations(domain.names, size):
            places = [domain.names.index(name) for name in names]
            ranges = [range(domain.shape[place]) for place in places]
            wanted = [
                sum(all(r[p] == v for p, v in zip(places, values, strict=True)) for r in codes)
                for values in itertools.product(*ranges)
            ]
            assert answer(Marginal(names), data).tolist() == wanted


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Marginal(()), "one or more"),
        (lambda: Marginal(("a1", "a1")), "different"),
        (lambda: Marginal(("zz",)).size(PAIR), "zz"),
        (lambda: CellCounts(()), "one or more"),
        (lambda: CellCounts((1, 1)), "different"),
        (lambda: CellCounts((4,)).size(PAIR), "0 … 3"),
        (lambda: CellCounts((-1,)).size(PAIR), "0 … 3"),
        (lambda: BoundedSum("a1", (0, 1), 2, 1), "low <= high"),
        (lambda: BoundedSum("a1", (0, 1), 0, 2**31), "2\\^31"),
        (lambda: BoundedSum("a1", (0, 1, 2), 0, 3).size(PAIR), "2 codes"),
        (lambda: BoundedSum("zz", (0, 1), 0, 3).size(PAIR), "zz"),
        (lambda: BoundedSum("a1", (0.5, 1), 0, 3), "whole numbers"),
        (lambda: BoundedSum("a1", (0, 1), 0, 1.5), "whole number"),
        (lambda: ModelError((), ()), "one or more"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 0.5),)), "whole numbers"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 2**31),)), "2\\^31"),
        (lambda: ModelError((Marginal(("a1",)),), ((-(2**31), 0),)), "2\\^31"),
        (lambda: Marginal("a1"), "a list"),
        (lambda: Marginal((1,)), "a text"),
        (lambda: ModelError((Marginal(("a1",)),), ((0, 1, 2),)).size(PAIR), "2 counts"),
        (lambda: ModelError(SIDES[:1], ((0, 0),), (1, 1)), "weights of a model error are one"),
        (lambda: ModelError(SIDES[:1], ((0, 0),), (), (1, 1)), "offsets of a model error are one"),
        (lambda: ModelError(SIDES[:1], ((0, 0),), (-1,)), "not be negative"),
        (lambda: ModelError(SIDES[:1], ((0, 0),), (2**31,)), "2\\^31"),
        (lambda: ModelError(SIDES[:1], ((2**31 - 1,) * 2,), (2**31 - 1,)), "2\\^62"),
        (lambda: ModelError(SIDES[:1], ((0, 0),), (1.5,)), "whole numbers"),
        (lambda: RecodedMarginal(("a1",), ()), "each of its attributes"),
        (lambda: RecodedMarginal((), ()), "one or more"),
        (lambda: RecodedMarginal(("a1",), ((),)), "numbered from 0"),
        (lambda: RecodedMarginal(("a1",), ((-1, -1),)), "numbered from 0"),
        (lambda: RecodedMarginal(("a1",), ((0, -2),)), "numbered from 0"),
        (lambda: RecodedMarginal(("a1",), ((0, 0.5),)), "whole numbers"),
        (lambda: RecodedMarginal(("a1",), ((0, 1, 2),)).size(PAIR), "2 codes, found 3"),
        (lambda: RecodedMarginal(("zz",), ((0, 1),)).size(PAIR), "zz"),
        (lambda: RecodedMarginal(("a1",), ((0, 2**24),)).size(PAIR), "cells"),
        (lambda: Layer(0, (0,)), "not be 0"),
        (lambda: Layer(2**31, (0,)), "2\\^31"),
        (lambda: Layer(1, ()), "which answer"),
        (lambda: Layer(1, (-2,)), "which answer"),
        (lambda: Layer(1, (2**24,)), "which answer"),
        (lambda: Layer(1.5, (0,)), "whole number"),
        (lambda: LinearQueries(("a1",), ()), "one or more layers"),
        (lambda: LinearQueries(("a1",), (Layer(1, (-1, -1)),)), "one or more answers"),
        (lambda: LinearQueries(("a1",), (Layer(1, (0, 0, 0)),)).size(PAIR), "needs 2 entries"),
        (lambda: LinearQueries(("a1", "a1"), (Layer(1, (0, 0)),)), "different"),
        # The square of such an entry is 2^64, which is 0 in int64.
        (lambda: LinearQueries(("a1",), (Layer(2**30, (0, 0)),) * 4), "together .*2\\^31"),
        (lambda: LinearQueries(("a1",), (Layer(-(2**30), (0, 1)),) * 2), "together .*2\\^31"),
        (lambda: CellErrors((), (), ()), "one or more marginals"),
        (lambda: CellErrors(SIDES[:1], ((),), ((),)), "different candidate cells"),
        (lambda: CellErrors(SIDES[:1], ((0, 0),), ((1, 1),)), "different candidate cells"),
        (lambda: CellErrors(SIDES[:1], ((0,),), ((1, 1),)), "different candidate cells"),
        (lambda: CellErrors(SIDES[:1], ((0,), (1,)), ((1,),)), "each of one or more"),
        (lambda: CellErrors(SIDES[:1], ((0,),), ((2**62 + 1,),)), "2\\^62"),
        (lambda: CellErrors(SIDES[:1], ((0,),), ((1,),), 0), "1 … 2"),
        (lambda: CellErrors(SIDES[:1], ((0,),), ((1,),), 2**31), "1 … 2"),
        (lambda: CellErrors(SIDES[:1], ((2,),), ((1,),)).size(PAIR), "0 … 1"),
        (lambda: CellErrors(SIDES[:1], ((-1,),), ((1,),)).size(PAIR), "0 … 1"),
        (lambda: IndependenceDistance(()), "one or more candidates"),
        (lambda: IndependenceDistance((("a1", "a2"),)), "a list"),
        (lambda: IndependenceDistance(((("a1",),),)), "two sets"),
        (lambda: IndependenceDistance(((("a1",), ()),)), "both sides"),
        (lambda: IndependenceDistance(((("a1",), ("a1",)),)), "different"),
        (lambda: IndependenceDistance((BOTH,), 0), "1 … 2"),
        (lambda: IndependenceDistance((BOTH,), 2**31), "1 … 2"),
        (lambda: IndependenceDistance(((("a1",), ("zz",)),)).size(PAIR), "zz"),
    ],
)
def test_questions_that_fit_no_domain_are_refused(make: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


def test_a_marginal_of_too_many_cells_names_its_attributes() -> None:
    wide = Domain.from_cells("4096x4096")
    huge = Domain("huge", tuple(
        type(a)(f"b{k}", a.values) for k, a in enumerate((*wide.attributes, *wide.attributes))
    ))  # fmt: skip
    with pytest.raises(TooLargeError, match="b0, b1, b2"):
        Marginal(("b0", "b1", "b2")).size(huge)


CUBE = Domain.from_cells("2x3x2")


def slowly(query: Query, records: list[dict[str, int]]) -> list[int]:
    """The answer, record by record."""

    def place(names: tuple[str, ...], record: dict[str, int]) -> int:
        found = 0
        for name in names:
            found = found * CUBE.attribute(name).size + record[name]
        return found

    if isinstance(query, Marginal):
        counts = [0] * query.size(CUBE)
        for record in records:
            counts[place(query.attributes, record)] += 1
        return counts
    if isinstance(query, RecodedMarginal):
        ends = [max(codes) + 1 for codes in query.groups]
        places = list(itertools.product(*map(range, ends)))
        counts = [0] * len(places)
        for record in records:
            parts = zip(query.attributes, query.groups, strict=True)
            group = tuple(codes[record[name]] for name, codes in parts)
            if group in places:
                counts[places.index(group)] += 1
        return counts
    if isinstance(query, LinearQueries):
        sums = [0] * (1 + max(row for layer in query.layers for row in layer.rows))
        for record, layer in itertools.product(records, query.layers):
            row = layer.rows[place(query.attributes, record)]
            if row != -1:
                sums[row] += layer.weight
        return sums
    if isinstance(query, ModelError):
        counted = [slowly(candidate, records) for candidate in query.candidates]
        far = [
            sum(abs(x - y) for x, y in zip(*pair, strict=True))
            for pair in zip(counted, query.models, strict=True)
        ]
        weights, offsets = query.weights or [1] * len(far), query.offsets or [0] * len(far)
        return [w * x + b for w, x, b in zip(weights, far, offsets, strict=True)]
    if isinstance(query, CellErrors):
        return [
            abs(query.scale * slowly(marginal, records)[cell] - number)
            for marginal, cells, model in zip(
                query.marginals, query.cells, query.models, strict=True
            )
            for cell, number in zip(cells, model, strict=True)
        ]
    assert isinstance(query, IndependenceDistance)
    found = []
    for left, right in query.candidates:
        distance, n = Fraction(0), len(records)
        rows, columns = slowly(Marginal(left), records), slowly(Marginal(right), records)
        joint = slowly(Marginal(left + right), records)
        for (x, y), count in zip(itertools.product(rows, columns), joint, strict=True):
            distance += abs(count - Fraction(x * y, n)) if n else 0
        found.append(math.floor(query.scale * distance))
    return found


def some(draw: st.DrawFn, low: int, high: int, size: int) -> tuple[int, ...]:
    return tuple(draw(st.lists(st.integers(low, high), min_size=size, max_size=size)))


def chosen(draw: st.DrawFn) -> tuple[str, ...]:
    return tuple(draw(st.lists(st.sampled_from(CUBE.names), min_size=1, max_size=3, unique=True)))


@st.composite
def recoded_marginals(draw: st.DrawFn) -> RecodedMarginal:
    names, groups = chosen(draw), []
    for name in names:
        codes = list(some(draw, -1, 2, CUBE.attribute(name).size))
        codes[draw(st.integers(0, len(codes) - 1))] = draw(st.integers(0, 2))
        groups.append(tuple(codes))
    return RecodedMarginal(names, tuple(groups))


@st.composite
def linear_queries(draw: st.DrawFn) -> LinearQueries:
    names, layers = chosen(draw), []
    cells = Marginal(names).size(CUBE)
    for _ in range(draw(st.integers(1, 3))):
        weight = draw(st.integers(-3, 3).filter(bool))
        layers.append(Layer(weight, (*some(draw, -1, 4, cells - 1), draw(st.integers(0, 4)))))
    return LinearQueries(names, tuple(layers))


@st.composite
def model_errors(draw: st.DrawFn) -> ModelError:
    marginals = st.one_of(st.just(Marginal(chosen(draw))), recoded_marginals())
    candidates = tuple(draw(st.lists(marginals, min_size=1, max_size=3)))
    models = tuple(some(draw, -3, 6, candidate.size(CUBE)) for candidate in candidates)
    weights = some(draw, 0, 3, len(candidates)) if draw(st.booleans()) else ()
    offsets = some(draw, -9, 9, len(candidates)) if draw(st.booleans()) else ()
    return ModelError(candidates, models, weights, offsets)


@st.composite
def cell_errors(draw: st.DrawFn) -> CellErrors:
    marginals = tuple(Marginal(chosen(draw)) for _ in range(draw(st.integers(1, 3))))
    sizes = [marginal.size(CUBE) for marginal in marginals]
    cells = tuple(
        tuple(draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True))) for size in sizes
    )
    models = tuple(some(draw, -5, 9, len(own)) for own in cells)
    return CellErrors(marginals, cells, models, draw(st.integers(1, 4)))


@st.composite
def independence_distances(draw: st.DrawFn) -> IndependenceDistance:
    pairs = []
    for _ in range(draw(st.integers(1, 2))):
        names = draw(st.permutations(CUBE.names))
        cut, end = draw(st.sampled_from([(1, 2), (1, 3), (2, 3)]))
        pairs.append((tuple(names[:cut]), tuple(names[cut:end])))
    return IndependenceDistance(tuple(pairs), draw(st.integers(1, 9)))


DRAWN = st.one_of(
    recoded_marginals(), linear_queries(), model_errors(), cell_errors(), independence_distances()
)
records_of_the_cube = st.lists(st.tuples(*(st.integers(0, size - 1) for size in CUBE.shape)))


@given(query=DRAWN, records=records_of_the_cube)
def test_answers_against_a_loop_over_the_records(
    query: Query, records: list[tuple[int, ...]]
) -> None:
    codes = np.array(records, np.int64).reshape(-1, 3)
    data = Dataset(CUBE, codes)
    wanted = slowly(query, [dict(zip(CUBE.names, row, strict=True)) for row in records])
    assert answer(query, data).tolist() == wanted and query.size(CUBE) == len(wanted)
    # Several databases at once, as an enumeration asks.
    repeated = np.concatenate([codes, codes[:1]])
    weights = np.ones((2, len(repeated)), np.int64)
    weights[:, len(records) :] = [[0], [2]]
    both = query.answers(CUBE, repeated, weights).tolist()
    more = [dict(zip(CUBE.names, row, strict=True)) for row in [*records, *records[:1] * 2]]
    assert both == [wanted, slowly(query, more)]


@cache
def small_cubes(neighbours: Neighbours) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows = databases(neighbours, CUBE.size, 2)
    return rows, neighbour_pairs(neighbours, rows)


@given(query=DRAWN, neighbours=st.sampled_from(RELATIONS))
def test_drawn_queries_move_no_farther_than_they_say_nor_than_the_kernel_says(
    query: Query, neighbours: Neighbours
) -> None:
    rows, pairs = small_cubes(neighbours)
    answers = answers_of_histograms(query, CUBE, rows)
    steps = answers[pairs[:, 1]] - answers[pairs[:, 0]]
    size, said = np.abs(steps), query.sensitivity(CUBE, neighbours)
    assert said.l1 >= size.sum(axis=1).max() and said.linf >= size.max()
    assert said.l2_squared >= (size**2).sum(axis=1).max()
    one_way = ((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all()
    assert one_way or not said.monotone
    assert all(type(value) is int for value in (said.l1, said.l2_squared, said.linf))
    given_ = {"shape": dict(zip(CUBE.names, CUBE.shape, strict=True)), "query": query.to_json()}
    proved = prove(query.kind, (), {"neighbours": neighbours, **given_}).judgment
    assert isinstance(proved, Stable)
    norms = (proved.l1, proved.l2_squared, proved.linf, proved.monotone)
    assert norms == (said.l1, said.l2_squared, said.linf, said.monotone)


def test_large_numbers_do_not_overflow() -> None:
    most = 2**31 - 1
    rows = np.array([[2**27, 0, 0, 2**27 - 1]], np.int64)
    whole = IndependenceDistance((BOTH,), most)
    n = 2**28 - 1
    exact = math.floor(most * Fraction(4 * 2**27 * (2**27 - 1), n))
    assert answers_of_histograms(whole, PAIR, rows).tolist() == [[exact]]
    errors = CellErrors(SIDES[2:], ((0, 3),), ((-(2**62), 2**62),), most)
    wanted = [most * 2**27 + 2**62, abs(most * (2**27 - 1) - 2**62)]
    assert answers_of_histograms(errors, PAIR, rows).tolist() == [wanted]
    heavy = LinearQueries(("a1", "a2"), (Layer(-most, (0, 1, 2, 0)),))
    assert answers_of_histograms(heavy, PAIR, rows).tolist() == [[-most * n, 0, 0]]
    halves = LinearQueries(("a1",), (Layer(2**30, (0, -1)), Layer(2**30 - 1, (0, -1))))
    assert halves.sensitivity(PAIR, AddRemove()) == Sensitivity(most, most**2, most, True)


@pytest.mark.parametrize(("domain", "query", "tight"), CASES)
def test_plain_data_names_the_kind(domain: Domain, query: Query, tight: bool) -> None:
    assert query.to_json()["kind"] == query.kind
