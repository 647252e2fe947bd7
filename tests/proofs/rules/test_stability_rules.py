"""Sensitivities of the kernel against exhaustion, and against those that the queries state."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs import checker
from proofs.errors import ProofError
from proofs.judgments import Stable
from proofs.kernel import Theorem, prove
from proofs.parameters import plain
from synthesizers.domain import Domain
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
)
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
from tests.proofs.rules.moved import bounds, differences, listed, shape_of
from tests.synthesizers.brute_force import RELATIONS, relation_id

DOMAINS = tuple(Domain.from_cells(cells) for cells in ("1", "2", "3", "2x2", "1x2", "1x1"))
LINE, SQUARE = DOMAINS[2], DOMAINS[3]

SUMS = (
    ((0, 1, 2), 0, 2),
    ((-5, 1, 9), -2, 3),
    ((2, 3, 5), 0, 9),
    ((-2, -3, -5), -9, 9),
    ((7, 7, 7), 0, 9),
    ((7, 8, 9), 4, 4),
    ((0, 0, 0), -1, 1),
)


def subsets(members: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for size in range(1, len(members) + 1):
        yield from itertools.combinations(members, size)


def queries(domain: Domain) -> Iterator[tuple[Query, bool]]:
    """Queries of every declared kind; whether the bounds are attained."""
    marginals = [Marginal(names) for names in subsets(domain.names)]
    yield from ((marginal, True) for marginal in marginals)
    yield from ((CellCounts(cells), True) for cells in subsets(range(domain.size)))
    yield Total(), True
    for values, low, high in SUMS:
        fitting = values[: domain.shape[0]]
        if len(fitting) == domain.shape[0]:
            yield BoundedSum(domain.names[0], fitting, low, high), True
    models = tuple(tuple(range(marginal.size(domain))) for marginal in marginals)
    yield ModelError(tuple(marginals), models), False
    yield from recoded(domain)
    yield from matrices(domain)
    yield from scores(domain)


def recoded(domain: Domain) -> Iterator[tuple[Query, bool]]:
    """Every value for itself, all as one, all but the last, the last alone, and an empty group."""
    for tight, groups_of in (
        (True, lambda size: tuple(range(size))),
        (True, lambda size: (0,) * size),
        (True, lambda size: (*range(size - 1), -1) if size > 1 else (0,)),
        (True, lambda size: (-1,) * (size - 1) + (0,)),
        (False, lambda size: (2,) * (size - 1) + (-1,) if size > 1 else (2,)),
    ):
        yield RecodedMarginal(domain.names, tuple(map(groups_of, domain.shape))), tight


def matrices(domain: Domain) -> Iterator[tuple[Query, bool]]:
    """Trees, negated counts, entries of both signs, layers that cancel, and a row of zeros."""
    size = domain.size
    each, all_at, none = tuple(range(size)), (0,) * size, (-1,) * (size - 1)
    for layers in (
        ((1, tuple(cell + 1 for cell in each)), (1, all_at)),
        ((-1, each),),
        ((2, each), (-3, tuple((cell + 1) % size for cell in each))),
        ((2, all_at), (-2, all_at), (1, (*none, 0))),
        ((5, all_at), (-5, all_at)),
        ((4, (2, *none)),),
        ((-4, (0, *none)), (3, all_at)),
    ):
        yield LinearQueries(domain.names, tuple(Layer(*layer) for layer in layers)), False


def scores(domain: Domain) -> Iterator[tuple[Query, bool]]:
    """Weighted distances, also of recoded marginals; errors of cells; distances of two sides."""
    whole, halves = (
        Marginal(domain.names),
        RecodedMarginal(domain.names[:1], ((0,) * domain.shape[0],)),
    )
    last = RecodedMarginal(domain.names[-1:], ((-1,) * (domain.shape[-1] - 1) + (0,),))
    models = ((1,) * domain.size, (2,), (1,))
    yield ModelError((whole, halves, last), models, (3, 1, 2), (0, -7, 5)), False
    yield ModelError((whole, halves, last), models, (0, 0, 0)), False
    yield ModelError((last,), ((0,),), (), (9,)), False
    first, cells = Marginal(domain.names[:1]), tuple(range(domain.size))
    numbers = (*cells, *(0,) * domain.shape[0])
    yield TableDistances((whole, first), (numbers, numbers[::-1]), 2), False
    yield TableDistances((whole, first), ((-9,) * len(numbers),)), False
    yield CellErrors((whole,), (cells,), (cells,), 3), False
    yield CellErrors((first, whole), ((0,), cells[::-1]), ((5,), cells)), False
    if len(domain.names) > 1:
        pair = (domain.names[:1], domain.names[1:])
        yield IndependenceDistance((pair,)), False
        yield IndependenceDistance((pair, pair[::-1]), 7), False


CASES = [(domain, query, tight) for domain in DOMAINS for query, tight in queries(domain)]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_bounds_hold_for_all_neighbours(neighbours: Neighbours) -> None:
    for domain, query, tight in CASES:
        found = bounds(domain, query, neighbours)
        size = np.abs(differences(domain, query, neighbours))
        steps = differences(domain, query, neighbours)
        norms = (
            int((size > 0).sum(axis=1).max()),
            int(size.sum(axis=1).max()),
            int((size**2).sum(axis=1).max()),
            int(size.max()),
        )
        stated = (found.l0, found.l1, found.l2_squared, found.linf)
        assert found.l0 is not None and found.integers
        if tight:
            assert stated == norms, (query, domain.shape)
        else:
            assert all(bound >= norm for bound, norm in zip(stated, norms, strict=True))
        one_way = bool(((steps >= 0).all(axis=1) | (steps <= 0).all(axis=1)).all())
        # Called monotone and not so would halve the cost of a selection.
        assert one_way or not found.monotone


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_kernel_agrees_with_the_queries(neighbours: Neighbours) -> None:
    for domain, query, _ in CASES:
        found, stated = bounds(domain, query, neighbours), query.sensitivity(domain, neighbours)
        assert found.l1 == stated.l1
        assert found.l2_squared == stated.l2_squared
        assert found.linf == stated.linf
        assert found.monotone == stated.monotone
        assert found.neighbours == neighbours


@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    records=st.integers(1, 40),
    exchange=st.booleans(),
    draw=st.data(),
)
def test_the_kernel_agrees_with_the_queries_on_larger_domains(
    sizes: list[int], records: int, exchange: bool, draw: st.DataObject
) -> None:
    domain = Domain.from_cells("x".join(map(str, sizes)))
    neighbours = (ReplaceOne if exchange else AddRemove)(Unit("person", records))
    names = tuple(draw.draw(st.lists(st.sampled_from(domain.names), min_size=1, unique=True)))
    values = draw.draw(st.tuples(*(st.integers(-99, 99) for _ in range(sizes[0]))))
    low, high = sorted(draw.draw(st.tuples(st.integers(-50, 50), st.integers(-50, 50))))
    cells = draw.draw(st.lists(st.integers(0, domain.size - 1), min_size=1, unique=True))
    summed = BoundedSum(domain.names[0], values, low, high)
    for query in (Marginal(names), summed, CellCounts(tuple(cells)), Total()):
        found, stated = bounds(domain, query, neighbours), query.sensitivity(domain, neighbours)
        assert (found.l1, found.l2_squared, found.linf, found.monotone) == (
            stated.l1,
            stated.l2_squared,
            stated.linf,
            stated.monotone,
        )


def test_marginals_have_the_stated_table() -> None:
    """Rows of the rule's page: l0, l1, l2², linf, one direction."""
    whole, point = Marginal(("cell",)), DOMAINS[0]
    persons = Unit("person", 2)
    table = {
        (LINE, AddRemove()): (1, 1, 1, 1, True),
        (LINE, AddRemove(persons)): (2, 2, 4, 2, True),
        (LINE, ReplaceOne()): (2, 2, 2, 1, False),
        (LINE, ReplaceOne(persons)): (3, 4, 8, 2, False),
        (point, ReplaceOne(persons)): (1, 2, 4, 2, True),
        (point, ReplaceOne()): (0, 0, 0, 0, True),
    }
    for (domain, neighbours), row in table.items():
        found = bounds(domain, whole, neighbours)
        assert (found.l0, found.l1, found.l2_squared, found.linf, found.monotone) == row


def test_a_public_total_does_not_move() -> None:
    found = bounds(LINE, Total(), ReplaceOne())
    assert (found.l0, found.l1, found.l2_squared, found.linf) == (0, 0, 0, 0)
    assert bounds(LINE, Total(), ReplaceOne(Unit("person", 1))).l1 == 1


def test_model_errors_move_both_ways() -> None:
    """A record more brings one model nearer and the other farther."""
    query = ModelError((Marginal(("cell",)), Marginal(("cell",))), ((9, 9, 9), (0, 0, 0)))
    steps = differences(LINE, query, AddRemove())
    assert (steps[:, 0] * steps[:, 1] < 0).any()
    assert not bounds(LINE, query, AddRemove()).monotone


RECODING: dict[str, Any] = {"attributes": ["a1"], "groups": [[0, 1]]}
LAYER: dict[str, Any] = {"weight": 1, "rows": [0, 1]}
ERRORS: dict[str, Any] = {"marginals": [["a1"]], "cells": [[0]], "models": [[5]], "scale": 1}
SIDES: dict[str, Any] = {"candidates": [[["a1"], ["a2"]]], "scale": 1}
MODEL: dict[str, Any] = {"candidates": [["a1"]], "models": [[1, 2]]}
DISTANCES: dict[str, Any] = {"marginals": [["a1"]], "models": [[1, 2]], "scale": 1}


def wrong(good: dict[str, Any], name: str, *values: Any) -> Iterator[dict[str, Any]]:
    yield from ({"query": good | {name: value}} for value in values)
    yield {"query": {key: value for key, value in good.items() if key != name}}


MALFORMED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("marginal", {"query": {"kind": "marginal", "attributes": []}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a1", "a1"]}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a3"]}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": "a1"}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": [["a1"]]}}),
    ("marginal", {"query": {"kind": "total", "attributes": ["a1"]}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a1"], "weights": [2]}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a1"]}, "shape": {"a1": 0}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a1"]}, "shape": {"a1": True}}),
    ("marginal", {"query": {"kind": "marginal", "attributes": ["a1"]}, "l1": 1}),
    ("total", {"query": {"kind": "total"}, "shape": {}}),
    ("total", {"query": {"kind": "total", "per": "a1"}}),
    ("cell-counts", {"query": {"kind": "cell-counts", "cells": []}}),
    ("cell-counts", {"query": {"kind": "cell-counts", "cells": [0, 0]}}),
    ("cell-counts", {"query": {"kind": "cell-counts", "cells": [4]}}),
    ("cell-counts", {"query": {"kind": "cell-counts", "cells": [-1]}}),
    ("cell-counts", {"query": {"kind": "cell-counts", "cells": [True]}}),
    ("bounded-sum", {"query": {"attribute": "a1", "values": [1], "low": 0, "high": 1}}),
    ("bounded-sum", {"query": {"attribute": "a1", "values": [1, 2], "low": 2, "high": 1}}),
    ("bounded-sum", {"query": {"attribute": "a1", "values": [1, 2], "low": "0", "high": 1}}),
    ("bounded-sum", {"query": {"attribute": "a1", "values": [1, 2], "low": False, "high": 1}}),
    ("bounded-sum", {"query": {"attribute": "a1", "values": ["1", 2], "low": 0, "high": 1}}),
    ("bounded-sum", {"query": {"attribute": "b", "values": [1, 2], "low": 0, "high": 1}}),
    ("model-error", {"query": {"candidates": [], "models": []}}),
    ("model-error", {"query": {"candidates": [["a1"]], "models": []}}),
    ("model-error", {"query": {"candidates": [["a1"]], "models": [[1]]}}),
    ("model-error", {"query": {"candidates": [["a1"]], "models": [[1, "2"]]}}),
    ("model-error", {"query": {"candidates": ["a1"], "models": [[1, 2]]}}),
    ("model-error", {"query": {"candidates": 3, "models": 3}}),
    *(
        ("recoded-marginal", change)
        for change in (
            *wrong(RECODING, "attributes", [], ["a1", "a1"], ["a1", "a2"], ["b"], "a1", [1]),
            *wrong(
                RECODING,
                "groups",
                [],
                [[0]],
                [[0, 1, 2]],
                [[-1, -1]],
                [[-2, 0]],
                [[0, "1"]],
                [0, 1],
                [[0, True]],
                [[0, 1], [0, 1]],
                3,
                [[0, 1.0]],
                None,
            ),
            {"query": RECODING, "shape": {"a1": 3}},
            {"query": RECODING | {"weights": [1]}},
        )
    ),
    *(
        ("linear", change)
        for layers in (
            [],
            3,
            [3],
            [LAYER | {"rows": [0]}],
            [LAYER | {"rows": [0, 1, 2]}],
            [LAYER | {"rows": 0}],
            [LAYER | {"rows": [-1, -1]}],
            [LAYER | {"rows": [-2, 0]}],
            [LAYER | {"rows": [0, "1"]}],
            [LAYER | {"rows": [True, 0]}],
            [LAYER | {"weight": "1"}],
            [LAYER | {"weight": True}],
            [LAYER | {"weight": 0.5}],
            [LAYER | {"sign": 1}],
            [{"rows": [0, 1]}],
            [LAYER, [1, [0, 1]]],
        )
        for change in wrong({"attributes": ["a1"], "layers": [LAYER]}, "layers", layers)
    ),
    *(
        ("linear", change)
        for change in wrong(
            {"attributes": ["a1"], "layers": [LAYER]},
            "attributes",
            [],
            ["a1", "a2"],
            ["a1", "a1"],
            "a1",
        )
    ),
    *(
        ("model-error", change)
        for change in (
            *(
                {"query": MODEL | {name: value}}
                for name in ("weights", "offsets")
                for value in ([], [1, 1], 1, [True], ["1"], [1.5], None)
            ),
            {"query": MODEL | {"weights": [-1]}},
            {"query": {"candidates": [["a1"]] * 3, "models": [[1, 2]] * 3, "weights": [5, 5, -1]}},
            {"query": MODEL | {"candidates": [RECODING | {"weight": 1}]}},
            {"query": MODEL | {"candidates": [{"attributes": ["a1"]}]}},
            {"query": MODEL | {"candidates": [RECODING | {"groups": [[0, 0]]}]}},
            {"query": MODEL | {"candidates": [RECODING | {"groups": [[-1, -1]]}], "models": [[]]}},
        )
    ),
    *(
        ("cell-errors", change)
        for change in (
            *wrong(
                ERRORS, "marginals", [], [[]], [["b"]], [["a1"], ["a1"]], ["a1"], "a1", [RECODING]
            ),
            *wrong(
                ERRORS, "cells", [], [[]], [[2]], [[-1]], [["0"]], [[True]], [[0], [1]], [[0, 1]], 0
            ),
            *wrong(ERRORS, "models", [], [[]], [[1, 2]], [["0"]], [[True]], [[0], [1]], [0.5], 0),
            *wrong(ERRORS, "scale", 0, -1, True, "1", 1.5, None),
            {"query": ERRORS | {"cells": [[0, 0]], "models": [[1, 2]]}},
            {"query": ERRORS | {"weights": [1]}},
        )
    ),
    *(
        ("table-distances", change)
        for change in (
            *wrong(DISTANCES, "marginals", [], [[]], [["b"]], ["a1"], "a1", [["a1", "a1"]], 3),
            *wrong(DISTANCES, "models", [], [[]], [[1]], [[1, "2"]], [[1, True]], [1, 2], 3),
            *wrong(DISTANCES, "models", [[1, 2], [1, 2, 3]]),
            *wrong(DISTANCES, "scale", 0, -1, True, "1", 1.5, None),
            {"query": DISTANCES | {"weights": [1]}},
        )
    ),
    *(
        ("independence-distance", change)
        for change in (
            *wrong(
                SIDES,
                "candidates",
                [],
                [[["a1"]]],
                [[["a1"], []]],
                [[["a1"], ["a1"]]],
                ["a1", "a2"],
                [[["a1", "a2"], ["a2"]]],
                [[["a1"], ["a2"], ["a2"]]],
                [[["a1"], ["b"]]],
                "ab",
                3,
                [["a1", "a2"]],
                [{"a1": ["a1"], "a2": ["a2"]}],
                [[["a1", "a1"], ["a2"]]],
            ),
            *wrong(SIDES, "scale", 0, -1, True, "1", 1.5, None),
            {"query": SIDES | {"offsets": [1]}},
        )
    ),
)


@pytest.mark.parametrize(("rule", "change"), MALFORMED)
def test_malformed_queries_are_refused(rule: str, change: dict[str, Any]) -> None:
    change = {**change, "query": {"kind": rule, **change["query"]}}
    for neighbours in (AddRemove(), ReplaceOne(Unit("person", 2))):
        given = {"neighbours": neighbours, "shape": shape_of(SQUARE), **change}
        with pytest.raises(ProofError):
            prove(rule, (), given)
        with pytest.raises((checker.Rejected, ValueError)):
            plain_data = {name: read(value) for name, value in given.items()}
            checker.conclusion(checker.Meter(), rule, [], plain_data)


def read(value: Any) -> Any:
    """A parameter as a file holds it."""
    return plain(value) if isinstance(value, AddRemove | ReplaceOne) else value


def test_a_query_needs_its_domain_and_its_neighbours() -> None:
    given = {
        "neighbours": AddRemove(),
        "shape": shape_of(LINE),
        "query": {"kind": "marginal", "attributes": ["cell"]},
    }
    theorem = prove("marginal", (), given)
    for name in given:
        with pytest.raises(ProofError):
            prove("marginal", (), {key: value for key, value in given.items() if key != name})
    with pytest.raises(ProofError):
        prove("marginal", (), {**given, "neighbours": {"neighbours": "swap", "unit": "record"}})
    with pytest.raises(ProofError):
        prove("marginal", (theorem,), given)


NORMS: dict[str, Any] = {
    "neighbours": ReplaceOne(),
    "query": "a mean of clipped values",
    "l0": 3,
    "l1": "5/2",
    "l2_squared": "5/2",
    "linf": 1,
    "monotone": False,
    "integers": False,
}


def test_a_stated_sensitivity_is_taken_as_stated() -> None:
    theorem = prove("stated-sensitivity", (), NORMS)
    found = theorem.judgment
    assert isinstance(found, Stable)
    assert (found.l0, found.l1, found.l2_squared, found.linf) == (3, Fraction(5, 2), 2.5, 1)
    assert (found.neighbours, found.monotone, found.integers) == (ReplaceOne(), False, False)
    assert theorem.hypotheses == {"stated-sensitivity"}
    unknown = prove("stated-sensitivity", (), {**NORMS, "l0": None}).judgment
    assert isinstance(unknown, Stable) and unknown.l0 is None


@pytest.mark.parametrize(
    "change",
    [
        {"linf": 3},
        {"l1": "7/2"},
        {"linf": -1, "l0": None},
        {"l2_squared": "1/2"},
        {"l2_squared": 7},
        {"l0": 2},
        {"l0": -1},
        {"l0": "3"},
        {"linf": "4/5", "l2_squared": 2},
        {"monotone": 1},
        {"integers": None},
        {"query": 5},
        {"l1": 2.5},
    ],
)
def test_inconsistent_norms_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        prove("stated-sensitivity", (), {**NORMS, **change})


def person_marginal(records: int, relation: type[AddRemove] | type[ReplaceOne]) -> Theorem:
    given = {
        "neighbours": relation(Unit("person", records)),
        "shape": shape_of(SQUARE),
        "query": Marginal(("a1", "a2")).to_json(),
    }
    return prove("marginal", (), given)


@given(images=st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=3, max_size=3))
def test_a_transformed_query_is_bounded(images: list[list[int]]) -> None:
    """Three values, each turned into up to three records of a square of cells."""
    given = {"records": 3, "description": "three values to cells"}
    theorem = prove("transformed", (person_marginal(3, AddRemove),), given)
    found = theorem.judgment
    assert isinstance(found, Stable) and found.l0 is not None
    assert found.neighbours == AddRemove() and found.monotone and found.integers
    assert theorem.hypotheses == {"public", "record-wise"}
    added = np.array([[image.count(cell) for cell in range(4)] for image in images], np.int64)
    rows, pairs = listed(3, AddRemove())
    steps = np.abs((rows[pairs[:, 1]] - rows[pairs[:, 0]]) @ added)
    assert (steps > 0).sum(axis=1).max() <= found.l0
    assert steps.sum(axis=1).max() <= found.l1
    assert (steps**2).sum(axis=1).max() <= found.l2_squared
    assert steps.max() <= found.linf


def test_a_transformed_query_needs_persons_of_its_size() -> None:
    given = {"records": 2, "description": "a record to two"}
    prove("transformed", (person_marginal(2, AddRemove),), given)
    total = {"shape": {"cell": 3}, "query": {"kind": "total"}, "neighbours": AddRemove()}
    records = prove("total", (), total)
    for premise in (
        person_marginal(1, AddRemove),
        person_marginal(3, AddRemove),
        person_marginal(2, ReplaceOne),
        records,
    ):
        with pytest.raises(ProofError):
            prove("transformed", (premise,), given)
    # A record is no person, not even where it becomes one record.
    for count in (0, 1):
        with pytest.raises(ProofError):
            prove("transformed", (records,), {**given, "records": count})


def test_domains_without_bound_are_refused_at_once() -> None:
    large = {f"a{number}": 10**3_900 for number in range(300)}
    where = {"neighbours": AddRemove(), "shape": large}
    for query in (
        {"kind": "cell-counts", "cells": [0]},
        {"kind": "marginal", "attributes": [*large]},
    ):
        with pytest.raises(ProofError, match="a domain is too large"):
            prove(query["kind"], [], {**where, "query": query})
