"""Matches: synthetic records that are a real one in every column, or in those known elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.disclosure.risks import Risk, Trials
from audit.disclosure.tables import Integers, Tables


@dataclass(frozen=True)
class Matches:
    """How many synthetic records have a combination of values that records of a table have.

    ``columns``: of the combination. ``real``, ``holdout``: where it occurs in that table;
    ``real_once``, ``holdout_once``: where it occurs there exactly once. ``synthetic``: all
    synthetic records. ``risk``: of the attack on records whose combination no other record of
    both tables has; it hits if the combination is among the synthetic ones.
    """

    columns: tuple[str, ...]
    synthetic: int
    real: int
    real_once: int
    holdout: int
    holdout_once: int
    risk: Risk


def match(tables: Tables, attack: str, columns: Sequence[str], error: float, seed: int) -> Matches:
    """The matches in these columns.

    That a record is the only one is settled by both tables together, so that it does not depend on
    which of them a record is in, nor on how large they are. The baseline matches synthetic records
    whose columns were shuffled, each by itself.
    """
    random = np.random.default_rng((seed, 4))
    values = tables.values
    shuffled = np.stack([random.permutation(column) for column in values[2].T], axis=1)
    numbered = tables.number_rows((*values, shuffled), columns)
    size = 1 + max(int(one.max()) for one in numbered)
    real, holdout, synthetic, blind = (np.bincount(one, minlength=size) for one in numbered)
    alone = real + holdout == 1

    def hits(table: Integers, made: Integers) -> Trials:
        unique = alone & (table == 1)
        return Trials(int(unique.sum()), int((unique & (made > 0)).sum()))

    risk = Risk(attack, hits(real, synthetic), hits(holdout, synthetic), hits(real, blind), error)
    return Matches(
        tuple(columns),
        tables.synthetic.records,
        int(synthetic[real > 0].sum()),
        int(synthetic[real == 1].sum()),
        int(synthetic[holdout > 0].sum()),
        int(synthetic[holdout == 1].sum()),
        risk,
    )
