"""How useful synthetic tables are, and what one release discloses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page, Section
from dp_audit.results.result import Result, page_of

if TYPE_CHECKING:
    import pandas as pd

    from audit.disclosure.checks import Disclosure
    from audit.utility.results import UtilityResults


@dataclass(frozen=True, repr=False)
class UtilityResult(Result):
    """What `dp_audit.utility` returns: scores of synthetic tables. None of it is private."""

    results: UtilityResults

    def summary(self) -> str:
        """How many metrics, of how many tables."""
        metrics, tables = len(self.results.metrics), len(self.results.synthetics)
        return f"{metrics} metrics of {tables} synthetic tables, none of it private"

    def lines(self) -> RenderableType:
        """The ranking and the scores."""
        from audit.report.utility.terminal import utility_lines

        return utility_lines(self._short())

    def to_json(self) -> dict[str, Any]:
        """Scores and ranking."""
        from audit.report.utility.document import utility_json

        return utility_json(self.results)

    def to_frame(self) -> pd.DataFrame:
        """The scores: a row a metric and a table."""
        import pandas as pd

        columns = ["metric", "synthetic", "mode", "value", "standard_error", "baseline"]
        rows = [
            (
                one.score.metric,
                one.synthetic,
                one.score.mode,
                one.score.value,
                one.score.standard_error,
                None if one.baseline is None else one.baseline.value,
            )
            for one in self.results.scored
        ]
        return pd.DataFrame(rows, columns=columns)

    def page(self, certificates: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> Page:
        """The scores as a page; ``certificates``: shown beside, by the names of their files."""
        from audit.report.certificate.document import certificate_table
        from audit.report.page import UtilitySection
        from audit.report.utility.words import utility_title

        short = self._short()
        title = utility_title(short)
        sections: list[Section] = [UtilitySection(title, short)]
        if certificates:
            sections.append(certificate_table(certificates))
        lead = "How near synthetic tables are to the real one, by the measures of the field."
        return page_of(title, lead, *sections)

    def draws_text(self) -> str:
        """The random draws that were used, as the text of a draws file."""
        from audit.utility.draws import draws_text

        return draws_text(one.score for one in self.results.scored)

    def _short(self) -> UtilityResults:
        """Files by their own names, or as typed where two names are alike."""
        paths = [self.results.real, *self.results.synthetics]
        names = {path: Path(path).name for path in paths}
        alike = len(set(names.values())) < len(names)
        return self.results.rename({path: path for path in paths} if alike else names)


@dataclass(frozen=True, repr=False)
class DisclosureResult(Result):
    """What `dp_audit.disclosure` returns: what attacks on a release gain. None of it is private."""

    disclosure: Disclosure

    def summary(self) -> str:
        """How many attacks, on how many records."""
        attacks, records = len(self.disclosure.risks) + 1, self.disclosure.records[2]
        return f"{attacks} attacks on a release of {records} records, none of it private"

    def lines(self) -> RenderableType:
        """What was compared, the attacks, and what certificates bound."""
        from audit.report.disclosure.terminal import disclosure_lines

        return disclosure_lines(self.disclosure)

    def to_json(self) -> dict[str, Any]:
        """Counts, rates and intervals."""
        from audit.report.disclosure.document import disclosure_json

        return disclosure_json(self.disclosure)

    def to_frame(self) -> pd.DataFrame:
        """The attacks with a holdout: a row each, with rates, risk and interval."""
        import pandas as pd

        columns = ["attack", "real", "holdout", "baseline", "risk", "low", "high"]
        rows = [
            (r.attack, r.real.rate, r.holdout.rate, r.baseline.rate, r.estimate, *r.interval)
            for r in self.disclosure.risks
        ]
        return pd.DataFrame(rows, columns=columns)

    def page(self) -> Page:
        """All of it as a page."""
        from audit.report.disclosure.view import sections
        from audit.report.disclosure.words import FLOOR, TITLE

        return Page(TITLE, FLOOR, tuple(sections(self.disclosure)))
