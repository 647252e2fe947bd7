"""MGD as a plan writes it: targets, weights and tolerances as texts, read exactly.

tolerance = "2"
targets = [
  { attributes = ["month", "area"], weights = { month = "1", area = "infinite" } },
  { attributes = ["area"], tolerance = "3/2", importance = "1/3" },
  { attributes = ["area", "kind"], distances = "distances.csv" },
]

``distances`` is the path of a CSV file as ``matrix.read_distances`` takes it, from the working
directory. ``cross_check = true`` has every optimum along several attributes found twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from audit.utility.mgd.matrix import read_distances
from audit.utility.mgd.target import TOLERANCE, Target, Weight
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

_KEYS = ("targets", "tolerance", "most_cells", "budget_seconds", "cross_check")
_TARGET_KEYS = ("attributes", "weights", "distances", "tolerance", "importance")
_MOST_SECONDS = 10**9


def targets_of(values: Mapping[str, object]) -> dict[str, Any]:
    """The fields of the metric; the tolerance holds for the targets that name none.

    Numbers are integers, decimals, or texts such as "1/2" or "0.1". Raises ``InputError`` for an
    unknown key, and for a value of another form.
    """
    _only(values, _KEYS, "mgd")
    tolerance = parse_rational(values.get("tolerance", TOLERANCE), "mgd: the tolerance")
    fields: dict[str, Any] = {"tolerance": tolerance}
    if "most_cells" in values:
        cells = parse_rational(values["most_cells"], "mgd: most_cells")
        if cells.denominator != 1:
            raise InputError(
                f"mgd: most_cells must be a whole number, not {values['most_cells']!r}"
            )
        fields["most_cells"] = int(cells)
    if "budget_seconds" in values:
        seconds = parse_rational(values["budget_seconds"], "mgd: budget_seconds")
        if abs(seconds) > _MOST_SECONDS:
            raise InputError(f"mgd: budget_seconds must be at most {_MOST_SECONDS}")
        fields["budget_seconds"] = float(seconds)
    if "cross_check" in values:
        wanted = str(values["cross_check"]).lower()
        if wanted not in ("true", "false"):
            raise InputError(
                f"mgd: cross_check must be true or false, not {values['cross_check']!r}"
            )
        fields["cross_check"] = wanted == "true"
    listed = values.get("targets")
    if listed is not None:
        if not isinstance(listed, list | tuple) or not listed:
            raise InputError("mgd: targets must be a list of at least one table")
        fields["targets"] = tuple(
            _target(each, tolerance, f"mgd: target {place}") for place, each in enumerate(listed, 1)
        )
    return fields


def _target(written: object, tolerance: Fraction, what: str) -> Target:
    if not isinstance(written, Mapping):
        raise InputError(f"{what} must be a table with attributes, not {written!r}")
    _only(written, _TARGET_KEYS, what)
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


def _only(values: Mapping[str, object], keys: tuple[str, ...], what: str) -> None:
    for key in values:
        if key not in keys:
            raise InputError(f"{what} has no {key!r}; it has {', '.join(keys)}")
