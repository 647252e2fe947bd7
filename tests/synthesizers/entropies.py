"""Stand-ins for entropy in tests: words written out by hand, counted, or enumerated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers import randomness
from synthesizers.randomness import Entropy, InsecureSeededEntropy


class UsedUp(Exception):
    """More words were asked for than were written out."""


class ScriptedEntropy:
    """Entropy that returns the given words, then raises ``UsedUp``."""

    def __init__(self, script: Sequence[int]) -> None:
        self.script = script
        self.position = 0

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` words of the script."""
        end = self.position + count
        if end > len(self.script):
            raise UsedUp
        drawn = np.array(self.script[self.position : end], dtype=np.uint64)
        self.position = end
        return drawn


class CountedEntropy:
    """Seeded entropy that counts the words it has given."""

    def __init__(self, seed: int) -> None:
        self.source = InsecureSeededEntropy(seed)
        self.given = 0

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return ``count`` words and count them."""
        self.given += count
        return self.source.words(count)


def enumerate_law(
    draw: Callable[[Entropy], Hashable], word: int, depth: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """Return the exact mass of each outcome of ``draw`` when a word has only ``word`` values.

    All scripts of up to ``depth`` words are tried. The second result is the mass of those that are
    still undecided: each true probability lies between its mass and its mass plus that.
    """
    monkeypatch.setattr(randomness, "WORD", word)
    masses: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
    undecided = Fraction(0)
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        try:
            masses[draw(ScriptedEntropy(script))] += Fraction(1, word ** len(script))
        except UsedUp:
            if len(script) == depth:
                undecided += Fraction(1, word**depth)
            else:
                scripts.extend((*script, digit) for digit in range(word))
    return dict(masses), undecided
