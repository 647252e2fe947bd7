"""A page of the documentation as its reader works through it: block by block, in one terminal.

What a block is follows from the page itself:

- ``bash``: commands. They begin in the folder of the page's run, and each block goes on in the
  folder where the one before it ended, as a reader's terminal does. A ``text`` block that comes
  next is what they print, compared as doctest compares: ``...`` stands for anything, and white
  space for any other.
- a first line ``# NAME.SUFFIX``, in any language: a file of that name.
- ``python`` otherwise: a program of its own, which runs as it stands, with a ``text`` block alike.
- anything else is shown, and neither written nor run.

A comment of HTML on the line before a block says what a reader does not need to see:
``<!-- exit 1 -->``, the exit code of the last command; ``<!-- file NAME -->``, the file that the
block is; ``<!-- not run: WHY -->``.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests.audit.processes import ROOT

COMMANDS = Path(sys.executable).parent
"""Where the commands of these tests' environment lie."""

_BLOCK = re.compile(
    r"^(?:<!-- (?P<note>[^\n]*) -->\n)?```(?P<language>[\w-]*)\n(?P<text>.*?)^```$", re.M | re.S
)
_NAMED = re.compile(r"(?:#|//) ([\w./-]+\.\w+)\n")
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block, the line where it begins, and the comment before it."""

    language: str
    text: str
    line: int
    note: str = ""

    @property
    def file(self) -> str | None:
        """The name of the file that it is."""
        if self.note.startswith("file "):
            return self.note.removeprefix("file ")
        named = _NAMED.match(self.text)
        return named[1] if named and self.language != "bash" else None

    @property
    def exit_code(self) -> int:
        """With what its last command ends."""
        return int(self.note.removeprefix("exit ")) if self.note.startswith("exit ") else 0

    @property
    def is_run(self) -> bool:
        """Whether it is a program, or commands."""
        runs = self.language in ("bash", "python") and self.file is None
        return runs and not self.note.startswith("not run: ")


def read_blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(
            m["language"], m["text"], text[: m.start("language")].count("\n") + 1, m["note"] or ""
        )
        for m in _BLOCK.finditer(text)
    ]


def list_commands(blocks: Iterable[Block]) -> list[list[str]]:
    """The words of every command of ``dp-audit`` in blocks of commands, run or not."""
    texts = [block.text.replace("\\\n", " ") for block in blocks if block.language in ("bash", "")]
    lines = [line for text in texts for line in text.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith("dp-audit ")]


def run_page(page: Path, folder: Path, commands: Path = COMMANDS) -> None:
    """Works through a page in a folder that holds the examples of the repository.

    ``commands`` is where ``dp-audit`` and ``python`` of an environment lie.
    """
    for name in ("examples", "docs/examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    here = folder
    for block, shown in _with_output(read_blocks(page)):
        where = f"{page.name}, line {block.line}"
        if block.file is not None:
            file = here / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
        elif block.is_run:
            printed, here = _run(block, here, _environment(folder, commands, os.environ), where)
            same = shown is None or doctest.OutputChecker().check_output(shown, printed, _FLAGS)
            assert same, f"{where} shows\n{shown}\nand this was printed:\n{printed}"


def _with_output(blocks: list[Block]) -> Iterator[tuple[Block, str | None]]:
    """Each block, beside the output that is shown of it."""
    for block, after in pairwise([*blocks, Block("", "", 0)]):
        shows = after.language == "text" and after.file is None
        yield block, after.text if block.is_run and shows else None


def _run(block: Block, here: Path, environment: Mapping[str, str], where: str) -> tuple[str, Path]:
    """What a block prints, which must end with its exit code, and the folder where it ends."""
    program = {"bash": ["bash", "-euo", "pipefail", "-c"], "python": ["python", "-c"]}
    with NamedTemporaryFile("r", encoding="utf-8") as ends:
        text = f"trap 'pwd > {shlex.quote(ends.name)}' EXIT\n{block.text}"
        done = subprocess.run(
            [*program[block.language], text if block.language == "bash" else block.text],
            cwd=here,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=560,
            check=False,
        )
        here = Path(ends.read().removesuffix("\n") or here)
    ended = f"{where} ends with {done.returncode} instead of {block.exit_code}"
    assert done.returncode == block.exit_code, f"{ended}:\n{block.text}\n{done.stdout}"
    return done.stdout, here


def _environment(folder: Path, commands: Path, ours: Mapping[str, str]) -> dict[str, str]:
    """A reader's: a terminal of 80 columns, a home of its own, the commands before all others."""
    kept = {name: ours[name] for name in ("OMP_NUM_THREADS", "LANG", "TMPDIR") if name in ours}
    path = f"{commands}:{ours.get('PATH', '/usr/bin:/bin')}"
    return {**kept, "PATH": path, "HOME": str(folder), "COLUMNS": "80", "NO_COLOR": "1"}
