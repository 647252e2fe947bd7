"""Bootstrap: records drawn with replacement from the records themselves.

Purpose: the "synthetic data" that keeps everything, as a yardstick; what a
generator that has memorised its records comes down to.

Source: Efron 1979.

Inputs: records, how many are drawn (default: the public number of rows). Each
is one of the n records, all equally likely, and none is taken away. From an
empty table nothing can be drawn: the output is empty, and shows it.

Budget: none. Not differentially private: a record of a cell of its own is
shown with chance 1 - (1 - 1/n)^m for m draws, about 0.632 for m = n, so epsilon
is infinite and delta(epsilon) is at least that chance for every epsilon. Under
replace-one it is exactly that.

Post-processing: none.

Assumes public: the domain, the number of drawn records.

Known weaknesses: every record of the output is a true one; combinations that
nobody has never come out, so whatever is shown exists.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.curator import Setting
from synthesizers.laws.bootstrap import Bootstrap as BootstrapLaw
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, whole


@dataclass(frozen=True, slots=True)
class Bootstrap(OneLaw):
    """See the module's card."""

    records: int | None = parameter(whole, None)

    def law(self, setting: Setting) -> BootstrapLaw:
        """The law of the release; InputError where nobody says how many are drawn."""
        return BootstrapLaw(setting.require_rows() if self.records is None else self.records)
