"""Which of several tables was chosen, at a stated epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page, TextSection
from dp_audit.results.result import Result, page_of, plain_lines

if TYPE_CHECKING:
    from audit.choosing import Choice
    from synthesizers.programs.choose_table import ChooseTable


@dataclass(frozen=True, repr=False)
class ChoiceResult(Result):
    """What `dp_audit.choose` returns: the chosen candidate, and what stands for it."""

    choice: Choice
    soft_wrap = True

    @property
    def chosen(self) -> str:
        """The name of the chosen candidate."""
        return self.choice.chosen

    @property
    def distance(self) -> tuple[Fraction, Fraction] | None:
        """The ends between which its distance lies, but for an error; None where it is not told."""
        if self.choice.lower is None or self.choice.upper is None:
            return None
        return self.choice.lower, self.choice.upper

    @property
    def program(self) -> ChooseTable:
        """The program of a curator that made the choice, which `certify` takes, too."""
        return self.choice.program

    def summary(self) -> str:
        """What was decided, at what epsilon."""
        from audit.report.choice.words import summarise

        return summarise(self.choice)

    def lines(self) -> RenderableType:
        """The decision, its errors, its proof, and what is private in it."""
        from audit.report.choice.words import paragraphs

        return plain_lines(paragraphs(self.choice))

    def to_json(self) -> dict[str, Any]:
        """What was decided, with the proof and the ledger."""
        from audit.report.choice.document import choice_json

        return choice_json(self.choice)

    def ledger(self) -> dict[str, Any]:
        """What was asked, without the answers, and what it cost: no private number."""
        from audit.choosing import ledger_of_choice

        return ledger_of_choice(self.choice)

    def page(self) -> Page:
        """The choice as a page."""
        from audit.report.choice.words import paragraphs

        first, *rest = paragraphs(self.choice)
        return page_of(
            "Which table is nearest to the private one?",
            first,
            TextSection("What it says", tuple(rest)),
        )
