"""Pages: the vocabulary of a report, free of any form of output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from synthesizers.errors import InputError

if TYPE_CHECKING:
    from audit.channels.analysis import Analysis
    from audit.review.conclusions.references import MissingReference
    from audit.review.conclusions.review import Review, SubmissionReview
    from audit.review.conclusions.usefulness import Scores
    from audit.statements.certificate import Certificate
    from audit.utility.results import UtilityResults


@dataclass(frozen=True)
class CertificateSection:
    """One certificate in full: verdict, bounds, evidence, witness, assumptions."""

    title: str
    certificate: Certificate


@dataclass(frozen=True)
class ComparisonSection:
    """Named certificates side by side, those that bound one parameter on one scale."""

    title: str
    entries: tuple[tuple[str, Certificate], ...]
    note: str = ""


@dataclass(frozen=True)
class AnalysisSection:
    """A channel and its measures. No claim is made, so no verdict is reached."""

    title: str
    analysis: Analysis


@dataclass(frozen=True)
class TableSection:
    """A table of text. Raises ``InputError`` where a row is not as wide as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.header) for row in self.rows):
            raise InputError(f"every row of a table needs {len(self.header)} entries")


@dataclass(frozen=True)
class TextSection:
    """Paragraphs of plain text."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class UtilitySection:
    """What metrics say of synthetic files: their ranking, their scores, what these are made of."""

    title: str
    results: UtilityResults


@dataclass(frozen=True)
class ReviewSection:
    """All submissions of a review: verdicts, utility, failures."""

    title: str
    review: Review


@dataclass(frozen=True)
class SubmissionSection:
    """One submission: verdict and questions first.

    ``references``: scores beside its own; ``absent``: references that gave no table.
    """

    title: str
    submission: SubmissionReview
    references: tuple[Scores, ...]
    absent: tuple[MissingReference, ...] = ()


PlainSection = (
    CertificateSection
    | ComparisonSection
    | AnalysisSection
    | UtilitySection
    | ReviewSection
    | SubmissionSection
    | TableSection
    | TextSection
)


@dataclass(frozen=True)
class FoldedSection:
    """A section that stays closed, on paper too, until a reader opens it.

    ``inside``: what it holds, in a few words beside its title.
    """

    section: PlainSection
    inside: str

    @property
    def title(self) -> str:
        """That of the section."""
        return self.section.title


Section = PlainSection | FoldedSection


def unfold(section: Section) -> PlainSection:
    """The section itself, folded or not."""
    return section.section if isinstance(section, FoldedSection) else section


@dataclass(frozen=True)
class Page:
    """A report: a title, a sentence or two that lead in, and sections in order."""

    title: str
    lead: str
    sections: tuple[Section, ...]
