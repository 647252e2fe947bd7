"""The real and complex numbers behind enclosures: mpmath's, or FLINT's where they are asked for.

A process has one arithmetic. The environment variable ``DP_AUDIT_ARITHMETIC`` asks for it, before
anything is imported: ``flint``, of the extra of that name, or ``mpmath``, which is the default even
where FLINT is installed. Both are modules with the same functions: `synthesizers.floats`, whose
numbers are right but for a few units of the last place if mpmath is, and `synthesizers.balls`,
whose numbers have a radius that is proved.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from synthesizers.errors import InputError

VARIABLE = "DP_AUDIT_ARITHMETIC"
MODULES = {"mpmath": "synthesizers.floats", "flint": "synthesizers.balls"}

ARITHMETIC = os.environ.get(VARIABLE) or "mpmath"
"""The name that results give."""

if ARITHMETIC not in MODULES:
    raise InputError(f"the environment variable {VARIABLE} is not one of {', '.join(MODULES)}")

numbers: Any = import_module(MODULES[ARITHMETIC])
"""The module of the arithmetic."""
