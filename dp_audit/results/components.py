"""What an audit of parts has found: noise, sensitivity, stability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audit.report.page import Page, TableSection
from audit.report.words import clean
from audit.statements.decimals import with_decimals
from dp_audit.results.result import Result, page_of
from synthesizers.numerals import number_text

if TYPE_CHECKING:
    from fractions import Fraction

    import pandas as pd

    from audit.auditors.components.parts import Line
    from audit.statements.finding import Excess, Finding
    from synthesizers.neighbours import Neighbours


_SPENT = ("line", "law", "scale", "moved", "spends", "share")
_FINDING = ("about", "declared", "found", "rigour", "covers", "violated")


@dataclass(frozen=True, repr=False)
class StabilityResult(Result):
    """What `dp_audit.stability` returns: how far outputs of a transformation lie apart."""

    name: str
    finding: Finding

    @property
    def exceeded(self) -> bool:
        """Whether outputs lie farther apart than the map says."""
        return self.finding.violated

    @property
    def exit_code(self) -> int:
        """1 where the map is exceeded."""
        return int(self.exceeded)

    def summary(self) -> str:
        """Whether the map is exceeded."""
        verb = "exceeds" if self.exceeded else "was not seen to exceed"
        return f"{self.name} {verb} {self.finding.about} = {self.finding.declared}"

    def lines(self) -> RenderableType:
        """The finding, with the smallest pair."""
        from audit.report.certificate.findings import findings_lines

        return findings_lines([self.finding])

    def to_json(self) -> dict[str, Any]:
        """The finding."""
        return {
            "transformation": self.name,
            "exceeded": self.exceeded,
            "finding": self.finding.to_report_json(),
        }


@dataclass(frozen=True, repr=False)
class ComponentsResult(Result):
    """What `dp_audit.components` returns: what calls of noise inside foreign code hide and spend.

    ``lines_spending``: a row for each line of the pair that spends most.
    """

    name: str
    declared: Any
    neighbours: Neighbours
    findings: tuple[Finding, ...]
    lines_spending: tuple[Line, ...]

    @property
    def violated(self) -> bool:
        """Whether the claim, or something that was declared beside it, is not kept."""
        return any(finding.violated for finding in self.findings)

    @property
    def undecided(self) -> bool:
        """Whether something was seen that nothing here decides."""
        from audit.statements.evidence import Decision

        return any(finding.decision is Decision.UNDECIDED for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """1 where something is violated, 3 where something is left open."""
        return 1 if self.violated else 3 if self.undecided else 0

    def summary(self) -> str:
        """Whether the claim was kept in what was looked at."""
        if self.violated:
            return f"{self.name} violates {self.declared}"
        kept = "leaves open" if self.undecided else "was not seen to violate"
        return f"{self.name} {kept} {self.declared}"

    def rows(self) -> list[tuple[str, ...]]:
        """The table: line, law, scale, what moves, what is spent, and its share."""
        from audit.report.certificate.spent_lines import rows_of

        return rows_of(self.lines_spending)

    def lines(self) -> RenderableType:
        """The table, and the findings."""
        from audit.report.certificate.findings import findings_lines

        table = Table(*_SPENT)
        for row in self.rows():
            table.add_row(*map(Text, map(clean, row)))
        found = findings_lines(self.findings)
        return Group(table, found) if self.lines_spending else found

    def to_json(self) -> dict[str, Any]:
        """The findings, and the table."""
        from audit.report.accounting import relation_json

        return {
            "subject": self.name,
            "declared": str(self.declared),
            **relation_json(self.neighbours),
            "violated": self.violated,
            "undecided": self.undecided,
            "findings": [
                {**finding.to_report_json(), "decision": finding.decision.value}
                for finding in self.findings
            ],
            "lines": [dict(zip(_SPENT, row, strict=True)) for row in self.rows()],
        }

    def to_frame(self) -> pd.DataFrame:
        """The table: a row a line."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(_SPENT))

    def page(self) -> Page:
        """The findings and the table as a page."""
        rows = [
            (one.decision.value, one.about, one.declared, one.found, one.responsible or "")
            for one in self.findings
        ]
        return page_of(
            f"Inside {self.name}",
            self.summary(),
            TableSection("What each line spends", _SPENT, tuple(self.rows())),
            TableSection(
                "Findings", ("decision", "about", "declared", "found", "where"), tuple(rows)
            ),
        )


@dataclass(frozen=True, repr=False)
class SensitivityResult(Result):
    """What `dp_audit.sensitivity` returns: how far one unit moves a function."""

    name: str
    declared: Any
    neighbours: Neighbours
    findings: tuple[Finding, ...]
    tolerance: Fraction | None = None

    @property
    def exceeded(self) -> bool:
        """Whether a pair of neighbours shows a larger change than was declared."""
        return any(finding.violated for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """1 where the declaration is exceeded."""
        return int(self.exceeded)

    def summary(self) -> str:
        """Whether the declaration is exceeded, or how far rounding brings it beyond."""
        verb = "exceeds" if self.exceeded else "was not seen to exceed"
        excess = self.rounding
        if self.exceeded or excess is None:
            return f"{self.name} {verb} {self.declared}"
        return (
            f"{self.name} holds {self.declared} up to rounding: it goes beyond by "
            f"{excess.relative} of it, and {excess.cost}"
        )

    @property
    def rounding(self) -> Excess | None:
        """The largest excess that is forgiven."""
        found = [one.excess for one in self.findings if one.excess and not one.violated]
        return max(found, key=lambda excess: float(excess.relative), default=None)

    @property
    def verdict(self) -> str:
        """Whether it is exceeded, holds up to rounding, or was not seen to be exceeded."""
        if self.exceeded:
            return "exceeded"
        return "not seen to be exceeded" if self.rounding is None else "holds up to rounding"

    def lines(self) -> RenderableType:
        """The findings, with the smallest pair."""
        from audit.report.certificate.findings import findings_lines

        return findings_lines(self.findings)

    def to_json(self) -> dict[str, Any]:
        """The findings."""
        from audit.report.accounting import relation_json

        return {
            "function": self.name,
            "declared": str(self.declared),
            **relation_json(self.neighbours),
            "exceeded": self.exceeded,
            "verdict": self.verdict,
            "tolerance": None if self.tolerance is None else number_text(self.tolerance),
            "findings": [finding.to_report_json() for finding in self.findings],
        }

    def to_frame(self) -> pd.DataFrame:
        """The findings: a row each."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=_FINDING)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                f.about,
                with_decimals(f.declared),
                with_decimals(f.found),
                f.rigour.value,
                f.covers,
                "yes" if f.violated else "no" if f.excess is None else "up to rounding",
            )
            for f in self.findings
        ]

    def page(self) -> Page:
        """The findings as a page."""
        rows = TableSection("Findings", _FINDING, tuple(self._rows()))
        return page_of(f"Sensitivity of {self.name}", self.summary(), rows)
