"""Questions, budgets and settings cross the wire whole, and nothing else does."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.testing.strategies import budgets, domains, events, relations, run_settings
from synthesizers import declared
from synthesizers.budget import SampledGaussianBudget, UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.declared import (
    NOISES,
    PUBLIC_LAWS,
    QUERIES,
    RUNS,
    SAMPLED_NOISES,
    SELECTIONS,
    TABLE_LAWS,
    require_declared,
)
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Draw, Event, Measure, Select
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.laws.public_laws import Multinomial
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.plain_forms import MAX_MEMBERS, form_of
from synthesizers.plain_values import LARGEST_NUMBER, MAX_DIGITS, MAX_TEXT
from synthesizers.queries import CellCounts, Marginal, Total
from synthesizers.questions_json import (
    PARTS,
    budget_from_json,
    decode_whole,
    encode_whole,
    question_from_json,
    question_to_json,
    setting_from_json,
    setting_to_json,
)
from synthesizers.selection import Exponential
from tests.synthesizers.declared_examples import DECLARED
from tests.synthesizers.question_examples import NOISE, domain_of, parts_of, put, questions_with

DOMAIN = Domain.from_cells("2x2")
EXAMPLES = {type(value): value for value in (*DECLARED, RoundedGaussian(Fraction(5, 2)))}
KINDS = QUERIES | NOISES | RUNS | SAMPLED_NOISES | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS


def across(event: Event, domain: Domain) -> Event:
    return question_from_json(json.loads(json.dumps(question_to_json(event))), domain)


def same(left: Any, right: Any) -> bool:
    """Equal, and of the same classes in every part."""
    if type(left) is not type(right):
        return False
    if dataclasses.is_dataclass(left):
        names = [field.name for field in dataclasses.fields(left)]  # type: ignore[arg-type]
        return all(same(getattr(left, name), getattr(right, name)) for name in names)
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


@pytest.mark.parametrize("kind", sorted(KINDS, key=lambda kind: kind.__name__))
def test_every_declared_class_crosses_the_wire_whole(kind: type) -> None:
    """Over the registry: a class that is added without an example, or a form, fails here."""
    assert kind in EXAMPLES, f"add an example of {kind.__name__} to declared_examples.py"
    asked = questions_with(EXAMPLES[kind])
    assert asked
    for event in asked:
        found = across(event, domain_of(EXAMPLES[kind]))
        assert same(found, event)
        require_declared(found)


@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
def test_every_example_crosses_the_wire_whole(value: Any) -> None:
    for event in questions_with(value):
        assert same(across(event, domain_of(value)), event)


def test_the_parts_of_events_are_the_registry() -> None:
    """A registry that is added for a new kind of part fails here until a form knows it."""
    registries = [
        value
        for name, value in vars(declared).items()
        if isinstance(value, set) and name.isupper() and name != "PLAIN"
    ]
    known = [kinds for parts in PARTS.values() for _, kinds in parts.values()]
    assert all(any(kinds is one for one in known) for kinds in registries)
    assert set(PARTS) == set(get_args(Event))
    assert set.union(*known) == KINDS


def test_a_class_whose_fields_have_no_form_is_found_at_once() -> None:
    @dataclasses.dataclass(frozen=True)
    class Odd:
        chances: tuple[float, ...]

    with pytest.raises(TypeError, match="no plain form"):
        form_of(Odd)


LEFT_OUT = {
    "multinomial": {"cells": "weights"},
    "post-randomisation": {"matrix": "weights"},
    "critic-gradient": {"weights_sha256": "weights"},
}
"""Where the ledger's form says less than the question: its key, and what the wire has instead."""


@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
def test_the_form_is_the_ledgers_where_that_says_all(value: Any) -> None:
    for event in questions_with(value):
        plain = question_to_json(event)
        ledger = event.to_json(domain_of(value), AddRemove()) if can_be_priced(value) else plain
        for part in ("query", "scores", "noise", "law"):
            if part in plain:
                renamed = LEFT_OUT.get(plain[part].get("kind") or plain[part]["law"], {})
                kept = {k: v for k, v in ledger[part].items() if k not in renamed}
                assert kept == {k: v for k, v in plain[part].items() if k not in renamed.values()}
        outside = {"query", "scores", "noise", "law", "sensitivity", "cost"}
        assert {k: v for k, v in ledger.items() if k not in outside} == {
            k: v for k, v in plain.items() if k not in outside
        }


def can_be_priced(value: Any) -> bool:
    # Mutual information has no sensitivity where the number of records is private.
    return getattr(value, "kind", None) != "mutual-information"


@given(st.data())
def test_drawn_questions_cross_the_wire_whole(data: st.DataObject) -> None:
    domain = data.draw(domains())
    event = data.draw(events(domain))
    assert same(across(event, domain), event)


@given(budgets())
def test_budgets_cross_the_wire_whole(budget: Any) -> None:
    assert same(budget_from_json(json.loads(json.dumps(budget.to_json()))), budget)


def test_a_budget_of_sampled_steps_crosses_the_wire_whole() -> None:
    for budget in (SampledGaussianBudget(Fraction(1, 9), Fraction(4), 12), UnlimitedBudget()):
        assert same(budget_from_json(json.loads(json.dumps(budget.to_json()))), budget)


@given(st.data())
def test_settings_cross_the_wire_whole(data: st.DataObject) -> None:
    setting = data.draw(run_settings(data.draw(domains()), data.draw(relations())))
    assert setting_from_json(json.loads(json.dumps(setting_to_json(setting)))) == setting


def test_a_setting_without_a_size_crosses_the_wire_whole() -> None:
    setting = Setting(DOMAIN, AddRemove(Unit("person", 3)), None, None)
    assert setting_from_json(json.loads(json.dumps(setting_to_json(setting)))) == setting


def test_whole_numbers_beyond_doubles_are_text() -> None:
    assert encode_whole(LARGEST_NUMBER) == 2**53 - 1
    assert encode_whole(2**53) == "9007199254740992"
    assert encode_whole(-(2**53)) == "-9007199254740992"
    assert question_to_json(Measure(Total(), NOISE, 0, 2**60))["high"] == str(2**60)
    for number in (0, -7, 2**53 - 1, 2**53, -(2**62), 10**MAX_DIGITS - 1, 1 - 10**MAX_DIGITS):
        assert decode_whole(json.loads(json.dumps(encode_whole(number)))) == number
    assert decode_whole("5") == 5


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, None, 1.0, 2**53, -(2**53), "", "1.0", "1e3", "+1", " 1", "1\n", "٣", "0x1"),
        *("9" * (MAX_DIGITS + 1), "9" * 10**6, [1], {"whole": "1"}),
    ],
)
def test_no_other_value_is_a_whole_number(value: object) -> None:
    with pytest.raises(InputError):
        decode_whole(value)


def test_numbers_of_too_many_digits_are_not_written() -> None:
    with pytest.raises(InputError, match="digits"):
        encode_whole(10**MAX_DIGITS)
    with pytest.raises(InputError, match="digits"):
        question_to_json(Draw(Multinomial(1, (10**10_000,))))


MEASURE = question_to_json(Measure(Marginal(("a1", "a2")), NOISE, 0, 4))
SELECT = question_to_json(Select(CellCounts((0, 3)), Exponential(Fraction(2))))


def changed(plain: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {**plain, **parts}


def query(**parts: Any) -> dict[str, Any]:
    return changed(MEASURE, query={**MEASURE["query"], **parts})


def noise(**parts: Any) -> dict[str, Any]:
    return changed(MEASURE, noise={**MEASURE["noise"], **parts})


def law(**parts: Any) -> dict[str, Any]:
    return {"event": "sanitize", "law": parts}


def draw(**parts: Any) -> dict[str, Any]:
    return {"event": "draw", "law": parts}


MANY = "9" * 10**6
REFUSED: list[tuple[object, str]] = [
    ([], "question: "),
    (None, "question: "),
    ({}, r"question\.event"),
    ({"event": "guess"}, r"question\.event"),
    ({"event": ["measure"]}, r"question\.event"),
    ({"event": "draw"}, "law is missing"),
    (changed(MEASURE, cost={"epsilon": "0"}), "question: a key is not known"),
    (changed(MEASURE, sensitivity={}), "question: a key is not known"),
    ({k: v for k, v in MEASURE.items() if k != "low"}, "low is missing"),
    (changed(MEASURE, low=True), r"question\.low"),
    (changed(MEASURE, low=0.0), r"question\.low"),
    (changed(MEASURE, low=None), r"question\.low"),
    (changed(MEASURE, high=2**63), r"question\.high"),
    (changed(MEASURE, high=str(2**63)), "must lie within"),
    (changed(MEASURE, high=MANY), r"question\.high"),
    (changed(MEASURE, low=5), "low <= high"),
    (changed(MEASURE, query=[]), r"question\.query"),
    (query(kind="marginals"), r"question\.query\.kind"),
    (query(kind="Marginal"), r"question\.query\.kind"),
    (query(kind=["marginal"]), r"question\.query\.kind"),
    (query(extra=1), r"question\.query: a key is not known"),
    (query(attributes="a1"), r"question\.query\.attributes"),
    (query(attributes=[["a1"]]), r"question\.query\.attributes\[0\]"),
    (query(attributes=["a1", 2]), r"question\.query\.attributes\[1\]"),
    (query(attributes=[]), "one or more different"),
    (query(attributes=["a1", "a1"]), "one or more different"),
    (query(attributes=["a1", "b"]), r"question\.query: there is no attribute 'b'"),
    (query(attributes=["b" * 10**6]), r"question\.query: there is no attribute 'b"),
    (noise(law="rounded-gaussian"), r"question\.noise\.law"),
    (noise(law="exponential"), r"question\.noise\.law"),
    (noise(scale="0"), "must be positive"),
    (noise(scale="-1"), "must be positive"),
    (noise(scale=2), r"question\.noise\.scale"),
    (noise(scale=True), r"question\.noise\.scale"),
    (noise(scale="1/0"), r"question\.noise\.scale"),
    (noise(scale="1/-2"), r"question\.noise\.scale"),
    (noise(scale="inf"), r"question\.noise\.scale"),
    (noise(scale="1e999999999"), r"question\.noise\.scale"),
    (noise(scale=MANY), r"question\.noise\.scale"),
    (noise(scale=f"1/{MANY}"), r"question\.noise\.scale"),
    (noise(scale=[1, 2]), r"question\.noise\.scale"),
    (changed(SELECT, noise=MEASURE["noise"]), r"question\.noise\.law"),
    (changed(SELECT, scores={"kind": "cell-counts", "cells": [4]}), r"question\.scores: cells"),
    (changed(SELECT, scores={"kind": "cell-counts", "cells": [0, True]}), r"cells\[1\]"),
    (changed(SELECT, scores={"kind": "cell-counts", "cells": {}}), r"scores\.cells"),
    (draw(law="seed"), "bits is missing"),
    (draw(law="seed", bits=1), r"question\.law\.bits"),
    (draw(law="seed", bits=62.0), r"question\.law\.bits"),
    (draw(law="multinomial", records=2, cells=3), "weights is missing"),
    (draw(law="multinomial", records=2, weights=[0, 0]), "not all zero"),
    (draw(law="uniform", options=0), "at least one option"),
    (law(law="cell-suppression", shape=[2, 2], threshold=2, complementary=1), "complementary"),
    (law(law="cell-suppression", shape=[4], threshold=2, complementary=True), r"law\.shape"),
    (law(law="k-anonymity", ladders=[[[0, 0]]] * 20_000, k=2, suppressed=0), r"law\.ladders"),
    (law(law="cell-key", table={"rows": []}), r"question\.law\.table"),
    (law(law="cell-key", table=[[[0]]]), r"question\.law\.table\[0\]\[0\]"),
    (law(law="cell-key", table=[[[0, "1"], 5]]), r"question\.law\.table\[0\]\[1\]"),
    (law(law="cell-key", table=[[[0, "1/2"]]]), "sum to exactly 1"),
]


@pytest.mark.parametrize(("plain", "place"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_question_is_refused_and_the_place_is_named(plain: object, place: str) -> None:
    with pytest.raises(InputError, match=place) as caught:
        question_from_json(plain, DOMAIN)
    assert len(str(caught.value)) < 1000


def test_deep_and_long_values_are_refused_where_they_stand() -> None:
    deep: Any = "a1"
    for _ in range(100_000):
        deep = [deep]
    for value, place in (
        (deep, r"attributes\[0\]: expected text"),
        (["a1"] * (MAX_MEMBERS + 1), "attributes: expected a list of at most"),
        (["a" * (MAX_TEXT + 1)], r"attributes\[0\]: expected text of at most"),
    ):
        with pytest.raises(InputError, match=place):
            question_from_json(query(attributes=value), DOMAIN)


def test_numbers_that_would_grow_without_end_are_refused() -> None:
    """Each of them is short enough, and every one more makes their sum longer."""
    chances = [f"1/{number**800}" for number in (10_007, 10_009, 10_037)]
    assert max(map(len, chances)) < MAX_DIGITS
    row = [[change, chance] for change, chance in enumerate(chances)]
    for plain in (
        law(law="cell-key", table=[row]),
        law(law="dirichlet-multinomial", alpha=chances, records=1),
    ):
        with pytest.raises(InputError, match="common denominator"):
            question_from_json(plain, DOMAIN)


def test_decimals_and_ratios_are_exact_numbers() -> None:
    for text, exact in (("0.1", Fraction(1, 10)), ("4/6", Fraction(2, 3)), ("2e1", Fraction(20))):
        event = question_from_json(noise(scale=text), DOMAIN)
        assert same(event, Measure(Marginal(("a1", "a2")), DiscreteLaplace(exact), 0, 4))


def test_an_empty_list_by_default_may_be_left_out() -> None:
    plain = {"kind": "model-error", "candidates": [["a1"]], "models": [[1, 2]]}
    event = question_from_json(changed(SELECT, scores=plain), DOMAIN)
    assert question_to_json(event)["scores"] == plain


STRANGE = (None, True, 1.5, -1, 2**53, "", "a", MANY, [], {}, [[]], {"law": "seed", "bits": 62})


@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
def test_a_value_changed_anywhere_is_refused_or_another_question(value: Any) -> None:
    """Never an error of another class, and never a question with more in it than declared."""
    domain = domain_of(value)
    for event in questions_with(value):
        plain = json.loads(json.dumps(question_to_json(event)))
        for path in parts_of(plain):
            for strange in STRANGE:
                try:
                    found = question_from_json(put(plain, path, strange), domain)
                except InputError:
                    continue
                require_declared(found)
                assert same(across(found, domain), found)


@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
def test_a_key_more_or_less_is_refused_at_every_depth(value: Any) -> None:
    domain = domain_of(value)
    for event in questions_with(value):
        plain = json.loads(json.dumps(question_to_json(event)))
        for path in parts_of(plain):
            inside: Any = plain
            for step in path:
                inside = inside[step]
            if not isinstance(inside, dict):
                continue
            with pytest.raises(InputError, match="not known"):
                question_from_json(put(plain, path, {**inside, "note": "exact"}), domain)
            for key in inside:
                if inside.get("kind") == "model-error" and key in ("weights", "offsets"):
                    continue
                less = {name: member for name, member in inside.items() if name != key}
                with pytest.raises(InputError):
                    question_from_json(put(plain, path, less), domain)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["measure", "marginal", "discrete-laplace", "seed", "a1", "1/2", "2e999"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["event", "kind", "law", "query", "noise", "attributes", "scale"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(ANYTHING, st.data())
def test_anything_in_place_of_anything_is_refused_or_a_question(
    value: object, data: st.DataObject
) -> None:
    plain = question_to_json(data.draw(events(DOMAIN)))
    path = data.draw(st.sampled_from(parts_of(plain)))
    for read in (
        lambda: question_from_json(put(plain, path, value), DOMAIN),
        lambda: question_from_json(value, DOMAIN),
        lambda: budget_from_json(value),
        lambda: setting_from_json(value),
    ):
        with contextlib.suppress(InputError):
            read()


BUDGETS: list[tuple[object, str]] = [
    ([], "budget: "),
    ({}, "epsilon is missing"),
    ({"epsilon": "1", "rho": "1"}, "budget: a key is not known"),
    ({"epsilon": 1}, r"budget\.epsilon"),
    ({"epsilon": "-1"}, "epsilon >= 0"),
    ({"epsilon": "1", "counted_under": "add-remove"}, "counted_unit is missing"),
    ({"epsilon": "1", "counted_under": "both", "counted_unit": {}}, r"budget\.counted_unit"),
    ({"unlimited": False}, r"budget\.unlimited"),
    ({"unlimited": 1}, r"budget\.unlimited"),
    ({"unlimited": True, "epsilon": "1"}, "not known"),
    ({"sampled": {"rate": "1/2", "mu_squared": "1"}}, "steps is missing"),
    ({"sampled": {"rate": "2", "mu_squared": "1", "steps": 1}}, "rate between"),
    ({"sampled": {"rate": "1/2", "mu_squared": "1", "steps": True}}, r"budget\.sampled\.steps"),
    ({"rho": MANY}, r"budget\.rho"),
]


@pytest.mark.parametrize(("plain", "place"), BUDGETS, ids=range(len(BUDGETS)))
def test_what_is_no_budget_is_refused_and_the_place_is_named(plain: object, place: str) -> None:
    with pytest.raises(InputError, match=place):
        budget_from_json(plain)


SETTING = setting_to_json(Setting.of(DOMAIN, ReplaceOne(), 4))
SETTINGS: list[tuple[object, str]] = [
    (None, "setting: "),
    ({**SETTING, "records": None}, "number of records is public"),
    ({**SETTING, "records": -1}, "must not be negative"),
    ({**SETTING, "rows": True}, r"setting\.rows"),
    ({**SETTING, "unit": {"name": "record", "max_records": 2}}, "max-records"),
    ({**SETTING, "unit": "record"}, r"setting\.unit"),
    ({**SETTING, "neighbours": "other"}, "neighbours must be"),
    ({**SETTING, "domain": {"name": "x"}}, r"setting\.domain"),
    ({**SETTING, "seed": 1}, "not known"),
]


@pytest.mark.parametrize(("plain", "place"), SETTINGS, ids=range(len(SETTINGS)))
def test_what_is_no_setting_is_refused_and_the_place_is_named(plain: object, place: str) -> None:
    with pytest.raises(InputError, match=place):
        setting_from_json(plain)
