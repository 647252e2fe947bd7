r"""Our own synthesizers, and their liars, as black boxes: functions from records to a table.

A program of a curator is run by the sampling reading, and what it gave is made a data frame: its
transcript is gone. `synthesizer_attacks.py` attacks them, and so does whoever names one, in this
folder, with `three.toml` as the domain and 200 records, rows too::

    dp-audit certify synthesizer_boxes:mst_half_noise --claim "mu=0.4548" --domain three.toml \
        --neighbours replace-one --records 200 --rows 200 --runs 500
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from audit.self_test.altered import Altered, every
from audit.self_test.instead import best_in_truth, quieter
from audit.subjects.databases import dataset_of_records
from synthesizers.attributes import Attribute
from synthesizers.curator import Program, Setting, declared_budget
from synthesizers.domain import Domain
from synthesizers.domain_toml import domain_from_toml
from synthesizers.events import Measure, Select
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.programs.aim import Aim
from synthesizers.programs.mst import Mst
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.tables import to_frame

EPSILON, DELTA = Fraction(1), Fraction(1, 100)
RECORDS = 200
TWO = Domain("two", tuple(Attribute(name, ("0", "1")) for name in "ab"))
THREE = domain_from_toml((Path(__file__).parent / "three.toml").read_text("utf-8"), "three")

Database = Sequence[Mapping[str, Any]]

EXCHANGED = ReplaceOne()


@dataclass(frozen=True)
class Table:
    """A program's output on records over a domain, as a table of as many rows.

    ``categories_read``: the domain is that of the values that occur, which is a leak.
    """

    program: Program
    domain: Domain = THREE
    neighbours: Neighbours = EXCHANGED
    categories_read: bool = False

    def __call__(self, database: Database, rng: np.random.Generator) -> pd.DataFrame:
        """One table."""
        records = list(database)
        domain = _domain_of(self.domain, records) if self.categories_read else self.domain
        setting = Setting(domain, self.neighbours, len(records), len(records))
        entropy = InsecureSeededEntropy(int(rng.integers(2**63)))
        budget = declared_budget(self.program, setting)
        dataset = dataset_of_records(records, domain)
        return to_frame(run(self.program, dataset, setting, budget, entropy).output)


def _domain_of(domain: Domain, records: Database) -> Domain:
    seen = [{record[name] for record in records} for name in domain.names]
    attributes = (
        Attribute(a.name, tuple(value for value in a.values if value in values))
        for a, values in zip(domain.attributes, seen, strict=True)
    )
    return replace(domain, attributes=tuple(attributes))


def _half_noise(program: Program, variance: bool) -> Table:
    factor = Fraction(1, 4) if variance else Fraction(1, 2)
    return Table(Altered(program, every(Measure), quieter(factor)))


MST = Mst(EPSILON, DELTA)
AIM = Aim(EPSILON, DELTA)
AIM_ONE_CHOICE = Aim(EPSILON, DELTA, rounds=3)
PRIVBAYES, PRIVBAYES_TREE = PrivBayes(EPSILON), PrivBayes(EPSILON, parents=1)

mst, aim, privbayes = Table(MST), Table(AIM), Table(PRIVBAYES)
aim_one_choice = Table(AIM_ONE_CHOICE, TWO)
mst_one_choice = Table(MST, TWO)
privbayes_tree = Table(PRIVBAYES_TREE)
mst_half_noise = _half_noise(MST, variance=True)
aim_half_noise = _half_noise(AIM, variance=True)
privbayes_half_noise = _half_noise(PRIVBAYES, variance=False)
mst_best_choice = Table(Altered(MST, every(Select), best_in_truth))
aim_best_choice = Table(Altered(AIM, every(Select), best_in_truth))
privbayes_best_choice = Table(Altered(PRIVBAYES_TREE, every(Select), best_in_truth))
mst_reads_categories = Table(MST, categories_read=True)
aim_reads_categories = Table(AIM, categories_read=True)
privbayes_reads_categories = Table(PRIVBAYES, categories_read=True)
