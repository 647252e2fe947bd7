"""Runs: fair coins, and a black box run as they fall, shared out block by block."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from audit.parallel import Map
from audit.subjects.black_box import BlackBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair

STAGES = ("search", "learn", "certify", "check", "anytime", "replay", "confirm", "alive")
"""What runs are for; each has random numbers of its own."""

LEARNING = ("search", "learn")
"""The stages of runs that nothing is tested on, which serve every look at a subject."""


@dataclass(frozen=True, eq=False)
class Runs:
    """Outcomes with their coins: ``coins`` [runs] is true where the second database was used."""

    outcomes: Outcomes
    coins: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.coins)

    @classmethod
    def join(cls, parts: Iterable[Runs]) -> Runs:
        """Runs one after the other."""
        found = list(parts)
        coins = [part.coins for part in found]
        return cls(
            Outcomes.join([part.outcomes for part in found]),
            np.concatenate(coins) if coins else np.zeros(0, np.bool_),
        )

    def take(self, runs: NDArray[Any]) -> Runs:
        """Some of the runs: a mask, or numbers of runs."""
        return Runs(self.outcomes.take(runs), self.coins[runs])


@dataclass(frozen=True)
class Seeds:
    """The random numbers of one audit: of a stage, a pair of the search, a block of runs.

    ``look``: its number among the looks at the subject, where these are counted. Runs that test
    something have random numbers of that look alone, and of the frozen ``rule`` (its digest) that
    they test.
    """

    seed: int
    look: int | None = None
    rule: str = ""

    def block(self, stage: str, pair: int, block: int) -> tuple[np.random.Generator, int]:
        """The coins' generator, and the seed handed to the black box."""
        words = [self.seed, STAGES.index(stage), pair, block]
        if self.look is not None and stage not in LEARNING:
            own = hashlib.sha256(self.rule.encode()).digest()
            words += [self.look, int.from_bytes(own[:8], "big")]
        sequence = np.random.SeedSequence(words)
        coins, box = sequence.spawn(2)
        return np.random.default_rng(coins), int(box.generate_state(1, np.uint64)[0])


class Source(Protocol):
    """Where runs come from, block by block."""

    def blocks(
        self, stage: str, pair: Pair, number: int, runs: int, start: int = 0
    ) -> Iterator[Runs]:
        """Blocks of runs on a pair, ``runs`` in all.

        ``number``: the pair's, ``start``: the block's to begin with; blocks of other stages and
        numbers have random numbers of their own.
        """
        ...

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """The same, joined."""
        ...


@dataclass(frozen=True, eq=False)
class Drawing:
    """Runs of a box: with the audit's seeds, its calls made wherever ``share`` makes them."""

    box: BlackBox
    seeds: Seeds
    share: Map

    def blocks(
        self, stage: str, pair: Pair, number: int, runs: int, start: int = 0
    ) -> Iterator[Runs]:
        """Blocks of runs on a pair, in an order that never depends on where they are made."""
        sizes = _sizes(runs, self.box.block)
        calls = (
            (self.box, pair, self.seeds, stage, number, start + block, size)
            for block, size in enumerate(sizes)
        )
        return self.share(draw_block, calls)

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """The same, joined."""
        return Runs.join(self.blocks(stage, pair, number, runs, start))


def freeze(source: Source, rule: str) -> Source:
    """The source of the runs that test a frozen rule, given by its digest, and no other rule."""
    if not isinstance(source, Drawing):
        return source
    return replace(source, seeds=replace(source.seeds, rule=rule))


def draw_block(
    box: BlackBox, pair: Pair, seeds: Seeds, stage: str, number: int, block: int, size: int
) -> Runs:
    """One block of runs with fair coins: the same wherever and whenever it is drawn."""
    generator, seed = seeds.block(stage, number, block)
    coins = generator.integers(0, 2, size).astype(np.bool_)
    return Runs(box.draw(pair, coins, seed), coins)


def _sizes(runs: int, most: int) -> list[int]:
    """Blocks of at most ``most`` runs; at least two where there is more than one run."""
    count = max(-(-runs // most), min(runs, 2))
    return [runs // count + (place < runs % count) for place in range(count)] if runs else []
