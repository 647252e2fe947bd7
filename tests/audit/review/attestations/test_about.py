"""What a user states: a draft that is filled in is read, and anything else is refused."""

from __future__ import annotations

import tomllib

import pytest

from audit.review.attestations.about import (
    ADDED,
    FIELDS,
    FILL_IN,
    REQUIRED,
    draft_about,
    parse_about,
)
from audit.review.attestations.registry_schema import part_of
from synthesizers.errors import InputError
from tests.audit.review.attestations.made_attestations import ABOUT, state_all


def test_the_draft_has_every_field_and_is_refused_until_it_is_filled() -> None:
    draft = draft_about()
    with pytest.raises(InputError, match=f"url_slug still says {FILL_IN}"):
        parse_about(draft, "about.toml")
    uncommented = "\n".join(
        line.removeprefix("# ") if f'"{FILL_IN}"' in line else line for line in draft.splitlines()
    )
    choices = {field: part_of(field)["enum"][0] for field in FIELDS if "enum" in part_of(field)}
    for field, choice in choices.items():
        uncommented = uncommented.replace(f'{field[-1]} = "{FILL_IN}"', f'{field[-1]} = "{choice}"')
    dated = uncommented.replace(f'date = "{FILL_IN}"', "date = 2026-01-31")
    found = parse_about(dated.replace(f'"{FILL_IN}"', '"so"'), "about.toml")
    assert set(found) == set(FIELDS)
    assert found[("deployment", "basic", "publication_date")] == "2026-01-31"
    assert set(tomllib.loads(draft)["basic"]) == {f[-1] for f in REQUIRED if "basic" in f}


def test_what_is_stated_is_kept_as_it_is() -> None:
    found = state_all()
    assert found[("url_slug",)] == "clinic"
    assert found[("deployment", "basic", "data_curators")] == ("A clinic", "Another")
    assert found[("deployment", "implementation", "mechanisms")] == "Records lie in a vault."
    assert set(ADDED) & set(found)


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ('name = "Clinic visits"', "", "does not state basic.name, which no certificate knows"),
        ('name = "Clinic visits"', "name = 3", "basic.name is a text that is not empty"),
        ('name = "Clinic visits"', 'name = " "', "basic.name is a text that is not empty"),
        ('name = "Clinic visits"', 'nam = "x"', "no entry has the field 'basic.nam'; did you mean"),
        ('"Synthetic data"', '"A table"', "basic.data_product_type: expected 'Summary statistics'"),
        ("2026-01-31", '"2026-02-30"', "basic.publication_date: expected a date such as"),
        ("2026-01-31", "2026-01-31T12:00:00", "publication_date is a text that is not empty"),
        ('["A clinic", "Another"]', "[]", "basic.data_curators: expected a list of 1 to"),
        ('["A clinic", "Another"]', "[3]", r"data_curators\[0\]: expected a text"),
        ('["A clinic", "Another"]', '"A clinic"', "basic.data_curators: expected a list"),
        ("[implementation]", 'tier = "3"\n[implementation]', "no entry has the field 'basic.tier'"),
        ("[basic]", "tier = 3\n[basic]", "tier is filled from the certificate; take it out"),
        (
            "[implementation]",
            '[dp_variant]\nvariant_name = "Pure DP"\n[implementation]',
            "dp_variant.variant_name is filled from the certificate",
        ),
        (
            "[implementation]",
            "[privacy_loss.privacy_parameters]\nepsilon = 0.1\n[implementation]",
            "privacy_loss.privacy_parameters.epsilon is filled from the certificate",
        ),
        ("[basic]", "[basic", "is not TOML"),
    ],
)
def test_anything_else_is_refused(before: str, after: str, says: str) -> None:
    assert before in ABOUT
    with pytest.raises(InputError, match=f"^about.toml.*{says}"):
        parse_about(ABOUT.replace(before, after, 1), "about.toml")
