"""Cell suppression: small counts are left out of a table, and others to hide them.

Purpose: the usual protection of published tables of counts.

Source: Cox 1980, for the idea of complementary suppression; the choice of
cells here is a plain rule, not his optimisation.

Inputs: threshold t, a whole number of at least 1: a count c with 0 < c < t is
suppressed; complementary (default true): so are further cells, until no line
of two or more cells (all cells that agree in every attribute but one) has
exactly one suppressed cell. The line's smallest count above 0 is chosen, where
there is none a zero, of equals the first cell; the attributes take turns.

Budget: none. Not differentially private: the output follows from the data for
certain, so epsilon is infinite and delta(epsilon) = 1 as soon as two
neighbours have different outputs.

Post-processing: none. A suppressed count is None in the output ("?" in CSV
files, null in JSON).

Assumes public: the domain and the rule. Assumes published besides: the total
of every line, and all that follows from them (the margins). The audit is of
the cells alone; publishing exact totals can only tell more.

Known weaknesses: "cannot be recovered" means: not by subtracting what a line
shows from its total. It does not mean hidden. Several totals together may still
determine a cell; counts are never negative and stay within their totals, which
leaves an interval, often a short one; and the rule itself says that a cell is
small, or the smallest of its line. Shown counts are exact, zeros among them: a
record added to one of them is seen for certain. A table of one cell has nothing
to complement it.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.curator import Curator, Setting
from synthesizers.laws.suppression import SUPPRESSED, CellSuppression, require_threshold
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, switch, whole


@dataclass(frozen=True, slots=True)
class Suppress(OneLaw):
    """See the module's card."""

    threshold: int = parameter(whole)
    complementary: bool = parameter(switch, True)

    def __post_init__(self) -> None:
        require_threshold(self.threshold)

    def law(self, setting: Setting) -> CellSuppression:
        """The law of the release."""
        return CellSuppression(setting.domain.shape, self.threshold, self.complementary)

    def __call__(self, curator: Curator) -> list[int | None]:
        """Counts over the domain's cells, None for a suppressed one."""
        counts = curator.sanitize(self.law(curator.setting)).tolist()
        return [None if count == SUPPRESSED else count for count in counts]
