"""Entry of the ``dp-audit`` command: the packages it is about to import must be its own.

The import packages of this distribution are named after its folders, ``synthesizers``,
``proofs`` and ``audit``. Another package of such a name, earlier on the import path, would
be loaded in their place without a word, so the command looks before it imports.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

OWN_PACKAGES = ("synthesizers", "proofs", "audit")
"""The top-level packages installed beside this module."""

_HOME = Path(__file__).resolve().parent


def shadowing() -> str | None:
    """Return one line for the user if an import would miss one of our packages, or None.

    Ours lie in the folder of this module, in a checkout, an editable install and a wheel
    alike; whatever else Python would load by the same name is foreign. Nothing is imported.
    """
    for name in OWN_PACKAGES:
        own = _HOME / name
        found = _location(name)
        if found is None:
            return (
                f"dp-audit: its package '{name}' is missing: expected {own}; "
                "install dp-audit again."
            )
        if found != own:
            return (
                f"dp-audit: 'import {name}' would load {found} instead of dp-audit's own {own}; "
                f"take {found.parent} off the import path (PYTHONPATH, current folder) or "
                "install dp-audit in a virtual environment of its own."
            )
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    ``argv`` holds the arguments after the command's name; None reads them from ``sys.argv``.
    The exit code is 2 when another package shadows one of ours, 130 when interrupted, and
    otherwise that of ``audit.cli.main.main``.
    """
    complaint = shadowing()
    if complaint is not None:
        print(complaint, file=sys.stderr)
        return 2
    try:
        # Imported late: a module-level import would run the foreign code that is looked for.
        from audit.cli.main import main as command_line

        return command_line(argv)
    except KeyboardInterrupt:
        return 130


def _location(name: str) -> Path | None:
    """Folder of the package, or file of the plain module, that ``import name`` would load."""
    try:
        spec = find_spec(name)
    except ValueError:  # loaded by hand, without a spec: nothing on disk to point at
        return Path(f"<a module already loaded as '{name}'>")
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin or f"<a module without a file, '{name}'>")


if __name__ == "__main__":
    raise SystemExit(main())
