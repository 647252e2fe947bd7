"""What a submission is: how it runs, what it claims, and what its write-up says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Way = Literal["template", "submission", "curator", "module", "deid2"]
"""How a submission runs: a command line with places for files and numbers, a program that speaks
the submission protocol or the curator protocol, a ``module:attribute``, or a folder of DeID2."""


@dataclass(frozen=True)
class Launch:
    """How a submission is started.

    ``words``: of a template, its command line, with places such as ``{input}`` and ``{epsilon}``;
    otherwise one word, the path of its program within its folder or ``module:attribute``. ``form``:
    of a module's attribute, where it is not found out. ``python``: the interpreter that runs it, an
    absolute path, where that is not ours. ``rows``: the public number of rows of its output.
    ``seconds``, ``megabytes``: what one run may take.
    """

    way: Way
    words: tuple[str, ...]
    form: str | None = None
    python: str | None = None
    rows: int | None = None
    seconds: int = 60
    megabytes: int = 4096


@dataclass(frozen=True)
class StatedClaim:
    """What a submission promises at each ε of its challenge.

    ``guarantee``: the text of a claim, with ``{epsilon}`` where its ε goes; ``epsilons``: as they
    are written, in order. ``neighbours``, ``unit``, ``max_records``: as ``dp-audit certify`` takes
    them.
    """

    guarantee: str
    epsilons: tuple[str, ...]
    neighbours: str
    unit: str = "record"
    max_records: int = 1

    def at(self, epsilon: str) -> str:
        """The claim at one ε.

        >>> StatedClaim("epsilon={epsilon}, delta=1e-6", ("1", "10"), "add-remove").at("10")
        'epsilon=10, delta=1e-6'
        """
        return self.guarantee.replace("{epsilon}", epsilon)


@dataclass(frozen=True)
class StatedQuery:
    """A query as a write-up states it; None where the write-up is silent.

    ``name``: in its own words. ``question``: the query in the form in which a ledger spells it.
    ``sensitivity``: under the claim's neighbours; ``share``: of the budget, between 0 and 1, each a
    number as text. ``noise``: the name of its law. ``file``, ``line``: where the code asks it.
    """

    name: str
    question: str | None = None
    sensitivity: str | None = None
    share: str | None = None
    noise: str | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class StatedWriteUp:
    """What is handed in beside the code: the file, within the folder, and the queries it states."""

    file: str | None = None
    queries: tuple[StatedQuery, ...] = ()


@dataclass(frozen=True)
class Submission:
    """A submission as it was handed in, unpacked.

    ``name``: that of its folder or zip, by which pages and files call it. ``folder``: its files.
    ``domain``: the path of its domain file. ``parameters``: what is set of a program, where a value
    may hold ``{epsilon}``. ``asked``: what its challenge asks for, where that is another claim than
    its own; ``other_domain``: whether its domain is not the challenge's. ``beside``: files of the
    challenge that it needs in its folder and does not hold.
    """

    name: str
    folder: Path
    launch: Launch
    claim: StatedClaim
    domain: Path
    parameters: tuple[tuple[str, str], ...] = ()
    write_up: StatedWriteUp = field(default_factory=StatedWriteUp)
    asked: StatedClaim | None = None
    other_domain: bool = False
    beside: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Challenge:
    """What all submissions of one folder share.

    ``data``: a public table that utility is measured on, None where there is none; ``metrics``: the
    ones to measure, none for the default.
    """

    name: str
    data: Path | None = None
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unread:
    """A submission that can't be read, and why, in words for whoever handed it in."""

    name: str
    reason: str


@dataclass(frozen=True)
class Intake:
    """All that was found at a path."""

    challenge: Challenge
    submissions: tuple[Submission, ...]
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """A submission made ready: commands of ``dp-audit`` about it are started in ``folder``.

    ``subject``: what ``dp-audit certify`` is given. ``flags``: those that it needs beside claim,
    relation and domain, where a word may hold ``{epsilon}``. ``asks``: whether it asks a curator,
    so that it is enumerated and proved, and otherwise attacked. The domain file is ``domain.toml``
    in the folder.
    """

    submission: Submission
    folder: Path
    subject: str
    flags: tuple[str, ...]
    asks: bool
