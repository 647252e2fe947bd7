"""Subjects as certificates state them: what stands in the way of running one again.

A certificate may come from anyone, and its subject is code. The same code has the same digest;
but a digest is no leave to run it: some function of an installed package, on databases that a
stranger chose, may do anything. So code is run that lies beside the user, who put it there, and any
other only where the user names it, too.
"""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.subjects.digests import (
    KEY,
    OLDER,
    Source,
    command_source,
    file_sha256,
    module_folders,
    module_source,
    restate,
)
from audit.subjects.interpreters import find_interpreter
from audit.subjects.matrix import decode_channel
from audit.subjects.subject import BlackBoxSubject, ProgramSubject, Subject
from audit.subjects.synthesizer import COMMAND, OUTPUTS, command_words, files_among, program_subject
from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.programs import PROGRAMS

if TYPE_CHECKING:
    from audit.subjects.black_box import BlackBox

MODULES = ("module", "function", "estimator")
"""The kinds of subject that are code of a module."""


def find_obstacle(
    subject: Mapping[str, Any], meant: str | None = None, python: str | None = None
) -> str:
    """Why the subject can't be run anew here, in words; empty where nothing stands in the way.

    ``meant``: the subject that the user says to mean, if any. ``python``: the path of the
    interpreter that the user names; a certificate states a version, and never a program.

    Guarantee
    ---------
    Without an obstacle, the code to be run has the digest that is stated, and is ours, lies in the
    current folder alone, or was named by the user. Nothing of it has been imported or run. Backed
    by ``tests/audit/subjects/test_stated_subjects.py``.
    """
    kind, name = subject.get("kind"), subject.get("name")
    if not isinstance(name, str):
        return "the certificate does not name its subject"
    if meant is not None and meant != name:
        return f"the certificate is about {name}, not about {meant}"
    if kind == "program":
        return "" if name in PROGRAMS else f"{name} is no built-in program of this version"
    if kind == "outputs":
        return _find_outputs_obstacle(name, subject.get("sha256"), meant)
    if kind not in (*MODULES, "command") or name in PROGRAMS:
        return "the subject is of no kind that can be run"
    stranger = _other_interpreter(subject.get("python"), python)
    if stranger:
        return stranger
    source = _source(subject, name, python)
    if source is None:
        return f"the subject {name} is absent; name the folder that holds it by --folder"
    if meant is None:
        why = _not_beside_the_user(subject, name, source, python)
        if why:
            return f"the subject {name} {why}; say --subject {name} to run it"
    try:
        found = restate(source.identity(), subject, source)
    except InputError as error:
        return str(error)
    if any(found.get(key) != subject.get(key) for key in (KEY, OLDER)):
        message = (
            f"the source of {name} is not the one that was audited: the digest of its code in "
            f"{Path.cwd()} is {_shorten(found)}, and the certificate states {_shorten(subject)}"
        )
        # An older certificate's digest is that of the named file alone.
        return f"{message} (it covers all code in that folder)" if KEY in subject else message
    return ""


def _shorten(identity: Mapping[str, Any]) -> str:
    """The begin of a digest, as it is read out and compared by eye."""
    return f"{str(identity.get(KEY) or identity.get(OLDER) or 'none')[:12]}…"


def _other_interpreter(stated: object, python: str | None) -> str:
    """Why it can't be run by the interpreter that the user names, or does not name."""
    if stated is None:
        return "" if python is None else "it was run by dp-audit's own Python: leave out --python"
    if python is None:
        return f"it was run by the Python {stated} of another environment: name that by --python"
    try:
        found = find_interpreter(python)
    except InputError as error:
        return str(error)
    if found.version != stated:
        return f"it was run by Python {stated}, and --python is Python {found.version}"
    return ""


def _folders(python: str | None) -> Sequence[str] | None:
    return None if python is None else find_interpreter(python).folders


def _source(subject: Mapping[str, Any], name: str, python: str | None) -> Source | None:
    """Where the subject's code lies; None where it is absent."""
    if subject.get("kind") != "command":
        return module_source(name, _folders(python)) if ":" in name else None
    if not name.startswith(COMMAND):
        return None
    if subject.get("form") is None:
        path = name.removeprefix(COMMAND)
        return command_source([path]) if Path(path).is_file() else None
    try:
        return command_source(files_among(command_words(name)))
    except InputError:
        return None


def _not_beside_the_user(
    subject: Mapping[str, Any], name: str, source: Source, python: str | None
) -> str:
    """Why what would run is not what the user put into the current folder, or nothing."""
    if not source.files or not source.lies_below(Path.cwd()):
        return "lies outside this folder"
    if subject.get("kind") != "command":
        top = name.partition(":")[0].partition(".")[0]
        return "has the name of an installed module" if _is_installed_too(top, python) else ""
    if subject.get("form") is None:
        return ""
    # A program of the system, or an option, does what the certificate says.
    words = command_words(name)
    return "" if len(source.files) == len(words) else "names more than files of this folder"


def _is_installed_too(top: str, python: str | None) -> bool:
    """Whether a module of this name is also found elsewhere: its process may have loaded that."""
    if top in sys.stdlib_module_names:
        return True
    here = Path.cwd().resolve()
    folders = _folders(python) or module_folders()
    elsewhere = [path for path in folders if not Path(path).resolve().is_relative_to(here)]
    return importlib.machinery.PathFinder.find_spec(top, elsewhere) is not None


def _find_outputs_obstacle(name: str, stated: object, meant: str | None) -> str:
    """Why files of outputs are not read: a certificate names any file it likes."""
    paths = [Path(part) for part in name.removeprefix(OUTPUTS).split(",", 1)]
    there = len(paths) == 2 and all(path.is_file() for path in paths)
    if not name.startswith(OUTPUTS) or not there:
        return f"the subject {name} is absent; name the folder that holds its files by --folder"
    here = Path.cwd().resolve()
    if meant is None and not all(path.resolve().is_relative_to(here) for path in paths):
        return f"the subject {name} lies outside this folder; say --subject {name} to read it"
    try:
        alike = [file_sha256(path) for path in paths] == stated
    except OSError:
        alike = False
    return "" if alike else "the files of outputs are not those that were audited"


def rebuild_subject(
    subject: Mapping[str, Any],
    claim: Claim,
    meant: str | None = None,
    python: str | None = None,
) -> tuple[Subject | None, str]:
    """The subject built anew, or what stands in the way; raises InputError where it is malformed.

    Guarantee
    ---------
    As `find_obstacle`, which is asked first, whatever the subject's kind.
    """
    if subject["kind"] == "channel":
        if meant not in (None, subject["name"]):
            return None, f"the certificate is about {subject['name']}, not about {meant}"
        own = decode_channel(dict(subject), subject["name"], claim.neighbours, claim.released)
        return own, "" if own else "the channel is too large to carry, and is not here"
    hindrance = find_obstacle(subject, meant, python)
    if hindrance:
        return None, hindrance
    try:
        return _build(subject, claim, python), ""
    except InputError as error:
        if subject["kind"] == "program":
            raise
        return None, f"the subject is absent: {error}"


def _build(
    subject: Mapping[str, Any], claim: Claim, python: str | None
) -> ProgramSubject | BlackBoxSubject:
    """The subject that is described, by the form of digest that is stated."""
    name, values = subject["name"], dict(subject.get("parameters", {}))
    form, source = subject.get("form"), None
    own: ProgramSubject | BlackBoxSubject
    if subject["kind"] in ("program", "module") or form == "program":
        own = program_subject(name, values)
    else:
        # Here, not above: tables come with it.
        from audit.subjects.black_boxes import Wanted, black_box
        from audit.subjects.server import Serving

        limits = Limits(*(subject.get(key, getattr(Limits(), key)) for key in LIMITS))
        own = black_box(
            Wanted(
                name,
                form,
                values,
                limits,
                subject.get("rows"),
                serving=Serving.of_subject(subject),
                python=python,
                warm=subject.get("warm") is True,
            ),
            claim,
        )
    if subject["kind"] in (*MODULES, "command"):
        source = _source(subject, name, python)
    if source is None:
        return own
    return replace(own, identity=restate(own.identity, subject, source))


LIMITS = ("seconds", "megabytes")


def box_of(subject: Mapping[str, Any], claim: Claim, python: str | None = None) -> BlackBox:
    """A certificate's subject as something that can be run; of a program, it as a black box.

    ``python``: the path of the interpreter that the user names. Asked after `find_obstacle`; raises
    InputError where it can't be run.
    """
    from audit.subjects.outputs import OutputsBox
    from audit.subjects.programs import ProgramBox

    found = _build(subject, claim, python)
    if isinstance(found, ProgramSubject):
        public = claim.records if claim.neighbours.records_public else None
        rows = subject.get("rows")
        setting = Setting(claim.require_domain(), claim.neighbours, public, rows)
        return ProgramBox(found, setting, claim.released)
    if isinstance(found.box, OutputsBox):
        raise InputError("outputs that were drawn before can't be drawn again")
    return found.box
