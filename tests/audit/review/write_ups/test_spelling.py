"""Questions are spelt without what earlier answers decide, and every kind has its words."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from audit.review.write_ups.spelling import (
    LONGEST,
    PAGES,
    WITHOUT_PAGE,
    define_question,
    fix_question,
    name_question,
    spell_law,
    spell_question,
)
from proofs.statements import page
from synthesizers.declared import QUERIES, TABLE_LAWS
from synthesizers.events import Event, Measure, MeasureBest, Sanitize, Select
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal, ModelError, RecodedMarginal
from synthesizers.runs import GeometricRuns
from synthesizers.selection import Exponential

HALF = Fraction(1, 2)
AGES = Marginal(("age",))


def choose(model: int) -> Event:
    groups = RecodedMarginal(("age",), ((0, 0, model % 2),))
    return Select(ModelError((AGES, groups), ((model,), (model,))), Exponential(HALF))


def test_a_choice_is_spelt_alike_whatever_its_model_is() -> None:
    assert spell_question(choose(3)) == spell_question(choose(8))
    assert json.loads(spell_question(choose(3))) == {
        "kind": "model-error",
        "candidates": [["age"], ["age"]],
    }


def test_a_long_field_is_a_digest_that_differs_with_it() -> None:
    long = list(range(LONGEST))
    first, second = fix_question({"cells": long}), fix_question({"cells": [*long, 1]})
    assert first != second
    assert str(first["cells"]).startswith(f"{LONGEST} values, SHA-256 ")
    assert fix_question(first) == first, "what was written is read back as it is"


@pytest.mark.parametrize(
    ("event", "name", "law"),
    [
        (Measure(AGES, DiscreteLaplace(2), 0, 9), "counts by age", "discrete-laplace: scale = 2"),
        (choose(1), "choice by model error among 2", "exponential: rate = 1/2"),
        (
            MeasureBest(AGES, DiscreteGaussian(4), GeometricRuns(HALF), 0, 9),
            "counts by age, the best of several",
            "discrete-gaussian: variance = 4, the best of a geometric number of runs, gamma = 1/2",
        ),
        (
            Sanitize(RandomizedResponse(HALF)),
            "the whole table by randomized response",
            "randomized-response: epsilon = 1/2",
        ),
    ],
)
def test_names_and_laws(event: Event, name: str, law: str) -> None:
    assert (name_question(event), spell_law(event)[1]) == (name, law)


def test_a_definition_comes_with_its_reason() -> None:
    definition, reason = define_question(Measure(AGES, DiscreteLaplace(2), 0, 9))
    assert definition.startswith("Counts over all cells") and "2m" in definition
    assert reason.startswith("A record adds 1 to exactly one cell")
    definition, reason = define_question(Sanitize(RandomizedResponse(HALF)))
    assert "Guarantee" not in definition and reason


@pytest.mark.parametrize("kind", sorted(one.kind for one in QUERIES))
def test_every_kind_of_query_has_a_reason_or_none_is_known(kind: str) -> None:
    assert kind in WITHOUT_PAGE or page(kind)["Why"]


def test_the_pages_of_laws_are_those_of_laws_that_may_be_asked() -> None:
    names = {one.name for one in TABLE_LAWS}
    assert set(PAGES) <= names and all(page(rule)["Why"] for rule in PAGES.values())
