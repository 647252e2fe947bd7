"""The packages that are about to be imported must be our own.

The import packages of this distribution are named after its folders, ``synthesizers``,
``proofs`` and ``audit``. Another package of such a name, earlier on the import path, would
be loaded in their place without a word, so the command, and `import dp_audit`, look first.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

OWN_PACKAGES = ("synthesizers", "proofs", "audit")
"""The top-level packages installed beside this one."""

_HOME = Path(__file__).resolve().parents[1]


def shadowing() -> str | None:
    """Return one line for the user if an import would miss one of our packages, or None.

    Ours lie beside this package, in a checkout, an editable install and a wheel alike; whatever
    else Python would load by the same name is foreign. Nothing is imported.
    """
    for name in OWN_PACKAGES:
        own, place = _HOME / name, _location(name)
        if place is None:
            return (
                f"dp-audit: its package '{name}' is missing: expected {own}; "
                "install dp-audit again."
            )
        if place != own:
            return (
                f"dp-audit: 'import {name}' would load {place} instead of dp-audit's own {own}; "
                f"take {place.parent} off the import path (PYTHONPATH, current folder) or "
                "install dp-audit in a virtual environment of its own."
            )
    return None


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
