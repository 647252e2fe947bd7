"""What stands in the way of running the subject of a certificate that anyone may have written."""

from __future__ import annotations

import cProfile
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.claim import Claim
from audit.stated_subjects import BLACK_BOXES, obstacle, stated_black_box
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

SOURCE = "raise RuntimeError('run')\n"
CLAIM = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", Domain.from_cells("2"), 3)


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, with a module that must not run, a package, and a command."""
    monkeypatch.chdir(tmp_path)
    # Looking for a module adds folders, and a package around it.
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "package_here", raising=False)
    (tmp_path / "subject_here.py").write_text(SOURCE)
    (tmp_path / "package_here").mkdir()
    (tmp_path / "package_here" / "__init__.py").write_text("")
    (tmp_path / "package_here" / "inner.py").write_text(SOURCE)
    (tmp_path / "submission").write_text("#!/bin/sh\nexit 1\n")
    return tmp_path


def of_module(path: Path, name: str = "subject_here:f", **changed: Any) -> dict[str, Any]:
    return {"kind": "function", "name": name, "source_sha256": digest(path), **changed}


@pytest.mark.parametrize("kind", ["function", "estimator", "module"])
def test_a_module_beside_the_user_with_the_audited_source_may_run(here: Path, kind: str) -> None:
    subject = of_module(here / "subject_here.py", kind=kind)
    assert obstacle(subject) == "" == obstacle(subject, "subject_here:f")
    inner = of_module(here / "package_here" / "inner.py", "package_here.inner:f", kind=kind)
    assert obstacle(inner) == ""
    # None of them was run.
    assert "subject_here" not in sys.modules


def test_a_module_of_another_source_may_not(here: Path) -> None:
    subject = of_module(here / "subject_here.py")
    (here / "subject_here.py").write_text(SOURCE + "# changed\n")
    assert "not the one that was audited" in obstacle(subject)
    assert "not the one that was audited" in obstacle(subject, "subject_here:f")
    for stated in (None, "", "0" * 64):
        assert obstacle({**subject, "source_sha256": stated}) != ""
    del subject["source_sha256"]
    assert obstacle(subject) != ""


@pytest.mark.parametrize("name", ["absent_module:f", "", ":f", "absent.inner:f", "..:f", "a b:f"])
def test_an_absent_module_is_absent(here: Path, name: str) -> None:
    found = obstacle({"kind": "function", "name": name})
    assert "absent" in found


def test_code_from_elsewhere_runs_only_where_the_user_names_it(here: Path) -> None:
    """``cProfile.run(database, rng)`` would run a text that the certificate chose."""
    assert cProfile.__file__ is not None
    subject = of_module(Path(cProfile.__file__), "cProfile:run")
    assert "--subject cProfile:run" in obstacle(subject)
    assert obstacle(subject, "cProfile:run") == ""
    assert "not about other:f" in obstacle(subject, "other:f")
    # A module without a file can't be compared.
    assert obstacle({"kind": "function", "name": "sys:exit"}) != ""
    assert obstacle({"kind": "function", "name": "sys:exit"}, "sys:exit") != ""


def test_a_link_to_code_from_elsewhere_is_elsewhere(here: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other") / "linked.py"
    other.write_text(SOURCE)
    (here / "linked.py").symlink_to(other)
    assert "outside this folder" in obstacle(of_module(other, "linked:f"))


def test_a_package_from_elsewhere_is_not_even_imported(
    here: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a module lies within a package, its package would run before it is found."""
    package = tmp_path_factory.mktemp("elsewhere") / "package_elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text("open('ran', 'w')\n")
    (package / "inner.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(package.parent))
    found = obstacle(of_module(package / "inner.py", "package_elsewhere.inner:f"))
    assert "outside this folder" in found and not (here / "ran").exists()


def test_a_command_is_compared_by_its_file(here: Path) -> None:
    name = "command:./submission"
    subject = {"kind": "command", "name": name, "sha256": digest(here / "submission")}
    assert obstacle(subject) == ""
    assert "not the one" in obstacle({**subject, "sha256": "0" * 64})
    assert "absent" in obstacle({**subject, "name": "command:./none"})
    shell = {"kind": "command", "name": "command:/bin/sh", "sha256": digest("/bin/sh")}
    assert "outside this folder" in obstacle(shell)
    assert obstacle(shell, "command:/bin/sh") == ""


def test_built_in_programs_are_ours() -> None:
    assert obstacle({"kind": "program", "name": "geometric-sanitizer"}) == ""
    assert obstacle({"kind": "program", "name": "os:system"}) != ""


@pytest.mark.parametrize(
    "subject",
    [
        {"kind": "outputs", "name": "outputs:a,b"},
        {"kind": "channel", "name": "matrix.csv"},
        {"kind": "other", "name": "n"},
        {"kind": "function", "name": None},
        {"kind": ["function"], "name": "subject_here:f"},
        {},
    ],
)
def test_other_subjects_cannot_be_run_anew(subject: dict[str, Any]) -> None:
    assert obstacle(subject) != ""


def test_a_malformed_black_box_is_an_input_error() -> None:
    good = {"kind": "function", "name": "absent_module:f"}
    for changed in (
        {"parameters": []},
        {"rows": -1},
        {"rows": "3"},
        {"rows": True},
        {"seconds": 0},
        {"megabytes": "much"},
    ):
        with pytest.raises(InputError, match="certificate's"):
            stated_black_box({**good, **changed}, CLAIM)
    assert {"command", "outputs"} < set(BLACK_BOXES)
