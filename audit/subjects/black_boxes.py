"""Black boxes by name: what the command line, or a certificate, says is to be attacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from audit.statements import assumptions
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.subjects.command import CommandBox
from audit.subjects.digests import command_source, module_source
from audit.subjects.interpreters import find_interpreter
from audit.subjects.isolated import IsolatedBox, describe
from audit.subjects.served import AloneBox, ServedBox
from audit.subjects.server import Serving, ask_serving
from audit.subjects.specs import Described
from audit.subjects.subject import BlackBoxSubject
from audit.subjects.synthesizer import COMMAND, OUTPUTS
from audit.subjects.warm import WarmBox
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Wanted:
    """A black box as it was named.

    ``name``: ``module:attribute``, ``command:PATH`` or ``outputs:A,B``. ``form``: of a module's,
    function, batch or estimator; None where it is to be found out. ``rows``: the public number of
    rows of an estimator's or a command's output. ``found``: what a module's attribute is, where
    that was found out before. ``serving``: how a command is asked for its runs by version 2 of its
    protocol; None where the command is to say. ``python``: the path of another environment's
    interpreter, which runs a module's. ``warm``: a command that is a Python script is run in copies
    of a process that has imported what it imports.
    """

    name: str
    form: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    rows: int | None = None
    found: Described | None = None
    serving: Serving | None = None
    python: str | None = None
    warm: bool = False


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
    if is_command_or_outputs(name) and wanted.python is not None:
        raise InputError("--python goes with module:attribute; a command names its own interpreter")
    if wanted.warm and not name.startswith(COMMAND):
        raise InputError("--warm goes with a command; a module is loaded once as it is")
    if name.startswith(COMMAND):
        return _command(wanted, claim)
    if name.startswith(OUTPUTS):
        return _outputs(name)
    return _of_module(wanted, claim)


def _of_module(wanted: Wanted, claim: Claim) -> BlackBoxSubject:
    parameters = {key.replace("-", "_"): value for key, value in wanted.parameters.items()}
    python = None if wanted.python is None else find_interpreter(wanted.python)
    found = wanted.found or describe(wanted.name, parameters, python=python)
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
        python=python,
    )
    box.check()
    source = module_source(wanted.name, None if python is None else python.folders)
    identity = {
        "form": form,
        "parameters": dict(wanted.parameters),
        **_limit_members(wanted),
        **({} if python is None else {"python": python.version}),
        **({} if source is None else source.identity()),
    }
    kind = "estimator" if form == "estimator" else "function"
    rests_on = (assumptions.MODULE, assumptions.INDEPENDENT, assumptions.SCOPE)
    return BlackBoxSubject(wanted.name, kind, box, rests_on, identity, box.isolation)


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
    identity = {**_limit_members(wanted), **command_source([path]).identity()}
    always = (assumptions.COMMAND, assumptions.INDEPENDENT)
    rests_on: tuple[str, ...] = (*always, assumptions.SCOPE)
    of_served = (*always, assumptions.SERVED, assumptions.SCOPE)
    apart = box.isolation
    if wanted.warm:
        warm = WarmBox(box)
        warm.check()
        identity["warm"] = True
        return BlackBoxSubject(wanted.name, "command", warm, of_served, identity, apart)
    serving = wanted.serving or ask_serving(box.path, box.limits)
    identity |= serving.to_json()
    made: CommandBox | ServedBox | AloneBox = box
    if serving is Serving.SHARING:
        made, rests_on = ServedBox(box), of_served
    elif serving is Serving.ALONE:
        made = AloneBox(ServedBox(box, serving))
        rests_on = (*always, assumptions.NEW_PROCESS, assumptions.SCOPE)
    return BlackBoxSubject(wanted.name, "command", made, rests_on, identity, apart)


def _outputs(name: str) -> BlackBoxSubject:
    first, comma, second = name.removeprefix(OUTPUTS).partition(",")
    if not comma or not first or not second:
        raise InputError(
            "outputs are two files, outputs:A,B, one a database, or one released table with "
            f"--split; found {name!r}"
        )
    # Here, not above: pandas and scipy come with it.
    from audit.subjects.outputs import read_outputs

    box = read_outputs(first, second)
    rests_on = (assumptions.OUTPUTS, assumptions.INDEPENDENT)
    identity = {"sha256": list(box.digests)}
    return BlackBoxSubject(name, "outputs", box, rests_on, identity)


def _limit_members(wanted: Wanted) -> dict[str, Any]:
    """What a run may take and is asked for."""
    seconds, megabytes = wanted.limits.seconds, wanted.limits.megabytes
    return {"seconds": seconds, "megabytes": megabytes, "rows": wanted.rows}
