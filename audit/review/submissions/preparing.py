"""A submission made ready: a folder of ours in which commands of ``dp-audit`` about it start."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.review.submissions.deid2 import FORMAT, PARAMETERS, find_own
from audit.review.submissions.reading import DOMAIN, FILE
from audit.review.submissions.submission import Prepared, Submission
from audit.review.submissions.trees import copy_files, list_files
from audit.review.submissions.writing import to_toml
from audit.subjects.interpreters import find_interpreter
from audit.subjects.isolated import describe
from synthesizers.errors import InputError

RUN = "dp-audit-run"
"""The program that runs a command line or a submission to DeID2, by the submission protocol."""

FORM_SECONDS = (30, 60)
"""How long it may take to find out what a module's attribute is: what a run may take, within these.
Large packages take half a minute from a cold disk; whatever never ends holds up all others."""

_ADAPTER = Path(__file__).with_name("adapter.py")
_LONGEST_LINE = 120
"""Characters of a first line that every system takes."""


def prepare(submission: Submission, folder: Path) -> Prepared:
    """Copy a submission into ``folder``, new or empty, with all that its audit needs.

    The folder holds its files, ``domain.toml``, a ``submission.toml`` in which what it inherited is
    written out, and, of a command line or a submission to DeID2, a program that runs it: it is a
    submission itself. Of a module, what it is is found out in a process of its own, within
    `FORM_SECONDS`. Raises InputError where a file can't be copied, or there is no such module.

    Guarantee
    ---------
    Of the same files and the same interpreter the folder is the same, to the byte. Backed by
    ``tests/audit/review/submissions/test_preparing.py``.
    """
    files = list_files(submission.folder)
    for path in folder.iterdir() if folder.is_dir() else ():
        raise InputError(f"{folder} is not empty: it holds {path.name!r}; give a new folder")
    domain = submission.domain.read_bytes()
    own = submission.folder / DOMAIN
    if own.is_file() and own.read_bytes() != domain:
        raise InputError(f"it has a {DOMAIN} that is not its domain file; rename it")
    ours = (DOMAIN, FILE, RUN)
    theirs = tuple(file for file in files if file.name.split("/")[0] not in ours)
    copy_files(theirs, folder)
    (folder / DOMAIN).write_bytes(domain)
    (folder / FILE).write_text(to_toml(submission, DOMAIN), "utf-8")
    for path in submission.beside:
        (folder / path.name).write_bytes(path.read_bytes())
    return _ready(submission, folder.absolute())


def _ready(submission: Submission, folder: Path) -> Prepared:
    launch = submission.launch
    limits = ("--seconds", str(launch.seconds), "--megabytes", str(launch.megabytes))
    rows = () if launch.rows is None else ("--rows", str(launch.rows))
    settings = tuple(
        word for key, value in submission.parameters for word in ("--set", f"{key}={value}")
    )
    match launch.way:
        case "template" | "deid2":
            _write_runner(submission, folder)
            return Prepared(submission, folder, f"command:./{RUN}", (*rows, *limits), False)
        case "submission":
            _allow(folder / launch.words[0])
            subject = f"command:./{launch.words[0]}"
            return Prepared(submission, folder, subject, (*rows, *limits), False)
        case "curator":
            _allow(folder / launch.words[0])
            subject = f"command:./{launch.words[0]}"
            flags = ("--as", "program", *rows, *settings)
            return Prepared(submission, folder, subject, flags, True)
    form = launch.form or _form(submission, folder)
    flags = (*(("--as", launch.form) if launch.form else ()), *rows, *settings)
    if launch.python is not None:
        flags += ("--python", launch.python)
    asks = form == "program"
    return Prepared(submission, folder, launch.words[0], flags if asks else (*flags, *limits), asks)


def _form(submission: Submission, folder: Path) -> str:
    """What a module's attribute is; raises InputError where it can't be found."""
    launch = submission.launch
    python = None if launch.python is None else find_interpreter(launch.python)
    values = values_at(submission, submission.claim.epsilons[0])
    named = {key.replace("-", "_"): value for key, value in values.items()}
    shortest, longest = FORM_SECONDS
    seconds = min(max(launch.seconds, shortest), longest)
    return describe(launch.words[0], named, str(folder), python, seconds).form


def values_at(submission: Submission, epsilon: str) -> dict[str, str]:
    """The parameters of a program at one ε."""
    return {key: value.replace("{epsilon}", epsilon) for key, value in submission.parameters}


def _allow(program: Path) -> None:
    """Let a program be executed: a zip of Windows does not say that it may be."""
    program.chmod(0o755)


def _write_runner(submission: Submission, folder: Path) -> None:
    python = submission.launch.python or sys.executable
    if any(sign.isspace() for sign in python) or len(python) > _LONGEST_LINE:
        raise InputError(
            f"the path of the interpreter {python!r} is too long, or has a space: a program's "
            "first line can't name it. State another python in [run]"
        )
    runner = folder / RUN
    # In its order: that of the schema is the order of columns. It is part of the program, so that
    # the digest of a certificate covers what is started: files of JSON are data there.
    settings = json.dumps(_settings(submission, folder))
    text = f"#!{python} -IS\n{_ADAPTER.read_text('utf-8')}\n# {settings}\n"
    runner.write_text(text, "utf-8")
    _allow(runner)


def _settings(submission: Submission, folder: Path) -> Mapping[str, Any]:
    launch = submission.launch
    own = [RUN, FILE]
    if launch.way == "template":
        return {"way": launch.way, "words": list(launch.words), "own": own}
    main = launch.words[0]
    if main == "main":
        _allow(folder / main)
    words = {"main.py": ["python", main], "main.R": ["Rscript", main]}.get(main, [f"./{main}"])
    path = find_own(folder, PARAMETERS)
    assert path is not None
    document = json.loads(path.read_text("utf-8"))
    schema = document["schema"]
    return {
        "way": launch.way,
        "words": words,
        "own": [*own, "submission.csv"],
        "schema": schema,
        "run": document["runs"][0],
        "epsilons": list(submission.claim.epsilons),
        "columns": _columns(find_own(folder, FORMAT)) or ["epsilon", *schema],
    }


def _columns(path: Path | None) -> list[str]:
    """The first line of the table that shows the form of the output; nothing where none does."""
    if path is None:
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, ValueError, csv.Error):
        raise InputError(f"{path.name} is no table whose first line names columns") from None


def digest_of(prepared: Prepared) -> str:
    """The SHA-256 of a prepared folder: of the names, modes and bytes of its files, in order.

    Where another interpreter is stated, its version is part of it.
    """
    digest = hashlib.sha256()
    for file in list_files(prepared.folder):
        content = hashlib.sha256(file.source.read_bytes()).hexdigest()
        digest.update(json.dumps([file.name, file.executable, content]).encode())
    python = prepared.submission.launch.python
    if python is not None:
        digest.update(find_interpreter(python).version.encode())
    return digest.hexdigest()
