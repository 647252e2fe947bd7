"""What each part of dp-audit needs, measured: the table of docs/how-to/install.md.

    python docs/libraries.py

Run it in an environment that has all of the core; it prints the table's rows. A size is that of the
installed files of the libraries named, and of all that these depend on, without dp-audit itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

from audit.cli.libraries import LIBRARIES

ROWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("the stand-alone checker", ()),
    ("`list`, `init-submission`, `--help`, `--version`", ("rich",)),
    ("`explain`, `attest`, `compare`", ("mpmath", "numpy", "rich")),
    ("`account`, `calibrate`", ("mpmath", "numpy", "rich", "scipy")),
    ("`certify`, `verify` of programs", ("mpmath", "numpy", "rich", "scipy")),
    ("tests of programs in pytest", ("mpmath", "numpy", "pandas", "pytest", "rich", "scipy")),
    ("everything", tuple(sorted(LIBRARIES.values(), key=str.lower))),
)
"""What is used, and the libraries without which it does not run."""


def with_dependencies(names: Iterable[str]) -> set[str]:
    """Libraries with all that they depend on, by the names that indexes compare."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-").replace(".", "-")
        if name in seen:
            continue
        seen.add(name)
        for text in distribution(name).requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name)
    return seen


def megabytes(names: Iterable[str]) -> int:
    """The size of the installed files of libraries and of their dependencies, in units of 10⁶."""
    total = 0
    for name in with_dependencies(names):
        # A path of compiled code that another environment wrote may be listed and absent.
        places = (Path(str(file.locate())) for file in distribution(name).files or ())
        total += sum(place.stat().st_size for place in places if place.exists())
    return round(total / 1e6)


def _name(names: tuple[str, ...]) -> str:
    return "all" if len(names) == len(LIBRARIES) else ", ".join(names) or "none"


def table() -> str:
    """The table in Markdown."""
    head = ["| what you run | libraries | MB of libraries |", "|---|---|---|"]
    rows = [f"| {what} | {_name(names)} | {megabytes(names)} |" for what, names in ROWS]
    return "\n".join([*head, *rows])


if __name__ == "__main__":
    print(table())
