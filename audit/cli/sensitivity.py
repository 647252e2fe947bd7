"""``dp-audit sensitivity``: the largest change of a function between neighbours, beside a claim."""

from __future__ import annotations

import argparse
import json
import math
import shlex
from collections.abc import Sequence
from functools import partial
from typing import Any

from audit.auditors.sensitivity.declared import Declared, declared
from audit.auditors.sensitivity.examine import MOST_WRITTEN, StatedQuery, examine, written
from audit.auditors.sensitivity.isolated import SECONDS, IsolatedFunction
from audit.auditors.sensitivity.records import FloatColumn
from audit.auditors.sensitivity.search import EXAMPLES
from audit.cli import common, streams
from audit.report.accounting import relation_json
from audit.report.certificate.findings import findings_lines
from audit.statements.finding import Finding, Shown, violations
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

MOST_RECORDS = 10_000
"""The most records of a database that is made up (a choice of this project)."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "function",
        metavar="module:function",
        help="f(records) -> a number or numbers; a record maps attributes to values",
    )
    parser.add_argument(
        "--declared", required=True, metavar="BOUNDS", help="'l1=1', 'l2_squared=2, linf=1', …"
    )
    parser.add_argument("--domain", metavar="FILE", help="a domain file (TOML)")
    parser.add_argument("--cells", metavar="K", help="a small domain: 4, or 2x3")
    parser.add_argument(
        "--floats",
        metavar="NAME=LOW..HIGH",
        help="records of one attribute, a float within bounds, instead of a domain",
    )
    parser.add_argument(
        "--records",
        nargs="+",
        metavar="N",
        help="databases of N records, 0 to N where n is private; several (default: of any size)",
    )
    parser.add_argument(
        "--examples", metavar="K", help=f"pairs that a search makes up (default: {EXAMPLES})"
    )
    parser.add_argument("--seed", metavar="S", help="of the search (default: 0)")
    parser.add_argument("--seconds", metavar="T", help=f"the longest call ({SECONDS:g})")
    parser.add_argument("--megabytes", metavar="M", help="the memory of a call (4096)")
    parser.add_argument("--json", metavar="FILE", help="write the findings")
    common.add_relation(parser, required=True)


def run(flags: argparse.Namespace) -> int:
    """Print the findings; 1 where the declaration is exceeded."""
    common.require_writable(flags.json, inputs=(flags.domain,))
    bounds = declared(flags.declared)
    neighbours = common.relation(flags)
    space = _space(flags)
    records = _records(flags.records)
    examples = common.optional_number(flags.examples, "--examples", 0)
    seed = common.optional_number(flags.seed, "--seed")
    function = _function(flags)
    function.check()
    again = _command(flags)
    replay = partial(_replay, flags.function, again)
    query = StatedQuery(flags.function, function, space, bounds, replay)
    findings = examine(
        query,
        neighbours,
        records,
        examples=EXAMPLES if examples is None else examples,
        seed=seed or 0,
    )
    if flags.json:
        document = _document(flags.function, bounds, neighbours, findings)
        common.write_text(flags.json, json.dumps(document, indent=1, allow_nan=False) + "\n")
    streams.output_console().print(findings_lines(findings))
    return 1 if violations(findings) else 0


def _function(flags: argparse.Namespace) -> IsolatedFunction:
    if ":" not in flags.function:
        raise InputError(f"expected module:function, found {flags.function[:40]!r}")
    seconds = common.optional_number(flags.seconds, "--seconds", 1)
    megabytes = common.optional_number(flags.megabytes, "--megabytes", 1)
    return IsolatedFunction(
        flags.function, ".", SECONDS if seconds is None else float(seconds), megabytes or 4096
    )


def _space(flags: argparse.Namespace) -> Domain | FloatColumn:
    if flags.floats is None:
        return common.domain(flags)
    if flags.domain is not None or flags.cells is not None:
        raise InputError("--floats stands in the place of --domain and --cells; give one of them")
    name, equals, bounds = flags.floats.partition("=")
    low, dots, high = bounds.partition("..")
    if not (name and equals and dots):
        raise InputError(f"--floats reads NAME=LOW..HIGH, as x=0..1; found {flags.floats[:40]!r}")
    return FloatColumn(name, _double(low), _double(high))


def _double(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise InputError(f"--floats takes finite bounds, found {text[:40]!r}")
    return found


def _records(texts: Sequence[str] | None) -> tuple[int, ...] | None:
    if texts is None:
        return None
    found = tuple(dict.fromkeys(common.whole_number(text, "--records", 1) for text in texts))
    if max(found) > MOST_RECORDS:
        raise InputError(f"--records may be {MOST_RECORDS} at most; leave it out for any number")
    return found


def _command(flags: argparse.Namespace) -> str:
    """The command again."""
    words = ["dp-audit", "sensitivity", flags.function, "--declared", flags.declared]
    words += ["--neighbours", flags.neighbours]
    if flags.unit != "record":
        words += ["--unit", flags.unit, "--max-records", str(flags.max_records)]
    for name in ("domain", "cells", "floats", "examples", "seed", "seconds", "megabytes"):
        value = getattr(flags, name)
        words += [] if value is None else [f"--{name}", value]
    words += [] if flags.records is None else ["--records", *flags.records]
    return shlex.join(words)


def _replay(name: str, command: str, shown: Shown) -> str:
    """The two calls as a line of the shell; for long databases the command, which is the same."""
    module, _, function = name.partition(":")
    texts = [written(database) for database in (shown.first, shown.second)]
    if max(map(len, texts)) > MOST_WRITTEN:
        return command
    top = function.partition(".")[0]
    calls = ", ".join(f"{function}({text})" for text in texts)
    return f"python -c {shlex.quote(f'from {module} import {top}; print({calls})')}"


def _document(
    name: str, bounds: Declared, neighbours: Neighbours, findings: Sequence[Finding]
) -> dict[str, Any]:
    return {
        "function": name,
        "declared": str(bounds),
        **relation_json(neighbours),
        "exceeded": bool(violations(findings)),
        "findings": [finding.to_report_json() for finding in findings],
    }
