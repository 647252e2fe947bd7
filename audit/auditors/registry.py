"""Every auditor by its name. Nothing is imported until one examines a subject."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from synthesizers.errors import InputError
from synthesizers.suggestions import suggest

if TYPE_CHECKING:
    from audit.auditors.effort import Effort
    from audit.statements.claim import Claim
    from audit.statements.evidence import Evidence
    from audit.subjects.subject import Subject


class Auditor(Protocol):
    """Whoever looks at a subject and says what it shows of the claim.

    ``name``: what evidence, reports and ``certify --auditors`` call it. ``takes``: the kinds of
    subject that it can examine, see `audit.subjects.subject`. The laws that an auditor must keep
    are in `audit.testing.laws.auditor_laws`.
    """

    @property
    def name(self) -> str:
        """What evidence and reports call it."""
        ...

    @property
    def takes(self) -> Sequence[str]:
        """The kinds of subject that it can examine."""
        ...

    def examine(self, subject: Subject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
        """The evidence, the same each time. Raises InputError for subjects it can't examine."""
        ...


@dataclass(frozen=True)
class Registered:
    """One of our auditors: an `Auditor` whose code is loaded when it is asked.

    ``by_kind``: for each kind of subject that it takes, the function that examines it, as
    ``module:function``. ``unasked``: the kinds that it examines where no auditors are named.
    """

    name: str
    summary: str
    by_kind: Mapping[str, str]
    unasked: Sequence[str] = ()

    @property
    def takes(self) -> Sequence[str]:
        """The kinds of subject that it can examine."""
        return tuple(self.by_kind)

    @property
    def flag(self) -> str:
        """Its name as a word of the command line."""
        return self.name.replace(" ", "-")

    def examine(self, subject: Subject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
        """The evidence of the function for this kind of subject."""
        if subject.category not in self.by_kind:
            raise InputError(_misfit(self, subject.category))
        examine = pkgutil.resolve_name(self.by_kind[subject.category])
        evidence: Iterator[Evidence] = examine(subject, claim, effort)
        yield from evidence


class LeftOut(InputError):
    """Why an auditor has nothing to say of a subject that it takes, and was not asked about."""


PROGRAM, CHANNEL, BLACK_BOX, OUTPUTS = "program", "channel", "black box", "outputs"
TRAINING, RELEASE = "training", "release"
"""The kinds of subject, as `audit.subjects.subject` names them."""

_HERE = "audit.auditors"

AUDITORS: dict[str, Registered] = {
    auditor.name: auditor
    for auditor in (
        Registered(
            "exhaustive",
            "the exact channel of an enumerated instance: every pair, every output",
            {
                PROGRAM: f"{_HERE}.exhaustive:examine",
                CHANNEL: f"{_HERE}.exhaustive:examine_file",
            },
            unasked=(PROGRAM, CHANNEL),
        ),
        Registered(
            "factorised",
            "the transcript of independent noisy cells: databases of any size",
            {PROGRAM: f"{_HERE}.factorised:examine"},
            unasked=(PROGRAM,),
        ),
        Registered(
            "proof",
            "a theorem from the program's budget or its ledger: databases of any size",
            {PROGRAM: f"{_HERE}.proof:examine"},
            unasked=(PROGRAM,),
        ),
        Registered(
            "attack",
            "repeated runs of a black box on two databases: a floor, with its confidence",
            {
                PROGRAM: f"{_HERE}.attack.examine:examine_program",
                BLACK_BOX: f"{_HERE}.attack.examine:examine_box",
                OUTPUTS: f"{_HERE}.attack.examine:examine_outputs",
            },
            unasked=(BLACK_BOX, OUTPUTS),
        ),
        Registered(
            "one run",
            "one training, or release, whose canaries coins chose: a floor, with its confidence",
            {
                TRAINING: f"{_HERE}.one_run.auditor:examine_training",
                RELEASE: f"{_HERE}.one_run.auditor:examine_release",
            },
            unasked=(TRAINING, RELEASE),
        ),
        Registered(
            "sensitivity",
            "how far one unit can move a query: exact, or a floor with its pair",
            {
                PROGRAM: f"{_HERE}.sensitivity.programs:examine",
                BLACK_BOX: f"{_HERE}.sensitivity.boxes:examine_box",
            },
            unasked=(BLACK_BOX,),
        ),
        Registered(
            "composition",
            "a ledger recounted from the law of every question",
            {PROGRAM: f"{_HERE}.composition.auditor:examine"},
        ),
        Registered(
            "data independence",
            "what tells neighbours apart beside the noisy answers",
            {
                PROGRAM: f"{_HERE}.data_independence.auditor:examine_program",
                BLACK_BOX: f"{_HERE}.data_independence.boxes:examine_box",
            },
            unasked=(BLACK_BOX,),
        ),
        Registered(
            "noise law",
            "whether noise has its declared law, is fresh, and hides what it is added to",
            {
                PROGRAM: f"{_HERE}.noise_law.programs:examine",
                BLACK_BOX: f"{_HERE}.noise_law.boxes:examine_box",
            },
            unasked=(BLACK_BOX,),
        ),
        Registered(
            "utility sanity",
            "whether the error falls to its limit as epsilon grows",
            {PROGRAM: f"{_HERE}.utility_sanity.programs:examine"},
        ),
        Registered(
            "components",
            "calls of noise inside foreign code: what they hide, and what they spend",
            {BLACK_BOX: f"{_HERE}.components.boxes:examine_box"},
        ),
    )
}
"""All of them, in the order in which they examine a subject and their evidence is listed."""

ORDER_OF_BOXES = ("data independence", "noise law", "sensitivity", "components", "attack")
"""The order for what can only be run: the cheap and exact first, whose pairs the attack tries."""


def parse_names(text: str) -> tuple[str, ...]:
    """The auditors that a list such as ``proof,data-independence`` names; raises InputError."""
    by_flag = {auditor.flag: name for name, auditor in AUDITORS.items()}
    words = [word.strip().lower().replace("_", "-").replace(" ", "-") for word in text.split(",")]
    unknown = [word for word in words if word not in by_flag]
    if unknown:
        raise InputError(
            f"no auditor {unknown[0][:40]!r}; there are: {', '.join(by_flag)}"
            f"{suggest(unknown[0], by_flag)}"
        )
    return tuple(name for flag, name in by_flag.items() if flag in words)


def _misfit(auditor: Registered, category: str) -> str:
    takes = ", ".join(auditor.takes)
    return f"the {auditor.name} auditor can't examine this subject ({category}); it takes: {takes}"


def choose(
    category: str, names: Sequence[str] | None, attacked: bool
) -> tuple[tuple[Registered, ...], dict[str, str]]:
    """The auditors of a kind of subject, and why each of the others is left out.

    ``names``: those that the user named, all of which must take it; None for each that takes it
    and is quick. ``attacked``: the user said how a program is attacked. Raises InputError.
    """
    if names is not None:
        misfits = [name for name in names if category not in AUDITORS[name].by_kind]
        if misfits:
            raise InputError(_misfit(AUDITORS[misfits[0]], category))
        return _in_order(category, [AUDITORS[name] for name in AUDITORS if name in names]), {}
    run: list[Registered] = []
    left_out: dict[str, str] = {}
    for name, auditor in AUDITORS.items():
        if category in auditor.unasked or (name == "attack" and category == PROGRAM and attacked):
            run.append(auditor)
        elif category not in auditor.by_kind:
            left_out[name] = f"for other kinds of subject than {category}"
        elif name == "attack":
            left_out[name] = "give --runs N"
        else:
            left_out[name] = "name it with --auditors"
    return _in_order(category, run), left_out


def _in_order(category: str, auditors: Sequence[Registered]) -> tuple[Registered, ...]:
    """Auditors in the order in which they examine a kind of subject."""
    if category != BLACK_BOX:
        return tuple(auditors)
    return tuple(sorted(auditors, key=lambda auditor: ORDER_OF_BOXES.index(auditor.name)))
