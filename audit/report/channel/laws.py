"""The laws of the confidential database in words, by the names that `data_laws` gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DataLaw:
    """One law: what it is, who has it as a prior, and what such an attacker sets out to name."""

    meaning: str
    holder: str
    names: str


LAWS: Mapping[str, DataLaw] = {
    "uniform": DataLaw(
        "every listed database alike",
        "to whom every listed database is equally likely",
        "Which database, all equally likely",
    ),
    "multinomial": DataLaw(
        "records drawn independently and uniformly over the cells",
        "who takes records to be drawn independently and uniformly over the cells",
        "Which database, records drawn at random",
    ),
}
"""All of them."""


def law_meanings(names: Iterable[str]) -> str:
    """What each law is: ``uniform: every listed database alike; …``."""
    return "; ".join(f"{name}: {LAWS[name].meaning}" for name in names)
