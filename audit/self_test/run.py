"""The self-test run: which liars were caught, by whom, and whether an honest case was accused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from audit.parallel import Map, here
from audit.self_test.case import EXACT, Case, Detector, Liar
from audit.self_test.code import code_digest
from audit.statements.finding import Finding, violations
from synthesizers.errors import DPAuditError, InputError

SCHEMA = "dp-audit/self-test/1"

Progress = Callable[[int, int], None]


class Unexamined(DPAuditError):
    """An auditor refused a case of the table: a fault of ours, whatever the case."""


@dataclass(frozen=True)
class Caught:
    """A liar with all that speaks against it, the exact findings first."""

    liar: Liar
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether it was caught, and exactly where an exact detector sees its kind."""
        found = [finding.auditor for finding in self.findings]
        return bool(found) and (not self.liar.exactly or any(d in EXACT for d in found))

    def to_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "name": self.liar.name,
            "class": self.liar.bug_class.value,
            "bug": self.liar.bug,
            "honest": self.liar.honest.name,
            "caught": self.ok,
            "findings": [finding.to_report_json() for finding in self.findings],
        }


@dataclass(frozen=True)
class Control:
    """An honest case with all that speaks against it: nothing, where the auditors are sound."""

    case: Case
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "name": self.case.name,
            "accused": bool(self.findings),
            "findings": [finding.to_report_json() for finding in self.findings],
        }


@dataclass(frozen=True)
class SelfTest:
    """The whole table. ``form``: "whole", "quick" or "chosen"."""

    form: str
    liars: tuple[Caught, ...]
    controls: tuple[Control, ...]

    @property
    def missed(self) -> tuple[Caught, ...]:
        """The liars that were not caught as they must be."""
        return tuple(caught for caught in self.liars if not caught.ok)

    @property
    def accused(self) -> tuple[Control, ...]:
        """The honest cases that something speaks against."""
        return tuple(control for control in self.controls if control.findings)

    @property
    def ok(self) -> bool:
        """Every liar caught, nobody honest accused."""
        return not self.missed and not self.accused

    def to_json(self) -> dict[str, Any]:
        """The table as plain data, with the code that it was made by."""
        return {
            "schema": SCHEMA,
            "version": version("dp-audit"),
            "code": code_digest(),
            "form": self.form,
            "ok": self.ok,
            "liars": [caught.to_json() for caught in self.liars],
            "controls": [control.to_json() for control in self.controls],
        }


@cache
def table() -> tuple[Liar, ...]:
    """All liars, in the order of their classes."""
    from audit.self_test.liars import LIARS

    return LIARS


def choose_liars(quick: bool, only: str | None) -> tuple[Liar, ...]:
    """The liars of a form of the test; raises InputError for a name that no case has."""
    if only is None:
        return tuple(liar for liar in table() if liar.quick) if quick else table()
    found = tuple(liar for liar in table() if only in (liar.name, liar.honest.name))
    if not found:
        raise InputError(
            f"no liar or honest case is called {only!r}: dp-audit self-test --json FILE names all"
        )
    return found


def self_test(
    liars: Sequence[Liar], form: str, share: Map = here, progress: Progress | None = None
) -> SelfTest:
    """Examine liars and their honest cases with every auditor that fits them.

    ``share``: makes the calls. The result does not depend on where they are made.
    """
    controls = {liar.honest.name: liar.honest for liar in liars}
    cases = [*controls.values(), *(liar.lying for liar in liars)]
    calls = [(case.name, detector.name) for case in cases for detector in case.detectors]
    against: dict[str, list[Finding]] = {case.name: [] for case in cases}
    for done, (name, findings) in enumerate(_examine_all(calls, share), start=1):
        against[name] += findings
        if progress is not None:
            progress(done, len(calls))
    return SelfTest(
        form,
        tuple(Caught(liar, tuple(against[liar.lying.name])) for liar in liars),
        tuple(Control(case, tuple(against[case.name])) for case in controls.values()),
    )


def _examine_all(
    calls: Sequence[tuple[str, str]], share: Map
) -> Iterator[tuple[str, tuple[Finding, ...]]]:
    results = share(_examine, calls)
    for (name, _), findings in zip(calls, results, strict=True):
        yield name, findings


def _examine(name: str, detector: str) -> tuple[Finding, ...]:
    """What speaks against a case: found by name, since cases hold code that does not pickle."""
    try:
        return violations(_cases()[name].examine(Detector[detector]))
    except DPAuditError as error:
        asked = Detector[detector].value
        raise Unexamined(f"the {asked} auditor could not examine {name!r}: {error}") from None


@cache
def _cases() -> dict[str, Case]:
    """Every case by its name."""
    found: dict[str, Case] = {}
    for liar in table():
        for case in (liar.honest, liar.lying):
            if found.setdefault(case.name, case) != case:
                raise ValueError(f"two cases are called {case.name!r}")
    return found
