"""Private choices: what is told holds as often as it says, and nothing else is told."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import audit.choosing as module
from audit.choosing import (
    Choice,
    bound_excess,
    choose,
    half_width,
    ledger_of_choice,
    marginals_of,
)
from audit.report.choice.document import choice_json
from audit.report.choice.words import paragraphs
from proofs import checker
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.selection import Exponential

F = Fraction
SQUARE = Domain.from_cells("2x2")
MARGINALS = marginals_of(SQUARE, 2, None)


def table(*counts: int) -> Dataset:
    return Dataset(SQUARE, np.repeat(SQUARE.codes(), counts, axis=0))


REAL = table(20, 3, 3, 4)
CANDIDATES = {"near": table(10, 2, 1, 2), "middle": table(1, 1, 1, 1), "far": table(0, 1, 0, 0)}


def chosen(
    seed: int = 0, relation: Neighbours | None = None, real: Dataset = REAL, **more: Any
) -> Choice:
    entropy = InsecureSeededEntropy(seed)
    relation = relation or ReplaceOne()
    return choose(CANDIDATES, lambda: real, MARGINALS, relation, F(2), entropy=entropy, **more)


def test_the_ends_hold_the_distance_as_often_as_they_say() -> None:
    """Of 200 choices at an error of 1/5 each: more than 60 misses have a chance below 1/1000."""
    misses = 0
    for seed in range(200):
        one = chosen(seed, error=F(1, 5), real=REAL)
        query = one.program.distances(one.setting)
        scores = query.answers(SQUARE, REAL.codes, np.ones((1, REAL.records), np.int64))[0]
        truth = F(-int(scores[one.place]), one.program.farthest(one.setting))
        assert one.lower is not None and one.upper is not None and one.lower < one.upper
        misses += not one.lower <= truth <= one.upper
    assert 0 < misses <= 60


@pytest.mark.parametrize("scale", [F(1, 3), F(1), F(47, 3), F(10**9)])
@pytest.mark.parametrize("error", [F(1, 2), F(1, 20), F(1, 10**9)])
def test_the_half_width_is_the_least(scale: Fraction, error: Fraction) -> None:
    noise = DiscreteLaplace(scale)
    width = half_width(noise, error)
    assert 2 * enclose(noise.tail(width + 1)).upper <= error
    assert width == 0 or 2 * enclose(noise.tail(width)).upper > error


@pytest.mark.parametrize("error", [F(1, 2), F(1, 20)])
def test_a_worse_candidate_than_the_excess_has_at_most_the_error(error: Fraction) -> None:
    """By the exact chances, over scores on a grid."""
    where = Setting.of(SQUARE, ReplaceOne(), 30)
    program = chosen(telling=F(0)).program
    rate, excess = program.choosing(where).noise.rate, bound_excess(program, where, error)
    below = excess * program.farthest(where)
    assert 0 < excess < 1
    for worse in range(0, int(2 * below), 7):
        scores = [0, -worse, -worse]
        chances = [enclose(one).upper for one in Exponential(rate).chances(scores)]
        assert worse <= below or chances[1] + chances[2] <= error


@pytest.mark.parametrize(
    ("relation", "other"),
    [(ReplaceOne(), table(0, 0, 29, 1)), (AddRemove(), table(0, 900, 0, 1))],
    ids=str,
)
def test_a_choice_shows_nothing_of_the_data_but_its_output(
    relation: Neighbours, other: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same answers about other data, every word and number is the same."""
    rows = None if relation.records_public else 30
    one = chosen(1, relation, rows=rows)
    monkeypatch.setattr(module, "run", lambda *given: one.made)
    two = chosen(1, relation, other, rows=rows)
    for show in (choice_json, paragraphs, ledger_of_choice):
        assert json.dumps(show(one)) == json.dumps(show(two))


def test_its_ledger_adds_up_to_epsilon_and_its_proof_is_checked() -> None:
    one = chosen()
    ledger = ledger_of_choice(one)
    assert [event["event"] for event in ledger["events"]] == ["select", "measure"]
    assert [event["cost"]["epsilon"] for event in ledger["events"]] == ["1", "1"]
    assert ledger["spent"]["epsilon"] == ledger["budget"]["epsilon"] == "2"
    found = checker.check(json.loads(json.dumps(one.derivation)))
    assert (found.status, found.guarantee) == ("checked", "kind=approx, epsilon=2, delta=0")


def test_nothing_is_asked_where_the_checker_does_not_confirm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(checker, "check", lambda data: checker.Result("kernel only", ("",)))
    monkeypatch.setattr(module, "run", lambda *given: asked.append(given))
    with pytest.raises(InputError, match="nothing was asked"):
        chosen()
    assert not asked


@pytest.mark.parametrize(
    ("relation", "rows", "said"),
    [(AddRemove(), None, "--rows M"), (ReplaceOne(), 5, "--rows is for add-remove")],
)
def test_the_data_stay_closed_where_the_sizes_make_no_sense(
    relation: Neighbours, rows: int | None, said: str
) -> None:
    def refuse() -> Dataset:
        raise AssertionError("the data were opened")

    with pytest.raises(InputError, match=said):
        choose(CANDIDATES, refuse, MARGINALS, relation, F(1), rows=rows)


@pytest.mark.parametrize(
    ("degree", "columns", "said"),
    [
        (0, None, "1, 2 or 3"),
        (4, None, "1, 2 or 3"),
        (1, ("zz",), "of the domain"),
        (1, ("a1", "a1"), "each once"),
        (1, (), "one or more"),
    ],
)
def test_marginals_that_make_no_sense_are_refused(
    degree: int, columns: tuple[str, ...] | None, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        marginals_of(SQUARE, degree, columns)
