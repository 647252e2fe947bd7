"""The command that makes a certificate again: spelled, read, and compared with the certificate."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from audit.cli import common
from audit.cli.main import parser
from audit.statements.certificate_json import decode
from audit.statements.reproduce import FLAGS, Command, contradiction, parse_command
from dp_audit.certification import Assignment, certify
from dp_audit.request import Request
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "certificates").glob("*.json"))


def document(name: str) -> dict[str, Any]:
    (path,) = [path for path in GOLDEN if path.stem == name]
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_command_of_an_honest_certificate_contradicts_nothing(path: Path) -> None:
    own = json.loads(path.read_text())
    assert contradiction(decode(own)) == ""
    assert str(parse_command(own["reproduce"])).startswith("dp-audit certify ")


def test_certify_takes_every_flag_that_is_known_here() -> None:
    words = ["certify", "x", "--claim", "epsilon=1", "--neighbours", "add-remove"]
    for name, count in FLAGS.items():
        values = {"claim": ["rho=1"], "neighbours": ["replace-one"], "unit": ["person"]}
        values |= {"released": ["transcript"], "as": ["function"]}
        parser().parse_args([*words, f"--{name}", *values.get(name, ["1"] * count)])


def test_a_command_is_spelled_and_read_the_same() -> None:
    line = (
        "certify command:'./a b' --claim 'epsilon=1, delta=1e-6' --neighbours add-remove "
        "--domain 'my domain.toml' --records 3 --set a=1 --set 'b=x y' --as program"
    )
    asked = common.arguments(certify, parser().parse_args(shlex.split(line)))
    own = {name: asked[name] for name in asked if name in Request.__dataclass_fields__}
    assert Request(**own).records == 3
    said = (asked["subject"], asked["parameters"], asked["form"], None, False, None)
    spelled = str(Assignment(Request(**own), *said).command(None))
    assert str(parse_command(spelled)) == spelled
    assert "'my domain.toml'" in spelled and "--set 'b=x y'" in spelled


@pytest.mark.parametrize(
    "path", ["a;b", "$(sh)", "`sh`", "a'b", 'a"b', "a|b", "--data", "", "a\nb"]
)
def test_a_path_that_a_shell_would_read_is_refused_before_any_work(path: str) -> None:
    with pytest.raises(InputError, match="rename"):
        Command("geometric-sanitizer", {"domain": [path]})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dp-audit",
        "dp-audit certify",
        "dp-audit release x",
        "sh -c x",
        "dp-audit certify x; sh",
        "dp-audit certify x | sh",
        "dp-audit certify x --cells $(sh)",
        "dp-audit certify x --cells `sh`",
        "dp-audit certify x > file",
        "dp-audit certify x\nsh",
        "dp-audit  certify x",
        "dp-audit certify 'x",
        "dp-audit certify x --out f",
        "dp-audit certify x --cells",
        "dp-audit certify x --cells 2 --cells 2",
        "dp-audit certify x y",
        "dp-audit certify x --pair a",
    ],
)
def test_what_is_no_certify_command_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_command(text)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("with-isolation-proved", "--claim epsilon=1", "--claim epsilon=0.1"),
        ("with-isolation-proved", "--records 3", "--records 3 --rows 4"),
        ("with-isolation-proved", "--cells 2", "--cells 2x1"),
        ("with-isolation-rdp", "alpha=8", "alpha=9"),
        ("before-isolation-persons", "--max-records 2", "--max-records 3"),
        ("before-isolation-transcript", " --released transcript", ""),
        ("with-isolation-outputs-kept", "--seed 4", "--seed 5"),
        ("with-isolation-outputs-kept", "outputs:coins", "outputs:zeros"),
        ("with-isolation-attacked-program", "--runs 100", "--runs 200"),
        ("with-isolation-attacked-program", "--seed 4", "--seed 4 --until-decided"),
        ("with-isolation-channel", "--claim", "--rounded --claim"),
        ("all-code-module", "noisy_count:count", "noisy_count:other"),
        ("all-code-module", "--cells 2", "--cells 2 --trust-subject"),
    ],
)
def test_a_word_that_says_otherwise_is_found(name: str, old: str, new: str) -> None:
    own = document(name)
    assert old in own["reproduce"]
    own["reproduce"] = own["reproduce"].replace(old, new)
    assert contradiction(decode(own)) != ""
