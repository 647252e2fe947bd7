"""What every auditor must keep: no honest subject is accused or a broken one confirmed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from audit.auditors.effort import Effort
from audit.auditors.registry import Auditor
from audit.statements.certificate_json import encode
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.statements.finding import Finding, Rigour, violations
from audit.subjects.subject import ProgramSubject, Subject
from audit.testing.laws.law import broken, require
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import build

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
    """An auditor with its controls: all of ``broken``, or one of `BROKEN`, it must accuse.

    ``effort``: how much each examination may do. ``accuses``: False for an auditor that only
    confirms claims, as one of proofs does.
    """

    auditor: Auditor
    honest: Sequence[Control] = HONEST
    broken: Sequence[Control] = ()
    effort: Effort = field(default_factory=Effort)
    accuses: bool = True
    _heard: Callable[[Subject, Claim], tuple[Evidence, ...] | None] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_heard", lru_cache(maxsize=None)(self.examine))

    def examine(self, subject: Subject, claim: Claim) -> tuple[Evidence, ...] | None:
        """The evidence about a control, anew; None where it is not for this auditor."""
        try:
            return tuple(self.auditor.examine(subject, claim, self.effort))
        except InputError:
            return None

    def evidence(self, control: Control) -> tuple[Evidence, ...]:
        """The evidence about a control, remembered."""
        return self._heard(*control) or ()

    def of_all(self) -> tuple[Evidence, ...]:
        """That about every control."""
        controls = (*self.honest, *(self.broken or BROKEN))
        return tuple(one for control in controls for one in self.evidence(control))


def honest_subjects_are_not_accused(audited: Audited) -> None:
    """No evidence about an honest control is a violation, and one at least is examined."""
    heard = [audited._heard(*control) for control in audited.honest]
    require(
        any(evidence is not None for evidence in heard),
        "it examines none of the honest controls; give honest controls of your own",
    )
    for subject, claim in audited.honest:
        accused = violations(audited.evidence((subject, claim)))
        if accused:
            broken(
                f"it accuses {subject.name}, which keeps {claim.guarantee}: {_describe(accused[0])}"
            )


def _describe(evidence: Evidence) -> str:
    if isinstance(evidence, Finding):
        return f"{evidence.about}, declared {evidence.declared}, found {evidence.found}"
    return evidence.finding


def broken_subjects_are_accused(audited: Audited) -> None:
    """Every broken control that came with the auditor is accused; without any, one of ours."""
    if not audited.accuses:
        return
    if audited.broken:
        for subject, claim in audited.broken:
            require(
                bool(violations(audited.evidence((subject, claim)))),
                f"it does not accuse {subject.name}, which breaks {claim.guarantee}",
            )
        return
    require(
        any(violations(audited.evidence(control)) for control in BROKEN),
        "it accuses none of the broken controls; where its property is not theirs, give broken "
        "controls of your own",
    )


def broken_subjects_are_not_confirmed(audited: Audited) -> None:
    """No evidence says that the whole claim of one of our broken controls holds."""
    for subject, claim in BROKEN:
        for one in audited.evidence((subject, claim)):
            require(
                not (one.whole and one.decision is Decision.HOLDS),
                f"it confirms {claim.guarantee} of {subject.name}, which breaks it",
            )


def findings_are_plain_data(audited: Audited) -> None:
    """Evidence is `Evidence` that JSON can say, and a violation can be seen again."""
    for one in audited.of_all():
        require(isinstance(one, Evidence), f"expected Evidence, found {type(one).__name__}")
        try:
            json.dumps(encode(one), allow_nan=False)
        except (TypeError, ValueError) as error:
            broken(f"evidence must be plain data: {error}")
        shown = one.again.strip() if isinstance(one, Finding) else one.witness or one.replay
        require(
            not one.violated or bool(shown),
            f"a violation must say how it is seen again: {one.finding} has no replay",
        )
        require(bool(one.covers.strip()), f"{one.finding} does not say what it covers")


def statistical_findings_state_their_error(audited: Audited) -> None:
    """A statistical finding states an error between 0 and 1, a statistical bound its confidence."""
    for one in audited.of_all():
        if isinstance(one, Finding):
            stated = one.error is not None and 0 < one.error < 1
            if one.rigour is Rigour.STATISTICAL:
                require(stated, f"{one.about}: a statistical finding states its error")
            else:
                require(one.error is None, f"{one.about}: only a statistical one has an error")
        elif one.bound is not None and one.bound.rigour == "statistical":
            require(
                one.confidence is not None, f"{one.finding}: a statistical bound has a confidence"
            )


def it_finds_the_same_again(audited: Audited) -> None:
    """Examined twice, a control has the same evidence."""
    for subject, claim in (*audited.honest[:1], *(audited.broken or BROKEN)[:1]):
        again = audited.examine(subject, claim) or ()
        require(
            tuple(again) == tuple(audited.evidence((subject, claim))),
            f"examined twice, {subject.name} has other findings: draw from a fixed seed",
        )


LAWS: tuple[Callable[[Audited], None], ...] = (
    honest_subjects_are_not_accused,
    broken_subjects_are_accused,
    broken_subjects_are_not_confirmed,
    findings_are_plain_data,
    statistical_findings_state_their_error,
    it_finds_the_same_again,
)
