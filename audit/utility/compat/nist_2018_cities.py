"""Gini index, pay gap and score of cities as the NIST 2018 program computes them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from audit.utility.nist_2018.city_wages import (
    ABSENT,
    MEN,
    UNKNOWN,
    WOMEN,
    Cities,
    City,
    Comparison,
    Kept,
    Wages,
)
from audit.utility.score import Undefined

_EXACT = 2.0**53
"""Up to here sums of whole numbers are the same in doubles as in the program's integers."""


PROGRAM_SIDES = {"-1": MEN, "0": WOMEN, "1": MEN, "2": WOMEN}
"""The program takes the code less 1 as Python's index, which counts from the end if negative."""


def program_cities(table: Wages, *, truth: bool) -> dict[int, City]:
    """Each city in file order, by the generator of the ground ``truth``, or by the local scorer.

    The scorer guards its divisions, and the generator does not. Raises
    ``Undefined`` where the program stops with an error.

    **Guarantee.** Equal to the program's numbers in every bit: backed by the
    transcription in ``tests/audit/utility/nist_2018/slow_nist_2018.py``.
    """
    which = "real" if truth else "synthetic"
    if table.without_city:
        raise Undefined(
            f"the program stops at a {which} record without a city, and cannot tell apart cities "
            "outside the domain"
        )
    if np.isnan(table.wage).any():
        raise Undefined(f"the program stops at a {which} record without a wage")
    if (table.wage != np.trunc(table.wage)).any():
        raise Undefined(f"the program stops at a {which} wage that is not a whole number")
    if np.abs(table.wage[table.earning]).sum() >= _EXACT:
        raise Undefined(f"the {which} wages are too large to be added up exactly")
    if (table.side == ABSENT).any() or (table.side[table.earning] == UNKNOWN).any():
        raise Undefined(f"the program stops at a {which} record that is of neither sex")
    return {
        city: City(_gini(wages, truth), _gap(wages[sides == MEN], wages[sides == WOMEN], truth))
        for city, (wages, sides) in table.by_city().items()
    }


def program_comparison(real: Cities, synthetic: Cities) -> Comparison:
    """The program's score, in its order of operations.

    Raises ``Undefined`` where the program divides by zero: a single real city
    that the synthetic table has too.
    """
    places = _places(real), _places(synthetic)
    cities = len(real)
    s1 = s2 = 0.0
    kept = {}
    for code, place in places[0].items():
        if code not in places[1]:
            kept[code] = Kept(0.0, 0.0, (place + 1, None))
            continue
        if cities == 1:
            raise Undefined("the program divides by zero: there is one real city")
        apart = 1 - abs(_number(real[code].gini) - _number(synthetic[code].gini))
        s1 += apart * apart
        rank = 1 - abs(place - places[1][code]) / (cities - 1)
        rank = max(rank, 0.0)
        s2 += rank * rank
        kept[code] = Kept(abs(apart), rank, (place + 1, places[1][code] + 1))
    s1 = 500000 * math.sqrt(s1 / cities)
    s2 = 500000 * math.sqrt(s2 / cities)
    return Comparison(s1 + s2, kept)


def _places(cities: Cities) -> dict[int, int]:
    """The place of each city from 0, the largest pay gap first, ties in the order of the file."""
    order = sorted(cities, key=lambda code: -_number(cities[code].gap))
    return {code: place for place, code in enumerate(order)}


def _number(value: float | None) -> float:
    assert value is not None
    return value


def _gini(wages: NDArray[np.float64], truth: bool) -> float:
    people, total = len(wages), float(wages.sum())
    if truth and people and total == 0:
        raise Undefined("the program divides by zero: the wages of a real city add up to 0")
    if not people or (not truth and total <= 0):
        return 1.0
    # ``accumulate`` adds from the left, as a loop does; ``sum`` would not.
    shares = np.add.accumulate(wages) / people / total
    return 1 - 2 * float(np.add.accumulate(shares)[-1])


def _gap(men: NDArray[np.float64], women: NDArray[np.float64], truth: bool) -> float:
    if truth and not (len(men) and len(women)):
        raise Undefined("the program divides by zero: a real city has wages of one sex alone")
    gap = 0.0
    if len(men):
        gap += float(men.sum()) / len(men)
    if len(women):
        gap -= float(women.sum()) / len(women)
    return gap
