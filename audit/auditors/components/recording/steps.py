"""A run of foreign code as plain data: its calls of noise, what it did with them, what came out.

Steps are numbered in the order in which they were made. Each has a flat list of results, which is
its ``answer``; an *entry* (step, place in the answer) names one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

Entry = tuple[int, int]
"""A step's number, and the place in its answer."""

if TYPE_CHECKING:
    Number = int | float | bool
    Operand = tuple[Number | Entry, ...]


@dataclass(frozen=True)
class Call:
    """A call of noise: an outermost recorded primitive, which swallows the draws within it.

    ``primitive``: such as "numpy.random.Generator.laplace". ``law``: such as "laplace"; "unknown".
    ``parameters``: what must be the same on neighbours, such as "scale"; a number that differs
    from entry to entry is a tuple. ``value``: what the noise hides, entry by entry, where the
    arguments hold it; None where they hold nothing (of a choice: its weights). ``answer``: what
    came out. ``place``: the file and line of the foreign code that called. ``sensitivity``: how far
    the value may move at most, where the mechanism was told; ``norm``: in which norm, "l1", "l2"
    or "linf". ``epsilon``, ``delta``: what the mechanism says that it spends.
    """

    primitive: str
    law: str
    parameters: dict[str, Any]
    value: tuple[Number, ...] | None
    answer: tuple[Any, ...]
    place: str
    sensitivity: Number | None = None
    norm: str = "l1"
    epsilon: Number | None = None
    delta: Number | None = None


@dataclass(frozen=True)
class Operation:
    """What foreign code did with noise or with a noisy answer.

    ``name``: of a ufunc of numpy ("add", "multiply", "less") or of a reduction ("argmax", "sum").
    ``operands``: one for each argument, entry by entry as the answer is; of a reduction, one for
    each entry of the answer, of all that it is made of. Entries of earlier steps, or plain numbers.
    """

    name: str
    operands: tuple[Operand, ...]
    answer: tuple[Number, ...]
    place: str


@dataclass(frozen=True)
class Seeding:
    """A generator that was made, with its ``seed`` as text; None for the system's entropy."""

    maker: str
    seed: str | None
    place: str
    answer: tuple[()] = ()


@dataclass(frozen=True)
class Recording:
    """One run.

    ``output``: the leaves of what was returned, in order: numbers as they are, all else as texts,
    types and lengths included. ``released``: for each leaf, the entry that it is known to be.
    ``error``: the type of the exception that ended it. ``parted``: of a run that was answered with
    the answers of another one, the number of the first step that is another, and the places of both
    (empty where there is none). ``lines``: the lines of the subject's own file that ran.
    ``returned``: the last of them.
    """

    steps: tuple[Call | Operation | Seeding, ...]
    output: tuple[Any, ...]
    released: tuple[Entry | None, ...]
    error: str | None = None
    parted: tuple[int, str, str] | None = None
    lines: tuple[str, ...] = ()
    returned: str = ""
