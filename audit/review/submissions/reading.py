"""``submission.toml``: how a submission runs, what it claims, and what its write-up says."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import cast

from audit.review.submissions.challenge import Terms
from audit.review.submissions.claims import PLACE, are_alike, complete_claim, read_claim
from audit.review.submissions.commands import split_command, unfilled_places
from audit.review.submissions.deid2 import find_main, read_parameters
from audit.review.submissions.names import problem_of_name
from audit.review.submissions.sections import (
    Section,
    is_number,
    is_text,
    read_document,
    require_no_problem,
)
from audit.review.submissions.stated_write_ups import read_write_up
from audit.review.submissions.submission import Launch, StatedClaim, Submission, Way
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain

FILE = "submission.toml"
"""Where a submission says what it is."""

DOMAIN = "domain.toml"
"""Its domain file, if it names no other."""

_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ATTRIBUTE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
MOST_SECONDS, MOST_MEGABYTES = 24 * 3600, 2**20
"""What a run may take at most, where a challenge does not say it: a review waits for it."""

_WAYS = ("command", "program", "module", "deid2")


def read_submission(folder: Path, name: str, terms: Terms, made: Path) -> Submission:
    """The submission that a folder's ``submission.toml`` describes.

    ``name``: where it states none. ``terms``: of its challenge, which hold where it is silent.
    ``made``: the path for a domain file that has to be made (of DeID2). Raises InputError with all
    that is wrong.
    """
    document = read_document(folder / FILE)
    problems = document.problems
    stated_name = document.text("name")
    if stated_name is not None:
        problems += problem_of_name(stated_name)
    launch = _read_launch(document.table("run"), folder, terms)
    stated = read_claim(document.table("claim"))
    domain_section = document.table("domain")
    domain_file = domain_section.text("file")
    domain_section.end()
    parameters = _read_parameters(document.table("parameters"), launch)
    stated_section = document.table("write-up")
    write_up = read_write_up(stated_section)
    if write_up.file is not None:
        _require_inside(stated_section, folder, "file", write_up.file)
    document.end()
    drafted: Path | None = None
    beside: tuple[Path, ...] = ()
    if launch is not None and launch.way == "deid2":
        try:
            of_runs, drafted, beside = read_parameters(folder, terms, made)
            stated = stated.over(of_runs)
        except InputError as error:
            problems.append(f"[run]: {error}")
    claim = complete_claim(stated.over(terms.claim), problems)
    asked = complete_claim(terms.claim.over(stated), []) if claim is not None else None
    if launch is not None and claim is not None and launch.way == "template":
        problems += unfilled_places(launch.words, claim, launch.rows)
    domain = _domain(folder, domain_file, drafted, terms, problems)
    read = None if domain is None or claim is None else _read_domain(domain, claim, problems)
    require_no_problem(document, FILE)
    assert launch is not None and claim is not None and domain is not None
    return Submission(
        stated_name or name,
        folder,
        launch,
        claim,
        domain,
        parameters,
        write_up,
        None if asked is None or are_alike(asked, claim) else asked,
        domain_file is not None and _is_other(read, terms),
        beside,
    )


def _read_launch(run: Section, folder: Path, terms: Terms) -> Launch | None:
    command, program = run.text("command"), run.text("program")
    module, deid2 = run.text("module"), run.truth("deid2")
    protocol = run.choice("protocol", ("submission", "curator"))
    form = run.choice("form", ("program", "function", "estimator"))
    python = run.text("python")
    rows, seconds, megabytes = (
        run.whole("rows", 0),
        run.whole("seconds", 1),
        run.whole("megabytes", 1),
    )
    run.end()
    given = dict(zip(_WAYS, (command, program, module, deid2 or None), strict=True))
    stated = [key for key, value in given.items() if value is not None]
    if len(stated) != 1:
        found = " and ".join(stated) or "none"
        run.note(f"state one of {', '.join(_WAYS)}, found {found}")
        return None
    if protocol is not None and program is None:
        run.note("protocol goes with program")
    if form is not None and module is None:
        run.note("form goes with module")
    if python is not None and program is not None:
        run.note("python goes with command, module and deid2; a program names its own")
    elif python is not None and not (os.path.isabs(python) and os.access(python, os.X_OK)):
        run.note("python must be the absolute path of an interpreter on this machine")
    way: Way = "deid2"
    words: tuple[str, ...] = ()
    if command is not None:
        way = "template"
        words, problems = split_command(command)
        run.problems += problems
    elif program is not None:
        way = cast(Way, protocol or "submission")
        words = (os.path.normpath(program),)
        _require_inside(run, folder, "program", program)
    elif module is not None:
        way, words = "module", (module,)
        if not _ATTRIBUTE.fullmatch(module):
            run.note('module must be "module:attribute", as in "synth:program"')
    else:
        main = find_main(folder)
        words = () if main is None else (main,)
        if main is None:
            run.note("deid2 = true needs main.py, main.R or main beside submission.toml")
    shared = terms.run
    for key, value, most in (
        ("seconds", seconds, shared.seconds or MOST_SECONDS),
        ("megabytes", megabytes, shared.megabytes or MOST_MEGABYTES),
    ):
        if value is not None and value > most:
            run.note(f"{key} must be at most {most}, which is what a run may take here")
    return Launch(
        way,
        words,
        form,
        python,
        shared.rows if rows is None else rows,
        seconds or shared.seconds or Launch.seconds,
        megabytes or shared.megabytes or Launch.megabytes,
    )


def _read_parameters(section: Section, launch: Launch | None) -> tuple[tuple[str, str], ...]:
    section.known += section.fields
    found = []
    for key, value in section.fields.items():
        if not _PARAMETER.fullmatch(key):
            section.note(f"{key[:60]!r} is no name of a parameter")
        elif not (is_text(value) or is_number(value)):
            section.note(f"{key} must be a number or a text of one line")
        else:
            found.append((key, str(value)))
    if found and launch is not None and launch.way not in ("curator", "module"):
        section.note("parameters go with module and with a curator's program; a command has words")
    return tuple(found)


def _require_inside(section: Section, folder: Path, key: str, path: str) -> None:
    """Note a problem unless a path is that of a file within the folder."""
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path:
        section.note(f"{key} must be a path within the folder, as in {os.path.basename(path)!r}")
    elif not (folder / path).is_file():
        section.note(f"{key}: there is no file {path[:80]!r}")


def _domain(
    folder: Path, stated: str | None, drafted: Path | None, terms: Terms, problems: list[str]
) -> Path | None:
    """The domain file: the one that is stated, or drafted, or the challenge's, or domain.toml."""
    if stated is not None:
        section = Section({}, "[domain]", problems)
        before = len(problems)
        _require_inside(section, folder, "file", stated)
        return folder / stated if len(problems) == before else None
    own = folder / DOMAIN
    found = drafted or terms.domain or (own if own.is_file() else None)
    if found is None:
        problems.append('[domain] needs file = "domain.toml"; dp-audit domain drafts one')
    return found


def _read_domain(path: Path, claim: StatedClaim, problems: list[str]) -> Domain | None:
    """The domain of a file; None, and a problem, for one that does not fit the claim, too."""
    try:
        domain = load_domain(path)
    except InputError as error:
        problems.append(f"[domain]: {error}".replace(str(path), path.name))
        return None
    if claim.unit == "person" and domain.individual is None:
        problems.append(
            "[domain]: the unit is a person, so that the domain file must name the id column, in "
            f"[individual]; the claim reads {claim.guarantee.replace(PLACE, 'ε')!r}"
        )
        return None
    return domain


def _is_other(domain: Domain | None, terms: Terms) -> bool:
    """Whether a domain, but for its name, says otherwise than the challenge's, if that has one."""
    if domain is None or terms.domain is None:
        return False
    shared = load_domain(terms.domain)
    return replace(domain, name=shared.name) != shared
