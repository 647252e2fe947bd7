"""Each command as a user runs it: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.cli import common
from dp_audit.arguments import process_count, whole_number
from synthesizers.errors import InputError
from synthesizers.programs import PROGRAMS
from tests.audit.calls import Command, Shown
from tests.audit.processes import ROOT, run

SECRET = "zebra"
GEOMETRIC = "geometric-sanitizer --set epsilon=1"
CERTIFY = f"certify {GEOMETRIC} --cells 2 --records 3 --neighbours replace-one"
UNPROVED = (
    "certify subsample --set fraction=1/2 --cells 2 --records 2 --neighbours replace-one "
    "--claim 'epsilon=1, delta=1/2'"
)
"""It holds, which an enumeration shows and no rule does."""


def one_line(shown: Shown, code: int) -> None:
    assert shown.code == code, shown.err
    lines = [line for line in shown.err.splitlines() if line.startswith("dp-audit: ")]
    assert len(lines) == 1 and "Traceback" not in shown.err
    assert SECRET not in shown.err + shown.out
    assert shown.out == ""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# list


@pytest.mark.parametrize("topic", ["programs", "auditors", "metrics", "noise", "causes"])
def test_list_one_topic(dp_audit: Command, topic: str) -> None:
    shown = dp_audit(f"list {topic}")
    assert shown.code == 0 and shown.err == "" and shown.out.startswith(topic)


def test_list_has_every_program_with_its_card(dp_audit: Command) -> None:
    brief, cards = dp_audit("list").out, dp_audit("list programs").out
    for program in PROGRAMS:
        assert program in brief and program in cards
    assert cards.count("Known weaknesses:") == len(PROGRAMS)
    for law in ("discrete-laplace", "discrete-gaussian", "randomized-response", "exponential"):
        assert law in dp_audit("list noise").out


# channel


def test_channel_writes_what_the_contract_says(dp_audit: Command, folder: Path) -> None:
    shown = dp_audit(
        "channel geometric-sanitizer --cells 2 --records 5 --set epsilon=2 --epsilon 1 --epsilon "
        "1/2 --json c.json --csv c.csv --html c.html --quiet"
    )
    assert shown.code == 0 and shown.err == "" and "ε = 2" in shown.out
    data = json.loads((folder / "c.json").read_text())
    assert len(data["databases"]) == 6 == len(data["outputs"])
    assert set(data["delta"]) == {"1", "1/2"}
    assert abs(data["epsilon"]["lower"] - 2) < 1e-9
    assert abs(sum(data["probabilities"][0]) - 1) < 1e-12
    # Ordered pairs of neighbours, once each: 5 steps between 6 databases, both ways.
    pairs = [(tuple(p["from"]), tuple(p["to"])) for p in data["log_odds"]]
    assert len(pairs) == len(set(pairs)) == 10
    header = (folder / "c.csv").read_text().splitlines()[0]
    assert header.startswith("database,0-5,1-4")
    page = (folder / "c.html").read_text()
    assert "<html" in page and "http://" not in page.replace("http://www.w3.org", "")


def test_a_channel_written_is_a_channel_read(dp_audit: Command) -> None:
    words = "channel multinomial-dirichlet --cells 2 --records 3 --exact --csv c.csv --quiet"
    assert dp_audit(words).code == 0
    # ln(1 + 3/(1/2)) = ln 7 = 1.94591...
    held = "certify c.csv --neighbours replace-one --quiet --claim epsilon="
    assert dp_audit(held + "1.9460").code == 0
    assert dp_audit(held + "1.9459").code == 1


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_channel_file_is_analysed_as_its_program_is(
    dp_audit: Command, folder: Path, form: str
) -> None:
    words = "channel multinomial-dirichlet --cells 2 --records 3 --exact --epsilon 1 --quiet"
    assert dp_audit(f"{words} --csv c.csv --json c.json").code == 0
    if form == "parquet":
        pd = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pd.read_csv(folder / "c.csv", dtype=str).to_parquet(folder / "c.parquet")
    shown = dp_audit(f"channel c.{form} --exact --epsilon 1 --json again.json --html c.html")
    assert shown.code == 0 and "1.9459" in shown.out, "not ln 7"
    own, again = (json.loads((folder / name).read_text()) for name in ("c.json", "again.json"))
    for key in ("databases", "outputs", "epsilon", "delta", "probabilities", "witness"):
        assert again[key] == own[key], key
    assert dp_audit(f"certify c.{form} --neighbours replace-one --claim epsilon=1.946").code == 0


def test_a_matrix_that_someone_has_is_analysed(dp_audit: Command, folder: Path) -> None:
    rows = ("database,0-2,1-1,2-0", "0-2,3/4,1/4,0", "1-1,1/4,1/2,1/4", "2-0,0,1/4,3/4")
    (folder / "swap.csv").write_text("\n".join(rows))
    shown = dp_audit("channel swap.csv --json c.json")
    data = json.loads((folder / "c.json").read_text())
    # The output 0-2 has no chance under 2-0, and 1/4 under its neighbour 1-1.
    assert shown.code == 0 and data["epsilon"] == {"lower": "inf", "upper": "inf"}
    assert dp_audit("channel swap.csv --cells 2 --records 2").code == 0


@pytest.mark.parametrize(
    "words",
    [
        "channel c.csv --cells 3",
        "channel c.csv --records 9",
        "channel c.csv --set epsilon=1",
        "channel c.csv --domain domain.toml",
        "channel c.csv --rows 3",
        "channel absent.csv",
        "channel other.json",
        "channel c.json --neighbours add-remove",
        "channel c.json --released transcript",
        f"channel {GEOMETRIC} --cells 2 --records 3 --rounded",
        f"channel {GEOMETRIC} --cells 2",
        "channel c.csv --json c.csv",
    ],
)
def test_a_channel_file_has_its_own_cells_and_records(
    dp_audit: Command, folder: Path, words: str
) -> None:
    made = f"channel {GEOMETRIC} --cells 2 --records 2 --csv c.csv --json c.json --quiet"
    assert dp_audit(made).code == 0
    (folder / "other.json").write_text('{"databases": [[1, 0]], "outputs": 3, "probabilities": []}')
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    one_line(dp_audit(words + " --html c.html"), 2)
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


def test_channel_says_how_large_the_job_is(dp_audit: Command) -> None:
    shown = dp_audit(f"channel {GEOMETRIC} --cells 3 --records 2")
    assert "27 transcripts" in shown.err and "replace-one" in shown.err


def test_exact_numbers_are_strings(dp_audit: Command, folder: Path) -> None:
    words = "channel subsample --set fraction=1/2 --cells 2 --records 4 --exact --json c.json"
    assert dp_audit(words).code == 0
    data = json.loads((folder / "c.json").read_text())
    flat = [value for row in data["probabilities"] for value in row]
    assert all(isinstance(value, str) for value in flat)
    assert data["epsilon"] == {"lower": "inf", "upper": "inf"}


@pytest.mark.parametrize(
    "words",
    [
        f"channel {GEOMETRIC} --cells 9 --records 9",
        f"channel {GEOMETRIC} --cells 999999999 --records 1",
        f"channel {GEOMETRIC} --cells 2 --records -1",
        f"channel {GEOMETRIC} --cells 2 --records two",
        f"channel {GEOMETRIC} --cells 2 --records 2.5",
        f"channel {GEOMETRIC} --cells 2 --records 3 --epsilon nan",
        f"channel {GEOMETRIC} --cells 2 --records 3 --epsilon -1",
        f"channel {GEOMETRIC} --cells 2 --records 3 --epsilon inf",
        f"channel {GEOMETRIC} --cells 2 --records 3 --jobs 0",
        f"channel {GEOMETRIC} --cells 2x --records 3",
        f"channel {GEOMETRIC} --cells 0 --records 3",
        f"channel {GEOMETRIC} --cells 2 --domain domain.toml --records 3",
        f"channel {GEOMETRIC} --records 3",
        f"channel {GEOMETRIC} --domain absent.toml --records 3",
        f"channel {GEOMETRIC} --domain table.csv --records 3",
        f"channel {GEOMETRIC} --cells 2 --records 3 --neighbours both",
        f"channel {GEOMETRIC} --cells 2 --records 3 --unit person",
        f"channel {GEOMETRIC} --cells 2 --records 3 --unit family",
        f"channel {GEOMETRIC} --cells 2 --records 3 --max-records 2",
        f"channel {GEOMETRIC} --cells 2 --records 3 --set epsilon=2",
        f"channel {GEOMETRIC} --cells 2 --records 3 --json no/such/folder.json",
        f"channel {GEOMETRIC} --cells 2 --records 3 --csv .",
        "channel geometric-sanitizer --cells 2 --records 3",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon=0",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon=-1",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon=nan",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon=inf",
        "channel geometric-sanitizer --cells 2 --records 3 --set epsilon=1e99999",
        "channel subsample --cells 2 --records 3 --set fraction=2",
        "channel multinomial-dirichlet --cells 2 --records 3 --set alpha=0",
        f"channel {GEOMETRIC} --cells 2 --records 3 --prior 1",
        f"channel {GEOMETRIC} --cells 2 --records 3 --prior none",
        f"channel {GEOMETRIC} --cells 2 --records 3 --optimum -1",
        "channel multinomial-dirichlet --cells 2 --records 3 --set alpha=1,1,1",
        "channel nothing --cells 2 --records 3",
        "channel nowhere_at_all:f --cells 2 --records 3",
    ],
)
def test_bad_input_to_channel_is_one_line_and_no_file(
    dp_audit: Command, folder: Path, words: str
) -> None:
    before = names(folder)
    one_line(dp_audit(words + " --html c.html"), 2)
    assert names(folder) == before


# certify


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (f"{CERTIFY} --claim epsilon=1", 0),
        (f"{CERTIFY} --claim epsilon=1 --require exact", 0),
        (f"{CERTIFY} --claim epsilon=1 --require proof", 0),
        (f"{UNPROVED} --require exact", 0),
        (f"{UNPROVED} --require proof", 3),
        (f"{CERTIFY} --claim epsilon=0.999", 1),
        (f"{CERTIFY} --claim epsilon=0.999 --require proof", 1),
        (f"{CERTIFY} --claim 'epsilon=1/2, delta=0.3'", 0),
        ("certify multinomial-dirichlet --neighbours replace-one --cells 9 --records 300 "
         "--claim epsilon=1", 0),
        ("certify multinomial-dirichlet --neighbours replace-one --cells 9 --records 300 "
         "--claim epsilon=1 --require exact", 3),
        (f"certify {GEOMETRIC} --neighbours add-remove --cells 2 --records 900 --claim epsilon=1/2",
         3),
    ],
)  # fmt: skip
def test_certify_exits_with_the_verdicts_code(dp_audit: Command, words: str, code: int) -> None:
    shown = dp_audit(words)
    assert shown.code == code and "Traceback" not in shown.err
    assert "sha256:" in shown.out


PROPERTIES = "sensitivity,composition,data-independence,noise-law,utility-sanity"


@pytest.mark.parametrize(
    ("named", "code", "verdict"),
    [
        ("proof", 0, "PROVED"),
        ("exhaustive", 0, "EXACT"),
        ("sensitivity", 3, "UNDECIDED"),
        ("Noise_law, proof", 0, "PROVED"),
        pytest.param(PROPERTIES, 3, "UNDECIDED", marks=pytest.mark.slow),
    ],
)
def test_certify_runs_the_named_auditors_alone(
    dp_audit: Command, folder: Path, named: str, code: int, verdict: str
) -> None:
    words = f"{CERTIFY} --claim epsilon=1 --auditors '{named}' --out cert.json"
    shown = dp_audit(words)
    assert shown.code == code and "not run" not in shown.err
    document = json.loads((folder / "cert.json").read_text())
    heard = {one["auditor"] for one in document["evidence"]}
    wanted = {word.strip().lower().replace("-", " ").replace("_", " ") for word in named.split(",")}
    assert (document["verdict"], heard) == (verdict, wanted)
    assert dp_audit("verify cert.json").code == 0


def test_certify_says_which_auditors_it_left_out_and_why(dp_audit: Command) -> None:
    shown = dp_audit(f"{CERTIFY} --claim epsilon=1")
    said = " ".join(shown.err.split())
    assert "not run: attack (give --runs N)" in said
    assert "data independence, noise law, utility sanity (name it with --auditors)" in said
    assert dp_audit(f"{CERTIFY} --claim epsilon=1 --quiet").err == ""


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("--auditors proofs", "no auditor 'proofs'"),
        ("--auditors attack", "--runs"),
        ("--auditors proof --runs 100", "name it in --auditors"),
    ],
)
def test_auditors_that_do_not_fit_are_refused(dp_audit: Command, words: str, match: str) -> None:
    shown = dp_audit(f"{CERTIFY} --claim epsilon=1 {words}")
    one_line(shown, 2)
    assert match in " ".join(shown.err.split())


def test_certify_writes_certificate_and_report(dp_audit: Command, folder: Path) -> None:
    assert (
        dp_audit(f"{CERTIFY} --claim epsilon=1 --out c.json --json d.json --html c.html").code == 0
    )
    assert (folder / "c.json").read_text() == (folder / "d.json").read_text()
    document = json.loads((folder / "c.json").read_text())
    assert document["verdict"] == "PROVED"
    assert "PROVED" in (folder / "c.html").read_text()
    assert dp_audit("verify c.json").code == 0
    assert dp_audit("verify d.json").code == 0


@pytest.mark.parametrize(
    "words",
    [
        f"{CERTIFY} --claim epsilon=1",
        f"{CERTIFY} --claim epsilon=1 --released transcript",
        f"certify {GEOMETRIC} --domain domain.toml --data table.csv --neighbours replace-one "
        "--claim epsilon=1",
        "certify laplace-sanitizer --set epsilon=1 --cells 2 --records 3 --neighbours add-remove "
        "--claim 'epsilon=1/2, delta=0.01'",
        "certify laplace-sanitizer --set epsilon=1 --set rescale=no --cells 2 --records 2 "
        "--neighbours add-remove --unit person --max-records 2 --rows 4 --claim epsilon=0.5",
        "certify multinomial-dirichlet --neighbours replace-one --cells 9 --records 300 "
        "--claim epsilon=1",
    ],
)
def test_the_command_in_a_certificate_makes_it_again(
    dp_audit: Command, folder: Path, words: str
) -> None:
    dp_audit(f"{words} --out c.json")
    document = json.loads((folder / "c.json").read_text())
    again = shlex.split(document["reproduce"])
    assert again[0] == "dp-audit"
    dp_audit(shlex.join(again[1:]), "--out", "d.json")
    assert json.loads((folder / "d.json").read_text()) == document
    assert dp_audit("verify d.json").code == 0


def test_data_say_how_many_records_there_are_only_where_that_is_public(
    dp_audit: Command, folder: Path
) -> None:
    base = f"certify {GEOMETRIC} --domain domain.toml --data table.csv --claim epsilon=1 "
    dp_audit(base + "--neighbours replace-one --out c.json")
    assert json.loads((folder / "c.json").read_text())["domain"]["records"] == 3
    shown = dp_audit(base + "--neighbours add-remove")
    one_line(shown, 2)
    assert "3" not in shown.err
    dp_audit(base + "--neighbours add-remove --records 2 --out d.json")
    assert json.loads((folder / "d.json").read_text())["domain"]["records"] == 2
    one_line(dp_audit(base + "--neighbours replace-one --records 4"), 2)


@pytest.mark.parametrize(
    "words",
    [
        f"{CERTIFY} --claim epsilon",
        f"{CERTIFY} --claim epsilon=-1",
        f"{CERTIFY} --claim epsilon=nan",
        f"{CERTIFY} --claim epsilon=inf",
        f"{CERTIFY} --claim epsilon=1e9999",
        f"{CERTIFY} --claim epsilon=one",
        f"{CERTIFY} --claim 'epsilon=1, delta=1'",
        f"{CERTIFY} --claim 'epsilon=1, delta=-0.1'",
        f"{CERTIFY} --claim 'epsilon=1, epsilon=2'",
        f"{CERTIFY} --claim 'delta=0.1'",
        f"{CERTIFY} --claim 'alpha=1, rdp=2'",
        f"{CERTIFY} --claim ''",
        f"{CERTIFY} --claim epsilon=1 --rounded",
        f"{CERTIFY} --claim epsilon=1 --out no/such/folder.json",
        f"{CERTIFY} --claim epsilon=1 --html .",
        f"{CERTIFY} --claim epsilon=1 --data absent.csv",
        f"certify {GEOMETRIC} --cells 2 --neighbours replace-one --claim epsilon=1",
        f"certify {GEOMETRIC} --cells 2 --neighbours add-remove --claim epsilon=1",
        "certify absent.csv --neighbours replace-one --claim epsilon=1",
        "certify table.csv --neighbours replace-one --claim epsilon=1",
        "certify audit:parser --cells 2 --records 2 --neighbours replace-one --claim epsilon=1",
        "certify json:JSONDecoder --cells 2 --records 2 --neighbours replace-one --claim epsilon=1",
        "certify os:path.relpath --cells 2 --neighbours replace-one --claim epsilon=1",
    ],
)
def test_bad_input_to_certify_is_one_line_and_no_file(
    dp_audit: Command, folder: Path, words: str
) -> None:
    before = names(folder)
    one_line(dp_audit(f"{words} --json c.json"), 2)
    assert names(folder) == before


@pytest.mark.parametrize("claim", ["epsilon=1e400", "epsilon=1e-400", "epsilon=0"])
def test_enormous_and_tiny_claims_are_decided_and_shown(dp_audit: Command, claim: str) -> None:
    shown = dp_audit(f"{CERTIFY} --html c.html --claim {claim}")
    assert shown.code == (0 if claim == "epsilon=1e400" else 1)


CHANNELS = {
    "no header": "1/2,1/2\n",
    "another header": "db,a,b\n1-0,1/2,1/2\n",
    "no outputs": "database\n1-0\n",
    "no rows": "database,a,b\n",
    "empty": "",
    "NaN": "database,a,b\n1-0,nan,1/2\n0-1,1/2,1/2\n",
    "infinite": "database,a,b\n1-0,inf,1/2\n0-1,1/2,1/2\n",
    "negative": "database,a,b\n1-0,-1/2,3/2\n0-1,1/2,1/2\n",
    "sum": "database,a,b\n1-0,1/2,1/3\n0-1,1/2,1/2\n",
    "sum over the tolerance": "database,a,b\n1-0,0.5,0.50000001\n0-1,1/2,1/2\n",
    "ratio of zero": "database,a,b\n1-0,1/0,1/2\n0-1,1/2,1/2\n",
    "enormous": "database,a,b\n1-0,1e-9999999,1\n0-1,1/2,1/2\n",
    "text": f"database,a,b\n1-0,{SECRET},1/2\n0-1,1/2,1/2\n",
    "label": f"database,a,b\n{SECRET},1/2,1/2\n0-1,1/2,1/2\n",
    "suppressed database": "database,a,b\n1-?,1/2,1/2\n0-1,1/2,1/2\n",
    "twice": "database,a,b\n1-0,1/2,1/2\n1-0,1/2,1/2\n",
    "output twice": "database,a,a\n1-0,1/2,1/2\n0-1,1/2,1/2\n",
    "cells differ": "database,a,b\n1-0,1/2,1/2\n0-0-1,1/2,1/2\n",
    "enormous database": "database,a,b\n99999999999999999999-0,1/2,1/2\n0-1,1/2,1/2\n",
    "ragged": "database,a,b\n1-0,1/2,1/2,0\n0-1,1/2,1/2\n",
    "short": "database,a,b\n1-0,1\n0-1,1/2,1/2\n",
}


@pytest.mark.parametrize("text", CHANNELS.values(), ids=CHANNELS)
def test_a_file_that_is_no_channel_is_an_input_error(
    dp_audit: Command, folder: Path, text: str
) -> None:
    (folder / "c.csv").write_text(text)
    one_line(dp_audit("certify c.csv --neighbours replace-one --claim epsilon=1 --out o.json"), 2)
    assert "o.json" not in names(folder)


def test_a_channel_file_decides_exactly(dp_audit: Command, folder: Path) -> None:
    # ln 3 = 1.098612288668109691395...
    (folder / "c.csv").write_text("database,a,b\n1-0,3/4,1/4\n0-1,1/4,3/4\n")
    base = "certify c.csv --neighbours replace-one --claim epsilon=1.09861228866810969139"
    assert dp_audit(base + "6 --out c.json").code == 0
    assert json.loads((folder / "c.json").read_text())["verdict"] == "EXACT"
    assert dp_audit(base + "5 --out c.json").code == 1
    assert dp_audit("verify c.json").code == 0
    (folder / "c.csv").unlink()
    assert dp_audit("verify c.json").code == 0


@pytest.mark.parametrize("flag", ["--set epsilon=1", "--data table.csv", "--rows 3", "--records 9",
                                  "--cells 3", "--domain domain.toml"])  # fmt: skip
def test_a_channel_file_takes_no_program_flags(dp_audit: Command, folder: Path, flag: str) -> None:
    (folder / "c.csv").write_text("database,a,b\n1-0,3/4,1/4\n0-1,1/4,3/4\n")
    one_line(dp_audit(f"certify c.csv --neighbours replace-one --claim epsilon=1 {flag}"), 2)


def test_rounded_decimals_are_intervals(dp_audit: Command, folder: Path) -> None:
    (folder / "c.csv").write_text("database,a,b\n1-0,0.750,0.250\n0-1,0.250,0.750\n")
    base = "certify c.csv --neighbours replace-one --rounded --claim epsilon="
    # Between ln(0.7495/0.2505) = 1.09594 and ln(0.7505/0.2495) = 1.10127.
    assert dp_audit(base + "1.102").code == 0
    assert dp_audit(base + "1.099").code == 3
    assert dp_audit(base + "1.095").code == 1


# programs of strangers


THEIRS = "tests.audit.third_party:"


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT))
    yield


@pytest.mark.parametrize(
    "name",
    ["other_questions", "own_randomness", "raises", "exits", "rubbish", "reads_a_file",
     "hides_a_file", "starts_a_process", "wants_data", "LyingBudget", "BrokenBudget"],
)  # fmt: skip
@pytest.mark.parametrize("command", ["certify", "channel"])
def test_a_program_that_breaks_its_protocol_exits_with_4(
    dp_audit: Command, importable: None, folder: Path, name: str, command: str
) -> None:
    if command == "channel" and name.endswith("Budget"):
        pytest.skip("a channel looks at no budget")
    claim = "--claim epsilon=9" if command == "certify" else ""
    before = names(folder)
    shown = dp_audit(
        f"{command} {THEIRS}{name} --cells 2 --records 2 --neighbours replace-one {claim} "
        "--json c.json --html c.html"
    )
    one_line(shown, 4)
    assert "secret" not in shown.err
    assert names(folder) == before


@pytest.mark.parametrize("name", ["raises", "exits", "rubbish", "reads_a_file", "hides_a_file",
                                  "starts_a_process", "wants_data"])  # fmt: skip
def test_a_release_of_such_a_program_writes_nothing(
    dp_audit: Command, importable: None, folder: Path, name: str
) -> None:
    before = names(folder)
    base = f"release {THEIRS}{name} --data table.csv --domain domain.toml --out s.csv"
    one_line(dp_audit(f"{base} --ledger l.json"), 4)
    assert names(folder) == before


def test_a_program_in_the_users_folder(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from fractions import Fraction as F\n"
        "from synthesizers.noise import DiscreteLaplace\n"
        "from synthesizers.queries import CellCounts\n"
        "def count(curator):\n"
        "    law = DiscreteLaplace(F(1, 2))\n"
        "    return curator.measure(CellCounts((0,)), law, low=0, high=3).tolist()\n"
    )
    base = "certify mine:count --cells 2 --records 3 --neighbours replace-one --claim"
    assert run(*base.split(), "epsilon=2", "--quiet", cwd=folder).returncode == 0
    assert run(*base.split(), "epsilon=1.9", "--quiet", cwd=folder).returncode == 1


# verify


def test_verify_of_what_is_no_certificate(dp_audit: Command, folder: Path) -> None:
    one_line(dp_audit("verify table.csv"), 2)
    one_line(dp_audit("verify absent.json"), 2)
    one_line(dp_audit("verify ."), 2)


# release


def test_release_writes_table_and_ledger(dp_audit: Command, folder: Path) -> None:
    base = f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv"
    shown = dp_audit(f"{base} --ledger l.json")
    assert shown.code == 0 and shown.out == "" and "s.csv" in shown.err
    lines = (folder / "s.csv").read_text().splitlines()
    assert lines[0] == "sex,age" and len(lines) == 4
    ledger = json.loads((folder / "l.json").read_text())
    assert ledger["spent"]["epsilon"] == "1" == ledger["budget"]["epsilon"]
    assert [event["event"] for event in ledger["events"]] == ["measure"]
    assert "outcome" not in json.dumps(ledger)
    assert dp_audit(f"{base} --quiet").err == ""
    assert names(folder) == {"domain.toml", "table.csv", "s.csv", "l.json"}


def test_a_second_release_says_that_the_first_still_counts(dp_audit: Command, folder: Path) -> None:
    line = f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv --ledger l.json"
    words = "takes the place of an earlier release's ledger"
    assert words not in " ".join(dp_audit(line).err.split())
    assert words in " ".join(dp_audit(line).err.split())


def test_a_release_leaves_out_only_columns_that_are_named(dp_audit: Command, folder: Path) -> None:
    table = (folder / "table.csv").read_text().splitlines()
    text = "\n".join(f"{line},{'NAME' if k == 0 else 'Zebra'}" for k, line in enumerate(table))
    (folder / "table.csv").write_text(text + "\n")
    base = f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv"
    refused = dp_audit(base)
    one_line(refused, 2)
    assert "'NAME'" in refused.err and "--drop" in refused.err and not (folder / "s.csv").exists()
    assert "'OTHER' is to be dropped" in dp_audit(f"{base} --drop NAME --drop OTHER").err
    assert dp_audit(f"{base} --drop NAME").code == 0
    assert "NAME" not in (folder / "s.csv").read_text()


def test_a_release_puts_out_numbers_within_bins_where_it_is_asked_to(
    dp_audit: Command, folder: Path
) -> None:
    base = f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv"
    assert dp_audit(base).code == 0
    assert "[" in (folder / "s.csv").read_text()
    assert dp_audit(f"{base} --numbers-within-bins").code == 0
    rows = [line.split(",") for line in (folder / "s.csv").read_text().splitlines()]
    assert rows[0] == ["sex", "age"] and len(rows) == 4
    assert all(age == "" or age.isdigit() for _, age in rows[1:])


def test_a_release_under_add_remove_needs_public_rows_and_keeps_n_private(
    dp_audit: Command, folder: Path
) -> None:
    base = f"release {GEOMETRIC} --data table.csv --domain domain.toml --neighbours add-remove "
    one_line(dp_audit(base + "--out s.csv"), 2)
    assert dp_audit(base + "--out s.csv --rows 7 --ledger l.json").code == 0
    assert len((folder / "s.csv").read_text().splitlines()) == 8
    ledger = json.loads((folder / "l.json").read_text())
    assert ledger["records"] is None and ledger["rows"] == 7


def test_a_release_reads_standard_input(folder: Path) -> None:
    words = f"release {GEOMETRIC} --data - --domain domain.toml --out s.csv --quiet"
    done = run(*words.split(), cwd=folder, stdin=(folder / "table.csv").read_text())
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len((folder / "s.csv").read_text().splitlines()) == 4


def test_the_order_of_released_records_says_nothing(
    dp_audit: Command, importable: None, folder: Path
) -> None:
    """What is certified is the histogram: 20 releases of a program that signals by order.

    A release that kept the program's order would show both, but with probability < 2^-10.
    """
    (folder / "two.csv").write_text("c\nx\ny\n")
    (folder / "two.toml").write_text('name = "t"\n[attributes]\nc = { values = ["x", "y"] }\n')
    base = f"release {THEIRS}OrderedRows --data two.csv --domain two.toml --out s.csv --quiet"
    seen = set()
    for _ in range(20):
        assert dp_audit(base).code == 0
        seen.add((folder / "s.csv").read_text())
    assert seen == {"c\nx\ny\n"}


BAD_TABLES = {
    "value outside the domain": f"sex,age\nmale,20\n{SECRET},30\n",
    "number outside the bins": "sex,age\nmale,97\n",
    "missing value": "sex,age\nmale,\n",
    "NaN": "sex,age\nmale,nan\n",
    "infinity": "sex,age\nmale,inf\n",
    "missing column": "sex\nmale\n",
    "another column": f"sex,{SECRET}\nmale,3\n",
    "no records": "sex,age\n",
    "empty": "",
    "ragged": "sex,age\nmale,20,30\n",
    "column twice": "sex,age,age\nmale,20,20\n",
}


@pytest.mark.parametrize("text", BAD_TABLES.values(), ids=BAD_TABLES)
@pytest.mark.parametrize("command", ["release", "certify"])
def test_bad_tables_are_named_by_attribute_and_never_by_value(
    dp_audit: Command, folder: Path, text: str, command: str
) -> None:
    (folder / "bad.csv").write_text(text)
    before = names(folder)
    base = f"{command} {GEOMETRIC} --data bad.csv --domain domain.toml "
    more = "--claim epsilon=1 --neighbours replace-one " if command == "certify" else ""
    shown = dp_audit(f"{base}{more}--out s.csv")
    one_line(shown, 2)
    assert "97" not in shown.err
    assert names(folder) == before


@pytest.mark.parametrize(
    ("text", "match"),
    [("not toml at all", "TOML"), ("x = 1\n", ""), ("[attributes]\n", ""), ("", ""),
     ('[attributes]\na = { values = ["x", "x"] }\n', ""), ("[attributes]\na = 5\n", ""),
     ('[attributes]\na = { bins = [3, 1] }\n', "")],
)  # fmt: skip
def test_a_domain_file_that_is_none(dp_audit: Command, folder: Path, text: str, match: str) -> None:
    (folder / "bad.toml").write_text(text)
    shown = dp_audit(f"release {GEOMETRIC} --data table.csv --domain bad.toml --out s.csv")
    one_line(shown, 2)
    assert match in shown.err
    assert "s.csv" not in names(folder)


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e99999", "x", ""])
def test_parameters_out_of_range_release_nothing(
    dp_audit: Command, folder: Path, epsilon: str
) -> None:
    words = "release geometric-sanitizer --data table.csv --domain domain.toml --out s.csv --set"
    one_line(dp_audit(words, f"epsilon={epsilon}"), 2)
    assert "s.csv" not in names(folder)


# files, whole or not at all


def _no_space(*args: Any, **named: Any) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "words",
    [
        f"{CERTIFY} --claim epsilon=1 --out c.json",
        f"{CERTIFY} --claim epsilon=1 --html c.html",
        f"channel {GEOMETRIC} --cells 2 --records 2 --json c.json",
        f"channel {GEOMETRIC} --cells 2 --records 2 --csv c.csv",
        f"release {GEOMETRIC} --data table.csv --domain domain.toml --out s.csv",
    ],
)
def test_a_disk_that_fails_leaves_the_old_file_and_nothing_else(
    dp_audit: Command, folder: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = folder / words.split()[-1]
    target.write_text("old")
    before = names(folder)
    monkeypatch.setattr(os, "replace", _no_space)
    shown = dp_audit(words)
    one_line(shown, 2)
    assert "No space left" in shown.err
    assert names(folder) == before and target.read_text() == "old"


def test_a_report_that_cannot_be_made_leaves_nothing(
    dp_audit: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = names(folder)

    def broken(page: Any) -> str:
        raise InputError("no report")

    monkeypatch.setattr("audit.report.html.render", broken)
    shown = dp_audit(f"{CERTIFY} --claim epsilon=1 --html c.html --out c.json")
    one_line(shown, 2)
    assert names(folder) == before


def test_an_interrupt_while_writing_leaves_nothing(
    dp_audit: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    before = names(folder)
    monkeypatch.setattr(os, "replace", interrupted)
    shown = dp_audit(f"{CERTIFY} --claim epsilon=1 --out c.json")
    assert shown.code == 130 and shown.out == ""
    assert names(folder) == before


def test_a_name_too_long_is_one_line(dp_audit: Command, folder: Path) -> None:
    one_line(dp_audit(f"{CERTIFY} --claim epsilon=1 --out {'x' * 300}.json"), 2)


def test_outputs_are_looked_at_before_any_work(
    dp_audit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("audit.cli.certify.certify", lambda *a, **k: pytest.fail("it worked"))
    one_line(dp_audit(f"{CERTIFY} --claim epsilon=1 --out no/such/c.json"), 2)


# flags


def test_settings_are_read_once_each() -> None:
    assert common.settings(["a=1", "b_c = 2=3"]) == {"a": "1", "b-c": "2=3"}
    assert common.settings(None) == {}
    for pairs in (["a"], ["=1"], ["a=1", "a=2"], ["a_b=1", "a-b=2"]):
        with pytest.raises(InputError):
            common.settings(pairs)


@pytest.mark.parametrize("text", ["1", "12", "1e3", "4/2", " 5 "])
def test_whole_numbers(text: str) -> None:
    assert whole_number(text, "--n") == {"1": 1, "12": 12, "1e3": 1000, "4/2": 2}.get(text, 5)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "nan", "inf", "0x1", "1/0", "one", "1e99999"])
def test_what_is_no_whole_number(text: str) -> None:
    with pytest.raises(InputError, match="--n"):
        whole_number(text, "--n")


def test_the_cores_of_this_machine_are_the_default() -> None:
    assert process_count(None) >= 1 and process_count("3") == 3


def test_nothing_is_read_from_a_module_of_that_name_in_the_users_folder(
    folder: Path,
) -> None:
    """A file beside the user that is named like ours is reported, not loaded."""
    (folder / "synthesizers.py").write_text("raise SystemExit('loaded')")
    done = run("list", cwd=folder)
    assert "loaded" not in done.stderr
    assert done.returncode in (0, 2)
    assert sys.executable


def test_a_name_moves_no_terminal(dp_audit: Command, folder: Path) -> None:
    shown = dp_audit("utility 'a\x1b[31m.csv' b.csv --domain domain.toml --quiet")
    assert shown.code == 2 and "\x1b" not in shown.err and "a?[31m.csv cannot be read" in shown.err
