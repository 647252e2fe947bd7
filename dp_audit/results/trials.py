"""One run of a submission."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from dp_audit.results.result import Result, plain_lines
from synthesizers.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from audit.review.submissions.trying import Trial

NO_OUTPUT = 4
"""The exit code of a submission that gave no output."""


@dataclass(frozen=True, repr=False)
class TrialResult(Result):
    """What `dp_audit.try_submission` returns: how one run went. It decides no claim."""

    trial: Trial
    soft_wrap = True

    @property
    def exit_code(self) -> int:
        """0 where it gave an output, otherwise 4."""
        return 0 if self.trial.run.failure is None else NO_OUTPUT

    def summary(self) -> str:
        """What it gave, at which claim."""
        trial = self.trial
        failure = trial.run.failure
        ending = trial.run.words if failure is None else f"no output ({failure.ending})"
        return f"{trial.prepared.submission.name} at {trial.claim}: {ending}"[:120]

    def lines(self) -> RenderableType:
        """What was run, how it ended, and what it wrote."""
        from audit.report.trial import trial_lines

        return plain_lines(trial_lines(self.trial))

    def to_json(self) -> dict[str, Any]:
        """The same, without the output but for its first rows."""
        from audit.report.trial import trial_json

        return trial_json(self.trial)

    def to_frame(self) -> pd.DataFrame:
        """The output; ``InputError`` where it is no table."""
        from audit.report.trial import spell_whole

        table = self.trial.run.output
        if table is None:
            raise InputError("the run gave no table; print the result to see how it ended")
        return spell_whole(table)

    def write_table(self, path: str | Path) -> None:
        """Write the output as CSV or Parquet; ``InputError`` where it is no table."""
        from synthesizers.tables import write_frame

        write_frame(self.to_frame(), path)
