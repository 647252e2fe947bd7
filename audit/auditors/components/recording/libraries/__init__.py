"""Mechanisms of libraries whose calls are recorded: a module each, with its ``PRIMITIVES``.

A library that the subject's process has not imported costs nothing: its primitives are put in place
where a module of its name is loaded. A module here imports nothing of the library itself.
"""

from __future__ import annotations

from audit.auditors.components.recording.libraries import diffprivlib, opendp, pydp, torch
from audit.auditors.components.recording.primitives import Primitive

PRIMITIVES: tuple[Primitive, ...] = (
    *diffprivlib.PRIMITIVES,
    *opendp.PRIMITIVES,
    *pydp.PRIMITIVES,
    *torch.PRIMITIVES,
)
"""All of them; a library adds its own here."""


def watch_imports() -> None:
    """Before the subject is imported: see `opendp.watch_imports`."""
    opendp.watch_imports()
