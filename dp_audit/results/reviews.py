"""What a review found, and where its pages are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page
from dp_audit.results.result import Result

if TYPE_CHECKING:
    import pandas as pd

    from audit.review.conclusions.review import Review


@dataclass(frozen=True, repr=False)
class ReviewResult(Result):
    """What `dp_audit.review` returns; its pages are in ``folder``.

    ``interrupted``: it was ended before all was done. ``planned``: it was to stop at the plan.
    """

    review: Review
    folder: Path
    interrupted: bool = False
    planned: bool = False

    @property
    def exit_code(self) -> int:
        """0 whatever the verdicts; 3 where pieces are missing, 130 where it was interrupted."""
        if self.interrupted:
            return 130
        return 3 if self.review.partial and not self.planned else 0

    @property
    def verdicts(self) -> dict[str, str]:
        """The worst verdict of each submission, by its name."""
        return {one.name: one.verdict for one in self.review.submissions}

    def summary(self) -> str:
        """How many submissions, and how they stand."""
        from audit.report.review.view import summary_words

        return summary_words(self.review)

    def lines(self) -> RenderableType:
        """A row a submission, and the questions to send back."""
        from audit.report.review.terminal import review_lines

        return review_lines(self.review)

    def to_json(self) -> dict[str, Any]:
        """All submissions, as ``review.json`` of the folder holds them."""
        from audit.report.review.document import review_json

        return review_json(self.review)

    def to_frame(self) -> pd.DataFrame:
        """The claims: a row each."""
        import pandas as pd

        columns = ["submission", "epsilon", "unit", "claimed", "verdict", "floor", "ceiling"]
        rows = [
            (
                one.name,
                claim.epsilon,
                claim.level,
                claim.claimed,
                claim.verdict,
                claim.bounds.floor,
                claim.bounds.ceiling,
            )
            for one in self.review.submissions
            for claim in one.claims
        ]
        return pd.DataFrame(rows, columns=columns)

    def page(self) -> Page:
        """The page for all submissions."""
        from audit.report.review.files import review_page

        return review_page(self.review)
