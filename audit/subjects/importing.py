"""A user's ``module:attribute``; only the process that runs it imports the module."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Any

from synthesizers.errors import InputError


def import_attribute(name: str) -> Any:
    """What ``module:attribute`` names; raises InputError."""
    module_name, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        where = "run from the folder that holds it, or install it"
        if not f"{module_name}.".startswith(f"{missing}."):
            where = f"it needs {missing!r}, which {sys.executable} does not have"
        raise InputError(
            f"the module {module_name!r} could not be imported ({type(error).__name__}"
            f"{_place(error)}: {error}); {where}"
        ) from None
    except BaseException as error:
        raise InputError(
            f"the module {module_name!r} could not be imported ({type(error).__name__}"
            f"{_place(error)}: {error}); run from the folder that holds it, or install it"
        ) from None
    for part in path.split("."):
        if not part or not hasattr(found, part):
            raise InputError(f"the module {module_name!r} has no attribute {path!r}")
        found = getattr(found, part)
    return found


def _place(error: BaseException) -> str:
    """The last line of the user's that an import passed; nothing where it passed none."""
    others = (__file__, os.path.dirname(importlib.__file__), "<")
    frames = traceback.extract_tb(error.__traceback__)
    passed = [frame for frame in frames if not frame.filename.startswith(others)]
    return f" at {os.path.basename(passed[-1].filename)}:{passed[-1].lineno}" if passed else ""
