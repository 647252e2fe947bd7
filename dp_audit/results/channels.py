"""An exact channel and its measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page
from dp_audit.results.result import Result, page_of

if TYPE_CHECKING:
    import pandas as pd

    from audit.channels.analysis import Analysis


@dataclass(frozen=True, repr=False)
class ChannelResult(Result):
    """What `dp_audit.channel` returns: an exact channel with its measures.

    ``exact``: plain data holds fractions and the decimal ends of enclosures, not doubles.
    """

    name: str
    analysis: Analysis
    exact: bool = False

    @property
    def epsilon(self) -> tuple[float, float]:
        """The ends of an enclosure of the smallest ε of the channel, in nats."""
        return self.analysis.epsilon.enclosure.floats()

    def summary(self) -> str:
        """The channel's size and its ε."""
        channel = self.analysis.channel
        lower, upper = self.epsilon
        ends = f"{lower:.6g}" if lower == upper else f"{lower:.6g} to {upper:.6g}"
        return f"{self.name}, {len(channel.databases)} databases, epsilon = {ends}"

    def lines(self) -> RenderableType:
        """The measures, and the matrix where it is small enough to read."""
        from audit.report.channel.terminal import analysis_lines

        return analysis_lines(self.analysis)

    def to_json(self) -> dict[str, Any]:
        """The channel and all its measures."""
        from audit.report.channel.document import to_json

        return to_json(self.analysis, self.exact)

    def to_frame(self) -> pd.DataFrame:
        """Pr[output | database] as doubles: a row a database, a column an output."""
        import pandas as pd

        channel = self._whole("no table")
        index = ["-".join(map(str, channel.counts(row))) for row in range(len(channel.databases))]
        columns = ["-".join("?" if v is None else str(v) for v in out) for out in channel.outputs]
        frame = pd.DataFrame(channel.centre, index=index, columns=columns)
        return frame.rename_axis(index="database", columns="output")

    def csv_text(self) -> str:
        """The channel as the text of a file that `dp_audit.channel` reads."""
        from audit.subjects.matrix import channel_csv

        return channel_csv(self._whole("--csv out"), self.exact)

    def _whole(self, left_out: str) -> Any:
        from audit.channels.channel import Channel
        from synthesizers.errors import InputError

        if not isinstance(self.analysis.channel, Channel):
            raise InputError(f"the channel is too large to be written; leave {left_out}")
        return self.analysis.channel

    def page(self) -> Page:
        """The channel's page."""
        from audit.report.page import AnalysisSection

        return page_of(
            self.name,
            "The exact law of every output under every database, and what follows from it.",
            AnalysisSection(self.name, self.analysis),
        )
