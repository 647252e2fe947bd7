"""Coins that decide which canaries, or which records of a table, are in; all follow from a seed."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray


def draw_coins(seed: str, run: int, coins: int) -> NDArray[np.bool_]:
    """The coins of a run; ``seed``: in hexadecimal digits.

    Guarantee
    ---------
    Bits of SHA-256 of the seed, the run and a counter, and of nothing else: who knows those of one
    run, or what `derive_seed` gives, knows neither the seed nor other coins. Backed by
    ``tests/audit/subjects/test_coins.py``.
    """
    blocks = (
        hashlib.sha256(f"coins of canaries {seed} {run} {block}".encode("ascii")).digest()
        for block in range(-(-coins // 256))
    )
    bits = np.unpackbits(np.frombuffer(b"".join(blocks), np.uint8))
    return bits[:coins].astype(np.bool_)


def derive_seed(seed: str, purpose: str, run: int) -> int:
    """What random numbers of a run are taken from for a purpose: it does not tell the coins."""
    told = hashlib.sha256(f"{purpose} {seed} {run}".encode("ascii")).digest()
    return int.from_bytes(told[:6], "big")
