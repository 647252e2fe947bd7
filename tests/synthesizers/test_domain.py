"""Domains and datasets: validation at birth, the numbering of cells, and clipping of persons."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Attribute, Dataset, Domain, Hierarchy
from synthesizers.errors import InputError, TooLargeError
from synthesizers.numerals import number_text, rational

SEX = Attribute("sex", ("male", "female"))
GRADE = Attribute("grade", ("1", "2", "3"), ordinal=True, missing=True)
AGE = Attribute.binned("age", [0, 30, 45, 120], ordinal=True)
PEOPLE = Domain(
    "people",
    (SEX, GRADE, AGE),
    (Hierarchy("grade", (("1", "2", "3", ""), ("low", "low", "high", "none"))),),
    individual="person_id",
)

fractions = st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**4)
labels = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=8)


@st.composite
def attributes(draw: st.DrawFn, name: str = "a") -> Attribute:
    """Draw an attribute, binned or not."""
    missing = draw(st.booleans())
    ordinal = draw(st.booleans())
    if draw(st.booleans()):
        edges = sorted(draw(st.sets(fractions, min_size=2, max_size=5)))
        return Attribute.binned(name, edges, ordinal=ordinal, missing=missing)
    values = draw(st.lists(labels, min_size=1, max_size=5, unique=True))
    return Attribute(name, tuple(values), ordinal, None, missing)


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Draw a domain of at most four attributes with arbitrary names and flat hierarchies."""
    names = draw(st.lists(labels, min_size=1, max_size=4, unique=True))
    chosen = tuple(draw(attributes(name)) for name in names)
    topped = draw(st.sets(st.sampled_from(names)))
    hierarchies = tuple(
        Hierarchy(a.name, (a.labels, ("all",) * a.size)) for a in chosen if a.name in topped
    )
    individual = draw(st.none() | labels.filter(lambda label: label not in names))
    return Domain(draw(labels), chosen, hierarchies, individual)


def test_sizes_and_labels_include_the_missing_value() -> None:
    assert (SEX.size, GRADE.size, AGE.size) == (2, 4, 3)
    assert GRADE.labels == ("1", "2", "3", "")
    assert AGE.labels == ("[0, 30)", "[30, 45)", "[45, 120]")
    assert AGE.edges == (Fraction(0), Fraction(30), Fraction(45), Fraction(120))
    assert PEOPLE.shape == (2, 4, 3)
    assert PEOPLE.size == 24
    assert PEOPLE.names == ("sex", "grade", "age")
    labelled = Attribute("g", ("1",), missing=True, missing_label="N")
    assert labelled.labels == ("1", "N")


def test_bin_labels_are_exact() -> None:
    edges = [Fraction(-1, 2), Fraction(1, 3), Fraction("1457.2")]
    assert Attribute.binned("x", edges).values == ("[-0.5, 1/3)", "[1/3, 1457.2]")


@given(fractions)
def test_numbers_as_text_are_exact(value: Fraction) -> None:
    assert rational(number_text(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-3), "-3"),
        (Fraction(1, 40), "0.025"),
        (Fraction(-1, 20), "-0.05"),
        (Fraction(123, 10), "12.3"),
        (Fraction(1, 7), "1/7"),
        (Fraction(-3, 10**300), "-3e-300"),
        (Fraction(120 * 10**300), "12e301"),
        (Fraction(1, 10**40), "0." + 39 * "0" + "1"),
        (Fraction(1, 10**41), "1e-41"),
    ],
)
def test_number_text(value: Fraction, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    "text", ["", " 1", "nan", "inf", "1_000", "0x1", "1e9999", "1/0", "1/2/3", "1" * 401, "１"]
)
def test_what_is_not_a_number(text: str) -> None:
    assert rational(text) is None


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"name": ""}, "non-empty"),
        ({"name": "a\nb"}, "control character"),
        ({"values": ()}, "empty"),
        ({"values": ("a", "a")}, "twice"),
        ({"values": ("a", "")}, "missing = true"),
        ({"values": ("a\r",)}, "control character"),
        ({"values": ("a\ud800",)}, "control character"),
        ({"values": ("a", 1)}, "texts"),
        ({"values": "ab"}, "list"),
        ({"missing_label": "N"}, "missing = true"),
        ({"missing": True, "missing_label": "a"}, "both"),
        ({"missing": 1}, "true or false"),
        ({"edges": (Fraction(0), Fraction(1))}, "labels of its bins"),
    ],
)
def test_attributes_are_validated(fields: dict[str, object], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        Attribute(**{"name": "x", "values": ("a", "b"), **fields})


@pytest.mark.parametrize(
    ("edges", "rule"),
    [
        ([0], "two edges"),
        ([0, 0], "increase"),
        ([1, 0], "increase"),
        ([0, 0.5], "exact"),
        ([0, True], "exact"),
        (["0", "1"], "exact"),
        ([0, 10**300], "1e300"),
        ("01", "list"),
    ],
)
def test_edges_are_validated(edges: list[int], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        Attribute.binned("x", edges)


@pytest.mark.parametrize(
    ("levels", "rule"),
    [
        ((), "no level"),
        (((),), "no level"),
        ((("a", "b"), ("c",)), "length"),
        ((("a", "a"), ("b", "c")), "nested"),
        ((("a", "b", "c"), ("x", "x", "y"), ("u", "v", "v")), "nested"),
        (("ab",), "list"),
    ],
)
def test_hierarchies_are_validated(levels: tuple[tuple[str, ...], ...], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        Hierarchy("x", levels)


def test_domains_are_validated() -> None:
    with pytest.raises(InputError, match="at least one"):
        Domain("d", ())
    with pytest.raises(InputError, match="twice"):
        Domain("d", (SEX, SEX))
    with pytest.raises(InputError, match="name of a domain"):
        Domain("", (SEX,))
    with pytest.raises(InputError, match="also an attribute"):
        Domain("d", (SEX,), individual="sex")
    with pytest.raises(InputError, match="no attribute 'city'; the domain has sex"):
        Domain("d", (SEX,), (Hierarchy("city", (("a", "b"),)),))
    with pytest.raises(InputError, match="needs 4 groups"):
        Domain("d", (GRADE,), (Hierarchy("grade", (("1", "2", "3"),)),))
    with pytest.raises(InputError, match="two hierarchies"):
        Domain("d", (SEX,), (Hierarchy("sex", (("a", "b"),)),) * 2)


def test_attributes_are_found_by_name() -> None:
    assert PEOPLE.position("age") == 2
    assert PEOPLE.attribute("grade") is GRADE
    with pytest.raises(InputError, match="sex, grade, age"):
        PEOPLE.position("height")


def test_projection_keeps_the_given_order_and_what_belongs_to_the_attributes() -> None:
    part = PEOPLE.project(("age", "sex"))
    assert part.names == ("age", "sex")
    assert part.hierarchies == ()
    assert part.individual == "person_id"
    assert PEOPLE.project(["grade"]).hierarchies == PEOPLE.hierarchies
    for names in ([], ["sex", "sex"], ["height"]):
        with pytest.raises(InputError):
            PEOPLE.project(names)


@given(domains())
def test_cells_are_numbered_like_nested_loops(domain: Domain) -> None:
    rows = [list(row) for row in itertools.product(*(range(size) for size in domain.shape))]
    assert domain.codes().tolist() == rows
    assert domain.cells_of(np.array(rows, dtype=np.int64)).tolist() == list(range(domain.size))


@cache
def wide_attribute(position: int, size: int) -> Attribute:
    """Return the attribute ``a<position>`` of ``size`` values, made once."""
    return Attribute(f"a{position}", tuple(map(str, range(size))))


@given(st.lists(st.sampled_from([1, 2, 3, 7, 100, 4096]), min_size=1, max_size=7), st.data())
def test_mixed_radix_round_trip(shape: list[int], data: st.DataObject) -> None:
    domain = Domain("wide", tuple(wide_attribute(k, size) for k, size in enumerate(shape)))
    if domain.size >= 2**63:
        with pytest.raises(TooLargeError, match=r"2\*\*63"):
            domain.codes_of(np.zeros(1, dtype=np.int64))
        return
    cells = np.array([0, domain.size - 1, data.draw(st.integers(0, domain.size - 1))])
    codes = domain.codes_of(cells)
    for cell, row in zip(cells.tolist(), codes.tolist(), strict=True):
        assert all(0 <= code < size for code, size in zip(row, shape, strict=True))
        number = 0
        for code, size in zip(row, shape, strict=True):
            number = number * size + code
        assert number == cell
    assert domain.cells_of(codes).tolist() == cells.tolist()


def test_too_many_cells_are_refused_and_their_number_said() -> None:
    binary = tuple(Attribute(f"a{k}", ("0", "1")) for k in range(63))
    assert Domain("d", binary[:62]).cells_of(np.ones((1, 62), dtype=np.int64)) == 2**62 - 1
    with pytest.raises(TooLargeError, match=r"10\^18"):
        Domain("d", binary).cells_of(np.zeros((1, 63), dtype=np.int64))
    with pytest.raises(TooLargeError, match="33554432 cells"):
        Domain("d", binary[:25]).codes()
    with pytest.raises(TooLargeError):
        Dataset(Domain("d", binary[:25]), np.zeros((1, 25), dtype=np.int64)).histogram()
    many = Domain("d", tuple(Attribute(f"a{k}", ("0", "1")) for k in range(20_000)))
    with pytest.raises(TooLargeError, match=r"10\^6020"):
        many.require_listable()


def test_cell_numbers_outside_are_refused() -> None:
    for cells in ([-1], [24], [[0]], [0.5]):
        with pytest.raises(InputError):
            PEOPLE.codes_of(np.array(cells))


def test_domains_from_cells() -> None:
    assert Domain.from_cells("4") == Domain("4", (Attribute("cell", ("0", "1", "2", "3")),))
    assert Domain.from_cells("2x3") == Domain(
        "2x3", (Attribute("a1", ("0", "1")), Attribute("a2", ("0", "1", "2")))
    )


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "2x", "x2", "2x0", "2X3", "2 x 3", "1.5", "04", "four", "٤"]
)
def test_malformed_cells_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="2x3"):
        Domain.from_cells(text)


def test_too_many_cells_from_text_are_refused_before_they_are_made() -> None:
    for text in ("999999999999999999", "16777217", "5000x5000"):
        with pytest.raises(TooLargeError):
            Domain.from_cells(text)
    assert Domain.from_cells("4096x4096").size == 2**24


@given(domains())
def test_json_round_trip(domain: Domain) -> None:
    assert Domain.from_json(json.loads(json.dumps(domain.to_json()))) == domain


def test_json_edges_are_text_and_the_form_is_fixed() -> None:
    obj = Domain("d", (Attribute.binned("x", [Fraction(1, 3), Fraction(1, 2)]),)).to_json()
    assert obj == {
        "name": "d",
        "attributes": [
            {
                "name": "x",
                "values": ["[1/3, 0.5]"],
                "ordinal": False,
                "edges": ["1/3", "0.5"],
                "missing": False,
                "missing_label": "",
            }
        ],
        "hierarchies": [],
        "individual": None,
    }


@pytest.mark.parametrize(
    "obj",
    [
        None,
        [],
        {},
        {"name": "d"},
        {"name": 1, "attributes": []},
        {"name": "d", "attributes": {}},
        {"name": "d", "attributes": [1]},
        {"name": "d", "attributes": [{"name": "x"}]},
        {"name": "d", "attributes": [{"name": "x", "values": "ab"}]},
        {"name": "d", "attributes": [{"name": "x", "values": [1]}]},
        {"name": "d", "attributes": [{"name": "x", "values": ["a"], "ordinal": 1}]},
        {"name": "d", "attributes": [{"name": "x", "values": ["[0, 1]"], "edges": [0, 1]}]},
        {"name": "d", "attributes": [{"name": "x", "values": ["a"], "colour": 1}]},
        {"name": "d", "attributes": [{"name": "x", "values": ["a"]}], "hierarchies": {}},
        {"name": "d", "attributes": [{"name": "x", "values": ["a"]}], "individual": 1},
    ],
)
def test_malformed_json_is_refused(obj: object) -> None:
    with pytest.raises(InputError):
        Domain.from_json(obj)


@pytest.mark.parametrize(
    "codes",
    [
        [[0, 0, 3]],
        [[0, -1, 0]],
        [[0, 0]],
        [0, 0, 0],
        [[0.0, 0.0, 0.0]],
        [[True, True, True]],
    ],
)
def test_codes_that_do_not_fit_are_refused(codes: list[object]) -> None:
    with pytest.raises(InputError):
        Dataset(PEOPLE, np.array(codes))


def test_the_error_names_the_attribute_alone() -> None:
    with pytest.raises(InputError) as caught:
        Dataset(PEOPLE, np.array([[0, 0, 0], [0, 0, 777]]))
    assert "'age'" in str(caught.value)
    assert "777" not in str(caught.value)


def test_datasets_are_frozen_and_silent() -> None:
    codes = np.array([[1, 2, 0], [1, 3, 0]])
    dataset = Dataset(PEOPLE, codes, np.array([0, 1]))
    codes[0, 0] = 0
    assert dataset.codes.tolist() == [[1, 2, 0], [1, 3, 0]]
    with pytest.raises(ValueError, match="read-only"):
        dataset.codes[0, 0] = 0
    assert dataset.persons is not None
    with pytest.raises(ValueError, match="read-only"):
        dataset.persons[0] = 5
    assert repr(dataset) == str(dataset) == "Dataset(domain='people')"


def test_a_read_only_view_of_a_writable_array_is_copied() -> None:
    base = np.array([[1, 2, 0]])
    view = base[:]
    view.setflags(write=False)
    dataset = Dataset(PEOPLE, view)
    base[0, 0] = 0
    assert dataset.codes[0, 0] == 1


def test_a_dataset_without_records_is_legal() -> None:
    empty = Dataset(PEOPLE, np.empty((0, 3), dtype=np.int64), np.empty(0, dtype=np.int64))
    assert empty.records == 0
    assert empty.histogram().tolist() == [0] * 24
    assert empty.clip_persons(1).records == 0


@pytest.mark.parametrize("persons", [[0], [0, -1], [0.0, 1.0], [[0], [1]]])
def test_persons_that_do_not_fit_are_refused(persons: list[object]) -> None:
    with pytest.raises(InputError, match="person index"):
        Dataset(PEOPLE, np.zeros((2, 3), dtype=np.int64), np.array(persons))


def test_persons_need_a_declared_id_column() -> None:
    with pytest.raises(InputError, match="individual"):
        Dataset(Domain("d", (SEX,)), np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int64))


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_histograms_and_datasets_say_the_same(counts: list[int]) -> None:
    domain = Domain.from_cells("2x3")
    dataset = Dataset.from_histogram(domain, np.array(counts))
    assert dataset.records == sum(counts)
    assert dataset.histogram().tolist() == counts
    table = np.zeros((2, 3), dtype=np.int64)
    for first, second in dataset.codes.tolist():
        table[first, second] += 1
    assert table.reshape(-1).tolist() == counts


def test_histograms_that_do_not_fit_are_refused() -> None:
    domain = Domain.from_cells("2")
    for counts in ([1], [1, -1], [0.5, 1], [[1, 1]]):
        with pytest.raises(InputError):
            Dataset.from_histogram(domain, np.array(counts))
    with pytest.raises(TooLargeError):
        Dataset.from_histogram(domain, np.array([2**62, 2**62]))


def clipped_slowly(persons: list[int], most: int) -> list[int]:
    """Return the positions kept, by a loop over the records."""
    kept, seen = [], dict.fromkeys(persons, 0)
    for position, person in enumerate(persons):
        seen[person] += 1
        if seen[person] <= most:
            kept.append(position)
    return kept


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(1, 4))
def test_clipping_keeps_the_first_records_of_each_person(persons: list[int], most: int) -> None:
    domain = Domain("d", (Attribute("x", tuple(map(str, range(20)))),), individual="id")
    codes = np.arange(len(persons)).reshape(-1, 1)
    clipped = Dataset(domain, codes, np.array(persons, dtype=np.int64)).clip_persons(most)
    kept = clipped_slowly(persons, most)
    assert clipped.codes[:, 0].tolist() == kept
    assert clipped.persons is not None
    assert clipped.persons.tolist() == [persons[position] for position in kept]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.integers(1, 3))
def test_removing_a_person_removes_at_most_m_clipped_records(persons: list[int], most: int) -> None:
    domain = Domain("d", (Attribute("x", tuple(map(str, range(20)))),), individual="id")
    codes, owners = np.arange(len(persons)).reshape(-1, 1), np.array(persons)
    whole = set(Dataset(domain, codes, owners).clip_persons(most).codes[:, 0].tolist())
    for person in set(persons):
        others = owners != person
        rest = Dataset(domain, codes[others], owners[others]).clip_persons(most)
        remaining = set(rest.codes[:, 0].tolist())
        assert remaining <= whole
        assert len(whole - remaining) <= most


def test_clipping_needs_persons_and_a_positive_bound() -> None:
    with pytest.raises(InputError, match="individual"):
        Dataset(PEOPLE, np.zeros((1, 3), dtype=np.int64)).clip_persons(1)
    dataset = Dataset(PEOPLE, np.zeros((1, 3), dtype=np.int64), np.zeros(1, dtype=np.int64))
    for most in (0, -1, True, 1.0):
        with pytest.raises(InputError, match="positive"):
            dataset.clip_persons(most)
