"""What stands in the way of running the subject of a certificate that anyone may have written."""

from __future__ import annotations

import cProfile
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.statements.claim import Claim
from audit.subjects.digests import command_source, module_source
from audit.subjects.stated_subjects import find_obstacle, rebuild_subject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
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
    assert find_obstacle(subject) == "" == find_obstacle(subject, "subject_here:f")
    inner = of_module(here / "package_here" / "inner.py", "package_here.inner:f", kind=kind)
    assert find_obstacle(inner) == ""
    # None of them was run.
    assert "subject_here" not in sys.modules


def test_a_module_of_another_source_may_not(here: Path) -> None:
    subject = of_module(here / "subject_here.py")
    (here / "subject_here.py").write_text(SOURCE + "# changed\n")
    assert "not the one that was audited" in find_obstacle(subject)
    assert "not the one that was audited" in find_obstacle(subject, "subject_here:f")
    for stated in (None, "", "0" * 64):
        assert find_obstacle({**subject, "source_sha256": stated}) != ""
    del subject["source_sha256"]
    assert find_obstacle(subject) != ""


def test_a_file_of_code_beside_the_module_is_another_source(here: Path) -> None:
    source = module_source("subject_here:f")
    assert source is not None
    subject = {"kind": "function", "name": "subject_here:f", **source.identity()}
    assert find_obstacle(subject) == ""
    (here / "test_subject.py").write_text("")
    assert find_obstacle(subject).endswith(" (it covers all code in that folder)")


@pytest.mark.parametrize("name", ["absent_module:f", "", ":f", "absent.inner:f", "..:f", "a b:f"])
def test_an_absent_module_is_absent(here: Path, name: str) -> None:
    found = find_obstacle({"kind": "function", "name": name})
    assert "absent" in found


def test_code_from_elsewhere_runs_only_where_the_user_names_it(here: Path) -> None:
    """``cProfile.run(database, rng)`` would run a text that the certificate chose."""
    assert cProfile.__file__ is not None
    subject = of_module(Path(cProfile.__file__), "cProfile:run")
    assert "--subject cProfile:run" in find_obstacle(subject)
    assert find_obstacle(subject, "cProfile:run") == ""
    assert "not about other:f" in find_obstacle(subject, "other:f")
    # A module without a file can't be compared.
    assert find_obstacle({"kind": "function", "name": "sys:exit"}) != ""
    assert find_obstacle({"kind": "function", "name": "sys:exit"}, "sys:exit") != ""


def test_a_link_to_code_from_elsewhere_is_elsewhere(here: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other") / "linked.py"
    other.write_text(SOURCE)
    (here / "linked.py").symlink_to(other)
    assert "outside this folder" in find_obstacle(of_module(other, "linked:f"))


def test_a_package_from_elsewhere_is_not_even_imported(
    here: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a module lies within a package, its package would run before it is found."""
    package = tmp_path_factory.mktemp("elsewhere") / "package_elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text("open('ran', 'w')\n")
    (package / "inner.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(package.parent))
    found = find_obstacle(of_module(package / "inner.py", "package_elsewhere.inner:f"))
    assert "outside this folder" in found and not (here / "ran").exists()


def test_a_command_is_compared_by_its_file_in_an_older_certificate(here: Path) -> None:
    name = "command:./submission"
    subject = {"kind": "command", "name": name, "source_sha256": digest(here / "submission")}
    assert find_obstacle(subject) == ""
    assert "not the one" in find_obstacle({**subject, "source_sha256": "0" * 64})
    assert "absent" in find_obstacle({**subject, "name": "command:./none"})
    assert "absent" in find_obstacle({**subject, "name": "./submission"})


@pytest.mark.parametrize("own", [{}, {"form": "program", "parameters": {}}])
def test_a_command_is_compared_with_what_lies_beside_it(here: Path, own: dict[str, Any]) -> None:
    (here / "helper.R").write_text("noise <- 0\n")
    name = "command:./submission"
    subject = {
        "kind": "command",
        "name": name,
        **own,
        **command_source(["./submission"]).identity(),
    }
    assert find_obstacle(subject) == ""
    (here / "helper.R").write_text("noise <- 1\n")
    assert "not the one that was audited" in find_obstacle(subject)
    assert "not the one that was audited" in find_obstacle(subject, name)


@pytest.mark.parametrize("form", [None, "program"])
def test_a_program_of_the_system_is_run_only_where_the_user_names_it(
    here: Path, form: str | None
) -> None:
    own = {} if form is None else {"form": form, "parameters": {}}
    shell = {"kind": "command", "name": "command:/bin/sh", **own}
    shell |= command_source(["/bin/sh"]).identity()
    assert "outside this folder" in find_obstacle(shell)
    assert find_obstacle(shell, "command:/bin/sh") == ""


def test_what_a_command_is_told_is_not_the_certificates_to_say(here: Path) -> None:
    """A file beside the user, with options that a stranger chose, or handed to a system's shell."""
    own = {"form": "program", "parameters": {}, **command_source(["./submission"]).identity()}
    for words in ("./submission --delete all", "sh ./submission", "sh -c 'rm x' ./submission"):
        subject = {"kind": "command", "name": f"command:{words}", **own}
        assert "say --subject" in find_obstacle(subject)
        assert find_obstacle(subject, subject["name"]) == ""


def test_installed_modules_are_not_imported(here: Path) -> None:
    """Of the standard library: one opens a browser when it is imported, one makes a process."""
    for name in ("antigravity:geohash", "subprocess:Popen", "cProfile:Profile"):
        source = module_source(name)
        assert source is not None
        for kind in ("module", "function", "estimator"):
            subject = {"kind": kind, "name": name, **source.identity(), "parameters": {"args": "x"}}
            assert "outside this folder" in find_obstacle(subject)
            found, why = rebuild_subject(subject, CLAIM)
            assert found is None and f"--subject {name}" in why
    assert "antigravity" not in sys.modules


def test_a_module_that_hides_an_installed_one_is_run_only_where_the_user_names_it(
    here: Path,
) -> None:
    """Its process may have loaded the installed one before it looks beside the user."""
    for name in ("antigravity", "numpy", "synthesizers"):
        (here / f"{name}.py").write_text(SOURCE)
        source = module_source(f"{name}:f")
        assert source is not None and source.files == (here / f"{name}.py",)
        subject = {"kind": "module", "name": f"{name}:f", **source.identity()}
        assert "name of an installed module" in find_obstacle(subject)


def test_a_changed_helper_is_seen(here: Path) -> None:
    (here / "helper_here.py").write_text("SCALE = 1\n")
    for name in ("subject_here:f", "package_here.inner:f"):
        source = module_source(name)
        assert source is not None
        subject = {"kind": "module", "name": name, **source.identity()}
        assert find_obstacle(subject) == ""
        (here / "helper_here.py").write_text(f"SCALE = '{name}'\n")
        assert "not the one that was audited" in find_obstacle(subject)
        # Tables and reports may come and go.
        (here / "certificate.json").write_text(name)
    assert "subject_here" not in sys.modules and "package_here" not in sys.modules


def test_a_package_in_several_folders_is_absent(
    here: Path, tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder beside the user does not make what lies elsewhere the user's."""
    other = tmp_path_factory.mktemp("portion")
    (other / "spread").mkdir()
    (other / "spread" / "inner.py").write_text(SOURCE)
    (here / "spread").mkdir()
    monkeypatch.syspath_prepend(str(other))
    subject = of_module(other / "spread" / "inner.py", "spread.inner:f")
    assert "absent" in find_obstacle(subject)


def test_files_of_outputs_are_read_where_they_lie_beside_the_user(
    here: Path, tmp_path_factory: Any
) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    for folder in (here, other):
        (folder / "a.json").write_text("[1]")
        (folder / "b.json").write_text("[2]")
    digests = [digest(here / "a.json"), digest(here / "b.json")]
    own = {"kind": "outputs", "name": "outputs:a.json,b.json", "sha256": digests}
    assert find_obstacle(own) == ""
    assert "not those" in find_obstacle({**own, "sha256": digests[::-1]})
    far = {**own, "name": f"outputs:{other}/a.json,{other}/b.json"}
    assert "outside this folder" in find_obstacle(far)
    assert find_obstacle(far, far["name"]) == ""
    for name in ("outputs:a.json", "outputs:/dev/zero,/dev/zero", "a.json,b.json", "outputs:,"):
        assert "absent" in find_obstacle({**own, "name": name})


def test_built_in_programs_are_ours() -> None:
    assert find_obstacle({"kind": "program", "name": "geometric-sanitizer"}) == ""
    assert find_obstacle({"kind": "program", "name": "os:system"}) != ""


@pytest.mark.parametrize(
    "subject",
    [
        {"kind": "outputs", "name": "outputs:a,b"},
        {"kind": "channel", "name": "matrix.csv"},
        {"kind": "other", "name": "n"},
        {"kind": "function", "name": None},
        {"kind": "module", "name": "geometric-sanitizer"},
        {},
    ],
)
def test_other_subjects_cannot_be_run_anew(subject: dict[str, Any]) -> None:
    assert find_obstacle(subject) != ""
