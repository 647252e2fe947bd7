"""A table that may be given away, and the draft of a domain."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page, TextSection
from dp_audit.results.result import Result, page_of, plain_lines

if TYPE_CHECKING:
    import pandas as pd

    from audit.release import Released
    from synthesizers.domain import Domain
    from synthesizers.drafts.draft import Draft


@dataclass(frozen=True, repr=False)
class ReleaseResult(Result):
    """What `dp_audit.release` returns: a synthetic table, and what stands for it."""

    released: Released
    soft_wrap = True

    @property
    def guarantee(self) -> str:
        """What the release guarantees, in words."""
        return self.released.guarantee

    def summary(self) -> str:
        """How many records, made by whom, under what guarantee."""
        made = self.released
        return f"{made.table.records} synthetic records by {made.subject.name}; {made.guarantee}"

    def described(self, name: str = "the table") -> list[str]:
        """How many records a file of that name has, and the guarantee."""
        from synthesizers.neighbours import describe

        made = self.released
        how = describe(made.setting.neighbours)
        return [f"{name}: {made.table.records} synthetic records ({how})", made.guarantee]

    def lines(self) -> RenderableType:
        """How many records, and the guarantee."""
        return plain_lines(self.described())

    def to_json(self) -> dict[str, Any]:
        """How many records, the guarantee, and the ledger."""
        return {
            "records": self.released.table.records,
            "guarantee": self.guarantee,
            "ledger": self.ledger(),
        }

    def ledger(self) -> dict[str, Any]:
        """What was asked, without the answers, and what it cost: no private number."""
        from audit.release import ledger_json

        made = self.released
        return dict(ledger_json(made.subject, made.setting, made.budget, made.run))

    def to_frame(self) -> pd.DataFrame:
        """The synthetic records."""
        return self.released.frame()

    def write_table(self, path: str | Path) -> None:
        """Write the synthetic records as CSV or Parquet."""
        from synthesizers.tables import write_frame

        write_frame(self.released.frame(), path)

    def page(self) -> Page:
        """The release as a page."""
        names = ", ".join(self.released.table.domain.names)
        about = TextSection("What was released", (*self.described(), f"Attributes: {names}."))
        return page_of("A release", self.guarantee, about)


@dataclass(frozen=True, repr=False)
class DomainResult(Result):
    """What `dp_audit.domain` returns: a draft of a domain file.

    ``gives_away``: of a confidential table, what the draft tells of it.
    """

    draft: Draft
    gives_away: tuple[str, ...] = ()
    soft_wrap = True

    @property
    def toml(self) -> str:
        """The domain file, with ``"FILL IN"`` in place of what is left open."""
        return self.draft.toml()

    def domain(self) -> Domain:
        """The domain that the draft declares; ``InputError`` if something is to be filled in."""
        from synthesizers.domain_toml import domain_from_toml

        return domain_from_toml(self.toml, self.draft.name)

    def summary(self) -> str:
        """How many attributes, from what, and how many are to be filled in."""
        count, left = len(self.draft.attributes), len(self.draft.gaps)
        return f"{count} attributes from {self.draft.source}, {left} to fill in"

    def lines(self) -> RenderableType:
        """What is left open, what is to be checked, what is left out, and what is given away."""
        return plain_lines(self._lines())

    def _lines(self) -> list[str]:
        told = [self.summary()]
        if self.gives_away:
            told += ["", "What this draft gives away of the confidential table:", *self.gives_away]
        sections = {
            "What you must still fill in:": [(one.name, one.ask) for one in self.draft.gaps],
            "What you must check:": [(one.name, one.check) for one in self.draft.checks],
            "Left out:": [(one.name, one.why) for one in self.draft.left_out],
        }
        for heading, entries in sections.items():
            named: dict[str, list[str]] = {}
            for name, text in entries:
                named.setdefault(text, []).append(name)
            lines = [f"  {', '.join(names)}: {text}" for text, names in named.items()]
            told += ["", heading, *lines] if lines else []
        return told

    def to_json(self) -> dict[str, Any]:
        """The file, and what is said of each column."""
        draft = self.draft
        return {
            "name": draft.name,
            "source": draft.source,
            "attributes": [column.name for column in draft.attributes],
            "fill_in": [{"name": gap.name, "what": gap.ask} for gap in draft.gaps],
            "check": [{"name": one.name, "what": one.check} for one in draft.checks],
            "left_out": [{"name": one.name, "what": one.why} for one in draft.left_out],
            "individual": draft.individual,
            "gives_away": list(self.gives_away),
            "toml": self.toml,
        }
