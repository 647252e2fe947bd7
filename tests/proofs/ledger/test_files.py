"""Ledgers as documents: the budget or the one question, and nothing of a malformed ledger."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import ProofError
from proofs.judgments import Private
from proofs.ledger.files import Composition, of_list, of_release
from proofs.profiles.entry_moments import largest, leak, pairs
from proofs.search.account import account_epsilon
from proofs.search.ways import concentrate, stated_value
from synthesizers.budget import PureBudget, ZCDPBudget
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.neighbours import to_json as neighbours_to_json
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal

F = Fraction
Document = dict[str, Any]
DOMAIN = Domain.from_cells("2x3")
LAPLACE = Measure(Marginal(DOMAIN.names), DiscreteLaplace(F(4)), 0, 9)
GAUSSIAN = Measure(Marginal(DOMAIN.names), DiscreteGaussian(F(4)), 0, 9)


def ledger(
    budget: PureBudget | ZCDPBudget,
    *events: Measure,
    neighbours: Neighbours | None = None,
) -> Document:
    """What a release writes."""
    relation = neighbours or ReplaceOne()
    return {
        "schema": "dp-audit/ledger/1",
        "program": {"kind": "program", "name": "histogram", "parameters": {}},
        **neighbours_to_json(relation),
        "domain": DOMAIN.to_json(),
        "records": 5,
        "rows": 5,
        "budget": budget.to_json(),
        "spent": {"epsilon": "1/2", "rho": "1/8"},
        "events": [event.to_json(DOMAIN, relation) for event in events],
    }


def pure(account: Composition) -> Fraction:
    (found,) = account.parts
    assert all(leak(entry) == 0 for _, entry in found.entries)
    return sum((count * largest(entry) for count, entry in found.entries), F(0))


def rules(account: Composition) -> set[str]:
    return {part.theorem.rule for part in account.parts}


def test_one_question_that_uses_the_budget_up_counts_by_itself() -> None:
    account = of_release(ledger(PureBudget(F(1, 2)), LAPLACE))
    assert rules(account) == {"fixed-ledger"} and pure(account) == F(1, 2)
    (found,) = account.parts
    assert pairs(found.entries)
    assert {"fixed-ledger", "curator"} <= found.theorem.hypotheses


def test_the_same_of_a_concentrated_budget() -> None:
    account = of_release(ledger(ZCDPBudget(F(1, 4)), GAUSSIAN))
    assert rules(account) == {"fixed-ledger"}
    (found,) = account.parts
    assert stated_value(concentrate([found])) == F(1, 4)


@pytest.mark.parametrize(
    ("budget", "events"),
    [
        (F(1), [LAPLACE]),
        (F(1), [LAPLACE, LAPLACE]),
        (F(1, 2), []),
        (F(1, 4), [LAPLACE]),
    ],
    ids=["some is left", "two questions", "no question", "less than was spent"],
)
def test_otherwise_the_budget_counts(budget: Fraction, events: list[Measure]) -> None:
    account = of_release(ledger(PureBudget(budget), *events))
    assert pure(account) == budget and "fixed-ledger" not in rules(account)


def test_what_a_ledger_says_of_the_cost_is_not_believed() -> None:
    # The question costs 1/2, and says that it used up a budget of 5.
    document = ledger(PureBudget(F(5)), LAPLACE)
    document["events"][0]["cost"]["epsilon"] = "5"
    document["spent"]["epsilon"] = "5"
    assert pure(of_release(document)) == 5


def test_a_question_after_public_randomness_is_not_the_first() -> None:
    document = ledger(PureBudget(F(1, 2)), LAPLACE)
    draw = {"event": "draw", "law": {"law": "bootstrap", "records": 3}, "cost": {"epsilon": "0"}}
    document["events"].append(draw)
    assert rules(of_release(document)) == {"fixed-ledger"}
    document["events"].reverse()
    assert "fixed-ledger" not in rules(of_release(document))


def test_a_budget_counted_under_add_remove_is_doubled_under_replace_one() -> None:
    document = ledger(PureBudget(F(1, 2), AddRemove()), LAPLACE)
    account = of_release(document)
    assert account.neighbours == ReplaceOne()
    assert pure(account) == 1
    for part in account.parts:
        assert isinstance(part.theorem.judgment, Private)
        assert part.theorem.judgment.neighbours == ReplaceOne()


def test_a_budget_counted_under_replace_one_says_nothing_under_add_remove() -> None:
    document = ledger(PureBudget(F(1, 2), ReplaceOne()), LAPLACE, neighbours=AddRemove())
    with pytest.raises(ProofError, match="budget"):
        of_release(document)


def test_without_a_budget_nothing_is_proved() -> None:
    document = {**ledger(PureBudget(F(1)), LAPLACE), "budget": {"unlimited": True}}
    with pytest.raises(ProofError, match="budget"):
        of_release(document)


def test_persons_keep_their_most_records() -> None:
    person = AddRemove(Unit("person", 3))
    account = of_release(ledger(PureBudget(F(3, 4)), LAPLACE, neighbours=person))
    assert account.neighbours == person and pure(account) == F(3, 4)
    assert rules(account) == {"fixed-ledger"}


JUNK: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, "", "x", "1e9999999", "-1", "1/0", "1" * 5000, [], [[]], {},
    [{}], {"x": {}}, {"law": "laplace"}, "\x1b[2J", ["a"] * 3,
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*path, key)
        if isinstance(member, dict | list):
            yield from places(member, (*path, key))


def changed(document: Document, path: tuple[Any, ...], value: Any) -> Document:
    found: Any = copy.deepcopy(document)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    result: Document = found
    return result


GOOD = ledger(PureBudget(F(1, 2)), LAPLACE)


@pytest.mark.parametrize("path", list(places(GOOD)), ids=str)
def test_junk_in_any_place_is_refused_or_harmless(path: tuple[Any, ...]) -> None:
    for junk in JUNK:
        try:
            account = of_release(changed(GOOD, path, junk))
        except InputError as refused:
            assert 0 < len(str(refused)) < 700
            continue
        # What is still a ledger proves its stated budget, or that of its changed question.
        stated = changed(GOOD, path, junk)["budget"]["epsilon"]
        assert pure(account) == F(stated) * (2 if "counted_under" in path else 1)


@pytest.mark.parametrize("key", [key for key in GOOD if key not in ("records", "rows", "spent")])
def test_what_is_missing_is_named(key: str) -> None:
    document = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(InputError, match="ledger"):
        of_release(document)


@pytest.mark.parametrize(
    "budget",
    [{}, {"epsilon": "1", "rho": "1"}, {"epsilon": "-1"}, {"epsilon": 0.5}, {"unlimited": True,
     "epsilon": "1"}, {"delta": "1"}, {"epsilon": "1", "counted_under": "substitution"}],
    ids=json.dumps,
)  # fmt: skip
def test_a_budget_of_another_form_is_refused(budget: Document) -> None:
    with pytest.raises(InputError):
        of_release({**GOOD, "budget": budget})


def listed(**keys: Any) -> Document:
    return {"neighbours": "add-remove", "mechanisms": ["laplace(epsilon=0.1)"], **keys}


def test_a_list_is_the_sum_of_its_expressions() -> None:
    account = of_list(listed(mechanisms=["2 * laplace(epsilon=0.1) + pure(epsilon=1)"] * 2))
    assert account.neighbours == AddRemove()
    assert [part.count for part in account.parts] == [4, 2]
    assert account_epsilon(account.parts, F(0)).best.value == F("2.4")


def test_a_list_for_persons() -> None:
    account = of_list(listed(neighbours="replace-one", unit="person", max_records=3))
    assert account.neighbours == ReplaceOne(Unit("person", 3))


@pytest.mark.parametrize(
    "keys",
    [
        {"mechanisms": []},
        {"mechanisms": "laplace(epsilon=1)"},
        {"mechanisms": [1]},
        {"mechanisms": ["laplace(epsilon=1) +"]},
        {"mechanism": ["laplace(epsilon=1)"]},
        {"neighbours": "both"},
        {"neighbours": 5},
        {"neighbours": ["add-remove"]},
        {"unit": "person"},
        {"unit": "household", "max_records": 2},
        {"max_records": 3},
        {"unit": "person", "max_records": "3"},
        {"unit": "person", "max_records": 0},
        {"unit": "person", "max_records": True},
        {"unit": "person", "max_records": 1.5},
        {"unit": "person", "max_records": 1 << 20_000},
        {"neighbours": 1 << 20_000},
        {"unit": 1 << 20_000},
        {"x" * 10_000: 1},
    ],
    ids=lambda keys: ", ".join(keys)[:60],
)
def test_a_list_of_another_form_is_refused(keys: Document) -> None:
    with pytest.raises(InputError) as refused:
        of_list(listed(**keys))
    assert len(str(refused.value)) < 300


def test_an_error_of_a_list_says_in_which_line() -> None:
    with pytest.raises(InputError, match="line 2 of mechanisms: there is no mechanism 'gausian'"):
        of_list(listed(mechanisms=["laplace(epsilon=1)", "gausian(sigma=1)"]))


def test_a_list_states_its_neighbours() -> None:
    with pytest.raises(InputError, match="neighbours"):
        of_list({"mechanisms": ["laplace(epsilon=1)"]})
