"""The self-test as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from audit.self_test.case import EXACT, Detector
from audit.self_test.run import Caught, Control, SelfTest
from audit.statements.finding import Finding

LONGEST_PAIR = 60
"""Characters of a pair that a row shows; the JSON form shows all of it."""


def self_test_lines(found: SelfTest) -> Iterator[RenderableType]:
    """The table of liars by class, the honest controls, and the sum of both."""
    for kind, rows in groupby(found.liars, key=lambda caught: caught.liar.bug_class):
        yield Text(f"\n{kind.value}", style="bold")
        yield from map(_row, rows)
    yield Text("\nhonest controls", style="bold")
    yield from map(_control, found.controls)
    yield Text("")
    yield Text(_sum(found))
    yield Text(_meaning(found))


def _row(caught: Caught) -> Text:
    liar, best = caught.liar, _best(caught.findings)
    row = Text(f"  {liar.name}: ").append(liar.bug, style="dim")
    if best is None:
        return row.append("\n    NOT CAUGHT", style="bold red")
    row.append(f"\n    claimed {best.declared}, found {best.found}")
    row.append(f"\n    by {_detectors(caught.findings)}", style="green")
    if not caught.ok:
        row.append("; by no exact detector", style="bold red")
    where = [best.responsible or "", _pair(best)]
    return row.append("".join(f"; {part}" for part in where if part))


def _control(control: Control) -> Text:
    row = Text(f"  {control.case.name}: ")
    if control.findings:
        return row.append(f"ACCUSED by {_detectors(control.findings)}", style="bold red")
    asked = ", ".join(detector.value for detector in control.case.detectors)
    return row.append(f"not accused ({asked})", style="dim")


def _best(findings: Sequence[Finding]) -> Finding | None:
    """The finding to show: an exact one with a pair, if there is one."""
    ranked = sorted(findings, key=lambda f: (f.auditor not in EXACT, f.pair is None))
    return ranked[0] if ranked else None


def _detectors(findings: Sequence[Finding]) -> str:
    seen = {finding.auditor for finding in findings}
    return ", ".join(detector.value for detector in Detector if detector in seen)


def _pair(finding: Finding) -> str:
    if finding.pair is None:
        return ""
    told = f"{finding.pair.first} | {finding.pair.second}"
    return told if len(told) <= LONGEST_PAIR else told[: LONGEST_PAIR - 1] + "…"


def _sum(found: SelfTest) -> str:
    caught = len(found.liars) - len(found.missed)
    accused = len(found.accused)
    return (
        f"{caught} of {len(found.liars)} liars caught; "
        f"honest accused: {accused or 'none'} of {len(found.controls)}"
    )


def _meaning(found: SelfTest) -> str:
    """What follows for whoever relies on the auditors here."""
    if not found.ok:
        return (
            "Do not rely on verdicts of this installation: its auditors miss a lie, or accuse "
            "who is honest. Please report it."
        )
    lies = {"whole": "every lie of the table", "quick": "every lie of the short table"}
    seen = lies.get(found.form, "each lie that was chosen")
    return (
        f"The auditors work here as they should: they see {seen} and accuse no honest "
        "program. Lies of other kinds are not tested by this. To carry the "
        "result in a certificate: --json FILE here, and certify --self-test FILE."
    )
