"""A scoreboard: textbook statements about privacy, true and false ones, each decided.

    python benchmarks/statements                  # all, a line an area
    python benchmarks/statements --area laplace --each

A theorem decides that a statement is true: the kernel makes it, and `proofs/checker.py` evaluates
it again. A certified counterexample decides that it is false: two neighbours whose exact laws are
further apart. Only then the answer is compared with the label of the data. Exit code 1 for any
wrong answer.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from deciding import ContradictionError, Decision, decide
from reading import DATA, Statement, read_statements

from synthesizers.errors import DPAuditError, InputError

COLUMNS = ("statements", "true, proved", "false, refuted", "undecided", "WRONG")


def place(statement: Statement, decision: Decision) -> str:
    """The column of the table that a decision counts in."""
    if decision.truth is None:
        return "undecided"
    if decision.truth != statement.truth:
        return "WRONG"
    return "true, proved" if decision.truth else "false, refuted"


def score(statements: Sequence[Statement], each: bool) -> int:
    """Decide all, print the table and what is open or wrong; the number of wrong answers."""
    table: dict[str, Counter[str]] = {}
    kernel_only, notes = 0, []
    for statement in statements:
        begun = time.process_time()
        try:
            decision = decide(statement.formal)
            column = place(statement, decision)
        except ContradictionError as error:
            decision, column = Decision(None, str(error)), "WRONG"
        kernel_only += decision.kernel_only
        mark = " (kernel only)" if decision.kernel_only else ""
        table.setdefault(statement.area, Counter())[column] += 1
        line = f"{column:14} {statement.name:28} {decision.because}{mark}"
        if each:
            print(f"{line} ({time.process_time() - begun:.1f} s)", flush=True)
        elif column in ("undecided", "WRONG"):
            notes.append(line)
    rows = [(area, counts) for area, counts in table.items()]
    total = sum((counts for _, counts in rows), Counter[str]())
    print(f"{'area':24}" + "".join(f"{name:>16}" for name in COLUMNS))
    for area, counts in [*rows, ("all", total)]:
        numbers = [counts.total(), *(counts[name] for name in COLUMNS[1:])]
        print(f"{area:24}" + "".join(f"{number:>16}" for number in numbers))
    print(f"{kernel_only} of the proofs hold a number that the independent checker can't afford")
    print(*notes, sep="\n")
    return total["WRONG"]


def main() -> int:
    """Read the flags, decide, and say by the exit code whether any answer was wrong."""
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--data", type=Path, default=DATA, help="another folder of statements")
    flags.add_argument("--area", help="one area alone, by the name of its file")
    flags.add_argument("--each", action="store_true", help="a line for each statement")
    given = flags.parse_args()
    try:
        statements = read_statements(given.data)
        chosen = [one for one in statements if given.area in (None, one.area)]
        if not chosen:
            raise InputError("there are no such statements")
        return 1 if score(chosen, given.each) else 0
    except DPAuditError as refusal:
        print(refusal, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
