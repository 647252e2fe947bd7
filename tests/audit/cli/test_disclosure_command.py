"""``dp-audit disclosure``: what it reads, what it refuses, what it never says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.audit.calls import Command

SEX = ("male", "female")


def write(path: Path, seed: int, size: int = 200) -> list[str]:
    """A table of so many records; its lines."""
    random = np.random.default_rng(seed)
    ages = random.uniform(0, 90, size).round(6)
    lines = [f"{SEX[int(random.integers(2))]},{age}" for age in ages]
    path.write_text("\n".join(["sex,age", *lines]) + "\n")
    return lines


@pytest.fixture
def tables(folder: Path) -> dict[str, list[str]]:
    """Three independent tables."""
    return {name: write(folder / f"{name}.csv", seed) for seed, name in enumerate("abc")}


def test_a_copy_and_an_independent_release(
    dp_audit: Command, folder: Path, tables: dict[str, list[str]]
) -> None:
    line = "disclosure a.csv {}.csv --domain domain.toml --holdout b.csv --quiet --json {}.json"
    for name in "ac":
        shown = dp_audit(line.format(name, f"out-{name}"))
        assert (shown.code, shown.err) == (0, "")
        assert "NOT PRIVATE" in shown.out and "Assumed, and not shown" in shown.out
        assert "not evidence of privacy" in shown.out and "arXiv:2505.01524" in shown.out
        assert "floor of what some attacker can do" in " ".join(shown.out.split())
        # No value of a record: ages have six decimals, none of which is in the report.
        for text in (shown.out, (folder / f"out-{name}.json").read_text()):
            assert not any(row.split(",")[1] in text for row in (*tables["a"], *tables["b"]))
    copied, other = (json.loads((folder / f"out-{name}.json").read_text()) for name in "ac")
    assert copied["copies"]["whole"] and not other["copies"]["records"]
    assert copied["membership"]["advantage"] > 0.9 and other["membership"]["advantage"] == 0
    lows = [
        {one["attack"]: one["interval"][0] for one in made["attacks"]} for made in (copied, other)
    ]
    assert lows[0]["matches in every column"] > 0.9 and not any(lows[1].values())
    assert "it is a copy" in " ".join(dp_audit(line.format("a", "x")).out.split())


def test_a_split_shows_that_coins_chose(dp_audit: Command, folder: Path, tables: object) -> None:
    assert dp_audit("split a.csv --out s --quiet").code == 0
    line = "disclosure {} s/training.csv --domain domain.toml --split s/split.json --json - --quiet"
    shown = json.loads(dp_audit(line.format("s/training.csv")).out)
    assert shown["holdout"]["by_coins"] and "Assumed" not in shown["holdout"]["says"]
    assert shown["membership"]["neighbours"] == "add-remove"
    assert shown["records"]["real"] + shown["records"]["holdout"] == 200
    other = dp_audit(line.format("a.csv"))
    assert other.code == 2 and "not the training half" in other.err


def test_a_certificate_says_what_it_bounds(dp_audit: Command, folder: Path, tables: object) -> None:
    (folder / "d.toml").write_text('[attributes]\nsex = { values = ["male", "female"] }\n')
    subject = "--set epsilon=1 --neighbours add-remove --domain d.toml"
    claimed = f"certify geometric-sanitizer {subject} --claim epsilon={{}} --out {{}}.json"
    assert dp_audit(f"{claimed.format(1, 'proved')} --rows 9").code == 0
    assert dp_audit(f"{claimed.format('1/2', 'refuted')} --records 2").code == 1
    line = "disclosure a.csv c.csv --domain d.toml --holdout b.csv --quiet --html o.html"
    shown = dp_audit(f"{line} --certificate proved.json --certificate refuted.json --json o.json")
    assert shown.code == 0, shown.err
    proved, refuted = json.loads((folder / "o.json").read_text())["certificates"]
    assert proved["obstacle"] is None and proved["steps"] == 2
    assert proved["ceiling"]["advantage"].startswith("0.7615941")
    assert refuted["ceiling"] is None and "nothing was shown" in refuted["obstacle"]
    page = (folder / "o.html").read_text()
    assert "What certificates bound" in page and "bounds nothing here" in page
    # The column that the domain lacks is named.
    assert "a.csv has columns that the domain does not declare" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("", "give a holdout, or the record of a split"),
        ("--holdout b.csv --split s.json", "give a holdout, or the record of a split"),
        ("--holdout absent.csv", "absent.csv"),
        ("--holdout b.csv --quasi-identifiers job", "the domain has no attribute 'job'"),
        ("--holdout b.csv --quasi-identifiers sex,sex", "each once"),
        ("--holdout b.csv --quasi-identifiers sex --secret sex", "both a quasi-identifier and"),
        ("--holdout b.csv --secret ''", "no attribute ''"),
        ("--holdout b.csv --link sex", "--link is given twice"),
        ("--holdout b.csv --link sex --link sex,age", "no column is in both"),
        ("--holdout b.csv --confidence 1", "strictly between 0 and 1"),
        ("--holdout b.csv --seed x", "--seed must be a whole number"),
        ("--holdout b.csv --certificate b.csv", "b.csv"),
        ("--holdout - ", "name the tables"),
        ("--holdout b.csv --json a.csv", "used twice"),
        ("--holdout empty.csv", "the table has no records"),
        ("--holdout odd.csv", "odd.csv"),
        ("--split b.csv", "b.csv"),
    ],
)
def test_bad_input_is_one_sentence(
    dp_audit: Command, folder: Path, tables: object, flags: str, said: str
) -> None:
    (folder / "empty.csv").write_text("sex,age\n")
    (folder / "odd.csv").write_text("sex,age\nsecretly,20\n")
    shown = dp_audit(f"disclosure a.csv c.csv --domain domain.toml --quiet {flags}")
    assert shown.code == 2 and shown.out == ""
    assert shown.err.count("\n") == 1 and said in shown.err and "Traceback" not in shown.err
    assert "secretly" not in shown.err


def test_small_and_narrow_tables_end_in_a_report(dp_audit: Command, folder: Path) -> None:
    (folder / "narrow.toml").write_text('[attributes]\nsex = { values = ["male", "female"] }\n')
    (folder / "one.csv").write_text("sex\nmale\n")
    line = "disclosure one.csv one.csv --domain narrow.toml --holdout one.csv --quiet --json -"
    found = json.loads(dp_audit(line).out)
    assert found["link"] is None and found["secrets"] == []
    assert all(one["interval"][1] == 1 or one["real"]["made"] for one in found["attacks"])
    shown = dp_audit(line.replace(" --json -", ""))
    assert shown.code == 0 and "none of 0" in shown.out
    known = json.loads(dp_audit(f"{line} --quasi-identifiers sex").out)
    assert known["quasi_identifiers"] == ["sex"] and known["secrets"] == []


def test_every_result_is_the_same_again(dp_audit: Command, folder: Path, tables: object) -> None:
    line = "disclosure a.csv c.csv --domain domain.toml --holdout b.csv --quiet --json - --seed {}"
    first, again, other = (dp_audit(line.format(seed)).out for seed in (3, 3, 4))
    assert first == again != other
