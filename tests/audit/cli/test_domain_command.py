"""``dp-audit domain``: where the draft goes, what is said of it, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synthesizers.drafts.from_table import GIVES_AWAY
from synthesizers.schemas import load_domain
from tests.audit.calls import Command
from tests.synthesizers.drafts.samples import METADATA, SCHEMAS, TABLES

PEOPLE = "sex,age,seen,income\nf,20,2020-02-29,31337\nm,71,2020-05-01,5\nf,N,2020-05-02,700\n"


@pytest.fixture
def sources(folder: Path) -> Path:
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "metadata.json").write_text(json.dumps(METADATA))
    (folder / "tables.json").write_text(json.dumps(TABLES))
    return folder


def test_a_draft_is_printed_and_what_it_leaves_open_is_said(dp_audit: Command) -> None:
    shown = dp_audit("domain age:number sex:category who:id")
    assert shown.code == 0 and shown.out.startswith("# A draft") and 'id = "who"' in shown.out
    assert "What you must still fill in:\n  age: edges" in shown.err
    quiet = dp_audit("domain age:number --quiet")
    assert quiet.err == "" and quiet.out.endswith('age = { bins = "FILL IN", ordinal = true }\n')


def test_the_command_that_load_domain_names_converts(dp_audit: Command, sources: Path) -> None:
    refused = dp_audit("utility people.csv people.csv --domain metadata.json")
    assert refused.code == 2 and refused.err.count("\n") == 1
    command = refused.err.split("convert it by: dp-audit ")[1].replace("domain.toml", "new.toml")
    made = dp_audit(command)
    assert made.code == 0 and "What you must still fill in" in made.out and not made.err
    unfilled = dp_audit("utility people.csv people.csv --domain new.toml")
    assert unfilled.code == 2 and "'room' (values), 'fee' (bins), 'checkin' (bins)" in unfilled.err


def test_a_public_table_is_drafted_and_used(dp_audit: Command, sources: Path) -> None:
    made = dp_audit("domain --from-public-table people.csv --out new.toml --bins income=2")
    assert made.code == 0 and "What you must check:" in made.out
    domain = load_domain("new.toml")
    assert domain.names == ("sex", "age", "seen", "income") and domain.attribute("income").edges
    program = "independent-marginals --set epsilon=1 --set delta=1e-6"
    release = f"release {program} --data people.csv --domain new.toml"
    made = dp_audit(f"{release} --numbers-within-bins --out s.csv")
    assert made.code == 0, made.err
    (sources / "s.csv").read_text()
    metric = "--metric total-variation --no-baseline"
    assert dp_audit(f"utility people.csv s.csv --domain new.toml {metric}").code == 0


def test_a_confidential_table_is_drafted_by_that_name_alone(
    dp_audit: Command, sources: Path
) -> None:
    refused = dp_audit("domain --from-confidential-table people.csv")
    assert refused.code == 2 and "give --out FILE" in refused.err and "31337" not in refused.err
    shown = dp_audit("domain --from-confidential-table people.csv --json -")
    assert (shown.code, shown.out) == (2, "")
    made = dp_audit("domain --from-confidential-table people.csv --out new.toml")
    assert made.code == 0 and all(sentence in made.out for sentence in GIVES_AWAY)
    assert "31337" not in made.out + made.err and "31337" in (sources / "new.toml").read_text()
    # Every attribute has its warning.
    assert (sources / "new.toml").read_text().count("CHECK:") == 4
    load_domain("new.toml")


def test_tables_and_bins_are_named(dp_audit: Command, sources: Path) -> None:
    assert "name one by --table" in dp_audit("domain --from-schema tables.json").err
    guests = dp_audit("domain --from-schema tables.json --table guests --quiet")
    assert guests.code == 0 and 'name = "guests"' in guests.out
    (sources / "n.json").write_text(json.dumps(SCHEMAS["nist"]))
    bins = dp_audit("domain --from-schema n.json --bins INCOME=2 --quiet").out
    assert "INCOME = { bins = [-9, 663495, 1327000], ordinal = true" in bins
    apart = "domain --from-public-table people.csv --bins income=2 --apart income=31337 --quiet"
    assert "bins = [5, 31337, 31338]" in dp_audit(apart).out
    kept = dp_audit("domain --from-public-table people.csv --id income --quiet").out
    assert kept.endswith('[individual]\nid = "income"\n')


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("domain", "a draft has one source"),
        ("domain age:number --from-schema metadata.json", "name one of them"),
        ("domain age", "NAME:TYPE"),
        ("domain age:number --bins 3", "--bins says nothing"),
        ("domain age:number --table x", "--table says nothing"),
        ("domain --from-schema metadata.json --id x", "--id says nothing"),
        ("domain --from-schema metadata.json --apart x=1", "--apart says nothing"),
        ("domain --from-public-table people.csv --bins x", "whole number"),
        ("domain --from-public-table people.csv --bins 0", "from 1 to"),
        ("domain --from-public-table people.csv --bins 10001", "at most 10000"),
        ("domain --from-public-table people.csv --apart sex", "COLUMN=CODE"),
        ("domain --from-public-table people.csv --apart sex=1/2", "COLUMN=CODE"),
        ("domain --from-public-table people.csv --bins wage=3", "no column 'wage'"),
        ("domain --from-public-table people.txt", "people.txt"),
        ("domain --from-public-table people.csv --out people.csv", "used twice"),
        ("domain age:number --out domain.toml", "is there already"),
        ("domain age:number --out gone/domain.toml", "does not exist"),
    ],
)
def test_what_makes_no_sense_is_one_clear_error(
    dp_audit: Command, sources: Path, line: str, said: str
) -> None:
    before = sorted(path.name for path in sources.iterdir())
    shown = dp_audit(line)
    assert (shown.code, shown.out) == (2, "") and said in shown.err and shown.err.count("\n") == 1
    assert sorted(path.name for path in sources.iterdir()) == before
