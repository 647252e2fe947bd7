"""The checker: it agrees with the kernel on what follows, and lets nothing else through."""

from __future__ import annotations

import ast
import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import checker
from proofs.kernel import Theorem, prove
from proofs.rules import RULES
from synthesizers.errors import InputError
from tests.proofs.honest_certificates import (
    SUBJECT,
    carried,
    certificate,
    filtered,
    output,
    setting,
)
from tests.proofs.honest_derivations import (
    AR,
    AR3,
    EXAMPLES,
    GAUSS,
    LAPLACE,
    RO,
    RO2,
    approx,
    as_losses,
    losses,
    marginal,
    measured,
    read,
    renyi,
    stated,
    written,
    zcdp,
)


def cases() -> list[Any]:
    return [
        pytest.param(make, id=f"{rule}-{number}")
        for rule, several in EXAMPLES.items()
        for number, make in enumerate(several)
    ]


def test_every_rule_of_the_kernel_is_checked_here_and_no_other() -> None:
    assert set(checker.RULES) == set(RULES) == set(EXAMPLES)
    for name, rule in RULES.items():
        assert set(rule.parameters) == set(checker.RULES[name].parameters), name


@pytest.mark.parametrize("make", cases())
def test_what_the_kernel_proves_is_checked(make: Callable[[], Theorem]) -> None:
    theorem = make()
    found = checker.check(written(theorem))
    assert found.status == "checked", found.reasons
    assert set(found.hypotheses) == theorem.hypotheses
    assert found.mechanism and found.neighbours and found.guarantee


NUMBERS = ("0", "-1", "1.7", "1e-12")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers, and of what is true or false, in plain data."""
    if isinstance(value, dict):
        return [at for key, member in value.items() for at in leaves(member, (*path, key))]
    if isinstance(value, list):
        return [at for key, member in enumerate(value) for at in leaves(member, (*path, key))]
    number = type(value) in (int, bool) or (type(value) is str and value[:1].isdigit())
    return [path] if number else []


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The data with another value at a place."""
    data = copy.deepcopy(value)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return data


def nearby(value: Any) -> list[Any]:
    """Other values of the same type."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, 0]
    return [*NUMBERS, str(Fraction(value) * Fraction(9, 10)), str(Fraction(value) * 2)]


def compare(steps: list[dict[str, Any]]) -> None:
    """Both programs draw the same conclusions from some steps, up to the first that is refused.

    What the kernel refuses the checker refuses as well, or says that it left it to the kernel.
    """
    theorems: list[Theorem] = []
    found: list[Any] = []
    for step in steps:
        rule, given = step["rule"], step["parameters"]
        meter = checker.Meter()
        try:
            concluded = checker.conclusion(
                meter, rule, [found[at] for at in step["premises"]], given
            )
        except REFUSALS:
            concluded = None
        try:
            theorem = prove(rule, [theorems[at] for at in step["premises"]], given)
        except InputError:
            assert concluded is None or meter.notes, (rule, given)
            return
        assert concluded is not None, (rule, given)
        judgment, hypotheses = concluded
        assert checker.agrees(judgment, theorem.judgment.to_json()), (rule, given)
        earlier = [theorems[at].hypotheses for at in step["premises"]]
        assert hypotheses.union(*earlier) == theorem.hypotheses
        theorems.append(theorem)
        found.append(judgment)


REFUSALS = (checker.Rejected, checker.Unaffordable, LookupError, TypeError, ValueError)


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_when_a_number_is_changed(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    for place, step in enumerate(steps):
        for path in leaves(step["parameters"]):
            old = step["parameters"]
            for key in path:
                old = old[key]
            for new in nearby(old):
                changed = {**step, "parameters": replaced(step["parameters"], path, new)}
                compare([*steps[:place], changed, *steps[place + 1 :]])


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_under_other_neighbours(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    for place, step in enumerate(steps):
        for at in (AR, AR3, RO, RO2):
            if "neighbours" in step["parameters"]:
                changed = {**step, "parameters": {**step["parameters"], "neighbours": at}}
                compare([*steps[:place], changed, *steps[place + 1 :]])


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_of_other_premises(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    last = len(steps) - 1
    others = [marginal(), approx("1", "1e-9"), zcdp("1"), renyi(), losses(GAUSS, LAPLACE)]
    profile = {"kind": "profile", "points": [[1, "1e-9"]]}
    others += [stated(kind="gdp", mu="1"), prove("weaken", [others[1]], {"guarantee": profile})]
    for other in others:
        added = written(other)["steps"]
        shifted = [
            {**step, "premises": [at + len(steps) - 1 for at in step["premises"]]} for step in added
        ]
        new = len(steps) + len(added) - 2
        for premises in ([], [new], [new, new], [*steps[last]["premises"], new]):
            compare([*steps[:last], *shifted, {**steps[last], "premises": premises}])


def example() -> Any:
    """A derivation of several steps: two noisy answers composed, converted and post-processed."""
    query = marginal()
    noisy = [
        measured("additive-noise", query, law="discrete-gaussian", amount=v) for v in ("100", "50")
    ]
    both = prove("compose", noisy, {"counts": [2, 1]})
    made = prove("post-processing", [both], {"map": "fit a model"})
    return written(read(made, "moment", "1.1", "1e-6", remove={"order": "26"}))


def rejected(data: Any, words: str) -> None:
    found = checker.check(data)
    assert found.status == "rejected" and words in found.reasons[0], found.reasons
    assert not found.mechanism and not found.guarantee


def test_a_forged_theorem_is_rejected() -> None:
    data = example()
    data["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    rejected(data, "step 5: the rule to-approx concludes otherwise")


def test_a_conclusion_changed_in_any_place_is_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for path in leaves(step["conclusion"]):
            new = copy.deepcopy(data)
            new["steps"][number]["conclusion"] = replaced(step["conclusion"], path, "19/7")
            assert checker.check(new).status == "rejected", (number, path)
        for name in step["conclusion"]:
            new = copy.deepcopy(data)
            del new["steps"][number]["conclusion"][name]
            assert checker.check(new).status == "rejected", (number, name)


def test_missing_and_spare_hypotheses_are_rejected() -> None:
    data = example()
    for name in data["hypotheses"]:
        fewer = {**data, "hypotheses": [h for h in data["hypotheses"] if h != name]}
        rejected(fewer, "hypotheses")
    rejected({**data, "hypotheses": [*data["hypotheses"], "public"]}, "hypotheses")
    rejected({**data, "hypotheses": data["hypotheses"][::-1]}, "hypotheses")


def test_circular_premises_are_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for premise in (number, number + 1, -1, 10**30, True, "0", None):
            new = copy.deepcopy(data)
            new["steps"][number] = {**step, "premises": [premise]}
            assert checker.check(new).status == "rejected"


def test_reordered_steps_are_rejected() -> None:
    data = example()
    last = len(data["steps"]) - 1
    for first, second in [(0, 1), (1, 3), (last - 1, last)]:
        steps = list(data["steps"])
        steps[first], steps[second] = steps[second], steps[first]
        assert checker.check({**data, "steps": steps}).status == "rejected"


def test_a_dropped_step_is_rejected() -> None:
    data = example()
    for number in range(len(data["steps"]) - 1):
        steps = data["steps"][:number] + data["steps"][number + 1 :]
        assert checker.check({**data, "steps": steps}).status == "rejected"


def test_unknown_rules_and_unknown_missing_or_spare_parameters_are_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for name in step["parameters"]:
            fewer = {k: v for k, v in step["parameters"].items() if k != name}
            new = copy.deepcopy(data)
            new["steps"][number]["parameters"] = fewer
            assert checker.check(new).status == "rejected"
        new = copy.deepcopy(data)
        new["steps"][number]["parameters"]["spare"] = 1
        rejected(new, "parameters")
        new["steps"][number]["rule"] = "wish"
        rejected(new, "no such rule")


@pytest.mark.parametrize(
    "number",
    [0.1, "0,1", "1e999999999", "1_000", " 1", "0x1", "NaN", "Infinity", "1/0", "1" * 5000, "１"],
)
def test_what_is_no_plain_number_is_rejected(number: object) -> None:
    data = example()
    data["steps"][1]["parameters"]["amount"] = number
    assert checker.check(data).status == "rejected"


def test_a_float_anywhere_is_rejected_even_where_nobody_reads_it() -> None:
    data = example()
    data["steps"][-1]["parameters"]["epsilon"] = 1.1
    rejected(data, "floating point")
    kept = written(prove("public-draw", [], {"neighbours": AR, "law": {"bias": "1/2"}}))
    kept["steps"][0]["parameters"]["law"]["bias"] = 0.5
    rejected(kept, "floating point")


def test_numbers_left_to_the_kernel_are_said_and_the_rest_is_still_checked() -> None:
    data = written(
        read(losses({**LAPLACE, "count": 100}), "laplace", "4.7", "1e-6", remove={"bits": 128})
    )
    found = checker.check(data)
    assert found.status == "kernel only" and "laplace" in found.reasons[0]
    assert found.guarantee
    data["steps"][-1]["conclusion"]["guarantee"]["delta"] = "1e-7"
    rejected(data, "concludes otherwise")


def test_work_is_bounded() -> None:
    many = losses({"loss": "response", "count": 10**9, "epsilon": "1/1000000", "delta": "0"})
    data = written(read(many, "sum", 1000, 0))
    last = data["steps"][-1]
    own = {"epsilon": "800", "delta": "1/2"}
    last["parameters"] = {"method": "responses", "hints": {"remove": {"bits": 128}}, **own}
    last["conclusion"]["guarantee"].update(own)
    assert checker.check(data).status == "kernel only"
    huge = written(as_losses(approx("1e900")))
    huge["steps"].append(
        {
            "rule": "to-zcdp",
            "premises": [1],
            "parameters": {"rho": "1"},
            "conclusion": {
                **huge["steps"][0]["conclusion"],
                "guarantee": {"kind": "zcdp", "rho": "1"},
            },
        }
    )
    assert checker.check(huge).status == "kernel only"


def test_the_meter_stops_a_derivation_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "WORK", 10)
    found = checker.check(example())
    assert found.status == "kernel only" and not found.guarantee


def gaussian_program(mu: str) -> Theorem:
    """A program whose ledger is one Gaussian answer of this μ."""
    one = measured("additive-noise", marginal(), law="gaussian", amount=1 / Fraction(mu) ** 2)
    own = {"program": SUBJECT, "seen": "every transcript", "setting": setting()}
    return prove("fixed-ledger", [prove("to-gdp", [one], {"mu": mu, "shares": []})], own)


CLAIMS = [
    (lambda: filtered("1/2", measure="rho"), "rho=0.5", True),
    (lambda: filtered("1/2", measure="rho"), "rho=0.49", False),
    (lambda: filtered("1/2", measure="rho"), "epsilon=9, delta=0.1", False),
    (filtered, "epsilon=1", True),
    (filtered, "epsilon = 2 , delta = 1e-6", True),
    (filtered, "epsilon=0.9", False),
    (lambda: gaussian_program("1"), "mu=1", True),
    (lambda: gaussian_program("1"), "mu=1, mu=2", False),
    (lambda: filtered("3/2", measure="renyi", order=4), "alpha=3, rdp=1.5", True),
    (lambda: filtered("3/2", measure="renyi", order=4), "alpha=5, rdp=1.5", False),
]


@pytest.mark.parametrize(("make", "claim", "holds"), CLAIMS)
def test_a_certificate_is_checked_to_show_its_claim(
    make: Callable[[], Theorem], claim: str, holds: bool
) -> None:
    data = certificate(carried(output(make())), claim=claim, confidence=0.95)
    assert checker.check(data).status == ("checked" if holds else "rejected")
    assert checker.check({**data, "neighbours": "replace-one"}).status == "rejected"
    person = {"name": "person", "max_records": 1}
    assert checker.check({**data, "unit": person}).status == "rejected"


def test_a_false_alternative_makes_a_certificate_false() -> None:
    good, bad = example(), example()
    bad["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    assert (
        checker.check({"proof": {"derivation": good, "alternatives": [good]}}).status == "checked"
    )
    assert (
        checker.check({"proof": {"derivation": good, "alternatives": [bad]}}).status == "rejected"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "an object"),
        (b"{}", "neither"),
        (b'{"schema": 1, "schema": 2}', "twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 100_000, "nested"),
        (b"[" * 5_000_000, "lists"),
    ],
)
def test_malformed_files_are_refused_cleanly(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "proof.json"
    path.write_bytes(content)
    found = checker.check_file(str(path))
    assert found.status == "malformed" and words in found.reasons[0], found.reasons
    assert checker.main([str(path)]) == 2


@pytest.mark.parametrize("number", ["1e9999", "1e-9999", "-1e9999"])
def test_a_number_of_too_many_digits_is_rejected(number: str) -> None:
    with pytest.raises(checker.Rejected, match="digits"):
        checker.rational(number)


def test_nested_parameters_are_no_trouble() -> None:
    data = written(prove("public-draw", [], {"neighbours": AR, "law": {"law": "coin"}}))
    deep: Any = "1"
    for _ in range(100_000):
        deep = [deep]
    data["steps"][0]["parameters"]["law"] = {"law": deep}
    assert checker.check(data).status == "malformed"


def test_a_file_of_a_hundred_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert checker.main([str(path)]) == 2
    assert checker.main([str(tmp_path / "absent.json")]) == 2
    assert checker.main([str(tmp_path)]) == 2
    assert checker.main([]) == 2


def alone(tmp_path: Path, data: Any) -> subprocess.CompletedProcess[str]:
    """The checker run by itself: no site packages, nothing of ours to import."""
    copied = shutil.copy(str(checker.__file__), tmp_path / "checker.py")
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(data))
    command = [sys.executable, "-I", "-S", str(copied), str(path)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
    )


def test_it_runs_alone_and_says_what_is_proved(tmp_path: Path) -> None:
    data = example()
    done = alone(tmp_path, data)
    assert done.returncode == 0 and not done.stderr, done.stderr
    for words in ("CHECKED", "epsilon=11/10", "add-remove of one record", "out-of-scope", "2 x "):
        assert words in done.stdout
    data["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    assert alone(tmp_path, data).returncode == 1


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(Path(str(checker.__file__)).read_text(encoding="utf-8"))
    found = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in found} <= sys.stdlib_module_names


def test_what_is_printed_is_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "proof.json"
    box = {
        "neighbours": AR,
        "mechanism": "\x1b[31m\n√ box",
        "guarantee": {"kind": "zcdp", "rho": "1"},
    }
    path.write_text(json.dumps(written(prove("stated-guarantee", [], box))))
    assert checker.main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.isascii() and "\x1b" not in printed
