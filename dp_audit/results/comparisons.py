"""What reviewers ask of several documents: certificates side by side, criteria that are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page
from dp_audit.results.result import Result

if TYPE_CHECKING:
    import pandas as pd

    from audit.review.comparison.comparing import Comparison
    from audit.review.criteria.deciding import Decisions


@dataclass(frozen=True, repr=False)
class ComparisonResult(Result):
    """What `dp_audit.compare` returns: certificates side by side."""

    comparison: Comparison

    def summary(self) -> str:
        """How many certificates, and how many questions they answer."""
        count, questions = len(self.comparison.entries), len(self.comparison.groups)
        answered = "one question" if questions == 1 else f"{questions} different questions"
        faults = len(self.comparison.disbelieved)
        beside = f"; {faults} of them not believed" if faults else ""
        return f"{count} certificates that answer {answered}{beside}"

    def lines(self) -> RenderableType:
        """The rulers, what differs, and what became of versions."""
        from audit.report.comparison.terminal import comparing_lines

        return comparing_lines(self.comparison)

    def to_json(self) -> dict[str, Any]:
        """The certificates, their groups, what differs, and the versions."""
        from audit.report.comparison.document import comparison_json

        return comparison_json(self.comparison)

    def csv_text(self) -> str:
        """The aspects as CSV, a row a certificate, that no spreadsheet computes with."""
        from audit.report.comparison.document import comparison_csv

        return comparison_csv(self.comparison)

    def to_frame(self) -> pd.DataFrame:
        """The aspects, a row a certificate."""
        import pandas as pd

        from audit.report.comparison.aspects import aspects

        rows = [
            {name: text for part in aspects(entry).values() for name, text in part.items()}
            for entry in self.comparison.entries
        ]
        return pd.DataFrame(rows, index=[entry.name for entry in self.comparison.entries])

    def page(self) -> Page:
        """All of it as a page."""
        from audit.report.comparison.view import LEAD, sections

        return Page("How do these certificates compare?", LEAD, tuple(sections(self.comparison)))


@dataclass(frozen=True, repr=False)
class CriteriaResult(Result):
    """What `dp_audit.criteria` returns: each criterion with its figures and its answer."""

    decisions: Decisions

    @property
    def exit_code(self) -> int:
        """0 if all is met, 1 if something is not, 3 if something is undecided."""
        from audit.review.criteria.deciding import EXIT_CODES

        return EXIT_CODES[self.decisions.answer]

    @property
    def answer(self) -> str:
        """``met``, ``not met`` or ``undecided``, of all criteria together."""
        return self.decisions.answer.value

    def summary(self) -> str:
        """The answer, and how many criteria have which."""
        from audit.report.criteria.view import summarise

        return summarise(self.decisions)

    def lines(self) -> RenderableType:
        """The answer, then each figure beside its threshold."""
        from audit.report.criteria.terminal import decisions_lines

        return decisions_lines(self.decisions)

    def to_json(self) -> dict[str, Any]:
        """The answers, figures and thresholds."""
        from audit.report.criteria.document import decisions_json

        return decisions_json(self.decisions)

    def to_frame(self) -> pd.DataFrame:
        """The figures, a row each, beside what is asked of them."""
        import pandas as pd

        from audit.report.criteria.view import HEADER, sections
        from audit.report.page import TableSection

        tables = [one for one in sections(self.decisions) if isinstance(one, TableSection)]
        return pd.DataFrame(tables[0].rows, columns=list(HEADER))

    def page(self) -> Page:
        """All of it as a page."""
        from audit.report.criteria.view import sections

        return Page(
            f"Are the criteria {self.decisions.name} met?", "", tuple(sections(self.decisions))
        )
