"""``dp-audit account``: ledgers in, both ends out, and one sentence for everything else."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from audit.statements import strict_json
from proofs import checker
from tests.audit.calls import Command
from tests.audit.processes import run
from tests.proofs.closed_forms import epsilon_at, gaussian_delta, mpf

F = Fraction
G1000 = "1000 * gaussian(sigma=30)"


@pytest.fixture
def accounted(dp_audit: Command, folder: Path) -> Callable[..., dict[str, Any]]:
    """What ``account --json`` wrote."""

    def call(line: str, *more: str) -> dict[str, Any]:
        shown = dp_audit(f"account {line} --json a.json", *more)
        assert (shown.code, shown.err) == (0, "")
        document: dict[str, Any] = json.loads((folder / "a.json").read_text())
        return document

    return call


@pytest.fixture
def ledger(dp_audit: Command, folder: Path) -> Callable[..., str]:
    """The ledger that a release of the table writes."""

    def call(name: str, *flags: str) -> str:
        line = f"release {name} --data table.csv --domain domain.toml --out s.csv --quiet"
        file = f"ledger{len(list(folder.glob('ledger*')))}.json"
        shown = dp_audit(line, *flags, "--ledger", file)
        assert shown.code == 0, shown.err
        return file

    return call


def test_an_expression_and_its_certified_ends(
    accounted: Callable[..., dict[str, Any]], folder: Path
) -> None:
    document = accounted(f"'{G1000}' --neighbours add-remove --delta 1e-6")
    assert document["rule"] == "Gaussian DP, closed form"
    lower, upper = (F(document["epsilon"][end]) for end in ("lower", "upper"))
    with mpmath.workdps(40):
        truth = epsilon_at(lambda e: gaussian_delta(F(1000, 900), e), "1e-6")
        assert mpf(lower) <= truth <= mpf(upper)
    assert upper - lower < F("1e-15")
    assert {other["rule"] for other in document["others"]} >= {"basic composition"}
    assert checker.check_file(str(folder / "a.json")).status == "checked"
    assert checker.main([str(folder / "a.json")]) == 0


def test_what_the_kernel_alone_knows_is_what_the_checker_leaves_to_it(
    accounted: Callable[..., dict[str, Any]], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = accounted("'100 * laplace(epsilon=0.1)' --neighbours add-remove --delta 1e-6")
    assert document["kernel_only"] is True
    assert checker.check_file(str(folder / "a.json")).status == "kernel only"
    for one in document["proof"]["alternatives"]:
        found = checker.check(one)
        assert found.status == "checked"
        assert checker.main([str(folder / "a.json")]) == 3
        assert f"  of the same mechanism is checked: {found.guarantee}\n" in capsys.readouterr().out


def test_delta_at_an_epsilon(accounted: Callable[..., dict[str, Any]]) -> None:
    document = accounted("'gaussian(sigma=1)' --neighbours replace-one --epsilon 1")
    assert F(document["delta"]["lower"]) <= F("0.12693673750664395")
    assert F(document["delta"]["upper"]) >= F("0.12693673750664394")
    assert document["epsilon"] == "1" and document["neighbours"] == "replace-one"


def test_ledgers_of_several_releases_add_up(
    accounted: Callable[..., dict[str, Any]], ledger: Callable[..., str]
) -> None:
    files = [ledger("geometric-sanitizer", "--set", f"epsilon={e}") for e in ("1", "1/2")]
    alone = [accounted(f"{file} --delta 0")["epsilon"]["upper"] for file in files]
    assert alone == ["1", "0.5"]
    both = accounted(" ".join(files) + " --delta 0")
    assert both["epsilon"]["upper"] == "1.5"
    # What they asked stands in the files: no bound from below is claimed for a program.
    assert both["epsilon"]["lower"] == "0"
    assert "fixed-ledger" in both["hypotheses"] and "stated-sensitivity" not in both["hypotheses"]
    less = accounted(" ".join(files) + " --delta 0.01")
    assert F(less["epsilon"]["upper"]) < F(3, 2)


def test_ledgers_expressions_and_lists_add_up(
    accounted: Callable[..., dict[str, Any]], ledger: Callable[..., str], folder: Path
) -> None:
    file = ledger("geometric-sanitizer", "--set", "epsilon=1")
    (folder / "more.toml").write_text('mechanisms = ["2 * pure(epsilon=0.25)", "zcdp(rho=0)"]')
    (folder / "same.toml").write_text(
        'neighbours = "replace-one"\nmechanisms = ["pure(epsilon=0.5)"]'
    )
    line = f"{file} same.toml 'pure(epsilon=2)' --neighbours replace-one --delta 0"
    assert accounted(line)["epsilon"]["upper"] == "3.5"
    line = f"{file} more.toml --neighbours replace-one --delta 1e-9"
    assert accounted(line)["epsilon"]["upper"] == "1.5"


def test_a_list_without_neighbours_is_under_those_of_the_flags(
    accounted: Callable[..., dict[str, Any]], folder: Path
) -> None:
    (folder / "l.toml").write_text('mechanisms = ["pure(epsilon=1)"]')
    flags = "--neighbours add-remove --unit person --max-records 4"
    document = accounted(f"l.toml {flags} --delta 0")
    assert document["unit"] == {"name": "person", "max_records": 4}


def test_a_list_of_records_is_not_read_as_one_of_persons(dp_audit: Command, folder: Path) -> None:
    (folder / "l.toml").write_text('neighbours = "add-remove"\nmechanisms = ["pure(epsilon=1)"]')
    flags = "--neighbours add-remove --unit person --max-records 4 --delta 0"
    shown = dp_audit(f"account l.toml {flags}")
    assert shown.code == 2 and "do not add up" in shown.err


def test_guarantees_under_other_neighbours_do_not_add_up(
    dp_audit: Command, ledger: Callable[..., str]
) -> None:
    one = ledger("geometric-sanitizer", "--set", "epsilon=1")
    other = ledger(
        "geometric-sanitizer", "--set", "epsilon=1", "--neighbours", "add-remove", "--rows", "3"
    )
    shown = dp_audit(f"account {one} {other} --delta 0")
    assert shown.code == 2 and "do not add up" in shown.err
    shown = dp_audit(f"account {one} --neighbours add-remove --delta 0")
    assert shown.code == 2 and "do not add up" in shown.err


USAGE = {
    "no relation": f"account '{G1000}' --delta 1e-6",
    "neither": f"account '{G1000}' --neighbours add-remove",
    "both": f"account '{G1000}' --neighbours add-remove --delta 0.1 --epsilon 1",
    "a delta of 1": f"account '{G1000}' --neighbours add-remove --delta 1",
    "a negative delta": f"account '{G1000}' --neighbours add-remove --delta=-1",
    "a negative epsilon": f"account '{G1000}' --neighbours add-remove --epsilon=-1",
    "no number": f"account '{G1000}' --neighbours add-remove --delta many",
    "a huge number": f"account '{G1000}' --neighbours add-remove --delta 1e99999",
    "no such relation": f"account '{G1000}' --neighbours both --delta 0.1",
    "persons of unknown size": f"account '{G1000}' --neighbours add-remove --unit person --delta 0",
    "a unit and no relation": "account l.json --unit person --max-records 3 --delta 0.1",
    "delta 0 for Gaussian noise": f"account '{G1000}' --neighbours add-remove --delta 0",
    "no such file": "account absent.json --delta 0.1",
    "no such list": "account absent.toml --neighbours add-remove --delta 0.1",
    "an empty expression": "account '' --neighbours add-remove --delta 0.1",
    "two expressions from one input": "account - - --neighbours add-remove --delta 0.1",
    "an output that is an input": "account a.json --delta 0.1 --json a.json",
    "sampling with exchanges": "account 'poisson(q=0.1, gaussian(sigma=1))' "
    "--neighbours replace-one --delta 0.1",
}


@pytest.mark.parametrize("line", USAGE.values(), ids=USAGE)
def test_what_cannot_be_answered_is_one_sentence(dp_audit: Command, line: str) -> None:
    shown = dp_audit(line)
    assert shown.code == 2 and shown.out == ""
    assert shown.err.startswith("dp-audit: ") and shown.err.count("\n") == 1
    assert len(shown.err) < 400


FILES = {
    "empty.json": b"",
    "text.json": b"hello",
    "list.json": b"[]",
    "other.json": b'{"schema": "dp-audit/derivation/2"}',
    "deep.json": b'{"schema": ' + b"[" * 500 + b"]" * 500 + b"}",
    "deeper.json": b'{"schema": ' + b"[" * 200_000,
    "latin.json": b'{"schema": "\xe9"}',
    "null.json": b'{"schema": null, "schema": null}',
    "empty.toml": b"",
    "text.toml": b"hello",
    "latin.toml": b'neighbours = "\xe9"',
    "deep.toml": b"mechanisms = " + b"[" * 100_000,
    "deep2.toml": b"mechanisms = " + b"[" * 300 + b"]" * 300,
    "long.toml": b"# " + b"x" * 1_100_000,
    "float.toml": b'neighbours = "add-remove"\nmechanisms = [1.5]',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_form_is_one_sentence(dp_audit: Command, folder: Path, name: str) -> None:
    (folder / name).write_bytes(FILES[name])
    shown = dp_audit(f"account {name} --delta 0.1")
    assert shown.code == 2 and shown.err.startswith("dp-audit: ")
    assert shown.err.count("\n") == 1 and len(shown.err) < 400


def test_a_file_that_is_too_large_is_not_read(
    dp_audit: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strict_json, "MAX_BYTES", 1000)
    (folder / "l.json").write_text(json.dumps({"schema": "x" * 2000}))
    shown = dp_audit("account l.json --delta 0.1")
    assert shown.code == 2 and "larger than" in shown.err


def test_an_expression_from_standard_input(tmp_path: Path) -> None:
    words = ("account", "-", "--neighbours", "add-remove", "--delta", "0")
    done = run(*words, cwd=tmp_path, stdin="3 * laplace(epsilon=0.5)\n")
    assert done.returncode == 0 and "ε = 1.5" in done.stdout
    done = run(*words, cwd=tmp_path, stdin="laplace(epsilon=0.5)" + " " * 200_000)
    assert done.returncode == 2 and "larger than" in done.stderr


LARGE = [
    ("1000000000000 * gaussian(sigma=30)", "1e-6"),
    ("1000000000000 * laplace(epsilon=1)", "1e-30"),
    ("1000000000000 * randomized_response(epsilon=1e-9)", "1e-300"),
    ("gaussian(sigma=1e-9)", "1e-6"),
    ("gaussian(sigma=1e9)", "0.5"),
    ("laplace(epsilon=1e9)", "1e-6"),
    ("laplace(epsilon=1e-400)", "1e-999"),
    ("discrete_gaussian(sigma=1e13, sensitivity=1e12)", "1e-6"),
    ("10 * discrete_laplace(scale=1e13, sensitivity=1e12)", "1e-6"),
    ("pure(epsilon=1e999)", "1e-9"),
    ("zcdp(rho=1e999)", "1e-9"),
    ("poisson(q=1e-300, gaussian(sigma=1))", "1e-6"),
    ("poisson(q=0.1, gaussian(sigma=1e-3))", "1e-6"),
    ("best_of(gaussian(sigma=1e300), expected=10)", "1e-6"),
    ("best_of(gaussian(sigma=4), expected=1e9)", "1e-6"),
    ("best_of_poisson(laplace(scale=1e-300), expected=10)", "1e-6"),
    ("allocated(steps=1000, gaussian(sigma=1e300))", "1e-6"),
    (" + ".join(f"zcdp(rho=1/{n})" for n in range(1000, 1200)), "1e-6"),
    (" + ".join(f"laplace(epsilon=1/{n})" for n in range(1000, 1100)), "1e-6"),
]


@pytest.mark.parametrize(("text", "delta"), LARGE, ids=lambda value: value[:50])
def test_extreme_numbers_have_a_right_answer(
    accounted: Callable[..., dict[str, Any]], text: str, delta: str
) -> None:
    document = accounted(f"--neighbours add-remove --delta {delta}", text)
    lower, upper = (F(document["epsilon"][end]) for end in ("lower", "upper"))
    assert 0 <= lower <= upper


NARROW = [
    "best_of(gaussian(sigma=1e-300), expected=10)",
    "best_of_poisson(gaussian(sigma=1e-300), expected=10)",
    "until_accepted(gaussian(sigma=1e-300), stop=0.1)",
    "best_of_poisson(poisson(q=0.1, gaussian(sigma=1e-3)), expected=1e9)",
    "best_of(allocated(steps=10, gaussian(sigma=1e-4)), expected=10)",
    "allocated(steps=10, gaussian(sigma=1e-300))",
]


@pytest.mark.parametrize("text", NARROW)
def test_noise_that_hides_nothing_has_one_clear_refusal(dp_audit: Command, text: str) -> None:
    shown = dp_audit("account --neighbours add-remove --delta 1e-6", text)
    assert shown.code == 2 and shown.err.count("\n") == 1
