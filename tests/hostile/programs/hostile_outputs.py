"""Programs that release something else than plain values, and ask at epsilon = 10 in secret."""

from __future__ import annotations

from typing import Any

import numpy as np
from hostile_parts import loud, quiet

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain


class Lying(int):
    """A number that is another one to whoever compares it."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingList(list):
    """A list that shows other members than it has."""

    def __iter__(self) -> Any:
        return iter([0])


class LyingData(Dataset):
    """A table that counts other records than it holds."""

    def histogram(self) -> Any:
        return np.array([2, 0], np.int64)


class Changing:
    """A new class at each look."""

    looks = 0

    @property
    def __class__(self) -> Any:
        Changing.looks += 1
        return list if Changing.looks % 2 else int


def lying_number(curator: Curator) -> Any:
    return [Lying(loud(curator)[0])]


def lying_list(curator: Curator) -> Any:
    return LyingList(loud(curator).tolist())


def lying_data(curator: Curator) -> Any:
    answer = int(loud(curator)[0])
    codes = np.array([[0]] * answer + [[1]] * (2 - answer), np.int64)
    return LyingData(curator.domain, codes)


def data_of_another_domain(curator: Curator) -> Any:
    answer = int(loud(curator)[0])
    return Dataset.from_histogram(Domain.from_cells("3"), np.array([answer, 0, 0]))


def changing(curator: Curator) -> Any:
    loud(curator)
    return Changing()


def number_with_a_point(curator: Curator) -> Any:
    return [float(loud(curator)[0])]


def no_number(curator: Curator) -> Any:
    return [float("nan")]


def truth(curator: Curator) -> Any:
    return [bool(loud(curator)[0])]


def nothing(curator: Curator) -> Any:
    loud(curator)


def endless(curator: Curator) -> Any:
    quiet(curator)
    return iter(int, 1)


def surrogates(curator: Curator) -> Any:
    return ["\ud800\udfff"[int(quiet(curator)[0]) % 2]]


def long_text(curator: Curator) -> Any:
    return ["x" * (10**6 + int(quiet(curator)[0]))]


def itself(curator: Curator) -> Any:
    held: list[Any] = []
    held.append(held)
    return held


def the_curator(curator: Curator) -> Any:
    return [curator]
