"""The claim that a measurement's map makes, in the words of a guarantee."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from audit.auditors.stability.distances import TABLES, metric_name
from audit.auditors.stability.outputs import Asked, NoOutput
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours

if TYPE_CHECKING:
    from audit.auditors.stability.examine import About

WORDS = re.compile(r"\s*map\(\s*(\d+)\s*\)\s*")
"""How a claim says that it is a measurement's own, at a distance of its inputs."""

_DISTANCES: Mapping[tuple[str, bool], int] = {
    ("SymmetricDistance", True): 1,
    ("InsertDeleteDistance", True): 1,
    ("SymmetricDistance", False): 2,
    ("InsertDeleteDistance", False): 2,
    ("ChangeOneDistance", False): 1,
    ("HammingDistance", False): 1,
}
"""How far neighbours lie apart, by the metric, and whether a record is added (or exchanged)."""


def claim_of_map(asked: Asked, words: str, neighbours: Neighbours) -> str:
    """The guarantee of ``map(D)`` as text: ``epsilon=1``, ``rho=1/2``, ``epsilon=1, delta=1e-6``.

    A number of the map that is a double is rounded up to its shortest decimal. Raises InputError
    for a transformation, for measures that no guarantee is stated in, and where D is not how far
    neighbours lie apart by the measurement's metric.

    Guarantee
    ---------
    No claim is smaller than the map, so that what refutes it refutes the map. Backed by
    ``tests/audit/auditors/stability/test_claims.py``.
    """
    # Here, not above: Hypothesis comes with it.
    from audit.auditors.stability.examine import describe_map

    form = WORDS.fullmatch(words)
    assert form is not None
    apart = int(form[1])
    about = describe_map(asked)
    if about.output_measure is None:
        raise InputError(f"{asked.name} is a transformation, and claims no privacy")
    _require_near(about, apart, neighbours)
    try:
        stated = asked.ask("map", apart)
    except NoOutput as error:
        raise InputError(f"the map of {asked.name} at {apart} {error}") from None
    return _guarantee(about.output_measure, stated)


def _require_near(about: About, apart: int, neighbours: Neighbours) -> None:
    """Raise InputError unless neighbours lie so far apart; of numbers the user's word is taken."""
    metric = metric_name(about.input_metric)
    if metric not in TABLES:
        return
    near = _DISTANCES.get((metric, isinstance(neighbours, AddRemove)))
    if near is None:
        raise InputError(f"by {metric} no two tables of {neighbours.name} are neighbours")
    if not neighbours.unit.is_record:
        raise InputError("a map speaks of records: leave out --unit person")
    if apart != near:
        raise InputError(
            f"neighbours of {neighbours.name} lie {near} apart by {metric}: claim map({near})"
        )


def _guarantee(measure: str, stated: Any) -> str:
    match measure.replace(" ", ""), stated:
        case "MaxDivergence", int() | float():
            return f"epsilon={_above(stated)}"
        case "ZeroConcentratedDivergence", int() | float():
            return f"rho={_above(stated)}"
        case "Approximate(MaxDivergence)", (epsilon, delta):
            return f"epsilon={_above(epsilon)}, delta={_above(delta)}"
    raise InputError(
        f"no guarantee is stated in {measure[:60]}: convert it to pure or approximate differential "
        "privacy or to zCDP, or state the claim yourself"
    )


def _above(number: object) -> str:
    """The shortest decimal of a double, or the next one of as many digits where that is less."""
    if not isinstance(number, int | float) or not math.isfinite(number):
        raise InputError(f"the map gives {number!r}, which claims nothing")
    if isinstance(number, int):
        return str(number)
    shortest = Decimal(repr(number))
    if Fraction(shortest) < Fraction(number):
        step = Decimal((0, (1,), int(shortest.as_tuple().exponent)))
        shortest = Context(prec=40, rounding=ROUND_CEILING).add(shortest, step)
    return f"{shortest:f}"
