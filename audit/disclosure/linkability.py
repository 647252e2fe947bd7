"""Linkability: two parts of one record, known from two places, lead to one synthetic record.

Giomi et al. (2023), section 4.2, with one neighbour: an attack on a record hits if the synthetic
record nearest by the first columns is that nearest by the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from audit.disclosure.nearest import Places, nearest
from audit.disclosure.risks import Risk, Trials
from audit.disclosure.tables import Tables
from audit.disclosure.targets import draw_targets


def link(
    tables: Tables, sides: tuple[Sequence[str], Sequence[str]], error: float, seed: int
) -> Risk:
    """The attack with these columns on each side."""
    random = np.random.default_rng((seed, 2))
    real, holdout, synthetic = tables.places
    # Equal distances are broken by an order that no table has.
    candidates = synthetic[:, random.permutation(synthetic.shape[1])]
    ordered = tables.ordered
    chosen = [tables.positions(side) for side in sides]

    def attack(table: Places) -> Trials:
        targets = draw_targets(table, random)
        first, second = (nearest(targets[own], candidates[own], ordered[own]) for own in chosen)
        return Trials(len(first), int(np.count_nonzero(first == second)))

    on_real, on_holdout = attack(real), attack(holdout)
    guesses = random.integers(candidates.shape[1], size=(2, on_real.made))
    baseline = Trials(on_real.made, int(np.count_nonzero(guesses[0] == guesses[1])))
    return Risk("linkability", on_real, on_holdout, baseline, error)
