"""Choices by chances that come out the same in every run, as those of a fixed seed do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.auditors.components.asking import Wanted
from audit.auditors.components.case import Case, state_finding
from audit.auditors.components.looking import Looked
from audit.auditors.components.recording.steps import Call
from audit.statements.evidence import Decision
from audit.statements.finding import Finding

RUNS = 40
"""Fresh runs in which a choice is looked at."""

SURE = 1e-6
"""The chance with which an honest choice may come out the same in all of them."""

_SEEDS = 6_000_000
"""Where the seeds of these runs begin."""


def find_fixed_choices(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """A choice that the pair moves and that chance does not make: one finding, left open."""
    looked = next((one for one in looks if one.transcripts[0].read.weighed), None)
    if looked is None:
        return
    runs = [Wanted(0, _SEEDS + RUNS * case.seed + run) for run in range(RUNS)]
    made = case.ask([looked.pair.first], runs)
    for number, step in enumerate(made[0].steps):
        if not isinstance(step, Call) or step.law != "choice" or step.value is None:
            continue
        same = all(number < len(one.steps) and one.steps[number] == step for one in made)
        likely = max(step.value, default=1) ** (RUNS * len(step.answer))
        if same and likely < SURE:
            yield state_finding(
                case,
                looked,
                "fresh noise",
                "another draw in each run",
                f"the choice at {step.place} is the same in each of {RUNS} runs",
                step.place,
                Decision.UNDECIDED,
            )
            return
