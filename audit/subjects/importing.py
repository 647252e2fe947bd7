"""A user's ``module:attribute``; only the process that runs it imports the module."""

from __future__ import annotations

import importlib
import sys
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
            f"the module {module_name!r} could not be imported ({type(error).__name__}: {error}); "
            f"{where}"
        ) from None
    except BaseException as error:
        raise InputError(
            f"the module {module_name!r} could not be imported ({type(error).__name__}: {error}); "
            "run from the folder that holds it, or install it"
        ) from None
    for part in path.split("."):
        if not part or not hasattr(found, part):
            raise InputError(f"the module {module_name!r} has no attribute {path!r}")
        found = getattr(found, part)
    return found
