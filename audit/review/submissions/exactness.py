"""How exactly a submission's outputs tell small tables, beside what any program of its claim can.

Of a public table there is no least error: a program may hold that very table, whatever its ε. Where
fair and secret coins decide of each of some cells whether it holds a record, there is one: of a
program that is ε-DP nobody tells a coin from the output with a chance above e^ε/(1 + e^ε), so that
the expected error of its counts of zero or one is at least 1/(1 + e^ε), which randomised response
attains. A share of wrong counts that lies below, beyond chance, is better than any such program's.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.auditors.attack.guessing.floors import claimed_value
from audit.auditors.one_run.bound import Counts
from audit.auditors.one_run.p_values import find_p_value
from audit.review.submissions.trial_data import TrialData, tell
from proofs.guarantees import ApproxDP, Guarantee
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Unit
from synthesizers.tables import from_frame

MOST_COINS = 64
"""Coins of one table, so that it stays a small one over large domains."""

Codes = NDArray[np.int64]
Draw = Callable[[TrialData, int], pd.DataFrame | None]
"""The output of a run on a database, handed a seed; None of a run that gave no table."""


@dataclass(frozen=True)
class Exactness:
    """What runs on tables that coins made up have shown.

    ``right``: the coins that their outputs tell. ``least``: the least expected share of wrong ones
    that any program of the claim can have; None where that is not known. ``p_value``: that of the
    claim.
    """

    runs: int
    coins: int
    right: int
    least: float | None
    p_value: float

    @property
    def wrong(self) -> float:
        """The share of wrong counts: their mean error, of counts that are zero or one."""
        return 1 - self.right / self.coins


def count_coins(domain: Domain, records_public: bool) -> int:
    """The coins of one table over a domain."""
    coins = min(math.prod(domain.shape), MOST_COINS * (2 if records_public else 1))
    return coins // 2 if records_public else coins


def find_chance(guarantee: Guarantee, coins: int, right: int) -> float:
    """The p-value of a claim of whose coins so many were told."""
    return find_p_value([Counts(coins, coins, right)], guarantee, _value(guarantee))


def find_least(guarantee: Guarantee) -> float | None:
    """The least expected share of wrong counts under a claim, rounded down."""
    if not isinstance(guarantee, ApproxDP):
        return None
    return (1 - float(guarantee.delta)) / (1 + math.exp(_value(guarantee))) * (1 - 1e-12)


def measure_exactness(
    draw: Draw,
    guarantee: Guarantee,
    domain: Domain,
    unit: Unit,
    records_public: bool,
    runs: int,
    seed: int,
) -> Exactness:
    """Run a program on tables whose records coins put in, and count the coins that are told.

    A coin decides whether a cell holds a record (of a person of its own), or, where records are
    replaced, which of two cells does. The rule is fixed beforehand: a record is guessed where the
    output, scaled to as many rows as tables have in the mean, has at least half of one. A run
    without a table tells no coin. Raises InputError for a domain of too few cells.

    Guarantee
    ---------
    A program that keeps the claim in each run has a p-value of at most x with a chance of at most
    x: a coin is in one run alone, and another one makes a neighbour of its table. Backed by
    ``tests/audit/review/submissions/test_exactness.py``.
    """
    coins = count_coins(domain, records_public)
    if coins == 0:
        raise InputError("a domain of one cell has nothing that coins could put in")
    cells = _choose_cells(domain, 2 * coins if records_public else coins, _random(seed, "cells"))
    # A record, its values within bins and its person are its coin's, whatever other coins show.
    owners = np.arange(len(cells), dtype=np.int64) % coins + 1
    everything = tell(Dataset(domain, cells, None if unit.is_record else owners), unit, seed)
    right = 0
    for run in range(runs):
        thrown = _random(seed, f"coins {run}").random(coins) < 0.5
        heads = np.flatnonzero(thrown)
        chosen = np.where(thrown, 0, coins) + np.arange(coins) if records_public else heads
        # Other random numbers than the coins': a program may draw its noise from what it is handed.
        handed = int(_random(seed, f"handed {run}").integers(2**31))
        output = draw(_select(everything, chosen), handed)
        counts = None if output is None else _count(output, domain, cells)
        if output is None or counts is None:
            continue
        rows = len(output)
        if records_public:
            told = counts[:coins] > counts[coins:]
        else:
            told = counts * (coins / 2 / max(rows, 1)) >= 0.5
        right += int((told == thrown).sum())
    total = runs * coins
    return Exactness(
        runs, total, right, find_least(guarantee), find_chance(guarantee, total, right)
    )


def _select(data: TrialData, chosen: Codes) -> TrialData:
    """Some records of a database, in this order."""
    persons = data.dataset.persons
    of_them = None if persons is None else persons[chosen]
    dataset = Dataset(data.dataset.domain, data.dataset.codes[chosen], of_them)
    return TrialData(data.name, dataset, [data.records[place] for place in chosen])


def _choose_cells(domain: Domain, number: int, random: np.random.Generator) -> Codes:
    """Different cells, as rows of codes."""
    size = math.prod(domain.shape)
    if size <= 2**20:
        flat = random.permutation(size)[:number]
        return np.stack(np.unravel_index(flat, domain.shape), axis=1).astype(np.int64)
    rows: dict[tuple[int, ...], None] = {}
    while len(rows) < number:
        rows[tuple(int(random.integers(one)) for one in domain.shape)] = None
    return np.array(list(rows), np.int64)


def _count(output: pd.DataFrame, domain: Domain, cells: Codes) -> NDArray[np.int64] | None:
    """The records of an output in each cell; None where it is no table of the domain."""
    try:
        codes = from_frame(output, domain).codes
    except InputError:
        return None
    places = {tuple(cell): place for place, cell in enumerate(cells.tolist())}
    counts = np.zeros(len(cells), np.int64)
    for row in map(tuple, codes.tolist()):
        if row in places:
            counts[places[row]] += 1
    return counts


def _value(guarantee: Guarantee) -> float:
    return math.nextafter(float(claimed_value(guarantee)), math.inf)


def _random(seed: int, purpose: str) -> np.random.Generator:
    digest = hashlib.sha256(f"exactness of {seed}: {purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
