"""The targets of MGD as a plan writes them: weights and tolerances as texts, read exactly.

tolerance = "2"
targets = [
  { attributes = ["month", "area"], weights = { month = "1", area = "infinite" } },
  { attributes = ["area"], tolerance = "3/2", importance = "1/3" },
  { attributes = ["area", "kind"], distances = "distances.csv" },
]

``distances`` is the path of a CSV file as ``matrix.read_distances`` takes it, from the working
directory.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from audit.utility.mgd.matrix import read_distances
from audit.utility.mgd.target import Target, Weight
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

_KEYS = ("attributes", "weights", "distances", "tolerance", "importance")


def targets_of(listed: object, tolerance: Fraction) -> tuple[Target, ...]:
    """The targets of a plan; ``tolerance`` holds for those that name none.

    Numbers are integers, decimals, or texts such as "1/2" or "0.1". Raises ``InputError`` for an
    unknown key, and for a value of another form.
    """
    if not isinstance(listed, list | tuple) or not listed:
        raise InputError("mgd: targets must be a list of at least one table")
    return tuple(
        _target(each, tolerance, f"mgd: target {place}") for place, each in enumerate(listed, 1)
    )


def _target(written: object, tolerance: Fraction, what: str) -> Target:
    if not isinstance(written, Mapping):
        raise InputError(f"{what} must be a table with attributes, not {written!r}")
    for key in written:
        if key not in _KEYS:
            raise InputError(f"{what} has no {key!r}; it has {', '.join(_KEYS)}")
    attributes = written.get("attributes")
    if not isinstance(attributes, list | tuple) or not all(isinstance(a, str) for a in attributes):
        raise InputError(f'{what} needs attributes = ["…"], a list of names')
    weights = written.get("weights", {})
    if not isinstance(weights, Mapping):
        raise InputError(f'{what}: weights must be a table, as in {{ age = "1/2" }}')
    read: dict[str, Weight] = {
        str(name): "infinite"
        if weight == "infinite"
        else parse_rational(weight, f"{what}: the weight of {name!r}")
        for name, weight in weights.items()
    }
    distances = written.get("distances")
    if distances is not None and not isinstance(distances, str):
        raise InputError(f"{what}: distances must be the path of a CSV file, not {distances!r}")
    label = f"the marginal {' × '.join(attributes)}: the distance matrix"
    return Target(
        tuple(attributes),
        read,
        parse_rational(written.get("tolerance", tolerance), f"{what}: the tolerance"),
        parse_rational(written.get("importance", 1), f"{what}: the importance"),
        None if distances is None else read_distances(distances, label),
    )
