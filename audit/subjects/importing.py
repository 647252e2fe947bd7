"""A user's ``module:attribute``; only the process that runs it imports the module."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

from synthesizers.errors import InputError
from synthesizers.suggestions import suggest


def import_attribute(name: str) -> Any:
    """What ``module:attribute`` names; raises InputError."""
    module_name, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except BaseException as error:
        raise InputError(
            f"the module {module_name!r} could not be imported {_explain(error, module_name)}"
        ) from None
    for part in path.split("."):
        if not part or not hasattr(found, part):
            public = (one for one in dir(found) if not one.startswith("_"))
            raise InputError(
                f"the module {module_name!r} has no attribute {path!r}{suggest(part, public)}"
            )
        found = getattr(found, part)
    return found


def _explain(error: BaseException, module: str) -> str:
    """What went wrong in an import, where, and what is to be done about it."""
    what = f"{type(error).__name__}{_place(error)}: {error}"
    if isinstance(error, SyntaxError):
        where = f"{os.path.basename(error.filename or 'its file')}:{error.lineno}"
        return f"({type(error).__name__} at {where}: {error.msg}); mend that line"
    if isinstance(error, ModuleNotFoundError):
        missing = error.name or module
        if module == missing and module.endswith(".py"):
            return f"({what}); name the module without its suffix: {module[:-3]}"
        if f"{module}.".startswith(f"{missing}."):
            return f"({what}); run from the folder that holds it, or install it"
        return (
            f"({what}); it is there, but needs {missing!r}, which {sys.executable} does not have: "
            "install it there, or name another environment with --python"
        )
    return f"({what}); it is there, but fails as it is imported: mend it, and try again"


def _place(error: BaseException) -> str:
    """The last line of the user's that an import passed; nothing where it passed none."""
    others = (__file__, os.path.dirname(importlib.__file__), "<")
    frames = traceback.extract_tb(error.__traceback__)
    passed = [frame for frame in frames if not frame.filename.startswith(others)]
    return f" at {os.path.basename(passed[-1].filename)}:{passed[-1].lineno}" if passed else ""
