"""Findings: evidence about what is declared beside the claim, such as a sensitivity or a noise law.

An auditor of properties looks at one part of a mechanism: the sensitivity of a query, the law of
a noise, the sum of a ledger, what depends on the data that should not. What it sees is a
`Finding`; whoever doubts it sees it again by one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from enum import Enum
from typing import Any, TypeVar

from audit.statements.codec import OPTIONAL
from audit.statements.decimals import with_decimals
from audit.statements.evidence import Decision, Evidence

LONGEST_TEXT = 4000
"""Characters of a line of a finding that another process hands over (half a page)."""


class Rigour(Enum):
    """What the found value is.

    EXACT: the value itself, for all that the finding covers. FLOOR: the true value is at least
    this, shown by a pair that anyone can evaluate. STATISTICAL: so at the finding's error.
    """

    EXACT = "exact"
    FLOOR = "floor"
    STATISTICAL = "statistical"


@dataclass(frozen=True)
class Shown:
    """The smallest pair of neighbours that shows a violation, as plain data: what JSON can say.

    A database is a list of records, each a mapping from attribute to value, or a tuple of counts
    over the domain's cells.
    """

    first: Any
    second: Any

    def to_json(self) -> dict[str, Any]:
        """The pair as plain data."""
        return {"first": self.first, "second": self.second}


@dataclass(frozen=True)
class Excess:
    """How far what was found is beyond what was declared, where it is as small as rounding.

    ``absolute``, ``relative``: decimals, rounded up. ``because``: why it is forgiven, or is not.
    ``cost``: what it can cost whoever relies on the declaration, as a sentence.
    """

    absolute: str
    relative: str
    because: str
    cost: str


@dataclass(frozen=True)
class Property:
    """What was declared and found of a property: all that a certificate states of it.

    The fields are those of `Finding`.
    """

    about: str
    declared: str
    found: str
    rigour: Rigour
    pair: Shown | None
    responsible: str | None
    error: float | None
    excess: Excess | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class Finding(Evidence):
    """Evidence of one property of one subject: what was declared, what was found.

    ``about``: the property, such as "L1 sensitivity". ``declared``, ``found``: as text, exact
    numbers as integers or fractions. ``covers``: which databases, draws or parameters were looked
    at. ``pair``: None where no pair is involved. ``responsible``: the round, the column or the
    output at fault. ``again``: a command or a few lines of Python that show the same again; no
    certificate has it. ``error``: of a statistical finding, the largest probability that an honest
    subject is accused. ``excess``: of one that holds up to rounding, or fails by no more.
    """

    about: str
    declared: str
    found: str
    rigour: Rigour
    again: str = field(default="", compare=False)
    pair: Shown | None = None
    responsible: str | None = None
    error: float | None = None
    excess: Excess | None = field(default=None, metadata=OPTIONAL)
    finding: str = ""
    whole: bool = False

    def __post_init__(self) -> None:
        if not self.finding:
            found, declared = map(with_decimals, (self.found, self.declared))
            sentence = f"{self.about}: found {found}; declared {declared}"
            object.__setattr__(self, "finding", sentence)

    @property
    def essence(self) -> Property:
        """What was declared and found."""
        return Property(**{one.name: getattr(self, one.name) for one in fields(Property)})

    def to_report_json(self) -> dict[str, Any]:
        """The finding as a report of properties states it."""
        return {
            "detector": self.auditor,
            "about": self.about,
            "violated": self.violated,
            "declared": self.declared,
            "found": self.found,
            "rigour": self.rigour.value,
            "covers": self.covers,
            "pair": None if self.pair is None else self.pair.to_json(),
            "responsible": self.responsible,
            "replay": self.again,
            "error": self.error,
            **({} if self.excess is None else {"excess": asdict(self.excess)}),
        }

    @classmethod
    def from_report_json(cls, plain: object) -> Finding:
        """The finding that `to_report_json` wrote, as another process hands it over.

        Raises ValueError for anything else, and for texts that are long or not printable.

        Guarantee
        ---------
        Whatever is handed over, each field is of its type, and a report can show it. Backed by
        ``tests/audit/auditors/data_independence/test_black_boxes.py``.
        """
        match plain:
            case {
                "detector": str(auditor),
                "about": str(about),
                "violated": bool(violated),
                "declared": str(declared),
                "found": str(found),
                "rigour": str(rigour),
                "covers": str(covers),
                "pair": None | {"first": _, "second": _} as pair,
                "responsible": None | str() as responsible,
                "replay": str(again),
                "error": None | float() as error,
                **rest,
            } if not rest and (pair is None or len(pair) == 2):
                pass
            case _:
                raise ValueError("no finding")
        texts = (auditor, about, declared, found, covers, responsible or "")
        lines = (*texts, *again.split("\n"))
        if not all(len(line) <= LONGEST_TEXT and line.isprintable() for line in lines):
            raise ValueError("a finding's texts are short, and printable")
        if error is not None and not 0 < error < 1:
            raise ValueError("an error lies strictly between 0 and 1")
        return cls(
            auditor=auditor,
            about=about,
            decision=Decision.of_declaration(violated),
            declared=declared,
            found=found,
            rigour=Rigour(rigour),
            covers=covers,
            again=again,
            pair=None if pair is None else Shown(pair["first"], pair["second"]),
            responsible=responsible,
            error=error,
        )


Heard = TypeVar("Heard", bound=Evidence)


def violations(findings: Iterable[Heard]) -> tuple[Heard, ...]:
    """Those that speak against what was claimed or declared."""
    return tuple(finding for finding in findings if finding.violated)
