"""Subjects as certificates state them: what stands in the way of running one again.

A certificate may come from anyone, and its subject is code. The same code has the same digest;
but a digest is no leave to run it: some function of an installed package, on databases that a
stranger chose, may do anything. So code is run that lies beside the user, who put it there, and any
other only where the user names it, too.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.black_boxes import COMMAND, Wanted, black_box, file_sha256
from audit.claim import Claim
from audit.subject import BlackBoxSubject
from audit.subjects.limits import Limits
from audit.subjects.synthesizer import source_sha256
from synthesizers.errors import InputError
from synthesizers.programs import PROGRAMS

BLACK_BOXES = ("function", "estimator", "command", "outputs")
"""The kinds of subject that can only be run."""

MODULES = ("module", "function", "estimator")
"""The kinds of subject that are code of a module."""


def obstacle(subject: Mapping[str, Any], meant: str | None = None) -> str:
    """Why the subject can't be run anew here, in words; empty where nothing stands in the way.

    ``meant``: the subject that the user says to mean, if any.

    Guarantee
    ---------
    Without an obstacle, the file to be run has the digest that is stated, and is one of ours, lies
    in the current folder, or was named by the user. Nothing of it has been run. Backed by
    ``tests/audit/test_stated_subjects.py``.
    """
    kind, name = subject.get("kind"), subject.get("name")
    if not isinstance(name, str):
        return "the certificate does not name its subject"
    if meant is not None and meant != name:
        return f"the certificate is about {name}, not about {meant}"
    if kind == "program":
        return "" if name in PROGRAMS else f"{name} is no built-in program of this version"
    if kind == "outputs":
        return "outputs that were drawn before can't be drawn anew"
    if kind not in (*MODULES, "command"):
        return "the subject is of no kind that can be run"
    place = _file(name) if kind == "command" else _module(name)
    if place is None:
        return f"the subject {name} is absent; run from the folder that holds it, or install it"
    if meant is None and not place.resolve().is_relative_to(Path.cwd().resolve()):
        return f"the subject {name} lies outside this folder; say --subject {name} to run it"
    found = file_sha256(str(place)) if kind == "command" else source_sha256(name)
    if found is None:
        return f"the subject {name} has no file that could be compared with the one audited"
    if found != subject.get("sha256" if kind == "command" else "source_sha256"):
        return f"the source of {name} is not the one that was audited"
    return ""


def _file(name: str) -> Path | None:
    path = Path(name.removeprefix(COMMAND))
    return path if path.is_file() else None


def _module(name: str) -> Path | None:
    """Where the top of a module's package lies; to look further down would run it."""
    top = name.partition(":")[0].partition(".")[0]
    here = str(Path.cwd())
    # As `python -m` finds it.
    missing = here not in sys.path and "" not in sys.path
    if missing:
        sys.path.insert(0, here)
    try:
        spec = importlib.util.find_spec(top) if top else None
    except (ImportError, ValueError, AttributeError):
        return None
    finally:
        if missing:
            sys.path.remove(here)
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    place = folders[0] if folders else spec.origin
    return Path(place) if place is not None else None


def stated_black_box(subject: Mapping[str, Any], claim: Claim) -> BlackBoxSubject:
    """The black box that a certificate's subject describes; raises InputError where it can't be.

    To be asked after `obstacle`: it imports what is named.
    """
    values, rows = subject.get("parameters", {}), subject.get("rows")
    if not isinstance(values, dict) or not (rows is None or (type(rows) is int and rows >= 0)):
        raise InputError("the certificate's parameters or rows are malformed")
    limits = Limits(*(_least_one(subject, key) for key in ("seconds", "megabytes")))
    form = subject.get("form") if subject.get("kind") in MODULES else None
    parameters = {str(key): str(value) for key, value in values.items()}
    name, serves = str(subject.get("name")), subject.get("serves") is True
    wanted = Wanted(name, form, parameters, limits, rows, serves=serves)
    return black_box(wanted, claim)


def _least_one(subject: Mapping[str, Any], key: str) -> int:
    value = subject.get(key, getattr(Limits(), key))
    if type(value) is not int or value < 1:
        raise InputError(f"the certificate's {key} must be a whole number of at least 1")
    return value
