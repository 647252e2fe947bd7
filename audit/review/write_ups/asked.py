"""What a program asked, with all that a write-up states: sensitivity, noise, share, place."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class AskedQuery:
    """A question that a run asked at one place with one noise, as often as it did.

    ``name``: in a few words. ``question``: the query as a ledger spells it, a JSON text, without
    what follows from earlier answers. ``norm``: that in which the sensitivity is measured, L1, L2
    or L∞; empty of a law of whole tables, whose ``sensitivity`` is None. ``sensitivity``: under
    ``neighbours``, "2", "1/2" or "sqrt(2)". ``noise``: the name of its law; ``law``: with its
    parameters. ``share``: of the budget, all ``times`` together; None where there is no finite
    total. ``file``, ``line``: where it is asked, by the program's own word unless it is ours; None
    where nothing tells. ``definition``, ``reason``: of its kind, and why it moves no further.
    ``runs``: in how many of the runs it was asked.
    """

    name: str
    question: str
    neighbours: str
    norm: str
    sensitivity: str | None
    noise: str
    law: str
    share: Fraction | None
    times: int = 1
    file: str | None = None
    line: int | None = None
    definition: str = ""
    reason: str = ""
    runs: int = 1

    @property
    def place(self) -> str:
        """Its file and line: "synth.py:14"; empty where nothing tells."""
        return spell_place(self.file, self.line)


def spell_place(file: str | None, line: int | None) -> str:
    """A file and a line in short: "synth.py:14", "synth.py" or "line 14".

    >>> spell_place("synth.py", 14), spell_place("synth.py", None), spell_place(None, None)
    ('synth.py:14', 'synth.py', '')
    """
    if line is None:
        return file or ""
    return f"line {line}" if file is None else f"{file}:{line}"
