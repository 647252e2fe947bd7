"""Schemas of other tools: each form is told from the others, drafted, converted, or refused."""

from __future__ import annotations

import io
import json
import shlex
import sys
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synthesizers.domain_toml import FILL_IN, domain_from_toml
from synthesizers.drafts.draft import Bins, Complete, Draft
from synthesizers.drafts.forms import FORMS, draft_schema_file
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain
from tests.synthesizers.drafts.samples import (
    DECLARED,
    DICTIONARY,
    GAPS,
    IDS,
    LEFT_OUT,
    METADATA,
    NIST,
    SCHEMAS,
    TABLE_SCHEMA,
    TABLES,
)

OWN = ("columns",)
"""The form that is a domain file where it says everything."""

BACKWARDS = {
    "name": "x",
    "type": "date",
    "constraints": {"minimum": "2021-01-01", "maximum": "2020-01-01"},
}


NO_BINS = Bins()


def write_schema(folder: Path, schema: Any, name: str = "schema.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(schema))
    return path


def draft_file(folder: Path, schema: Any, bins: Bins = NO_BINS, table: str | None = None) -> Draft:
    return draft_schema_file(write_schema(folder, schema), bins, table)


def refuse_file(folder: Path, schema: Any, table: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        draft_file(folder, schema, table=table)
    assert str(folder / "schema.json") in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


def test_every_form_has_a_sample_that_no_other_form_fits() -> None:
    fitting = {
        name: [f.spoken for f in FORMS if f.fits(schema)] for name, schema in SCHEMAS.items()
    }
    assert all(len(spoken) == 1 for spoken in fitting.values()), fitting
    assert {spoken for (spoken,) in fitting.values()} == {form.spoken for form in FORMS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_draft_declares_what_the_schema_says_and_marks_the_rest(
    name: str, tmp_path: Path
) -> None:
    draft = draft_file(tmp_path, SCHEMAS[name])
    complete = [one.attribute for one in draft.columns if isinstance(one, Complete)]
    assert complete == DECLARED[name]
    assert {gap.name: gap.key for gap in draft.gaps} == GAPS[name]
    assert [one.name for one in draft.left_out] == LEFT_OUT.get(name, [])
    assert draft.individual == IDS.get(name)
    with pytest.raises(InputError, match="it is a draft") as caught:
        domain_from_toml(draft.toml(), "d")
    assert all(f"{gap!r} ({key})" in str(caught.value) for gap, key in GAPS[name].items())


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_draft_is_a_domain_file_once_its_gaps_are_filled(name: str, tmp_path: Path) -> None:
    draft = draft_file(tmp_path, SCHEMAS[name])
    text = draft.toml()
    for key, filling in (("bins", "[0, 1, 2]"), ("values", '["a", "b"]')):
        text = text.replace(f'{key} = "{FILL_IN}"', f"{key} = {filling}")
    (tmp_path / "filled.toml").write_text(text)
    domain = load_domain(tmp_path / "filled.toml")
    assert [a.name for a in domain.attributes] == [a.name for a in draft.attributes]
    assert domain.individual == draft.individual
    assert [a for a in domain.attributes if a in DECLARED[name]] == DECLARED[name]


@pytest.mark.parametrize("name", sorted(set(SCHEMAS) - set(OWN)))
def test_a_foreign_schema_given_as_domain_is_told_with_the_command(
    name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "two words"
    folder.mkdir()
    for path in (
        write_schema(folder, SCHEMAS[name]),
        write_schema(folder, SCHEMAS[name], "schema.txt"),
    ):
        with pytest.raises(InputError, match="no domain file; convert it by: ") as caught:
            load_domain(path)
        command = shlex.split(str(caught.value).split("convert it by: ")[1])
        flags = ["dp-audit", "domain", "--from-schema", str(path), "--out", "domain.toml"]
        assert command == flags


def test_our_own_schema_is_read_as_before_and_its_raw_columns_are_told(tmp_path: Path) -> None:
    own = SCHEMAS["columns"]
    whole = {"sex": own["sex"]}
    assert list(load_domain(write_schema(tmp_path, whole)).attributes) == DECLARED["columns"]
    with pytest.raises(InputError, match=r"no declared values; .* --from-schema drafts it"):
        load_domain(write_schema(tmp_path, own))


def test_bins_of_equal_width_are_drafted_where_they_are_asked_for(tmp_path: Path) -> None:
    draft = draft_file(tmp_path, NIST, Bins(4, (("DENSITY", 2),)))
    binned = {one.name: one.attribute.edges for one in draft.checks}
    assert binned["DENSITY"] == (16, 17, 18)
    # (1327000 + 9) / 4 = 331752.25: whole edges at or below.
    assert binned["INCOME"] == (-9, 331743, 663495, 995247, 1327000)
    assert [gap.name for gap in draft.gaps] == ["OPEN"]
    ratio = draft_file(tmp_path, {"R": DICTIONARY["RATIO"]}, Bins(3))
    assert ratio.checks[0].attribute.edges == (0, 167, 334, 501)
    exact = draft_file(tmp_path, {"W": DICTIONARY["WEIGHT"]}, Bins(3))
    assert exact.checks[0].attribute.edges == (0, Fraction(19, 6), Fraction(19, 3), Fraction(19, 2))


def test_one_of_several_tables_is_named(tmp_path: Path) -> None:
    assert "2 tables: name one by --table, of 'hotels', 'guests'" in refuse_file(tmp_path, TABLES)
    assert "no table 'x'" in refuse_file(tmp_path, TABLES, "x")
    hotels = draft_file(tmp_path, TABLES, table="hotels")
    assert (hotels.name, hotels.individual) == ("hotels", "hotel")


def test_dates_of_another_spelling_are_told(tmp_path: Path) -> None:
    text = draft_file(tmp_path, METADATA).toml()
    assert "# datetime, written as %d %b %Y: tables must write it as 2020-01-31" in text
    assert "bins = [2020-01-01, 2020-07-01, 2021-01-01]" in text
    seen = draft_file(tmp_path, TABLE_SCHEMA).toml()
    assert "edges from 2020-01-01 to 2020-12-31" in seen


def test_runs_of_a_challenge_tell_the_records_of_a_person(tmp_path: Path) -> None:
    assert "--unit person --max-records 7" in draft_file(tmp_path, SCHEMAS["parameters"]).toml()


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"a": 1}, "none of the forms that are known: metadata of SDV"),
        ({"fields": []}, "no column that could be an attribute"),
        ({"fields": [{"name": 3}]}, "every field needs a name"),
        ({"fields": [{"name": "x", "constraints": 1}]}, "constraints must be an object"),
        ({"fields": [{"name": "x", "constraints": {"enum": [[]]}}]}, "must be texts or numbers"),
        ({"fields": [{"name": "x", "constraints": {"enum": []}}]}, "list of values is empty"),
        ({"fields": [{"name": "x\n[rules]"}]}, "control character"),
        ({"fields": [{"name": "x"}, {"name": "x"}]}, "declared twice"),
        ({"fields": [BACKWARDS]}, "increase"),
        ({"x": {"dtype": "int64", "min": 3, "max": 1}}, "maximum is below"),
        ({"x": {"dtype": "int64", "min": "a", "max": 1}}, "finite number"),
        ({"x": {"dtype": "object", "values": 3}}, "must be an object"),
        ({"x": {"dtype": "object", "values": ["a\u0000"]}}, "control character"),
        ({"x": {"dtype": "int64", "null_value": "a\n", "min": 0, "max": 900}}, "control"),
        ({"x": {"description": "d", "values": {"min": 0, "max": []}}}, "finite number"),
        ({"columns": {"x": {"sdtype": "email"}}}, "no column that could be an attribute"),
        ({"x": {"type": "colour"}}, "its type must be one of"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_clear_error(schema: Any, said: str, tmp_path: Path) -> None:
    assert said in refuse_file(tmp_path, schema)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"sex = 1", "not valid JSON"),
        (b"[]", "must be a JSON object"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": {}, "a": {}}', "stands twice"),
        (b"[" * 100_000, "not valid JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"", "not valid JSON"),
    ],
)
def test_what_is_no_schema_is_one_clear_error(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_bytes(content)
    with pytest.raises(InputError, match=said):
        draft_schema_file(tmp_path / "schema.json", Bins())
    with pytest.raises(InputError, match="cannot be read"):
        draft_schema_file(tmp_path / "absent.json", Bins())


def test_a_schema_comes_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    given = io.BytesIO(json.dumps(METADATA).encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=given))
    assert draft_schema_file("-", Bins()).name == "domain"


def test_the_parameters_of_the_taxi_challenge(shared_data: Path) -> None:
    """The public file: 5 columns of numbers without bins, 21 shifts, an id with 200 records."""
    draft = draft_schema_file(shared_data.parent / "specs" / "deid2-parameters.json", Bins(50))
    domain = domain_from_toml(draft.toml(), "d")
    assert domain.attribute("shift").size == 21 and domain.individual == "taxi_id"
    assert domain.attribute("fare").size == 50 and "--max-records 200" in draft.toml()


def test_every_shared_schema_is_drafted(shared_data: Path) -> None:
    for path in sorted(shared_data.glob("*.schema.json")):
        draft = draft_schema_file(path, Bins())
        if not draft.gaps:
            assert domain_from_toml(draft.toml(), "d").attributes == load_domain(path).attributes
        else:
            assert path.name == "chicago_taxi_15k.schema.json"
