"""Scores: plain data, evaluated to the same bit by whoever reads them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.columns.columns import OutcomeColumns, columns_for
from audit.auditors.attack.scores.rules import GuessingRule, Score
from audit.auditors.attack.scores.scores import Behind, score_from_json
from audit.auditors.attack.scores.simple_scores import Cells, Silent, Single
from audit.auditors.attack.scores.trees import Tree, Trees
from audit.auditors.attack.scores.weighings import Bins, Linear, Network, Scaling, Weighing
from audit.auditors.attack.veils.number_veils import Lattice
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke

RNG = np.random.default_rng(8)
VALUES = RNG.normal(size=(500, 2)) * [1, 1e3]
OUTCOMES = Outcomes.of_batch(VALUES, 500)
CODES = np.unique(OUTCOMES.codes())[::2]


def columns() -> OutcomeColumns:
    whole = columns_for(Runs(OUTCOMES, RNG.random(500) < 0.5), Pair(0, 1))
    return whole.take([0, 1])


TREE = Tree((0, 1, -1, -1, -1), (0.25, -50.0, 0, 0, 0), (1, 2, 0, 0, 0), (4, 3, 0, 0, 0),
            (0, 0, 0.1, -0.2, 1.7))  # fmt: skip
SCALING = Scaling(np.array([0.1, -3.0]), np.array([0.7, 900.0]))
SCORES: list[Score] = [
    Silent(),
    Cells(CODES, RNG.normal(size=len(CODES)), ("(0.1,)", "(0.2,)")),
    Bins(
        columns(),
        (np.array([-0.5, 0.5]), np.array([100.0])),
        (np.array([0.1, 0.7, -1 / 3]), np.array([2.0, -2.0])),
    ),
    Linear(columns(), SCALING, np.array([1 / 3, -0.7])),
    Single(columns().take([1]), False),
    Trees(columns(), (TREE, TREE)),
    Network(
        columns(),
        SCALING,
        (
            (RNG.normal(size=(2, 3)), RNG.normal(size=3)),
            (RNG.normal(size=(3, 1)), RNG.normal(size=1)),
        ),
    ),
    Behind(
        "the leak of low bits",
        (Lattice({"numbers 0": 0.5}),),
        Linear(columns(), SCALING, np.ones(2)),
    ),
]
KINDS = [score.to_json()["score"] for score in SCORES]


def again(score: Score) -> Score:
    return score_from_json(json.loads(json.dumps(score.to_json(), sort_keys=True)))


@pytest.mark.parametrize("score", SCORES, ids=KINDS)
def test_a_score_read_back_from_sorted_json_evaluates_to_the_same_bits(score: Score) -> None:
    read = again(score)
    found = score.evaluate(OUTCOMES)
    assert found.tobytes() == read.evaluate(OUTCOMES).tobytes()
    assert read.to_json() == score.to_json()
    assert GuessingRule(read, -1.0, 1.0).digest() == GuessingRule(score, -1.0, 1.0).digest()
    assert len(np.unique(found)) > 1 or isinstance(score, Silent)


@pytest.mark.parametrize("score", SCORES, ids=KINDS)
def test_a_run_has_the_same_score_whatever_stands_beside_it(score: Score) -> None:
    whole = score.evaluate(OUTCOMES)
    for part in (np.arange(1), np.arange(7, 20), np.arange(499, -1, -3)):
        assert score.evaluate(OUTCOMES.take(part)).tobytes() == whole[part].tobytes()
    assert score.evaluate(OUTCOMES.take(np.arange(0))).shape == (0,)


@pytest.mark.parametrize("score", SCORES, ids=KINDS)
def test_no_outcome_has_a_score_that_is_no_number(score: Score) -> None:
    odd = [math.nan, math.inf, -math.inf, 1e308, None, "text", Raised("KeyError"), [math.nan] * 2]
    assert np.isfinite(score.evaluate(Outcomes.of_outputs(odd))).all()


@pytest.mark.parametrize("score", SCORES, ids=KINDS)
def test_columns_that_a_score_does_not_look_at_weigh_nothing(score: Score) -> None:
    if isinstance(score, Weighing):
        weights = score.weigh_columns()
        assert len(weights) == len(score.columns) and min(weights) > 0


def slow(score: Score, row: NDArray[np.float64], code: int) -> float:
    scaled = np.clip((row - SCALING.centres) / SCALING.scales, -6, 6)
    match score:
        case Cells():
            found = dict(zip(score.codes.tolist(), score.values.tolist(), strict=True))
            return float(found.get(code, 0.0))
        case Bins():
            places = [sum(x >= e for e in edges) for x, edges in zip(row, score.edges, strict=True)]
            return float(sum(v[p] for v, p in zip(score.values, places, strict=True)))
        case Linear():
            return float(scaled @ score.weights)
        case Single():
            return float(row[1] if score.rising else -row[1])
        case Trees():
            return 2 * (1.7 if row[0] >= 0.25 else 0.1 if row[1] < -50 else -0.2)
        case Network():
            (first, constants), (second, constant) = score.layers
            hidden = np.maximum(scaled @ first + constants, 0)
            return float((hidden @ second + constant)[0])
        case Behind():
            x, y = (np.round(row[0] / 0.5) * 0.5, row[1])
            return float(
                np.clip((np.array([x, y]) - SCALING.centres) / SCALING.scales, -6, 6).sum()
            )
    return 0.0


@pytest.mark.parametrize("score", SCORES, ids=KINDS)
def test_a_score_is_what_its_formula_says(score: Score) -> None:
    expected = [
        slow(score, row, int(code)) for row, code in zip(VALUES, OUTCOMES.codes(), strict=True)
    ]
    assert score.evaluate(OUTCOMES) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_value_at_an_edge_lies_above_it() -> None:
    outcomes = Outcomes.of_batch(np.array([[0.5, 0.0], [np.nextafter(0.5, 0), 0.0]]), 2)
    assert SCORES[KINDS.index("bins")].evaluate(outcomes).tolist() == [-1 / 3 + 2.0, 0.7 + 2.0]
    tree = Trees(columns(), (Tree((0, -1, -1), (0.5, 0, 0), (1, 0, 0), (2, 0, 0), (0, 3, 4)),))
    assert tree.evaluate(outcomes).tolist() == [4, 3]


def test_an_outcome_of_no_cell_scores_nothing_and_bits_tell_zeros_apart() -> None:
    outcomes = Outcomes.of_outputs([0.0, -0.0, 1.0])
    codes = np.sort(outcomes.codes()[:1])
    score = Cells(codes, np.array([2.0]), ("0.0", "0.0"))
    assert score.evaluate(outcomes).tolist() == [2, 0, 0]


def broken() -> list[dict[str, Any]]:
    trees = SCORES[KINDS.index("trees")].to_json()
    bins = SCORES[KINDS.index("bins")].to_json()
    cells = SCORES[KINDS.index("cells")].to_json()
    linear = SCORES[KINDS.index("linear")].to_json()
    network = SCORES[KINDS.index("network")].to_json()
    family = bins["columns"][0]
    odd = [{**family, "features": [["a", "entrails", "0"], *family["features"][1:]]}]
    reference = {"attributes": [], "labels": {}, "edges": {}, "targets": [], "marginals": []}
    tables = [
        {"family": "table", "features": [feature], "reference": reference}
        for feature in (["a", "residual", ["x"], 0, ""], ["a", "match", ["x"], 3, ""])
    ]
    deep = [2 * k for k in range(3000)]
    chain = [[-1] * 6001, [0.0] * 6001, [0] * 6001, [0] * 6001, [0.0] * 6001]
    for node in deep:
        chain[0][node], chain[2][node], chain[3][node] = 0, node + 1, node + 2
    joined = [[*[0] * 60, -1], [0.0] * 61, *[[*range(1, 61), 0]] * 2, [0.0] * 61]
    backward = [[[0, -1], [0.5, 0], [0, 0], [1, 0], [0, 1]]]
    return [
        {},
        {"score": "oracle"},
        {"score": "bins"},
        {"score": "cells", "codes": ["xyz"], "values": [1.0], "telling": ["", ""]},
        {**bins, "columns": [{"family": "entrails"}]},
        {**bins, "edges": [["a"], []]},
        {**bins, "columns": odd},
        *({**SCORES[4].to_json(), "column": [table]} for table in tables),
        {**bins, "values": [[0.0, 1.0], [0.0, 0.0]]},
        {**bins, "values": [[0.0, math.nan, 0.0], [0.0, 0.0]]},
        {**cells, "codes": cells["codes"][::-1]},
        {**cells, "values": cells["values"][1:]},
        {**cells, "values": [math.inf, *cells["values"][1:]]},
        {**linear, "weights": [1.0]},
        {**linear, "weights": [1.0, math.inf]},
        {**network, "layers": network["layers"][:1] * 2},
        {**trees, "trees": backward},
        {**trees, "trees": [[[7, -1, -1], [0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 0]]]},
        {**trees, "trees": [[[-1], [0], [0], [0], [math.nan]]]},
        {**trees, "trees": [chain]},
        {**trees, "trees": [joined]},
    ]


@pytest.mark.parametrize("data", broken())
def test_what_is_no_score_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        score_from_json(data)
