"""Guesses of coins, which follow from scores: as many as were settled before any coin was seen."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from audit.statements.evidence import Guesses
from audit.subjects.coins import derive_seed

Array = NDArray[np.float64]

IN, OUT, NONE = "+", "-", "."
"""What is guessed of a coin: that the canary is in (the first of two), that it is out, nothing."""


def guess_inclusion(scores: Array, guesses: int, seed: str, run: int) -> str:
    """The largest scores are guessed in, the smallest out, in equal shares; ties by other coins."""
    return _guess_ends(scores, guesses // 2, guesses - guesses // 2, seed, run)


def guess_presence(scores: Array, guesses: int, seed: str) -> str:
    """The largest scores are guessed in, and none out; ties by other coins."""
    return _guess_ends(scores, 0, guesses, seed, 0)


def _guess_ends(scores: Array, low: int, high: int, seed: str, run: int) -> str:
    order = np.lexsort((_order(seed, run, len(scores)), scores))
    marks = np.full(len(scores), NONE)
    marks[order[:low]] = OUT
    marks[order[len(order) - high :]] = IN
    return "".join(marks.tolist())


def find_differences(scores: Array) -> Array:
    """Of each pair, by how much more the output speaks for the first; 0 of two alike infinite."""
    with np.errstate(invalid="ignore"):
        found = scores[::2] - scores[1::2]
    return np.where(np.isnan(found), 0.0, found)


def guess_pairs(differences: Array, guesses: int, seed: str, run: int) -> str:
    """Of the largest differences of scores between two canaries, the sign; ties by other coins."""
    ties = _order(seed, run, len(differences))
    order = np.lexsort((ties, np.abs(differences)))[len(differences) - guesses :]
    first = (differences > 0) | ((differences == 0) & (ties % 2 == 0))
    marks = np.full(len(differences), NONE)
    marks[order] = np.where(first[order], IN, OUT)
    return "".join(marks.tolist())


def _order(seed: str, run: int, number: int) -> NDArray[np.intp]:
    generator = np.random.default_rng(derive_seed(seed, "order of equal scores", run))
    return generator.permutation(number)


def count_right(made: str, coins: NDArray[np.bool_]) -> int:
    """How many guesses are right."""
    marks = np.array(list(made))
    return int(np.count_nonzero(((marks == IN) & coins) | ((marks == OUT) & ~coins)))


def tell_guesses(made: str, coins: NDArray[np.bool_], shown: bool) -> Guesses:
    """Guesses as a certificate has them; ``shown``: each by itself, and not their digest alone."""
    digest = hashlib.sha256(made.encode("ascii")).hexdigest()
    return Guesses(count_right(made, coins), digest, made if shown else None)
