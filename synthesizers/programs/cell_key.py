"""Cell-key perturbation: every count is changed by what a table holds for its key.

Purpose: what the Australian Bureau of Statistics does to tables that users ask
for, and what Eurostat recommended for the census of 2021.

Source: Fraser & Wooton 2005; Leaver 2009; Marley & Leaver 2011 (maximum
entropy); Giessing 2016 and the R package ptable (the table's design); Thompson,
Broadfoot & Elazar 2013 (the method in use).

Inputs: deviation D, a whole number from 1 to 15, the most that a count changes;
variance V, that of the changes; keys (default 256), how many keys there are:
every chance is a multiple of 1/keys; smallest, the least count above 0 that may
come out (default 1: all may; ptable's js is one less). Or table, a CSV file with
the columns count, change and chance, whose last count stands for all larger ones.

Every record carries a random key; a cell's key is the sum of its records' keys
modulo the number of keys, and the change is looked up by count and key. With
fresh keys and cells that share no record, cells are independent and keys
uniform: each count but 0 changes by a draw from its row of the table. Zeros stay
zeros. Counts from D on share a row of the table (from D + smallest on, where
smallest is above 1), and each smaller count has its own.

What is exact in a designed table: the chances sum to 1, and no change leaves
the limits. Before rounding to multiples of 1/keys a row has mean 0, variance V
and the greatest entropy that these allow. Rounding moves each chance by at most
2/keys: first so that the mean is as near 0 as can be (it is 0 but for a few
designs, with few keys or at the limits of V), then so that the chances move
little. The variance is what results: within 0.1 of V for 256 keys, D up to 4 and
a V of two decimals; nearer with more keys.
The ledger of a release holds the table.

Budget: none. Not differentially private: changes are bounded and zeros stay, so
epsilon is infinite. A record of a cell of its own shows with the chance that a
count of 1 does not become 0: no delta(epsilon) is smaller. What is protected: a
released count leaves several true ones possible, and which of two neighbours it
came from stays open as often as their rows of the table overlap.

Post-processing: none. Released counts do not sum to the number of records.

Assumes public: the domain and the table of changes (agencies often keep it to
themselves; nothing here rests on that).

Known weaknesses: one release with fresh keys is all that is analysed here. The
same keys for several tables make them agree, and differences of tables tell more
than one table does; margins are outside this program, too. Averages over many
queries undo bounded noise (Asghar & Kaafar 2020). A cell above 0 is not empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.laws.cell_keys import CellKey as CellKeyLaw
from synthesizers.laws.cell_keys import PerturbationTable
from synthesizers.laws.perturbation_tables import Design, design_table, read_perturbation_table
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, rational, whole


def table_file(text: str, name: str) -> PerturbationTable:
    """The table of a file, which is read here and not again."""
    return read_perturbation_table(text)


@dataclass(frozen=True, slots=True)
class CellKey(OneLaw):
    """See the module's card."""

    deviation: int | None = parameter(whole, None)
    variance: Fraction | None = parameter(rational, None)
    keys: int | None = parameter(whole, None)
    smallest: int | None = parameter(whole, None)
    table: PerturbationTable | None = parameter(table_file, None)

    def __post_init__(self) -> None:
        design = (self.deviation, self.variance, self.keys, self.smallest)
        if self.table is not None and any(value is not None for value in design):
            raise InputError(
                "cell-key takes either a table, or deviation and variance with keys and smallest"
            )
        CellKeyLaw(self._table())

    def law(self, setting: Setting) -> CellKeyLaw:
        """The law of the release."""
        return CellKeyLaw(self._table())

    def _table(self) -> PerturbationTable:
        if self.table is not None:
            return self.table
        if self.deviation is None or self.variance is None:
            raise InputError(
                "cell-key needs --set deviation=D and --set variance=V, or --set table=FILE"
            )
        keys = 256 if self.keys is None else self.keys
        smallest = 1 if self.smallest is None else self.smallest
        return design_table(Design(self.deviation, Fraction(self.variance), keys, smallest))
