"""The libraries that dp-audit uses, and what a command says where one of them is missing."""

from __future__ import annotations

LIBRARIES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "hypothesis": "hypothesis",
    "pandas": "pandas",
    "ortools": "ortools",
    "mpmath": "mpmath",
    "sklearn": "scikit-learn",
    "joblib": "joblib",
    "jinja2": "Jinja2",
    "rich": "rich",
}
"""Of each library that the core depends on, the name that is imported, and the one installed."""


def missing_library(error: ModuleNotFoundError) -> str | None:
    """What to install where a library is not there; None where something else is missing."""
    name = LIBRARIES.get((error.name or "").partition(".")[0])
    if name is None:
        return None
    return (
        f"this needs the library {name}, which is not installed; install it with "
        f"`python -m pip install {name}` (docs/how-to/install.md says what each command needs)"
    )
