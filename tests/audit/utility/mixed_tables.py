"""Small random tables of mixed kinds of columns, with gaps, and values that one side alone has."""

from __future__ import annotations

import numpy as np
import pandas as pd

from audit.utility.records import Records, of_frame
from synthesizers.domain import Attribute, Domain

MIXED = Domain(
    "mixed",
    (
        Attribute("colour", ("red", "green", "blue", "grey"), missing=True),
        Attribute("sex", ("1", "2")),
        Attribute("rooms", tuple(str(k) for k in range(1, 9)), ordinal=True),
        Attribute.binned("wage", [-10, 0, 5, 20, 50, 100], ordinal=True, missing=True),
        Attribute.binned("age", [0, 10, 20, 40, 60, 100], ordinal=True),
        Attribute("type", ("a", "b", "c"), missing=True, missing_label="N"),
    ),
)
NUMERIC = ("rooms", "wage", "age")


def frame(seed: int, records: int, *, shift: float = 0.0) -> pd.DataFrame:
    """Records whose columns hang together; ``shift`` moves some of them."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=records) + shift
    noise = random.normal(size=(6, records))

    def codes(weight: float, row: int, values: int) -> np.ndarray:
        mixed = weight * hidden + (1 - weight) * noise[row]
        return np.clip(np.floor((mixed + 2) * values / 4), 0, values - 1).astype(int)

    wage = np.clip(np.round(20 + 30 * (0.7 * hidden + 0.3 * noise[3]), 2), -10, 100)
    return pd.DataFrame(
        {
            "colour": np.array(["red", "green", "blue", "grey", ""])[codes(0.5, 0, 5)],
            "sex": np.array(["1", "2"])[codes(0.3, 1, 2)],
            "rooms": [str(k + 1) for k in codes(0.6, 2, 8)],
            "wage": [
                "" if u < 0.1 else str(w) for w, u in zip(wage, random.random(records), strict=True)
            ],
            "age": [str(a) for a in np.clip(np.round(40 + 15 * noise[4] + 9 * hidden), 0, 100)],
            "type": np.array(["a", "b", "c", "N"])[codes(0.4, 5, 4)],
        }
    )


def records(seed: int, count: int, *, shift: float = 0.0) -> Records:
    return of_frame(frame(seed, count, shift=shift), MIXED)


def coded(shape: tuple[int, ...], codes: list[tuple[int, ...]]) -> Records:
    """Records of nominal attributes ``a0``, ``a1`` … with values "0", "1" …, from their codes."""
    attributes = tuple(
        Attribute(f"a{k}", tuple(str(code) for code in range(size))) for k, size in enumerate(shape)
    )
    return Records(
        Domain("coded", attributes), np.array(codes, dtype=np.int64).reshape(-1, len(shape))
    )
