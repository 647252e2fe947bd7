"""Our own synthesizers as black boxes: functions from records to a table, and nothing else.

A program of a curator is run by the sampling reading, and what it gave is made a data frame: the
transcript is gone. `synthesizer_attacks.py` attacks them, and whoever names one by
``module:attribute`` does, too::

    cd benchmarks; dp-audit certify synthesizer_boxes:mst --claim "mu=0.3714" \\
        --neighbours replace-one --domain three.toml --records 200 --rows 200 --runs 500
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from audit.subjects.databases import dataset_of_records
from synthesizers.curator import Program, Setting
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs.aim import Aim
from synthesizers.programs.mst import Mst
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.tables import to_frame


def domain_of(attributes: int, values: int) -> Domain:
    """So many attributes of so many values."""
    labels = tuple(str(code) for code in range(values))
    return Domain("public", tuple(Attribute(f"a{n}", labels) for n in range(1, attributes + 1)))


@dataclass(frozen=True)
class Table:
    """A program's output on records over a domain, as a table of ``rows`` rows."""

    program: Any
    domain: Domain
    neighbours: Neighbours
    records: int | None
    rows: int | None

    def __call__(self, database: Sequence[Mapping[str, Any]], rng: np.random.Generator) -> pd.DataFrame:
        setting = Setting(self.domain, self.neighbours, self.records, self.rows)
        entropy = InsecureSeededEntropy(int(rng.integers(2**63)))
        dataset = dataset_of_records(list(database), self.domain)
        made = run(self.program, dataset, setting, self.program.budget(setting), entropy)
        return to_frame(made.output)
