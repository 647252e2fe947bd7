"""What a program's write-up says, and where another one states otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rich.console import Group

from audit.report.page import Page, Section
from audit.report.words import plural
from dp_audit.results.result import Result, plain_lines

if TYPE_CHECKING:
    import pandas as pd

    from audit.review.write_ups.comparing import Comparison
    from audit.review.write_ups.write_up import WriteUp


@dataclass(frozen=True, repr=False)
class WriteUpResult(Result):
    """What `dp_audit.writeup` returns: the four sections, and what a stated list says otherwise.

    ``file``: the name of what was compared; ``compared``: None where nothing was.
    """

    write_up: WriteUp
    file: str
    compared: Comparison | None
    soft_wrap = True

    @property
    def exit_code(self) -> int:
        """1 where the stated queries differ from those of the run."""
        return int(self.compared is not None and bool(self.compared.differences))

    def summary(self) -> str:
        """How many questions, and how many differences."""
        asked = plural(len(self.write_up.asked), "question")
        if self.compared is None:
            return f"{self.write_up.program} asks {asked}"
        differences = plural(len(self.compared.differences), "difference")
        return f"{self.write_up.program} asks {asked}; {self.file} has {differences}"

    def lines(self) -> Group:
        """What was compared, or else the write-up, as Markdown."""
        from audit.report.write_up.markdown import markdown

        if self.compared is None:
            return plain_lines(self.markdown().splitlines())
        page = Page(self.summary(), "", self._comparison())
        return plain_lines(markdown(page).splitlines())

    def markdown(self) -> str:
        """The write-up as Markdown, without what was compared."""
        from audit.report.write_up.markdown import markdown
        from audit.report.write_up.sections import write_up_page

        return markdown(write_up_page(self.write_up))

    def toml(self) -> str:
        """The list of queries, as a submission.toml has it."""
        from audit.report.write_up.toml import queries_toml

        return queries_toml(self.write_up.asked)

    def to_json(self) -> dict[str, Any]:
        """The questions, the composition, and the comparison."""
        from audit.report.write_up.document import write_up_json

        return write_up_json(self.write_up, self.file, self.compared)

    def to_frame(self) -> pd.DataFrame:
        """The questions: a row each, by the keys of a submission.toml."""
        import pandas as pd

        from audit.report.write_up.toml import query_fields

        columns = ["name", "question", "sensitivity", "share", "noise", "file", "line"]
        return pd.DataFrame(map(query_fields, self.write_up.asked), columns=columns)

    def page(self) -> Page:
        """The sections as a page, what differs first."""
        from audit.report.write_up.sections import write_up_page

        page = write_up_page(self.write_up)
        return replace(page, sections=(*self._comparison(), *page.sections))

    def _comparison(self) -> tuple[Section, ...]:
        from audit.report.write_up.comparison import comparison_sections

        if self.compared is None:
            return ()
        return tuple(comparison_sections(self.file, self.compared, self.write_up.course))
