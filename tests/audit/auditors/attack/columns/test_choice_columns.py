"""The column of choices, against associations by a code of its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.choice_columns import (
    choice_columns_for,
    choice_columns_from_json,
)
from audit.auditors.attack.pairs.patterns import list_candidates
from audit.statements.claim import Claim
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from proofs.guarantees import GaussianDP
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne

Record = dict[str, Any]

DOMAIN = Domain("three", tuple(Attribute(name, ("0", "1")) for name in "abc"))
CANDIDATES = list_candidates(Claim(GaussianDP(Fraction(1, 2)), ReplaceOne(), "output", DOMAIN, 200))
TIES = next(pair for pair in CANDIDATES if pair.kind == "tied choices")
POLES = next(pair for pair in CANDIDATES if pair.kind == "two poles")
RNG = np.random.default_rng(55)
TABLES = [
    [{name: str(RNG.integers(2)) for name in "abc"} for _ in range(int(RNG.integers(0, 30)))]
    for _ in range(20)
]
OUTCOMES = Outcomes.of_outputs([pd.DataFrame(table, columns=list("abc")) for table in TABLES])


def associate(table: list[Record], edge: tuple[str, str]) -> float:
    """Of two values each: the same, whichever value is counted; both targets count."""
    one, other = (sum(record[name] == "1" for record in table) for name in edge)
    both = sum(all(record[name] == "1" for name in edge) for record in table)
    return 2 * abs(both - one * other / max(len(table), 1))


def test_the_column_weighs_associations_as_the_databases_differ() -> None:
    """By how much more each pair of attributes hangs together in the second database."""
    columns = choice_columns_for(OUTCOMES, TIES)
    expected = np.zeros(len(TABLES))
    for edge in combinations("abc", 2):
        moved = associate(TIES.second, edge) - associate(TIES.first, edge)
        expected += [moved * associate(table, edge) for table in TABLES]
    # The pair of the first two is in all networks, and does not move.
    assert columns.edges == (("a", "c"), ("b", "c"))
    assert columns.weights[0] * columns.weights[1] < 0
    assert columns.rows(OUTCOMES)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("outcomes", "pair"),
    [
        (OUTCOMES, POLES),
        (OUTCOMES, Pair(TIES.first, TIES.first)),
        (OUTCOMES, Pair(0, 1)),
        (Outcomes.of_outputs([1.0, 2.0]), TIES),
    ],
    ids=["poles decide nothing", "one database", "no tables of records", "outputs are numbers"],
)
def test_there_is_no_column_where_nothing_is_chosen(outcomes: Outcomes, pair: Pair) -> None:
    """And none where there is nothing to measure."""
    columns = choice_columns_for(outcomes, pair)
    assert columns.names == ()
    assert columns.rows(outcomes).shape == (0, len(outcomes))


def test_tables_without_the_attributes_count_nothing() -> None:
    """Of a row that lacks one attribute, the pairs of the others count."""
    columns = choice_columns_for(OUTCOMES, TIES)
    lacking = Outcomes.of_outputs([pd.DataFrame({"a": ["0", "1"]}), 3.0])
    assert not columns.rows(lacking).any()


def test_columns_survive_json_and_forged_ones_are_refused() -> None:
    """Weights are finite numbers, one an edge of two attributes that the targets have."""
    columns = choice_columns_for(OUTCOMES, TIES)
    data = columns.to_json()
    assert np.array_equal(choice_columns_from_json(data).rows(OUTCOMES), columns.rows(OUTCOMES))
    for key, value in (
        ("weights", [1.0]),
        ("weights", [1.0, float("nan")]),
        ("edges", [["a"], ["b", "c"]]),
    ):
        with pytest.raises((ValueError, LookupError)):
            choice_columns_from_json({**data, key: value})
