"""A review for the terminal: a row a submission, then the questions to send back."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from audit.report.review.view import caution_words, submission_row, summary_words
from audit.report.words import clean
from audit.review.conclusions.review import Review, SubmissionReview


def review_lines(review: Review) -> RenderableType:
    """The verdicts of all submissions, their questions and flags, and what can't be read."""
    words = (*caution_words(review), summary_words(review), "")
    parts: list[RenderableType] = [Text(clean(line)) for line in words]
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("submission", "verdict", "at each ε", "time", "MB"):
        table.add_column(heading, overflow="fold")
    for one in review.submissions:
        row = submission_row(one)
        at = "; ".join(f"{claim.epsilon}: {claim.verdict}" for claim in row.claims)
        cells = (row.name, row.verdict, at, row.time, f"{row.megabytes:,}")
        table.add_row(*(Text(clean(cell)) for cell in cells))
    parts.append(table)
    for one in review.submissions:
        parts += _details(one)
    for unread in review.unread:
        parts += [Text(""), Text(clean(f"{unread.name} can't be read: {unread.reason}"))]
    return Group(*parts)


def _details(one: SubmissionReview) -> list[RenderableType]:
    if not (one.questions or one.flags):
        return []
    lines = [*(f"flag: {flag}" for flag in one.flags)]
    lines += [f"{n}. {question}" for n, question in enumerate(one.questions, 1)]
    return [
        Text(""),
        Text(clean(f"Questions to send back to {one.name}")),
        *(Padding(Text(clean(line)), (0, 0, 0, 2)) for line in lines),
    ]
