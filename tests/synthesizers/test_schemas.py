"""Domain files: the TOML of the contract, column schemas of the shared data, and refusals."""

from __future__ import annotations

import io
import json
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Attribute, Domain, Hierarchy
from synthesizers.domain_toml import domain_from_toml, domain_to_toml
from synthesizers.errors import InputError, TooLargeError
from synthesizers.schemas import dump_domain, load_domain
from synthesizers.tables import read_table, to_frame

PATIENTS = """\
name = "patients"
[attributes]
sex   = { values = ["male", "female"] }
age   = { bins = [0, 30, 45, 60, 120], ordinal = true }          # left-closed
grade = { values = ["1", "2", "3"], ordinal = true, missing = true }
city  = { values = ["Paris", "Lyon", "Rome"] }
[hierarchies.city]
levels = [["Paris", "Lyon", "Rome"], ["FR", "FR", "IT"]]
[individual]
id = "person_id"
"""


def loaded(folder: Path, content: str | bytes, name: str = "domain.toml") -> Domain:
    """Return the domain of a file with the given content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_domain(path)


def column(folder: Path, entry: object) -> Attribute:
    """Return the attribute of a column schema with one column, ``x``."""
    domain = loaded(folder, json.dumps({"x": entry}), "d.schema.json")
    (attribute,) = domain.attributes
    return attribute


def test_the_domain_file_of_the_contract(tmp_path: Path) -> None:
    expected = Domain(
        "patients",
        (
            Attribute("sex", ("male", "female")),
            Attribute.binned("age", [0, 30, 45, 60, 120], ordinal=True),
            Attribute("grade", ("1", "2", "3"), ordinal=True, missing=True),
            Attribute("city", ("Paris", "Lyon", "Rome")),
        ),
        (Hierarchy("city", (("Paris", "Lyon", "Rome"), ("FR", "FR", "IT"))),),
        "person_id",
    )
    assert loaded(tmp_path, PATIENTS) == expected
    assert loaded(tmp_path, "\ufeff" + PATIENTS.replace("\n", "\r\n")) == expected
    assert loaded(tmp_path, dump_domain(expected)) == expected


def test_a_domain_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PATIENTS.encode())))
    assert load_domain("-").name == "patients"


def test_the_name_defaults_to_the_files(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[attributes]\nx = { values = ["a"] }', "small.toml").name == "small"
    codes = json.dumps({"x": {"type": "categorical-code", "size": 2}})
    assert loaded(tmp_path, codes, "adult.schema.json").name == "adult"


def test_edges_are_exact(tmp_path: Path) -> None:
    text = '[attributes]\nx = { bins = [-1e-3, 0.1, "1/3", 1_000.5, 1e20] }'
    (attribute,) = loaded(tmp_path, text).attributes
    assert attribute.edges == (
        Fraction(-1, 1000),
        Fraction(1, 10),
        Fraction(1, 3),
        Fraction(2001, 2),
        Fraction(10**20),
    )


def test_a_missing_value_with_a_text(tmp_path: Path) -> None:
    (attribute,) = loaded(tmp_path, '[attributes]\nx = { bins = [0, 1], missing = "N" }').attributes
    assert attribute == Attribute.binned("x", [0, 1], missing=True, missing_label="N")


labels = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=6)
fractions = st.fractions(-1000, 1000, max_denominator=60)


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Draw a domain with awkward names, exact edges, hierarchies and an id column."""
    names = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    chosen = []
    for name in names:
        ordinal, missing = draw(st.booleans()), draw(st.booleans())
        if draw(st.booleans()):
            bounds = sorted(draw(st.sets(fractions, min_size=2, max_size=4)))
            chosen.append(Attribute.binned(name, bounds, ordinal=ordinal, missing=missing))
        else:
            values = tuple(draw(st.lists(labels, min_size=1, max_size=4, unique=True)))
            label = draw(st.sampled_from(["", "N\\A"])) if missing else ""
            chosen.append(Attribute(name, values, ordinal, None, missing, label))
    topped = draw(st.sets(st.sampled_from(names)))
    hierarchies = tuple(
        Hierarchy(a.name, (a.labels, ("all",) * a.size)) for a in chosen if a.name in topped
    )
    individual = draw(st.none() | labels.filter(lambda label: label not in names))
    return Domain(draw(labels), tuple(chosen), hierarchies, individual)


@given(domains())
def test_toml_round_trip(domain: Domain) -> None:
    assert domain_from_toml(domain_to_toml(domain), "other") == domain


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "[attributes] is missing"),
        ('name = "d"', "[attributes] is missing"),
        ("[attributes", "not valid TOML (at end of document)"),
        ("[attributes]\nx = [1,\n", "not valid TOML (at end of document)"),
        ("sex,age\nmale,3\n", "not valid TOML (at line 1"),
        ("[attributes]\n[attributes]\n", "not valid TOML"),
        ("x = " + "9" * 5000, "not valid TOML"),
        ("x = " + "[" * 100_000, "not valid TOML"),
        ("attributes = 1", "must be a table"),
        ("[attributes]", "at least one attribute"),
        ('name = 1\n[attributes]\nx = { values = ["a"] }', "name must be text"),
        ('colour = 1\n[attributes]\nx = { values = ["a"] }', "unknown key 'colour'"),
        ("[attributes]\nx = 1", "must be a table"),
        ("[attributes]\nx = {}", "either values or bins"),
        ('[attributes]\nx = { values = ["a"], bins = [0, 1] }', "either values or bins"),
        ('[attributes]\nx = { values = ["a"], colour = 1 }', "unknown key 'colour'"),
        ('[attributes]\nx = { values = "ab" }', "array"),
        ("[attributes]\nx = { values = [1, 2] }", "in quotes"),
        ("[attributes]\nx = { values = [] }", "empty"),
        ('[attributes]\nx = { values = ["a", "a"] }', "twice"),
        ('[attributes]\nx = { values = [""] }', "missing = true"),
        ('[attributes]\nx = { values = ["a"], ordinal = 1 }', "true or false"),
        ('[attributes]\nx = { values = ["a"], missing = 1 }', "missing must be"),
        ('[attributes]\nx = { values = ["a"], missing = "" }', "missing must be"),
        ("[attributes]\nx = { bins = 3 }", "array"),
        ("[attributes]\nx = { bins = [0, inf] }", "finite"),
        ("[attributes]\nx = { bins = [0, nan] }", "finite"),
        ("[attributes]\nx = { bins = [0, 1e999999999] }", "finite"),
        ("[attributes]\nx = { bins = [false, true] }", "finite"),
        ('[attributes]\nx = { bins = [0, "a lot"] }', "finite"),
        ("[attributes]\nx = { bins = [0, 2024-01-01] }", "finite"),
        ("[attributes]\nx = { bins = [1, 0] }", "increase"),
        (f"[attributes]\nx = {{ bins = [0, 0x{'F' * 5000}] }}", "1e300"),
        ('hierarchies = 1\n[attributes]\nx = { values = ["a"] }', "must be a table"),
        ('[attributes]\nx = { values = ["a"] }\n[hierarchies.x]\n', "levels"),
        ('[attributes]\nx = { values = ["a"] }\n[hierarchies.x]\nlevels = ["a"]', "array"),
        ('[attributes]\nx = { values = ["a"] }\n[hierarchies.y]\nlevels = [["a"]]', "'y'"),
        ('[attributes]\nx = { values = ["a"] }\n[individual]\n', "id"),
        ('[attributes]\nx = { values = ["a"] }\n[individual]\nid = 1', "id"),
        ('[attributes]\nx = { values = ["a"] }\n[individual]\nid = "x"', "also an attribute"),
        ('[attributes]\nx = { values = ["a"] }\n[individual]\nid = "i"\nm = 1', "unknown key 'm'"),
    ],
)
def test_malformed_toml_is_one_clear_error(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text)
    message = str(caught.value)
    assert rule in message
    assert str(tmp_path / "domain.toml") in message
    assert "\n" not in message


def test_a_table_given_as_domain_is_not_quoted(tmp_path: Path) -> None:
    for text in ("person,secret31337\n", "secret31337 = \n", 'a = 1\n"secret31337'):
        with pytest.raises(InputError) as caught:
            loaded(tmp_path, text)
        assert "secret31337" not in str(caught.value)


def test_files_that_are_not_domain_files(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.toml", tmp_path, tmp_path / "a\0b"):
        with pytest.raises(InputError, match="cannot be read"):
            load_domain(path)
    for name in ("binary.toml", "binary.schema.json"):
        with pytest.raises(InputError, match="UTF-8"):
            loaded(tmp_path, b"\x1f\x8b\x08\xff", name)
    with pytest.raises(InputError, match="table of records"):
        loaded(tmp_path, b"#" * (64 * 2**20 + 1))


def test_categorical_columns(tmp_path: Path) -> None:
    entry = {"type": "categorical", "values": ["2", "1", "N"], "description": "…"}
    assert column(tmp_path, entry) == Attribute("x", ("2", "1", "N"))
    entry = {"type": "categorical", "values": ["", "1"]}
    assert column(tmp_path, entry) == Attribute("x", ("1",), missing=True)
    coded = {"type": "categorical-code", "size": 3}
    assert column(tmp_path, coded) == Attribute("x", ("0", "1", "2"))


def test_short_integer_ranges_keep_each_integer(tmp_path: Path) -> None:
    attribute = column(tmp_path, {"type": "numeric", "min": -1.0, "max": 2.0, "null_value": "N"})
    assert attribute == Attribute("x", ("-1", "0", "1", "2"), True, None, True, "N")
    assert column(tmp_path, {"type": "numeric", "min": 0, "max": 199}).size == 200
    assert column(tmp_path, {"type": "numeric", "min": 0, "max": 200}).size == 100


def test_other_numbers_are_binned_exactly(tmp_path: Path) -> None:
    attribute = column(tmp_path, {"type": "numeric", "min": 0.1, "max": 0.4, "null_value": None})
    assert attribute.edges is not None
    assert attribute.ordinal
    assert not attribute.missing
    assert (attribute.edges[0], attribute.edges[-1]) == (Fraction(1, 10), Fraction(2, 5))
    widths = {b - a for a, b in zip(attribute.edges, attribute.edges[1:], strict=False)}
    assert widths == {Fraction(3, 1000)}
    assert column(tmp_path, {"type": "numeric", "min": 0.5, "max": 0.5}).values == ("0.5",)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "not valid JSON (at line 1, column 1)"),
        ('{"x": ', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "JSON object"),
        ("{}", "JSON object"),
        ('{"x": 1}', "object with a type"),
        ('{"x": {"type": 1}}', "object with a type"),
        ('{"x": {"type": "text"}}', "type must be one of"),
        ('{"x": {"type": "categorical"}}', "list of texts"),
        ('{"x": {"type": "categorical", "values": [1]}}', "list of texts"),
        ('{"x": {"type": "categorical", "values": []}}', "empty"),
        ('{"x": {"type": "categorical", "values": ["a"], "size": 1}}', "'size' is unknown"),
        ('{"x": {"type": "categorical-code", "size": 0}}', "positive integer"),
        ('{"x": {"type": "categorical-code", "size": true}}', "positive integer"),
        ('{"x": {"type": "categorical-code", "size": 2.0}}', "positive integer"),
        ('{"x": {"type": "numeric", "min": 0}}', "max must be a finite number"),
        ('{"x": {"type": "numeric", "min": "0", "max": 1}}', "min must be a finite number"),
        ('{"x": {"type": "numeric", "min": 0, "max": Infinity}}', "Infinity"),
        ('{"x": {"type": "numeric", "min": 0, "max": 1e999999999}}', "max must be a finite"),
        ('{"x": {"type": "numeric", "min": 1, "max": 0}}', "below min"),
        ('{"x": {"type": "numeric", "min": 0, "max": 1, "null_value": -1}}', "null_value"),
        ('{"x": {"type": "categorical-code", "size": 2}, "x": {}}', "'x' stands twice"),
        ('{"periods": [], "neighborhood": [], "incident_type": []}', "empty"),
        ('{"periods": 1, "neighborhood": [], "incident_type": []}', "list of objects"),
        ('{"periods": [{"year": 1}], "neighborhood": [], "incident_type": []}', "month"),
    ],
)
def test_malformed_schemas_are_one_clear_error(tmp_path: Path, text: str, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, text, "d.schema.json")
    assert rule in str(caught.value)
    assert str(tmp_path / "d.schema.json") in str(caught.value)


def test_sizes_beyond_memory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TooLargeError, match="16777216"):
        column(tmp_path, {"type": "categorical-code", "size": 10**12})


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("acs_ma2018", 7244),
        ("acs_ma2019", 7634),
        ("acs_national2018", 27111),
        ("acs_national2019", 27253),
        ("adult_coded", 48842),
        ("sf_fire_coded", 305119),
    ],
)
def test_shared_tables_are_coded_by_their_schema(
    shared_data: Path, name: str, records: int
) -> None:
    domain = load_domain(shared_data / f"{name}.schema.json")
    table = shared_data / f"{name}.csv.gz"
    dataset = read_table(table, domain, drop=())
    assert dataset.records == records
    frame = pd.read_csv(table, dtype=str, keep_default_na=False)
    assert domain.names == tuple(frame.columns)
    back = to_frame(dataset)
    for attribute in domain.attributes:
        if attribute.edges is None:
            assert back[attribute.name].tolist() == frame[attribute.name].tolist()
        else:
            texts, bins = frame[attribute.name].tolist(), back[attribute.name].tolist()
            for text, label in set(zip(texts, bins, strict=True)):
                assert (text == "N") == (label == "N")
                if text != "N":
                    low, high = (Fraction(end) for end in label[1:-1].split(", "))
                    assert low <= Fraction(text)
                    assert Fraction(text) < high or (
                        label.endswith("]") and Fraction(text) == high == attribute.edges[-1]
                    )


def test_the_incident_schema_is_a_domain(shared_data: Path) -> None:
    domain = load_domain(shared_data / "baltimore911_domain.schema.json")
    assert domain.shape == (12, 278, 174)
    assert domain.attribute("period").values[:2] == ("2019-01", "2019-02")
    assert domain.attribute("incident_type").values[-1] == "173"


def test_columns_without_declared_values_need_a_public_list(shared_data: Path) -> None:
    with pytest.raises(InputError, match=r"'fare'.*public list of values"):
        load_domain(shared_data / "chicago_taxi_15k.schema.json")
