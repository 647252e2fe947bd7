"""What every auditor must keep: no honest subject is accused, and the broken ones are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from audit.statements.claim import Claim
from audit.statements.finding import Finding, Rigour, violations
from audit.subjects.subject import ProgramSubject, Subject
from audit.testing.laws.law import broken, require
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import build


class Auditor(Protocol):
    """Whoever looks at a subject and says what it found of the claim."""

    def examine(self, subject: Subject, claim: Claim) -> Iterable[Finding]:
        """The findings; the same each time. Raises InputError for subjects it can't examine."""
        ...


Control = tuple[Subject, Claim]


def _control(name: str, values: dict[str, str], claim: str, replace: bool = False) -> Control:
    domain = Domain.from_cells("3")
    relation = ReplaceOne() if replace else AddRemove()
    subject = ProgramSubject(name, build(name, values), True, {"parameters": values})
    return subject, Claim(parse_guarantee(claim), relation, "output", domain, 2)


HONEST: tuple[Control, ...] = (
    _control("geometric-sanitizer", {"epsilon": "1"}, "epsilon=1"),
    _control("geometric-sanitizer", {"epsilon": "1"}, "epsilon=1", True),
    _control("laplace-sanitizer", {"epsilon": "2"}, "epsilon=2"),
    _control("multinomial-dirichlet", {"alpha": "1"}, "epsilon=2", True),
)
"""Honest subjects, with claims that they keep."""

BROKEN: tuple[Control, ...] = (
    _control("geometric-sanitizer", {"epsilon": "2"}, "epsilon=1"),
    _control(
        "geometric-sanitizer", {"epsilon": "1", "calibrated-for": "add-remove"}, "epsilon=1", True
    ),
    _control("subsample", {"fraction": "1/2"}, "epsilon=1", True),
    _control("bootstrap", {}, "epsilon=1", True),
)
"""Subjects that do not keep their claims: too little noise, noise for another relation, no noise.
An auditor of one property need not accuse all of them."""


@dataclass(frozen=True, eq=False)
class Audited:
    """An auditor with its controls: all of ``broken``, or one of `BROKEN`, it must accuse."""

    auditor: Auditor
    honest: Sequence[Control] = HONEST
    broken: Sequence[Control] = ()
    _found: Callable[[Subject, Claim], tuple[Finding, ...]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", lru_cache(maxsize=None)(self._examined))

    def _examined(self, subject: Subject, claim: Claim) -> tuple[Finding, ...]:
        return tuple(self.auditor.examine(subject, claim))

    def found(self, control: Control) -> tuple[Finding, ...]:
        """The findings about a control, remembered."""
        return self._found(*control)

    def all_found(self) -> tuple[Finding, ...]:
        """Those about every control."""
        controls = (*self.honest, *(self.broken or BROKEN))
        return tuple(finding for control in controls for finding in self.found(control))


def honest_subjects_are_not_accused(audited: Audited) -> None:
    """No finding about an honest control is a violation."""
    for control in audited.honest:
        accused = violations(audited.found(control))
        if accused:
            subject, claim = control
            broken(
                f"it accuses {subject.name}, which keeps {claim.guarantee}: {accused[0].about}, "
                f"declared {accused[0].declared}, found {accused[0].found}"
            )


def broken_subjects_are_accused(audited: Audited) -> None:
    """Every broken control that came with the auditor is accused; without any, one of ours."""
    if audited.broken:
        for subject, claim in audited.broken:
            require(
                bool(violations(audited.found((subject, claim)))),
                f"it does not accuse {subject.name}, which breaks {claim.guarantee}",
            )
        return
    require(
        any(violations(audited.found(control)) for control in BROKEN),
        "it accuses none of the broken controls; where its property is not theirs, give broken "
        "controls of your own",
    )


def findings_are_plain_data(audited: Audited) -> None:
    """Findings are `Finding`s that JSON can say, each with a way to see it again."""
    for finding in audited.all_found():
        require(isinstance(finding, Finding), f"expected Findings, found {type(finding).__name__}")
        try:
            json.dumps(finding.to_report_json(), allow_nan=False)
        except (TypeError, ValueError) as error:
            broken(f"a finding must be plain data: {error}")
        require(
            not finding.violated or bool(finding.again.strip()),
            f"a violation must say how it is seen again: {finding.about} has no replay",
        )
        require(bool(finding.covers.strip()), f"{finding.about} does not say what it covers")


def statistical_findings_state_their_error(audited: Audited) -> None:
    """A statistical violation states an error between 0 and 1; an exact one has none."""
    for finding in audited.all_found():
        stated = finding.error is not None and 0 < finding.error < 1
        if finding.rigour is Rigour.STATISTICAL:
            require(stated, f"{finding.about}: a statistical finding states its error")
        else:
            require(finding.error is None, f"{finding.about}: only a statistical one has an error")


def it_finds_the_same_again(audited: Audited) -> None:
    """Examined twice, a control has the same findings."""
    for subject, claim in (*audited.honest[:1], *(audited.broken or BROKEN)[:1]):
        again = tuple(audited.auditor.examine(subject, claim))
        require(
            [finding.to_report_json() for finding in again]
            == [finding.to_report_json() for finding in audited.found((subject, claim))],
            f"examined twice, {subject.name} has other findings: draw from a fixed seed",
        )


LAWS: tuple[Callable[[Audited], None], ...] = (
    honest_subjects_are_not_accused,
    broken_subjects_are_accused,
    findings_are_plain_data,
    statistical_findings_state_their_error,
    it_finds_the_same_again,
)
