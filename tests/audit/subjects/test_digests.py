"""Digests of subjects: all code that one may be made of, and nothing that comes and goes."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import py_compile
from collections.abc import Callable
from pathlib import Path

import pytest

from audit.subjects import digests, isolated
from audit.subjects.digests import Source, command_source, module_source, restate
from synthesizers.errors import InputError


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_program.py").write_text("import own_helper\n")
    (tmp_path / "own_helper.py").write_text("SCALE = 1\n")
    (tmp_path / "parts" / "inner").mkdir(parents=True)
    (tmp_path / "parts" / "inner" / "law.R").write_text("x <- 1\n")
    (tmp_path / "wrapper").write_text("#!/bin/sh\n. ./parts/inner/law.R\n")
    return tmp_path


def of_module() -> str:
    found = module_source("own_program:f")
    assert found is not None
    return found.digest()


def of_command() -> str:
    return command_source(["wrapper"]).digest()


CHANGES: dict[str, Callable[[Path], object]] = {
    "a helper": lambda here: (here / "own_helper.py").write_text("SCALE = 2\n"),
    "a file deeper down": lambda here: (here / "parts" / "inner" / "law.R").write_text("x <- 2\n"),
    "a further module": lambda here: (here / "numbers.py").write_text(""),
    "a module fewer": lambda here: (here / "own_helper.py").unlink(),
    "a renamed file": lambda here: (here / "own_helper.py").rename(here / "helper.py"),
    "a library": lambda here: (here / "law.so").write_bytes(b"\x7fELF"),
    "a script without a suffix": lambda here: (here / "tool").write_text("#!/bin/sh\n"),
    "itself": lambda here: (here / "own_program.py").write_text("import own_helper # now\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("digest", [of_module, of_command])
def test_any_change_of_code_is_seen(
    here: Path, digest: Callable[[], str], change: Callable[[Path], object]
) -> None:
    before = digest()
    assert digest() == before
    change(here)
    assert digest() != before


@pytest.mark.parametrize("digest", [of_module, of_command])
def test_what_comes_and_goes_is_not_seen(here: Path, digest: Callable[[], str]) -> None:
    before = digest()
    (here / "certificate.json").write_text(json.dumps({"schema": "dp-audit/certificate/1"}))
    (here / "private.csv").write_text("age\n30\n")
    (here / "report.html").write_text("<p>")
    for folder in ("__pycache__", ".git", ".venv"):
        (here / folder).mkdir()
        (here / folder / "x.py").write_text("1")
    (here / "env" / "bin").mkdir(parents=True)
    (here / "env" / "bin" / "python").write_text("")
    (here / "env" / "pyvenv.cfg").write_text("")
    (here / "env" / "y.py").write_text("1")
    assert digest() == before


def test_a_link_to_a_folder_is_followed_once(
    here: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    (other / "law.py").write_text("1")
    (here / "linked").symlink_to(other)
    (here / "loop").symlink_to(here)
    before = of_module()
    (other / "law.py").write_text("2")
    assert of_module() != before


def test_of_an_installed_package_its_package_counts_and_of_a_system_program_its_file() -> None:
    found = module_source("json.decoder:JSONDecoder")
    assert found is not None and [folder.name for folder in found.folders] == ["json"]
    file = Path(os.__file__).parent / "antigravity.py"
    assert module_source("antigravity:geohash") == Source((file,), ())
    assert command_source(["/bin/sh"]).folders == ()


def test_nothing_is_imported(here: Path) -> None:
    (here / "parts" / "__init__.py").write_text("raise RuntimeError('run')")
    (here / "parts" / "law.py").write_text("raise RuntimeError('run')")
    found = module_source("parts.law:f")
    assert found is not None and found.files == (here / "parts" / "law.py",)
    for name in ("no_such_module_of_anyone:f", "", ":", "..", "sys:exit", "a.b.c:d", "parts.no:f"):
        assert module_source(name) is None


def test_a_folder_with_too_much_in_it_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "MAX_FILES", 3)
    with pytest.raises(InputError, match="folder of its own"):
        of_module()
    monkeypatch.undo()
    os.chdir(here)
    monkeypatch.setattr(digests, "MAX_BYTES", 10)
    with pytest.raises(InputError, match="more than 10 bytes"):
        of_command()


def test_an_older_certificate_is_compared_by_the_file_alone(here: Path) -> None:
    found = module_source("own_program:f")
    assert found is not None
    file = hashlib.sha256((here / "own_program.py").read_bytes()).hexdigest()
    stated = {"kind": "module", "source_sha256": "0" * 64}
    assert restate(found.identity(), stated, found) == {"source_sha256": file}
    assert restate(found.identity(), {"kind": "module"}, found) == found.identity()
    command = command_source(["wrapper"])
    stated = {"kind": "command", "form": "program", "source_sha256": "0" * 64}
    whole = hashlib.sha256(hashlib.sha256((here / "wrapper").read_bytes()).digest()).hexdigest()
    assert restate(command.identity(), stated, command) == {"source_sha256": whole}


def test_an_empty_file_of_an_environment_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("from helper import f\n")
    (tmp_path / "pyvenv.cfg").write_text("")
    digests = set()
    for text in ("f = 1\n", "f = 2\n"):
        (tmp_path / "helper.py").write_text(text)
        source = module_source("mine:f")
        assert source is not None
        digests.add(source.digest())
    assert len(digests) == 2


def test_bytecode_of_another_source_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('run')\n")
    (tmp_path / "mine.py").write_text("def f(database, rng):\n    return 0\n")
    py_compile.compile(
        "evil.py",
        cfile=importlib.util.cache_from_source(str(tmp_path / "mine.py")),
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    assert isolated.describe("mine:f", folder=str(tmp_path)).form == "function"
