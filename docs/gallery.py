"""Attacks public mechanisms on one pair of neighbours each, and writes docs/reference/gallery.md.

python docs/gallery.py                    # all rows, in an environment with the peers: minutes
python docs/gallery.py --only "laplace"   # the rows whose names hold the word, printed

The environment::

    pip install -e . opendp diffprivlib python-dp DataSynthesizer "scikit-learn<1.8"
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import dp_audit
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from docs.generated import DOCS, render

PAGE = DOCS / "reference" / "gallery.md"
SUBJECTS = Path(__file__).parent / "examples" / "gallery"
sys.path.insert(0, str(SUBJECTS))

from rows import ROWS, Row  # noqa: E402  (found by the line above)

WIDTH = 95
"""Columns of a line of code."""

SEED = 1
"""Of every attack; libraries draw from entropy of their own, so that floors vary a little."""


@dataclass(frozen=True)
class Shown:
    """A row as the page has it."""

    row: Row
    verdict: str
    floor: str
    cause: str
    runs: int
    code: str


def attack(row: Row) -> tuple[Shown, float]:
    """The row, and the processor time that it took in seconds, its processes included."""
    begun = sum(os.times()[:4])
    arguments: dict[str, Any] = {
        "neighbours": row.neighbours,
        "runs": row.runs,
        "seed": SEED,
        "jobs": 1,
        "auditors": "attack",
        **row.more,
    }
    if row.pair is not None:
        arguments["pair"] = row.pair
    result = dp_audit.certify(row.load(), row.claim, **arguments)
    # Behind a known leak an attack goes on; the row is about the first.
    evidence = next(one for one in result.certificate.evidence if one.auditor == "attack")
    cause = "" if evidence.cause is None else evidence.cause.name
    told = evidence.decision is Decision.VIOLATED and evidence.bound is None
    floor = "told for certain" if told else floor_of(evidence.bound)
    shown = Shown(row, result.verdict, floor, cause, row.runs, code_of(row))
    return shown, sum(os.times()[:4]) - begun


def floor_of(bound: Any) -> str:
    """The floor in the claim's own parameter, rounded down to three digits."""
    if bound is None:
        return "–"
    name, found = ("ε", bound.epsilon) if bound.parameter is None else bound.parameter
    assert isinstance(found, Enclosure)
    if not isinstance(found.lower, Fraction):
        return f"{name} = ∞"
    return f"{name} ≥ {int(found.lower * 1000) / 1000:.3f}" if found.lower else "–"


def code_of(row: Row) -> str:
    """What makes the row again, from the folder of the subjects."""
    lines = ["import dp_audit"]
    subject = _python(row.attribute)
    if row.module:
        lines.append(f"from {row.module} import {row.attribute}")
        subject = row.attribute
    about = {"neighbours": row.neighbours, "runs": row.runs, "seed": SEED, "auditors": "attack"}
    more = [f"about |= {_python(dict(row.more))}"] if row.more else []
    pair = []
    if row.pair is not None:
        told = f"pair = {_python(row.pair)}"
        if len(told) > WIDTH:
            lines.append("from rows import ROWS")
            told = f"pair = ROWS[{ROWS.index(row)}].pair"
        pair = [told]
    given = "pair=pair, **about" if pair else "**about"
    call = f"print(dp_audit.certify({subject}, {_python(row.claim)}, {given}))"
    return "\n".join([*lines, "", *pair, f"about = {_python(about)}", *more, call])


def _python(value: Any) -> str:
    """A value as Python's formatters write it; none has a quote within."""
    return repr(value).replace("'", '"')


def rendered(shown: Sequence[Shown]) -> str:
    """The page."""
    names = ("opendp", "diffprivlib", "python-dp", "DataSynthesizer")
    versions = ", ".join(f"{name} {_version(name)}" for name in names)
    return render("gallery.md.j2", shown=shown, versions=versions)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(absent)"


def main() -> int:
    """Attack and write; rows whose module is not installed end the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--only", metavar="WORD", help="rows whose names hold it; nothing is written"
    )
    only = parser.parse_args().only
    rows = [row for row in ROWS if only is None or only.lower() in row.name.lower()]
    if not rows:
        parser.error(f"no row's name holds {only!r}")
    found = []
    for row in rows:
        shown, took = attack(row)
        found.append(shown)
        print(f"{row.name}: {shown.verdict}, {shown.floor} ({took:.0f} s)", file=sys.stderr)
    if only is None:
        PAGE.write_text(rendered(found), encoding="utf-8")
    else:
        print(rendered(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
