"""Writes audit/report/certificate/agencies.json: what agencies' methods reach on small tables.

    python docs/agency_figures.py            # writes the file
    python docs/agency_figures.py --check    # compares it, and exits 1 if it differs

The methods and the tables are those of docs/explanation/agency-methods.md. A certificate's page
shows the figures beside its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from audit.channels.measures.attacker import guess
from audit.channels.measures.epsilon import epsilon
from docs.agency_methods import CELLS, METHODS, RECORDS, Method, channel_on

FILE = Path(__file__).parents[1] / "audit" / "report" / "certificate" / "agencies.json"

NAMES = {
    "random-round": "random rounding to base 3",
    "cell-key": "cell-key noise",
    "suppress": "suppression of counts below 3",
    "coarsen": "coarser groups",
    "k-anonymity": "k-anonymity with k = 2",
    "swap": "swapping of two records in five",
    "pram": "PRAM: one answer in five changed",
    "subsample": "a sample of two records in five",
    "bootstrap": "a bootstrap sample",
}
"""The methods in words, each with its parameters on the page."""


def figures() -> str:
    """The file's text."""
    rows = [_row(method) for method in METHODS]
    return json.dumps({"records": RECORDS, "cells": CELLS, "methods": rows}, indent=2) + "\n"


def _row(method: Method) -> dict[str, object]:
    channel = channel_on(method.cells, method.program, method.values, exact=True)
    return {
        "name": NAMES[method.program],
        "epsilon": epsilon(channel).enclosure.to_json(),
        "right": guess(channel).right.to_json(),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, or compare it; the exit code."""
    parser = argparse.ArgumentParser(description="Writes audit/report/certificate/agencies.json.")
    parser.add_argument("--check", action="store_true", help="compare, and exit 1 if it differs")
    check, text = parser.parse_args(arguments).check, figures()
    if not check:
        FILE.write_text(text, encoding="utf-8")
    elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
        print(f"{FILE} differs from what its script writes: run {__file__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
