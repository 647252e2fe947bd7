"""Covering designs: blocks of attributes such that every few attributes lie in one block together.

Source: Gordon, Patashnik & Kuperberg 1995 (greedy coverings); views of PriView (Qardaji, Yang & Li
2014, section 4.2). Ours: a block also has a limit of cells, and is grown attribute by attribute.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

Block = tuple[int, ...]
"""Positions of attributes, in increasing order."""


def covering_design(sizes: Sequence[int], strength: int, length: int, cells: int) -> list[Block]:
    """Blocks such that every ``strength`` of the attributes lie in one of them together.

    ``sizes``: how many values each attribute has. A block has at most ``length`` attributes and
    ``cells`` cells; but as many of both as a set that is to be covered needs. Deterministic: the
    first set that is not covered begins a block, and the attribute that covers most new sets for
    its logarithmic size joins it, ties to the lower position. Blocks that turn out to be covered
    by later ones are left out.
    """
    strength = min(strength, len(sizes))
    length = max(length, strength)
    missing = {frozenset(chosen) for chosen in combinations(range(len(sizes)), strength)}
    blocks: list[frozenset[int]] = []
    for seed in combinations(range(len(sizes)), strength):
        if frozenset(seed) not in missing:
            continue
        block = set(seed)
        while len(block) < length:
            joining = _best(block, sizes, strength, cells, missing)
            if joining is None:
                break
            block.add(joining)
        missing -= {frozenset(chosen) for chosen in combinations(block, strength)}
        blocks.append(frozenset(block))
    return [tuple(sorted(block)) for block in _drop_covered(blocks, strength)]


def _best(
    block: set[int], sizes: Sequence[int], strength: int, cells: int, missing: set[frozenset[int]]
) -> int | None:
    """The attribute that joins a block; None where none fits, or none covers anything new."""
    held = math.prod(sizes[position] for position in block)
    best, most = None, 0.0
    for position in range(len(sizes)):
        if position in block or held * sizes[position] > cells:
            continue
        gained = sum(
            frozenset((*chosen, position)) in missing
            for chosen in combinations(block, strength - 1)
        )
        worth = gained / math.log2(max(sizes[position], 2))
        if worth > most:
            best, most = position, worth
    return best


def _drop_covered(blocks: list[frozenset[int]], strength: int) -> list[frozenset[int]]:
    """The blocks without those whose sets all lie in others as well."""
    sets = [
        {frozenset(chosen) for chosen in combinations(sorted(block), strength)} for block in blocks
    ]
    times: dict[frozenset[int], int] = {}
    for covered in sets:
        for chosen in covered:
            times[chosen] = times.get(chosen, 0) + 1
    kept = []
    for block, covered in zip(blocks, sets, strict=True):
        if all(times[chosen] > 1 for chosen in covered):
            for chosen in covered:
                times[chosen] -= 1
        else:
            kept.append(block)
    return kept
