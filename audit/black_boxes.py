"""Black boxes by name: what the command line, or a certificate, says is to be attacked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from audit.attack.black_box import BlackBox
from audit.claim import Claim
from audit.subject import BlackBoxSubject
from audit.subjects.command import CommandBox
from audit.subjects.isolated import IsolatedBox, described
from audit.subjects.limits import Limits
from audit.subjects.outputs import OutputsBox, read_outputs
from audit.subjects.programs import ProgramBox
from audit.subjects.served import ServedBox
from audit.subjects.server import serves
from audit.subjects.synthesizer import program_subject
from audit.subjects.wire import Described
from synthesizers.curator import Setting
from synthesizers.errors import InputError

COMMAND, OUTPUTS = "command:", "outputs:"

INDEPENDENT = "repeated runs are independent draws of one law, as far as the runs looked at show"
ON_YOUR_WORD = (
    "the two databases of the pair are neighbours under the claim: that is taken on trust"
)
SERVED = "a served run has the law of a run in a process of its own, as far as those compared show"
SCOPE = "running time, memory, what is printed or written elsewhere are out of scope"


@dataclass(frozen=True)
class Wanted:
    """A black box as it was named.

    ``name``: ``module:attribute``, ``command:PATH`` or ``outputs:A,B``. ``form``: of a module's,
    function, batch or estimator; None where it is to be found out. ``rows``: the public number of
    rows of an estimator's or a command's output. ``found``: what a module's attribute is, where
    that was found out before. ``serves``: whether a command is asked for its runs by version 2 of
    its protocol; None where the command is to say.
    """

    name: str
    form: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    rows: int | None = None
    found: Described | None = None
    serves: bool | None = None


def is_command_or_outputs(name: str) -> bool:
    """Whether a subject's name is that of a command or of drawn outputs."""
    return name.startswith((COMMAND, OUTPUTS))


def black_box(wanted: Wanted, claim: Claim) -> BlackBoxSubject:
    """The subject; raises InputError where it can't be found, made or asked.

    Nothing of it has run but the import of its module, in a process of its own, or a command's
    start to say whether it serves; raises ProtocolError where it says that otherwise than agreed.
    """
    name = wanted.name
    if is_command_or_outputs(name) and wanted.parameters:
        raise InputError(f"{name} takes no --set; a command is handed the claim alone")
    if name.startswith(COMMAND):
        return _command(wanted, claim)
    if name.startswith(OUTPUTS):
        return _outputs(name)
    return _of_module(wanted, claim)


def _of_module(wanted: Wanted, claim: Claim) -> BlackBoxSubject:
    parameters = {key.replace("-", "_"): value for key, value in wanted.parameters.items()}
    found = wanted.found or described(wanted.name, parameters)
    form = wanted.form or found.form
    if form == "function" and found.form == "batch":
        form = "batch"
    if form not in ("function", "batch", "estimator"):
        raise InputError(f"{wanted.name} is a program of a curator, and no black box")
    box = IsolatedBox(
        wanted.name,
        wanted.name,
        cast(Literal["function", "batch", "estimator"], form),
        parameters,
        seconds=wanted.limits.seconds,
        megabytes=wanted.limits.megabytes,
        rows=wanted.rows,
        columns=None if claim.domain is None else claim.domain.names,
    )
    box.check()
    identity = {
        "form": form,
        "parameters": dict(wanted.parameters),
        **_limited(wanted),
        "source_sha256": found.source_sha256,
    }
    kind = "estimator" if form == "estimator" else "function"
    assumptions = ("the module's code is the code that will run", INDEPENDENT, SCOPE)
    return BlackBoxSubject(wanted.name, kind, box, assumptions, identity, box.isolation)


def _command(wanted: Wanted, claim: Claim) -> BlackBoxSubject:
    path = wanted.name.removeprefix(COMMAND)
    box = CommandBox(
        path,
        claim.guarantee,
        claim.neighbours,
        claim.require_domain(),
        claim.records if wanted.rows is None else wanted.rows,
        wanted.limits,
    )
    box.check()
    identity = {**_limited(wanted), "source_sha256": file_sha256(path)}
    same = "the program at the path is the one that will run, with all that it loads"
    apart = box.isolation
    if serves(box.path, box.limits) if wanted.serves is None else wanted.serves:
        identity["serves"] = True
        of_served = (same, INDEPENDENT, SERVED, SCOPE)
        served = ServedBox(box)
        return BlackBoxSubject(wanted.name, "command", served, of_served, identity, apart)
    assumptions = (same, INDEPENDENT, SCOPE)
    return BlackBoxSubject(wanted.name, "command", box, assumptions, identity, apart)


def _outputs(name: str) -> BlackBoxSubject:
    first, comma, second = name.removeprefix(OUTPUTS).partition(",")
    if not comma or not first or not second:
        raise InputError(f"outputs are two files, outputs:A,B, one a database; found {name!r}")
    box = read_outputs(first, second)
    assumptions = (
        "each file's outputs are independent draws on one of two neighbouring databases",
        INDEPENDENT,
    )
    identity = {"sha256": list(box.digests)}
    return BlackBoxSubject(name, "outputs", box, assumptions, identity)


def _limited(wanted: Wanted) -> dict[str, Any]:
    """What a run may take and is asked for."""
    seconds, megabytes = wanted.limits.seconds, wanted.limits.megabytes
    return {"seconds": seconds, "megabytes": megabytes, "rows": wanted.rows}


def file_sha256(path: str) -> str:
    """The digest of a file; raises InputError where it can't be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def stated_box(document: Mapping[str, Any], claim: Claim) -> BlackBoxSubject:
    """The black box that a certificate's subject describes.

    Raises InputError where the description is malformed, or the subject is absent. Whoever calls
    it has compared the digests of its files (`audit.stated_subjects`): a module is imported.
    """
    name, values, rows = _named(document)
    limits = Limits(*(_number(document, key) for key in ("seconds", "megabytes")))
    form = document.get("form")
    served = document.get("serves") is True
    return black_box(Wanted(name, form, values, limits, rows, serves=served), claim)


def box_of(document: Mapping[str, Any], claim: Claim) -> BlackBox:
    """The same as something that can be run; of a program, the program as a black box."""
    if document.get("kind") in ("program", "module"):
        name, values, rows = _named(document)
        public = claim.records if claim.neighbours.records_public else None
        setting = Setting(claim.require_domain(), claim.neighbours, public, rows)
        return ProgramBox(program_subject(name, values), setting, claim.released)
    found = stated_box(document, claim).box
    if isinstance(found, OutputsBox):
        raise InputError("outputs that were drawn before can't be drawn again")
    return found


def _named(document: Mapping[str, Any]) -> tuple[str, dict[str, str], int | None]:
    name, parameters, rows = (document.get(key) for key in ("name", "parameters", "rows"))
    if not isinstance(name, str) or not isinstance(parameters or {}, dict):
        raise InputError("the certificate's subject is malformed")
    if rows is not None and (type(rows) is not int or rows < 0):
        raise InputError("the certificate's rows must be a whole number of at least 0")
    return name, {str(key): str(value) for key, value in (parameters or {}).items()}, rows


def _number(document: Mapping[str, Any], key: str) -> int:
    value = document.get(key, getattr(Limits(), key))
    if type(value) is not int or value < 1:
        raise InputError(f"the certificate's {key} must be a whole number of at least 1")
    return value
