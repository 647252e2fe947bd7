"""Inference: the rest of a record is guessed from the synthetic one nearest by what is known.

Giomi et al. (2023), section 4.3. A guess of a number is right within a twentieth of the true one,
of any other value if it is the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.disclosure.nearest import nearest, nearest_without
from audit.disclosure.risks import Risk, Trials
from audit.disclosure.tables import NOWHERE, Array, Tables
from audit.disclosure.targets import draw_targets
from audit.utility.records import is_measured
from synthesizers.attributes import Attribute

TOLERANCE = 0.05
"""The share of a number within which a guess of it is right (that of the paper)."""


def infer(
    tables: Tables, known: Sequence[str] | None, secrets: Sequence[str], error: float, seed: int
) -> tuple[Risk, ...]:
    """The attack on each of some columns; ``error``: of all intervals together.

    ``known``: the columns that the attacker knows; None for all but the one that is guessed.
    """
    random = np.random.default_rng((seed, 3))
    order = random.permutation(tables.synthetic.records)
    ordered = tables.ordered
    candidates, released = tables.places[2][:, order], tables.values[2][order]
    wanted = tables.positions(secrets)
    truths: list[Array] = []
    found: list[NDArray[np.intp]] = []
    for places, values in zip(tables.places[:2], tables.values[:2], strict=True):
        rows = draw_targets(np.arange(len(values), dtype=np.int32)[None, :], random)[0]
        targets = places[:, rows]
        truths.append(values[rows])
        if known is None:
            found.append(nearest_without(targets, candidates, ordered)[wanted])
        else:
            own = tables.positions(known)
            near = nearest(targets[own], candidates[own], ordered[own])
            found.append(np.broadcast_to(near, (len(wanted), len(near))))
    blind = random.integers(len(released), size=len(truths[0]))
    risks = []
    for place, secret in enumerate(wanted.tolist()):
        attribute = tables.domain.attributes[secret]
        column = released[:, secret]
        real, holdout = (
            _count_right(column[near[place]], truth[:, secret], attribute)
            for near, truth in zip(found, truths, strict=True)
        )
        baseline = _count_right(column[blind], truths[0][:, secret], attribute)
        risks.append(
            Risk(f"inference of {attribute.name}", real, holdout, baseline, error / len(wanted))
        )
    return tuple(risks)


def _count_right(guesses: Array, truth: Array, attribute: Attribute) -> Trials:
    right = guesses == truth
    if is_measured(attribute):
        known = (guesses > NOWHERE) & (truth > NOWHERE)
        right |= known & (np.abs(guesses - truth) <= TOLERANCE * np.abs(truth))
    return Trials(len(truth), int(np.count_nonzero(right)))
