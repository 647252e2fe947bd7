"""Singling out: predicates that one synthetic record satisfies, tried on the real table.

Giomi et al. (2023), section 4.1; singling out: Cohen & Nissim (2020). A guess hits a table if
exactly one of its records satisfies it. How many do depends on how many records there are, so that
the real table and the holdout are cut to the size of the smaller one.
"""

from __future__ import annotations

import numpy as np

from audit.disclosure.predicates import (
    Predicate,
    at_random,
    count_isolating,
    count_matches,
    of_one_column,
    of_record,
)
from audit.disclosure.risks import Risk, Trials
from audit.disclosure.tables import NOWHERE, Array, Integers, Tables

GUESSES = 1000
"""The most guesses of one attack (an interval of a rate is then at most 0.08 wide)."""

ATTEMPTS = 20
"""So many predicates are tried for each guess that is wanted."""

WIDTH = 3
"""Columns of the first predicates of several (that of the paper's experiments)."""

Generator = np.random.Generator


def single_out(tables: Tables, error: float, seed: int) -> tuple[Risk, ...]:
    """Both attacks of the paper, by one column and by several; ``error``: of both intervals."""
    random = np.random.default_rng((seed, 1))
    real, holdout, synthetic = tables.values
    ordered = tables.ordered.tolist()
    size = min(len(real), len(holdout))
    real, holdout = (_cut(table, size, random) for table in (real, holdout))
    single = list(of_one_column(synthetic, ordered))
    attacks = {"one column": [single[k] for k in random.permutation(len(single))[:GUESSES]]}
    if len(ordered) > 1:
        attacks["several columns"] = _of_several(synthetic, ordered, random)
    held = [np.unique(column) for column in synthetic.T]
    risks = []
    for name, guesses in attacks.items():
        blind = [
            at_random(held, _draw_columns(len(ordered), len(guess), random), ordered, random)
            for guess in guesses
        ]
        on_real, on_holdout, baseline = (
            Trials(len(guesses), count_isolating(made, table))
            for made, table in ((guesses, real), (guesses, holdout), (blind, real))
        )
        attack = f"singling out by {name}"
        risks.append(Risk(attack, on_real, on_holdout, baseline, error / len(attacks)))
    return tuple(risks)


def _cut(table: Array, size: int, random: Generator) -> Array:
    """So many records of a table, drawn at random."""
    return np.asfortranarray(table[random.permutation(len(table))[:size]])


def _draw_columns(columns: int, width: int, random: Generator) -> Integers:
    return random.permutation(columns)[:width]


def _of_several(synthetic: Array, ordered: list[bool], random: Generator) -> list[Predicate]:
    """Predicates of several columns that one synthetic record satisfies, for each another one.

    Records for which three columns do not suffice are tried with more, one more each time.
    """
    middles = np.array([_find_middle(column) for column in synthetic.T])
    found: dict[int, Predicate] = {}
    order = random.permutation(len(synthetic)).tolist()
    # Of all columns there is one predicate of a record: no turn after that finds another.
    turns = max(1, len(ordered) - WIDTH + 1)
    for attempt in range(min(ATTEMPTS * GUESSES, turns * len(order))):
        if len(found) == GUESSES:
            break
        turn, place = divmod(attempt, len(order))
        if order[place] not in found:
            columns = _draw_columns(len(ordered), WIDTH + turn, random)
            guess = of_record(synthetic[order[place]], columns, ordered, middles)
            if count_matches(guess, synthetic) == 1:
                found[order[place]] = guess
    return list(found.values())


def _find_middle(column: Array) -> float:
    """The median of the values that are not missing."""
    known = column[column > NOWHERE]
    return float(np.median(known)) if len(known) else NOWHERE
