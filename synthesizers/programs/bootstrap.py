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

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.laws.bootstrap import Bootstrap as BootstrapLaw
from synthesizers.programs.parameters import parameter, whole


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """See the module's card."""

    records: int | None = parameter(whole, None)

    def __call__(self, curator: Curator) -> NDArray[np.int64]:
        """Counts over the domain's cells."""
        drawn = curator.setting.require_rows() if self.records is None else self.records
        return curator.sanitize(BootstrapLaw(drawn))

    def budget(self, setting: Setting) -> Budget:
        """No finite guarantee holds, so none is promised."""
        return UnlimitedBudget()
