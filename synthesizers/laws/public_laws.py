"""Public randomness: laws that depend on the transcript alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from synthesizers import samplers
from synthesizers.errors import InputError, TooLargeError
from synthesizers.neighbours import compositions, histogram_count
from synthesizers.plain import PlainLaw, require_integer, require_integers
from synthesizers.randomness import Entropy, uniform_below

Outcome = tuple[int, ...]


class PublicLaw(Protocol):
    """A law of public randomness, given the transcript so far."""

    @property
    def name(self) -> str:
        """The law's name, as ledgers print it."""

    def count(self) -> int:
        """How many outcomes there are."""

    def outcomes(self) -> Sequence[Outcome]:
        """Every outcome of positive chance."""

    def chance(self, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""

    def sample(self, entropy: Entropy) -> Outcome:
        """One draw of exactly this law."""

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""


@dataclass(frozen=True, slots=True)
class Multinomial:
    """Counts of ``records`` independent draws of a cell with chance ∝ its weight.

    Drawing m records is one event with a closed-form law over histograms.
    """

    records: int
    weights: tuple[int, ...]
    name = "multinomial"

    def __post_init__(self) -> None:
        # Weights are often noisy answers, and powers of numpy integers overflow in silence.
        object.__setattr__(self, "records", require_integer(self.records, "records of a draw"))
        object.__setattr__(self, "weights", require_integers(self.weights, "weights of a draw"))
        if self.records < 0:
            raise InputError("a multinomial draw needs records >= 0")
        if not self.weights or min(self.weights) < 0 or sum(self.weights) == 0:
            raise InputError("a multinomial draw needs non-negative weights, not all zero")

    @property
    def _positive(self) -> list[int]:
        return [cell for cell, weight in enumerate(self.weights) if weight]

    def count(self) -> int:
        """C(m + k - 1, k - 1) for k cells of positive weight."""
        return histogram_count(len(self._positive), self.records)

    def outcomes(self) -> list[Outcome]:
        """Every histogram of ``records`` records over the cells of positive weight."""
        cells = self._positive
        result = []
        for counts in compositions(len(cells), self.records):
            full = [0] * len(self.weights)
            for cell, count in zip(cells, counts, strict=True):
                full[cell] = count
            result.append(tuple(full))
        return result

    def chance(self, outcome: Outcome) -> Fraction:
        """m!/∏mᵢ! · ∏(wᵢ/w)^mᵢ; 0 for counts that are not of ``records`` records."""
        if sum(outcome) != self.records or min(outcome) < 0:
            return Fraction(0)
        top = math.factorial(self.records)
        for count, weight in zip(outcome, self.weights, strict=True):
            top = top // math.factorial(count) * weight**count
        return Fraction(top, sum(self.weights) ** self.records)

    def sample(self, entropy: Entropy) -> Outcome:
        """One draw."""
        return tuple(samplers.multinomial(self.records, self.weights, entropy).tolist())

    def to_json(self) -> dict[str, Any]:
        """The law as plain data; the weights come from the transcript and stay there."""
        return {"law": self.name, "records": self.records, "cells": len(self.weights)}


@dataclass(frozen=True, slots=True)
class UniformChoice(PlainLaw):
    """One of ``options`` numbers 0 … options - 1, each with the same chance."""

    options: int
    name = "uniform"

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", require_integer(self.options, "options of a choice"))
        if self.options < 1:
            raise InputError("a uniform choice needs at least one option")

    def count(self) -> int:
        """The number of options."""
        return self.options

    def outcomes(self) -> list[Outcome]:
        """Every option."""
        return [(option,) for option in range(self.options)]

    def chance(self, outcome: Outcome) -> Fraction:
        """1/options."""
        return Fraction(1, self.options)

    def sample(self, entropy: Entropy) -> Outcome:
        """One draw."""
        return (int(np.asarray(uniform_below(self.options, 1, entropy))[0]),)


@dataclass(frozen=True, slots=True)
class Seed:
    """A number of `SEED_BITS` random bits, from which a program generates what it releases.

    Whoever draws it may ask nothing private after it: what follows is a function of the
    transcript and the seed alone, so that the transcript before it carries all of the loss.
    """

    name = "seed"

    def count(self) -> int:
        """2 to the number of bits."""
        return 1 << SEED_BITS

    def outcomes(self) -> Sequence[Outcome]:
        """Refused: they are too many to list."""
        raise TooLargeError(
            "a program that generates from a seed has too many outputs to list; "
            "analyse its transcript (--released transcript), of which the output is a function"
        )

    def chance(self, outcome: Outcome) -> Fraction:
        """2 to the minus number of bits."""
        return Fraction(1, 1 << SEED_BITS)

    def sample(self, entropy: Entropy) -> Outcome:
        """One draw."""
        return (int(np.asarray(uniform_below(1 << SEED_BITS, 1, entropy))[0]),)

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "bits": SEED_BITS}


SEED_BITS = 62
"""Bits of a seed: answers are held as int64, and 62 bits seldom meet twice. A seed guards nothing
private, so that nobody gains by guessing it."""
