"""Laws of given objects, and the decorator that makes each of them a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from audit.auditors.effort import Effort
from audit.subjects.forms import form_of
from audit.subjects.subject import ProgramSubject
from audit.testing.laws import (
    auditor_laws,
    metric_laws,
    noise_laws,
    program_laws,
    query_laws,
    selection_laws,
    table_laws,
)
from audit.testing.laws.ground import RELATIONS, Ground
from audit.testing.laws.law import Law
from audit.utility.metric import Metric
from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, neighbours_from

Test = TypeVar("Test", bound=Callable[..., Any])

_KINDS = """a noise (mass, tail, sample, cost, shift_loss), a query (size, answers, sensitivity), \
a law of tables (outcomes, chance, sample, cost), a law of public randomness (count, outcomes, \
chance, sample), a selection (chances, sample, cost), a program (a function of a curator), a \
metric (audit.utility.metric.Metric) or an auditor (examine)"""


@dataclass(frozen=True)
class Trial:
    """What laws are tried on; what a kind has no use for is left aside.

    ``domain``: of queries, table laws, programs and metrics; a small default of each otherwise.
    ``relations``: under which costs, sensitivities and programs are looked at. ``records``: of the
    largest database. ``claim``: of programs, in place of their declared budgets. ``honest``,
    ``broken``: controls of auditors, examined with ``effort``; ``accuses``: False for an auditor
    that only confirms claims.
    """

    domain: Domain | None = None
    relations: tuple[Neighbours, ...] | None = None
    records: int = 3
    claim: Guarantee | None = None
    honest: Sequence[auditor_laws.Control] = auditor_laws.HONEST
    broken: Sequence[auditor_laws.Control] = ()
    effort: Effort = field(default_factory=Effort)
    accuses: bool = True

    def ground(self, cells: str, relations: tuple[Neighbours, ...]) -> Ground:
        """The small databases that laws visit."""
        domain = Domain.from_cells(cells) if self.domain is None else self.domain
        return Ground(domain, self.relations or relations, self.records)


def laws_of(subject: Any, trial: Trial | None = None) -> tuple[Law, ...]:
    """The laws that an object must keep, by what it is; raises InputError for anything else."""
    on = Trial() if trial is None else trial
    if isinstance(subject, Metric):
        scored = metric_laws.Scored(subject, on.domain or metric_laws.MIXED)
        return _laws("metric", subject, metric_laws.LAWS, scored)
    if _has(subject, "mass", "tail", "sample", "cost", "shift_loss"):
        return _laws("noise", subject, noise_laws.LAWS, subject)
    if _has(subject, "answers", "sensitivity", "size"):
        return _laws("query", subject, query_laws.LAWS, subject, on.ground("2x2", RELATIONS))
    if _has(subject, "chances", "sample", "cost"):
        return _laws("selection", subject, selection_laws.LAWS, subject)
    if _has(subject, "outcomes", "chance", "sample", "count"):
        return _laws("public law", subject, table_laws.PUBLIC_LAWS, subject)
    if _has(subject, "outcomes", "chance", "sample", "cost"):
        return _laws("table law", subject, table_laws.LAWS, subject, on.ground("2x2", RELATIONS))
    if _has(subject, "examine"):
        audited = auditor_laws.Audited(subject, on.honest, on.broken, on.effort, on.accuses)
        return _laws("auditor", getattr(subject, "name", subject), auditor_laws.LAWS, audited)
    return _of_program(subject, on)


def parametrize_with_laws(
    subjects: Iterable[Any],
    *,
    domain: Domain | str | None = None,
    neighbours: str | Sequence[Neighbours | str] | None = None,
    records: int = 3,
    claim: str | None = None,
    honest: Sequence[auditor_laws.Control] = auditor_laws.HONEST,
    broken: Sequence[auditor_laws.Control] = (),
) -> Callable[[Test], Test]:
    """Make a test function of one argument, ``law``, a test of every law of every object.

    ``subjects``: instances of your own noises, queries, laws, programs, metrics or auditors. The
    other arguments are those of `Trial`; ``domain`` also as its cells, "2x3", ``neighbours`` also
    by name. ::

        @parametrize_with_laws([MyNoise(scale=2)])
        def test_laws(law):
            law()

    Raises InputError at once for an object of no kind that has laws, and where pytest is absent.
    """
    try:
        import pytest
    except ImportError:
        raise InputError(
            "parametrize_with_laws needs pytest: install dp-audit[pytest], or call laws_of(...)"
        ) from None
    if not isinstance(subjects, Iterable) or isinstance(subjects, str):
        raise InputError("give a list of objects to try laws on, such as [MyNoise(scale=2)]")
    if not isinstance(claim, str | None) or not isinstance(domain, Domain | str | None):
        raise InputError("a claim is a text such as 'epsilon=1'; a domain a Domain, or cells '2x3'")
    if not isinstance(neighbours, str | Sequence | None) or not all(
        isinstance(one, AddRemove | ReplaceOne | str) for one in neighbours or ()
    ):
        raise InputError("neighbours are 'add-remove', 'replace-one', or a list of relations")
    relations = (
        (neighbours_from(neighbours),)
        if isinstance(neighbours, str)
        else None
        if neighbours is None
        else tuple(neighbours_from(one) if isinstance(one, str) else one for one in neighbours)
    )
    over = Domain.from_cells(domain) if isinstance(domain, str) else domain
    guarantee = None if claim is None else parse_guarantee(claim)
    trial = Trial(over, relations, records, guarantee, honest, broken)
    found = [law for subject in subjects for law in laws_of(subject, trial)]
    if not found:
        raise InputError("there is nothing to try laws on: give a list of at least one object")
    return pytest.mark.parametrize("law", found, ids=list(map(_name, found)))


def _of_program(subject: Any, on: Trial) -> tuple[Law, ...]:
    kind = type(subject).__name__
    if isinstance(subject, type):
        raise InputError(f"laws are about objects, and {subject.__name__} is a class: make one")
    try:
        program = form_of(subject) == "program"
    except InputError:
        program = False
    if not program:
        raise InputError(f"there are no laws of a {kind}; expected {_KINDS}")
    ground = on.ground("2", (AddRemove(), ReplaceOne()))
    name = _name_subject(subject)
    examined = ProgramSubject(name, subject, False)
    laws: list[Law] = []
    for relation in ground.relations:
        tried = program_laws.Tried(examined, ground, relation, on.claim)
        about = f"{name} under {relation.name}"
        if not relation.unit.is_record:
            about += f" of persons of {relation.unit.max_records}"
        laws += _laws("program", about, program_laws.LAWS, tried)
    return tuple(laws)


def _laws(
    kind: str, subject: Any, checks: Iterable[Callable[..., None]], *arguments: Any
) -> tuple[Law, ...]:
    name = subject if isinstance(subject, str) else _name_subject(subject)
    return tuple(
        Law(kind, check.__name__.removeprefix("public_"), name, partial(check, *arguments))
        for check in checks
    )


def _has(subject: Any, *names: str) -> bool:
    return not isinstance(subject, type) and all(hasattr(subject, name) for name in names)


def _name_subject(subject: Any) -> str:
    text = getattr(subject, "__qualname__", None) or repr(subject)
    # An object without a repr of its own shows its address, which differs between processes.
    return text if len(text) <= 80 and " at 0x" not in text else type(subject).__name__


def _name(law: Law) -> str:
    return f"{law.subject}-{law.name}"
