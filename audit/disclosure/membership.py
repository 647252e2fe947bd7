"""Membership: how often it is guessed from one release which records it was made from.

Records that no other one equals, and that were released, come first; then counts the score of
`audit.subjects.split_release`. Neither looks at a coin. Where the table
was split by a coin for each record, records are guessed in. Otherwise a record of the real table
and one of the holdout make a pair, and it is guessed which of them is in: if the holdout is a
random part of both tables together, that is a fair coin for each pair, whatever the others are.

Whoever keeps pure ε lets so many guesses be right with no larger chance than a binomial of
e^ε/(1 + e^ε) has (Steinke, Nasr & Jagielski 2023): under add-remove where coins decide whether a
record is in, under replace-one where they decide which of two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.guesses import at_least
from audit.auditors.one_run.guessing import count_right, guess_pairs, guess_presence
from audit.disclosure.tables import STEPS, Array, Tables
from audit.subjects.coins import draw_coins
from audit.subjects.split_release import MOST_CANARIES, score_presence, spread_canaries

SHARES = (Fraction(1), Fraction(1, 3), Fraction(1, 10), Fraction(1, 30))
"""Shares of the coins that are guessed, the clearest. All are tried and share the error, since
nothing says beforehand of how many records a release tells."""


@dataclass(frozen=True)
class Membership:
    """The guesses that show most, of ``coins`` in all.

    ``pairs``: whether a coin decides which of two records is in, or whether one is. ``error``: of
    all bounds that were tried, together.
    """

    coins: int
    pairs: bool
    guesses: int
    right: int
    error: float

    @property
    def accuracy(self) -> float:
        """A bound from below on how often a guess is right, by Clopper & Pearson."""
        return at_least(self.right, self.guesses, self.error / len(SHARES))

    @property
    def advantage(self) -> float:
        """A bound from below on 2·accuracy - 1: what the guesses have over those by chance.

        Guarantee
        ---------
        It exceeds the largest advantage of any guess of a mechanism that keeps pure ε,
        (e^ε - 1)/(e^ε + 1), with probability at most ``error``. Backed by
        ``tests/audit/disclosure/test_membership.py``.
        """
        return max(0.0, 2 * self.accuracy - 1)

    @property
    def gain(self) -> float:
        """Right guesses less wrong ones, of all records of the real table: no bound.

        That is the share of the real records guessed in less that of the others, or of pairs.
        """
        return (2 * self.right - self.guesses) / (self.coins if self.pairs else self.coins / 2)

    @property
    def epsilon(self) -> float:
        """The smallest ε of pure privacy that has so large an advantage."""
        return 2 * math.atanh(self.advantage)


def infer_membership(tables: Tables, error: float, seed: int) -> Membership:
    """Guess coins, and keep those guesses that show most."""
    real, holdout, rows = _as_parts(tables)
    spelt, chosen, known = f"{seed:x}", tables.chosen, np.concatenate([real, holdout])
    copied = _find_copied(tables)

    def score(places: NDArray[np.intp]) -> Array:
        scores = score_presence(known, rows, places)
        return np.asarray(scores + copied[places] * (1 + scores.max()), np.float64)

    if chosen is not None:
        # Of the table as it was split, so that no coin decides whose coins are guessed.
        order = np.argsort(np.concatenate([np.flatnonzero(chosen), np.flatnonzero(~chosen)]))
        places = order[spread_canaries(len(order))]
        scores, coins = score(places), places < len(real)
        made = [guess_presence(scores, _share(len(coins), each / 2), spelt) for each in SHARES]
    else:
        random = np.random.default_rng((seed, 6))
        most = min(len(real), len(holdout), MOST_CANARIES // 2)
        coins = draw_coins(spelt, 0, most)
        ends = random.permutation(len(real))[:most], random.permutation(len(holdout))[:most]
        drawn = np.stack([ends[0], len(real) + ends[1]])
        firsts, seconds = np.where(coins, drawn, drawn[::-1])
        scores = score(np.concatenate([firsts, seconds]))
        # A pair is as clear as the larger of its scores, which are places in an order.
        first, second = scores[:most], scores[most:]
        differences = np.sign(first - second) * (1 + np.maximum(first, second))
        made = [guess_pairs(differences, _share(most, each), spelt, 0) for each in SHARES]
    found = [
        Membership(
            len(coins), chosen is None, len(one) - one.count("."), count_right(one, coins), error
        )
        for one in made
    ]
    return max(found, key=lambda one: (one.accuracy, one.guesses))


def _find_copied(tables: Tables) -> NDArray[np.bool_]:
    """Of each record of the real table and the holdout, whether it is alone and was released."""
    real, holdout, synthetic = tables.number_rows(tables.values, tables.domain.names)
    known = np.concatenate([real, holdout])
    alone = np.bincount(known)[known] == 1
    return np.asarray(alone & np.isin(known, synthetic))


def _share(coins: int, share: Fraction) -> int:
    return max(1, int(coins * share))


def _as_parts(tables: Tables) -> tuple[Array, ...]:
    """[records, columns] of each table, so that values that differ as far as can be are 1 apart."""
    wide = [1 / STEPS if ordered else 2.0 for ordered in tables.ordered]
    return tuple(table.T * np.array(wide) for table in tables.places)
