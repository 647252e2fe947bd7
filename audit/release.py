"""Releases: a program is run on real data, by its name, after its process has started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from audit.questions import Leave, leave_of_certificate
from audit.statements.certificate_json import decode
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from audit.verify import load_certificate
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.ledger.programs import of_budget
from proofs.search.best import strongest
from synthesizers.bin_numbers import to_numbers
from synthesizers.budget import Budget, ZCDPBudget
from synthesizers.curator import Output, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, to_json
from synthesizers.sampling import EventProgress, Run
from synthesizers.sampling import run as sample
from synthesizers.tables import read_table, to_frame

if TYPE_CHECKING:
    import pandas as pd

PURE = ApproxDP(Fraction(0))

SEED_BITS = 64
"""Of the public seed of numbers within bins: no two releases share one by chance."""


@dataclass(frozen=True)
class Wanted:
    """A release as it is asked for.

    ``program``: a built-in name, module:attribute or command:…; ``parameters``: its own, as text.
    ``data``: the table's file, or the table where the caller holds it. ``rows``: the public
    number of rows, where n is private.
    ``certificate``: the file of the certificate that it keeps to. ``trusted``: run a program even
    where nothing keeps it from the data. ``drop``: columns of the file that the domain does not
    declare, and that are left out; any other one is refused. ``numbers_within_bins``: put out a
    number for each bin, by public randomness.
    """

    program: str
    data: str | Dataset
    domain: Domain
    neighbours: Neighbours
    parameters: Mapping[str, str] = field(default_factory=dict)
    rows: int | None = None
    certificate: str | None = None
    trusted: bool = False
    drop: tuple[str, ...] = ()
    numbers_within_bins: bool = False


@dataclass(frozen=True)
class Released:
    """A synthetic table, and what stands for it: who made it, of what, under which budget.

    ``guarantee``: what the release guarantees, in words. ``seed``: of the numbers that stand for
    bins, None where these are named.
    """

    table: Dataset
    subject: ProgramSubject
    setting: Setting
    budget: Budget
    run: Run
    guarantee: str
    seed: int | None = None

    def frame(self) -> pd.DataFrame:
        """The synthetic records as they are put out."""
        return to_frame(self.table) if self.seed is None else to_numbers(self.table, self.seed)


def release(wanted: Wanted, progress: EventProgress | None = None) -> Released:
    """Run a program on a table; ``progress`` is told of each question.

    Raises InputError for an object in place of a name, for a certificate that is not about this
    release, and where nothing keeps the program from the data; ProtocolError where it asks what
    was not certified, or breaks the curator's protocol.

    Guarantee
    ---------
    The table is opened when the program's process has started, and the process can't read it. Under
    a certificate the curator keeps to its questions and its budget. Backed by
    ``tests/audit/test_release.py``.
    """
    require_name(wanted.program)
    hidden = [path for path in (wanted.data, wanted.certificate) if isinstance(path, str)]
    subject = program_subject(wanted.program, wanted.parameters, hidden)
    try:
        return _release(wanted, subject, progress)
    finally:
        subject.end()


def require_name(program: object) -> None:
    """Raise InputError for a live object, with the line that releases it by its name."""
    if isinstance(program, str):
        return
    name = getattr(program, "__name__", type(program).__name__)
    module = getattr(program, "__module__", "__main__")
    save = ""
    if module == "__main__" or "<" in getattr(program, "__qualname__", ""):
        module, save = "mechanism", "save it in mechanism.py and "
    name = name if name.isidentifier() else "program"
    raise InputError(
        "a release takes the name of a program, which starts before the data are opened, and not "
        f"an object of a process that opens them: {save}say release('{module}:{name}', …)"
    )


def _release(wanted: Wanted, subject: ProgramSubject, progress: EventProgress | None) -> Released:
    if not (subject.built_in or subject.isolation.sufficient or wanted.trusted):
        raise InputError(
            f"nothing on this machine keeps {subject.name} from the data: it would run "
            f"{subject.isolation.describe()}. Release where programs can be kept apart (Linux, "
            "with user namespaces or as root), or say --trust-subject"
        )
    leave: Leave | None = None
    if wanted.certificate is not None:
        document = load_certificate(wanted.certificate)
        stated = decode(document).about
        # What was certified says how many records the table has, so that it can stay closed.
        setting = release_setting(wanted.domain, wanted.neighbours, stated.records, wanted.rows)
        leave = leave_of_certificate(document, subject, setting)
        # A program of one run a process was used up by what was asked of it.
        subject.budget(setting)
        guarantee = f"it keeps to the certificate: {document['verdict']}, {document['claim']}"
    dataset = wanted.data
    if not isinstance(dataset, Dataset):
        dataset = read_table(dataset, wanted.domain, drop=wanted.drop)
    if leave is None:
        setting = release_setting(wanted.domain, wanted.neighbours, dataset.records, wanted.rows)
        leave = Leave(subject.budget(setting), None)
        guarantee = _guarantee(leave.budget, setting)
    budget = leave.budget
    if budget.neighbours not in (None, wanted.neighbours):
        raise InputError(
            f"the noise is made for {budget.neighbours.name}, the release is under "
            f"{wanted.neighbours.name}: drop --set calibrated-for, or release under the former"
        )
    made = sample(subject.program, dataset, setting, budget, progress=progress, admit=leave.admit)
    table = as_dataset(made.output, wanted.domain)
    seed = randbits(SEED_BITS) if wanted.numbers_within_bins else None
    return Released(table, subject, setting, budget, made, guarantee, seed)


def release_setting(
    domain: Domain, relation: Neighbours, records: int | None, rows: int | None
) -> Setting:
    """The public constants of a release: n counts as public only where the relation says so."""
    if relation.records_public:
        return Setting(domain, relation, records, records if rows is None else rows)
    return Setting(domain, relation, None, rows)


def _guarantee(budget: Budget, setting: Setting) -> str:
    """What the budget alone proves: without a certificate nothing smaller is stated."""
    try:
        parts = of_budget(budget, setting.neighbours, {})
    except ProofError:
        return (
            "no guarantee: the program has no budget that proves one. Certify it, and release "
            "with --certificate"
        )
    offers = strongest(parts, ZCDP(Fraction(0)) if isinstance(budget, ZCDPBudget) else PURE)
    least = min((offer.value for offer in offers), default=None)
    name = "rho" if isinstance(budget, ZCDPBudget) else "epsilon"
    if least is None:
        return "the program's budget proves no pure guarantee; dp-audit account LEDGER states it"
    return f"by the program's budget: {name} = {least}"


def as_dataset(output: Output, domain: Domain) -> Dataset:
    """A program's output as a table of records; InputError for one that is not."""
    if isinstance(output, Dataset):
        return output
    counts = np.asarray(output)
    if counts.shape != (domain.size,) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise InputError(
            f"a release is a table of records, made from counts over the domain's {domain.size} "
            "cells or a Dataset; this program's output is something else, such as suppressed "
            "or coarser counts: nothing is written. Audit it with channel or certify, or take "
            "its output from Python (synthesizers.sampling.run)"
        )
    return Dataset.from_histogram(domain, counts.astype(np.int64))


def ledger_json(
    subject: ProgramSubject, setting: Setting, budget: Budget, made: Run
) -> Mapping[str, Any]:
    """The events asked, without their outcomes, and what they cost: no private number."""
    return {
        "schema": "dp-audit/ledger/1",
        "program": subject.to_json(),
        **to_json(setting.neighbours),
        "domain": setting.domain.to_json(),
        "records": setting.records,
        "rows": setting.rows,
        "budget": budget.to_json(),
        "spent": made.spent.to_json(),
        "events": [event.to_json(setting.domain, setting.neighbours) for event in made.ledger],
    }
