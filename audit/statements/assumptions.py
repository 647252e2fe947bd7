"""What a verdict rests on and does not show: every assumption that a certificate may list.

A line that is worded anew gets an entry in `SINCE`: an older certificate says no less by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from audit.statements.isolation import Isolation
from synthesizers.curator import Setting

INDEPENDENT = "repeated runs are independent draws of one law, as far as the runs looked at show"
ON_YOUR_WORD = (
    "the two databases of the pair are neighbours under the claim: that is taken on trust"
)
SERVED = "a served run has the law of a run in a process of its own, as far as those compared show"
NEW_PROCESS = "as the program says, each run is made in a new process and leaves nothing behind"
SCOPE = "running time, memory, what is printed or written elsewhere are out of scope"
MODULE = "the module's code is the code that will run"
COMMAND = "the program at the path is the one that will run, with all that it loads"
OUTPUTS = "each file's outputs are independent draws on one of two neighbouring databases"

OF_CHANNEL = (
    "the file's matrix is the law of the mechanism: Pr[output | database]",
    "a row that sums to 1 only within 1e-9 is that accurate in each of its chances",
    "the domain and its cells are public",
)

_ANSWERS = "what is released is a function of the answers and the drawn seed alone"
_BUDGET = "a release opens its curator with the program's budget, which refuses further questions"
_CERTIFICATE = (
    "a release is made by dp-audit release --certificate with this certificate: its curator "
    "refuses every question and every cost that was not analysed"
)
_HANDED = "and nobody but dp-audit hands it private data, nor did so before"

ADDED = (
    "the operating system keeps the program's process apart, as far as a program that tried to "
    "break out found"
)
"""What earlier versions did not write: their certificates have a line in earlier words."""

SINCE = {
    "post-processing looks at the transcript alone (Python cannot enforce it)": _ANSWERS,
    _BUDGET: _CERTIFICATE,
    MODULE: f"{MODULE}, {_HANDED}",
    "the program's code is the code that will run": f"{MODULE}, {_HANDED}",
    "the module read nothing private when it was imported": f"{MODULE}, {_HANDED}",
    "nobody but dp-audit hands the program private data, nor did so before": f"{MODULE}, {_HANDED}",
}
"""What is assumed today instead of each line that an earlier version wrote."""


def of_program(
    setting: Setting, kind: str, isolation: Isolation | None, trusted: bool
) -> tuple[str, ...]:
    """What a verdict about a program rests on.

    ``kind``: what its code is that of. ``isolation``: of a program that is not ours.
    ``trusted``: the user takes its word where nothing keeps it apart.
    """
    rows = "the number of records is public"
    if setting.records is None:
        rows = f"the number of rows ({setting.rows}) is a public constant, not read off the data"
    assumptions = [
        "each sampler has its stated law, and the operating system's entropy is uniform",
        _ANSWERS,
        f"the domain and its bins are public; {rows}",
        "running time, memory, what is printed and all else beside the release are out of scope",
    ]
    if not setting.neighbours.unit.is_record:
        assumptions.append("every record carries the right person's id, and no person has two")
    if isolation is None:
        return (*assumptions, _BUDGET)
    assumptions += [f"the {kind}'s code is the code that will run, {_HANDED}", _CERTIFICATE]
    if not isolation.of_caller:
        assumptions.append(ADDED)
        if trusted:
            assumptions.append(
                "the user trusts the program: where nothing kept it from the process that judged "
                "it, it left that process alone"
            )
    elif trusted:
        assumptions.append(
            "the program is the caller's own and leaves dp-audit alone, and the caller's process "
            "holds no confidential data"
        )
    return tuple(assumptions)


def say_the_same(stated: Sequence[str], found: Sequence[str]) -> bool:
    """Whether assumptions are those found, in today's words or in those of an earlier version.

    Guarantee
    ---------
    Each assumption that is found has a line among those stated, but for the `ADDED` one beside
    lines in earlier words, and no other line is stated. Backed by
    ``tests/audit/statements/test_assumptions.py``.
    """
    earlier = {_today(line, found) for line in stated} - set(stated)
    said = {line for line in stated if line in found}
    if any(SINCE.get(line) in said for line in stated):
        # Today's words beside earlier ones: no version wrote both.
        return False
    today = {_today(line, found) for line in stated} | ({ADDED} & set(found) if earlier else set())
    return len(set(stated)) == len(stated) and today == set(found)


def _today(line: str, found: Sequence[str]) -> str:
    """A line in today's words, where what is found has it in these."""
    return line if line in found else SINCE.get(line, line)
