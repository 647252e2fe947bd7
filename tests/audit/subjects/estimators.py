"""Estimators as strangers write them; a child imports them by name."""

from __future__ import annotations

import numpy as np
import pandas as pd


class Resampler:
    """Rows of the table, drawn again."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, table):
        self.table = table
        return self

    def sample(self, rows):
        return self.table.sample(rows, replace=True, random_state=self.random_state)


class Seeded:
    """A single column of noise."""

    def __init__(self, seed=None):
        self.seed = seed

    def fit(self, table):
        self.rng = np.random.default_rng(self.seed)

    def sample(self, rows):
        return pd.DataFrame({"noise": self.rng.random(rows)})


class Accumulator:
    """Counts all rows that it was ever fitted on."""

    def __init__(self):
        self.seen = 0

    def fit(self, table):
        self.seen += len(table)

    def sample(self, rows):
        return self.seen


class Columns(Accumulator):
    """Gives back the columns' names."""

    def fit(self, table):
        self.names = list(table.columns)

    def sample(self, rows):
        return self.names


class Scaled(Accumulator):
    """Multiplies by a parameter."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def sample(self, rows):
        return self.factor * rows


class FailsOnEmpty(Resampler):
    """Can't do without records."""

    def fit(self, table):
        if table.empty:
            raise ValueError("no records")
        return super().fit(table)


class Arrays(Accumulator):
    """Gives arrays."""

    def sample(self, rows):
        return np.ones((rows, 2))


ready = Resampler()


def not_one(database, rng):
    return 0
