"""Given pairs: what is called neighbours is, against every pair of small multisets."""

from __future__ import annotations

import io
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.auditors.attack.pairs.given_pairs import REORDERED, chain_pair, given_pair, read_database
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

PERSON = Unit("person", 2)
CLINIC = Domain(
    "clinic",
    (
        Attribute("sex", ("m", "f")),
        Attribute.binned("age", [0, 30, Fraction(121, 2)]),
        Attribute("grade", ("1", "2"), missing=True),
    ),
)
OWNED = Domain("owned", CLINIC.attributes, (), "who")
VALID = {"sex": "m", "age": 30, "grade": "1"}

Multiset = tuple[Any, ...]


def accepted(first: Any, second: Any, neighbours: Neighbours, **more: Any) -> bool:
    try:
        pair = given_pair(first, second, neighbours, **more)
    except InputError:
        return False
    assert (pair.first, pair.second, pair.distance) == (first, second, 1)
    return True


def multisets(items: Multiset, most: int) -> list[Multiset]:
    return [
        chosen
        for size in range(most + 1)
        for chosen in itertools.combinations_with_replacement(items, size)
    ]


def removals(held: Multiset, most: int) -> Iterator[Multiset]:
    """What is left of a multiset without up to ``most`` of its items."""
    for size in range(min(most, len(held)) + 1):
        yield from itertools.combinations(held, len(held) - size)


def reached(held: Multiset, items: Multiset, lose: int, gain: int) -> set[Multiset]:
    """All multisets after a loss of up to ``lose`` items and a gain of up to ``gain``."""
    return {
        tuple(sorted(left + come))
        for left in removals(held, lose)
        for come in multisets(items, gain)
    }


def shuffled(records: list[Any], seed: int) -> list[Any]:
    found = list(records)
    random.Random(seed).shuffle(found)
    return found


@pytest.mark.parametrize("kind", ["text", "row", "object", "truth"])
def test_records_are_neighbours_exactly_where_one_comes_goes_or_is_exchanged(kind: str) -> None:
    items = {
        "text": ("a", "b", "c"),
        "row": (("a", 1), ("a", 2), ("b", 1)),
        "object": ((("x", 0),), (("x", 0), ("y", 0)), (("x", 1),)),
        "truth": (False, True),
    }[kind]
    form = {"row": list, "object": dict}.get(kind, lambda item: item)
    for first, second in itertools.product(multisets(items, 3), repeat=2):
        left = shuffled([form(item) for item in first], 1)
        right = shuffled([form(item) for item in second], 2)
        if first == second:
            assert not accepted(left, right, AddRemove()) and not accepted(
                left, right, ReplaceOne()
            )
            continue
        come = second in reached(first, items, 0, 1) or first in reached(second, items, 0, 1)
        assert accepted(left, right, AddRemove()) is come
        exchanged = len(first) == len(second) and second in reached(first, items, 1, 1)
        assert accepted(left, right, ReplaceOne()) is exchanged


def test_persons_known_by_their_ids_are_neighbours_exactly_where_one_person_changes() -> None:
    items = tuple((who, value) for who in (1, 2, 3) for value in "ab")
    most = PERSON.max_records

    def proper(held: Multiset) -> bool:
        return max(Counter(who for who, _ in held).values(), default=0) <= most

    def without_one(held: Multiset) -> set[Multiset]:
        return {tuple(item for item in held if item[0] != who) for who in (1, 2, 3)} | {held}

    def with_one_more(held: Multiset) -> set[Multiset]:
        present = {who for who, _ in held}
        return {
            tuple(sorted(held + come))
            for new in {1, 2, 3} - present
            for come in multisets(tuple(item for item in items if item[0] == new), most)
        }

    databases = multisets(items, 3)
    for first in databases:
        exchanged = {after for left in without_one(first) for after in with_one_more(left)}
        exchanged |= without_one(first)
        for second in databases:
            left, right = (
                shuffled([{"who": who, "value": value} for who, value in held], seed)
                for seed, held in enumerate((first, second))
            )
            legal = proper(first) and proper(second) and first != second
            come = second in without_one(first) or first in without_one(second)
            found = accepted(left, right, AddRemove(PERSON), individual="who")
            assert found is (legal and come), (first, second)
            found = accepted(left, right, ReplaceOne(PERSON), individual="who")
            assert found is (legal and second in exchanged), (first, second)


@pytest.mark.parametrize("neighbours", [AddRemove(PERSON), ReplaceOne(PERSON)])
def test_persons_without_ids_are_neighbours_where_one_could_own_all_that_differs(
    neighbours: Neighbours,
) -> None:
    items = ("a", "b")
    for first, second in itertools.product(multisets(items, 4), repeat=2):
        if isinstance(neighbours, AddRemove):
            close = second in reached(first, items, 0, 2) or first in reached(second, items, 0, 2)
        else:
            close = second in reached(first, items, 2, 2)
        assert accepted(list(first), list(second), neighbours) is (close and first != second)


def test_without_ids_that_records_are_one_persons_is_the_users_word() -> None:
    first, second = [["a"]], [["a"], ["b"], ["c"]]
    assert not given_pair(first, second, AddRemove(PERSON)).verified
    # Over a domain without an id column records say nothing of their owners: any may be one's.
    one = Domain("one", (Attribute("x", ("a", "b", "c")),))
    assert given_pair(first, second, AddRemove(PERSON), one).verified
    owned = [{"who": n, "x": row[0]} for n, row in enumerate(second)]
    assert not given_pair(owned[:1], owned, AddRemove(PERSON)).verified
    with pytest.raises(InputError, match="differ in the records of 2 persons"):
        given_pair(owned[:1], owned, AddRemove(PERSON), individual="who")


def test_a_pair_of_neighbours_is_verified_and_says_how_it_was_made() -> None:
    assert given_pair([], [{"x": 1}], AddRemove()).verified
    assert given_pair([["a"]], [["a"], ["b"]], AddRemove()).pattern == "given"
    assert given_pair(["a", "b"], ["c", "b"], ReplaceOne()).pattern == "given"
    # As lists in order these differ in two places.
    assert given_pair(["a", "b"], ["b", "c"], ReplaceOne()).pattern == REORDERED
    assert given_pair(["a", "b"], ["b", "x", "a"], AddRemove()).pattern == REORDERED


@pytest.mark.parametrize(
    ("first", "second"),
    [(3, 4), ([3, 1], [3, 2]), ([0.5], []), ({"n": 3}, {"n": 4}), ("a", "b"), ([1, 2], [7, 8, 9])],
)
def test_what_is_no_list_of_records_is_taken_on_the_users_word(first: Any, second: Any) -> None:
    for domain in (None, CLINIC):
        pair = given_pair(first, second, AddRemove(), domain)
        assert (pair.first, pair.second, pair.verified) == (first, second, False)


@pytest.mark.parametrize("other", [3, [3, 4], {"x": 1}, "text", None])
def test_records_beside_something_else_are_refused(other: Any) -> None:
    with pytest.raises(InputError, match="the other is none"):
        given_pair([{"x": 1}], other, AddRemove())


@pytest.mark.parametrize(
    "one",
    [3, [1, 2], {"a": 1}, [], None, math.nan, [{"x": math.nan}], [{"x": 1, "y": 2}]],
)
def test_equal_databases_are_refused(one: Any) -> None:
    with pytest.raises(InputError, match="equal"):
        given_pair(one, json.loads(json.dumps(one)), AddRemove())


def test_a_list_that_holds_anything_but_numbers_is_one_of_records() -> None:
    for other in ("a", None, True, [], {}):
        assert given_pair([1, other], [1, other, 2], AddRemove()).verified
        with pytest.raises(InputError, match="differ by 4 records"):
            given_pair([1, other], [2, "b"], ReplaceOne())


def test_numbers_beside_other_bare_values_are_values_and_beside_objects_perhaps_counts() -> None:
    for other in ("a", None, True):
        assert given_pair([1, other], [1], AddRemove()).verified
        assert given_pair([1, 1], [1, other], ReplaceOne()).verified
    for record in ([], {"x": 1}):
        with pytest.raises(InputError, match="the other is none"):
            given_pair([1, record], [1], AddRemove())


def test_the_order_of_records_and_keys_makes_no_difference() -> None:
    with pytest.raises(InputError, match="differ by 0 records"):
        given_pair([{"x": 1}, {"x": 2}], [{"x": 2}, {"x": 1}], ReplaceOne())
    with pytest.raises(InputError, match="equal"):
        given_pair([{"x": 1, "y": 2}], [{"y": 2, "x": 1}], ReplaceOne())


def test_values_of_different_json_are_different_and_nan_is_itself() -> None:
    values = [1, 1.0, True, "1", None, 0.0, -0.0, 0, False, math.nan, math.inf, -math.inf, [1], ""]
    for first, second in itertools.combinations(values, 2):
        assert accepted([{"x": first}], [{"x": second}], ReplaceOne()), (first, second)
        held = [{"x": first}, {"x": second}]
        assert accepted(held, [{"x": first}], AddRemove()), (first, second)
        assert not accepted([{"x": first}] * 2, [{"x": second}] * 2, ReplaceOne())
    # Were NaN not itself, all four would differ.
    assert accepted([[math.nan], [1]], [[math.nan], [2]], ReplaceOne())


@pytest.mark.parametrize(
    "hostile",
    [
        [{1: "a"}, {"1": "a"}],
        [("a",)],
        [{"x": np.float64(1)}],
        [{"x": {1}}],
        [{"x": b"a"}],
        [{"x": type("Text", (str,), {})("a")}],
        [{"x": type("Number", (int,), {})(1)}],
    ],
)
def test_what_json_can_not_say_is_refused(hostile: Any) -> None:
    for pair in ((hostile, []), ([], hostile)):
        with pytest.raises(InputError, match="plain data"):
            given_pair(*pair, AddRemove())


def test_a_number_too_long_to_be_written_is_refused() -> None:
    for domain in (None, CLINIC):
        with pytest.raises(InputError, match="too many digits"):
            given_pair([{**VALID, "age": 10**5000}], [VALID], ReplaceOne(), domain)


def test_a_database_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(InputError, match="more than 100"):
        given_pair(endless, [], AddRemove())


def test_a_person_has_no_more_records_than_the_claim_allows() -> None:
    three = [{"who": "p", "x": n} for n in range(3)]
    with pytest.raises(InputError, match="more than 2 records"):
        given_pair([], three, AddRemove(PERSON), individual="who")
    # Nor does one who is the same in both.
    other = [{"who": "q", "x": 0}]
    with pytest.raises(InputError, match="more than 2 records"):
        given_pair(three, three + other, AddRemove(PERSON), individual="who")
    assert accepted(other, other + three[:2], AddRemove(PERSON), individual="who")


@pytest.mark.parametrize("identity", [None, 1.0, True, ["p"], math.nan])
def test_an_id_is_a_text_or_a_whole_number(identity: Any) -> None:
    with pytest.raises(InputError, match="'who' must be"):
        given_pair([], [{"who": identity}], AddRemove(PERSON), individual="who")


def test_ids_are_of_one_type_since_a_reader_may_take_1_for_its_text() -> None:
    with pytest.raises(InputError, match="'who' must be"):
        given_pair([{"who": 1}], [{"who": 1}, {"who": "1"}], AddRemove(PERSON), individual="who")


@pytest.mark.parametrize("record", [{"x": 1}, ["p", 1], "p"])
def test_a_record_of_nobody_is_refused(record: Any) -> None:
    with pytest.raises(InputError, match="has no 'who'"):
        given_pair([], [record], AddRemove(PERSON), individual="who")


def test_the_id_column_is_the_domains_unless_another_is_named() -> None:
    first = [{"who": "p", **VALID}]
    second = [*first, {"who": "q", **VALID}, {"who": "r", **VALID}]
    with pytest.raises(InputError, match="records of 2 persons"):
        given_pair(first, second, AddRemove(PERSON), OWNED)
    # Records of a claim about records may carry the column or not.
    assert given_pair(first, second[:2], AddRemove(), OWNED).verified
    assert given_pair([VALID], [], AddRemove(), OWNED).verified


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sex", "f"),
        ("age", 0),
        ("age", -0.0),
        ("age", 60.5),
        ("age", "12"),
        ("age", 29.999999999999996),
        ("grade", None),
        ("grade", 2),
        ("grade", 2.0),
    ],
)
def test_values_of_the_domain_are_taken(name: str, value: Any) -> None:
    record = {**VALID, name: value}
    assert given_pair([], [record], AddRemove(), CLINIC).verified
    assert given_pair([], [[record[name] for name in CLINIC.names]], AddRemove(), CLINIC).verified


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sex", None),
        ("sex", "M"),
        ("sex", True),
        ("sex", ["m"]),
        ("age", 60.50000000000001),
        ("age", -1),
        ("age", -5e-324),
        ("age", math.nan),
        ("age", math.inf),
        ("age", 10**400),
        ("age", None),
        ("grade", math.nan),
        ("grade", True),
        ("grade", 1.5),
    ],
)
def test_a_record_outside_the_domain_is_refused(name: str, value: Any) -> None:
    record = {**VALID, name: value}
    with pytest.raises(InputError, match=name):
        given_pair([VALID, record], [record], AddRemove(), CLINIC)


@pytest.mark.parametrize(
    "record",
    [{"sex": "m", "age": 1}, {**VALID, "more": 1}, {**VALID, "who": "p"}, ["m", 1], "m", None],
)
def test_a_record_has_the_attributes_of_the_domain_and_no_others(record: Any) -> None:
    with pytest.raises(InputError, match="not one of the domain"):
        given_pair([], [record], AddRemove(), CLINIC)


def test_a_number_is_no_label_that_spells_it() -> None:
    odd = Domain("odd", (Attribute("x", ("nan", "inf", "True")),))
    assert given_pair([], [{"x": "nan"}], AddRemove(), odd).verified
    for value in (math.nan, math.inf, True):
        with pytest.raises(InputError, match="'x'"):
            given_pair([], [{"x": value}], AddRemove(), odd)


def test_values_are_records_of_a_domain_of_one_attribute() -> None:
    one = Domain("one", (Attribute("x", ("a", "b"), missing=True),))
    assert given_pair(["a"], ["a", None], AddRemove(), one).verified
    with pytest.raises(InputError, match="'x'"):
        given_pair(["a"], ["a", "c"], AddRemove(), one)


def test_databases_have_the_claims_number_of_records() -> None:
    assert given_pair(["a", "b"], ["a", "c"], ReplaceOne(), records=2).verified
    with pytest.raises(InputError, match="has 3 records"):
        given_pair(["a", "b"], ["a", "c"], ReplaceOne(), records=3)
    assert given_pair(["a", "b"], ["a"], AddRemove(), records=2).verified
    with pytest.raises(InputError, match="at most 1 records"):
        given_pair(["a", "b"], ["a"], AddRemove(), records=1)
    person = [{"who": 1, "x": 0}, {"who": 2, "x": 0}]
    assert accepted(person, person[:1], ReplaceOne(PERSON), individual="who", records=3)


def test_a_chain_is_verified_step_by_step() -> None:
    chain: list[list[Any]] = [["a"] * copies for copies in range(5)]
    pair = chain_pair(chain, AddRemove(), None, "copies")
    assert (pair.first, pair.second, pair.distance) == ([], ["a"] * 4, 4)
    assert (pair.pattern, pair.verified) == ("copies", True)
    for broken in range(1, 4):
        with pytest.raises(InputError, match="differ by 2 records"):
            chain_pair(chain[:broken] + chain[broken + 1 :], AddRemove(), None, "copies")
    with pytest.raises(InputError, match="at most 3 records"):
        chain_pair(chain, AddRemove(), None, "copies", records=3)


def test_a_chain_stays_inside_the_domain() -> None:
    one = Domain("one", (Attribute("x", ("a", "b")),))
    chain_pair([["a"], ["b"], ["a"]], ReplaceOne(), one, "through")
    with pytest.raises(InputError, match="'x'"):
        chain_pair([["a"], ["outside"], ["b"]], ReplaceOne(), one, "through")


def test_a_chain_of_persons_is_verified_step_by_step() -> None:
    chain = [[{"who": who, "x": 0} for who in range(size) for _ in "ab"] for size in range(4)]
    assert chain_pair(chain, AddRemove(PERSON), None, "persons", "who").distance == 3
    for broken in (1, 2):
        rest = chain[:broken] + chain[broken + 1 :]
        with pytest.raises(InputError, match="records of 2 persons"):
            chain_pair(rest, AddRemove(PERSON), None, "persons", "who")


def test_refusals_quote_no_value() -> None:
    secret = "Jane Doe"
    cases: list[tuple[Any, Any, Neighbours, dict[str, Any]]] = [
        ([[secret]], [], ReplaceOne(), {}),
        ([[secret]], [["a"], ["b"]], AddRemove(), {}),
        ([[secret]], [[secret]], AddRemove(), {}),
        ([[secret]], secret, AddRemove(), {}),
        ([{**VALID, "sex": secret}], [], AddRemove(), {"domain": CLINIC}),
        ([{**VALID, "age": secret}], [], AddRemove(), {"domain": CLINIC}),
        ([{**VALID, secret: 1}], [], AddRemove(), {"domain": CLINIC}),
        ([{"who": secret}] * 3, [], AddRemove(PERSON), {"individual": "who"}),
        ([{"who": secret}], [{"who": "a"}], AddRemove(PERSON), {"individual": "who"}),
        ([{"who": [secret]}], [], AddRemove(PERSON), {"individual": "who"}),
        ([{"x": secret}], [], AddRemove(PERSON), {"individual": "who"}),
        ([{"x": {secret}}], [], AddRemove(), {}),
    ]
    for first, second, neighbours, more in cases:
        for pair in ((first, second), (second, first)):
            with pytest.raises(InputError) as caught:
                given_pair(*pair, neighbours, **more)
            assert secret not in str(caught.value)


def test_a_database_file_is_read_as_json_with_nan_and_the_infinities(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"x": NaN, "y": -0.0, "z": [1, 1.0, -Infinity, "\\ud800", null]}]')
    (record,) = read_database(str(path))
    assert math.isnan(record["x"]) and math.copysign(1, record["y"]) == -1
    assert record["z"] == [1, 1.0, -math.inf, "\ud800", None]
    assert [type(number) for number in record["z"][:2]] == [int, float]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1,", "not JSON"),
        ("", "not JSON"),
        ("{'x': 1}", "not JSON"),
        ("9" * 5000, "not JSON"),
        ('[{"x": 1, "x": 2}]', "a key twice"),
        ("[" * 102 + "]" * 102, "more than 100"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_file_that_is_no_database_is_refused_with_its_name(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_database(str(path))
    assert str(path) in str(caught.value)


def test_a_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_database(str(tmp_path / "absent.json"))
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(InputError, match="UTF-8"):
        read_database(str(tmp_path / "latin.json"))


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'["a"]')))
    assert read_database("-") == ["a"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"[")))
    with pytest.raises(InputError, match="standard input"):
        read_database("-")
