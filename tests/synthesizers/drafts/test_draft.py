"""The file of a draft: nothing that a source says becomes a line of it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.domain import Attribute
from synthesizers.domain_toml import domain_from_toml, rules_from_toml
from synthesizers.drafts.draft import Complete, Draft, Gap, LeftOut, comment, list_values
from synthesizers.drafts.names import TYPES, draft_names
from synthesizers.errors import InputError

WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs")) | st.just("\x7f"), max_size=12)
PLAIN = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=12)
ANYTHING = st.text(min_size=0, max_size=200) | st.just('x\n[rules]\na = "b"\u2028y\r\x00\udc80')


@given(PLAIN, PLAIN, PLAIN, st.lists(ANYTHING, min_size=6, max_size=6))
def test_names_and_comments_of_strangers_stay_what_they_are(
    name: str, value: str, missing: str, said: list[str]
) -> None:
    label = missing if missing != value else ""
    attribute = Attribute(name, (value,), missing=bool(label), missing_label=label)
    columns = (Complete(attribute, said[0], said[1]), LeftOut(f"{name}y{said[2]}", said[3]))
    draft = Draft(value, said[4], columns, name + "x", (said[5],))
    text = draft.toml()
    domain = domain_from_toml(text, "other")
    assert (domain.name, domain.attributes, domain.individual) == (value, (attribute,), name + "x")
    assert not rules_from_toml(text) and set(tomllib.loads(text)) == {
        *("name", "attributes", "individual")
    }


@given(ANYTHING)
def test_comments_are_short_and_printable(said: str) -> None:
    lines = comment(said)
    assert all(line.startswith("#") and line.isprintable() for line in lines)
    assert all(len(line) <= 98 for line in lines)


def test_long_comments_are_cut() -> None:
    lines = comment("what a stranger says " * 1000)
    assert len(lines) < 12 and lines[-1].endswith("…")


@given(PLAIN, st.sampled_from(["values", "bins"]), st.booleans(), st.booleans() | PLAIN)
def test_gaps_are_refused_by_name(name: str, key: str, ordinal: bool, missing: bool | str) -> None:
    gap = Gap(name, "values" if key == "values" else "bins", "?", "", ordinal, missing)
    with pytest.raises(InputError, match="it is a draft") as caught:
        domain_from_toml(Draft("d", "s", (gap,)).toml(), "d")
    assert f"{name!r} ({key})" in str(caught.value)


def test_a_value_that_is_empty_is_a_missing_one() -> None:
    assert list_values("x", ["a", "", "a", "N"], missing="N").attribute == Attribute(
        *("x", ("a",), False, None, True, "N")
    )
    assert list_values("x", ["", "a"]).attribute == Attribute("x", ("a",), missing=True)


def test_names_and_types_alone_leave_everything_open() -> None:
    draft = draft_names([f"a:{kind}:{kind}" for kind in TYPES])
    assert [one.name for one in draft.left_out] == ["a:id"] and draft.individual == "a:id"
    assert {gap.name: gap.key for gap in draft.gaps} == {
        "a:category": "values",
        **{f"a:{kind}": "bins" for kind in ("number", "date", "datetime", "time")},
    }


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["age"], "NAME:TYPE"),
        (["age:"], "NAME:TYPE"),
        ([":number"], "NAME:TYPE"),
        (["age:float"], "number, date"),
        (["a:id", "b:id", "c:number"], "'a', 'b' are ids"),
        (["a:id"], "no column that could be"),
        (["a:number", "a:date"], "declared twice"),
    ],
)
def test_columns_of_another_form_are_refused(columns: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        draft_names(columns)
