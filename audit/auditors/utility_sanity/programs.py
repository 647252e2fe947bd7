"""The utility-sanity auditor on a program: the same one at other epsilons, on a made-up table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np

from audit.auditors.effort import Effort
from audit.auditors.utility_sanity.examination import REPLICATES
from audit.auditors.utility_sanity.examination import examine as examine_family
from audit.auditors.utility_sanity.family import Family
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.subject import ProgramSubject
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.rounding import largest_remainder


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """Whether a program's error falls as its epsilon grows; InputError where it has no epsilon.

    It is looked at on a made-up table of the claim's domain and number of rows: no private data.
    """
    parameters, program = subject.identity.get("parameters", {}), subject.program
    if subject.built_in and "epsilon" in parameters:
        rest = {name: value for name, value in parameters.items() if name != "epsilon"}
        family = Family(subject.name, subject.name, rest, claim.neighbours)
    elif is_dataclass(program) and hasattr(program, "epsilon"):
        made: Any = program
        family = Family(
            subject.name, lambda epsilon: replace(made, epsilon=epsilon), {}, claim.neighbours
        )
    else:
        raise InputError(
            f"{subject.name} can't be made for another epsilon: utility sanity takes a built-in "
            "program with --set epsilon=…"
        )
    setting = effort.setting(claim)
    yield from examine_family(
        family,
        made_up_table(setting.domain, setting.require_rows()),
        replicates=REPLICATES if effort.runs is None else max(effort.runs, 2),
        seed=effort.seed,
        error=effort.alarm,
    )


def made_up_table(domain: Domain, records: int) -> Dataset:
    """So many records, of a few frequent cells and many rare ones: the k-th holds one k-th part."""
    shares = [domain.size * 1_000 // (place + 1) for place in range(domain.size)]
    counts = np.array(largest_remainder(shares, records), np.int64)
    return Dataset.from_histogram(domain, counts)
