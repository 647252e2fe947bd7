"""Parameters of metrics as people write them: in a TOML plan, or as text after ``--set``."""

from __future__ import annotations

import dataclasses
import sys
import tomllib
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from audit.utility.metric import FIXED, Metric
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.suggestions import suggest

_NOT_PLANNED = frozenset({"mode", "given"})
"""The mode is chosen for all metrics together, and draws come from a draws file."""

MOST_REPEATS = 10**6
"""The most draws, folds, replicates and the like: nobody waits for more."""

_REPEATS = frozenset(
    {"draws", "folds", "iterations", "permutations", "queries", "replicates", "triples"}
)
_LARGEST = 10**15
"""The largest whole number: more records than any table has, and safe in 64-bit sums."""


def parameter_names(metric: type[Metric]) -> tuple[str, ...]:
    """The parameters of a metric that a plan may set."""
    return tuple(
        f.name for f in dataclasses.fields(metric) if f.init and f.name not in _NOT_PLANNED
    )


def plan_metric(
    metric: type[Metric],
    values: Mapping[str, object],
    named: Callable[[str], Metric],
    mode: str = FIXED,
) -> Metric:
    """The metric in a mode with the parameters of a plan; those not set keep their defaults.

    A text stands for the number or list that it spells: ``"1/3"``, ``"PUMA,YEAR"``.
    ``named`` gives the metric that a parameter names. Raises ``InputError`` for a
    parameter that the metric does not have, or a value of another type.
    """
    own = getattr(metric, "from_plan", None)
    if own is not None:
        found: Metric = own(values, named)
        return found
    return metric(mode=mode, **arguments(metric, values, named))


def arguments(
    metric: type[Metric], values: Mapping[str, object], named: Callable[[str], Metric]
) -> dict[str, Any]:
    """The fields of the metric that a plan sets, each of its type; as ``planned``."""
    known = parameter_names(metric)
    hints = get_type_hints(metric)
    fields: dict[str, Any] = {}
    for written, value in values.items():
        name = written.replace("-", "_")
        if name not in known:
            raise InputError(
                f"{metric.name} has no parameter {name!r}; it has {', '.join(known) or 'none'}"
                f"{suggest(name, known)}"
            )
        what = f"{metric.name}: {name}"
        fields[name] = _convert(value, hints[name], what, named)
        if name in _REPEATS and (fields[name] or 0) > MOST_REPEATS:
            raise InputError(f"{what} must be at most {MOST_REPEATS}")
    return fields


def read_plan(path: str | Path) -> Mapping[str, Mapping[str, object]]:
    """The tables of a TOML plan, one a metric; ``-`` is standard input.

    Raises ``InputError`` if it is not a plan.
    """
    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        text = content.decode("utf-8-sig")
        document = tomllib.loads(text, parse_float=Decimal)
    except OSError as error:
        raise InputError(f"the plan {path} cannot be read: {error.strerror}") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise InputError(
            f"the plan {path} is not valid TOML; it has a table a metric, as in [k-marginal] and "
            "below it k = 3"
        ) from error
    for name, table in document.items():
        if not isinstance(table, dict):
            raise InputError(f"the plan {path}: {name} must be a table, as in [k-marginal]")
    return document


def _convert(value: object, hint: Any, what: str, named: Callable[[str], Metric]) -> Any:
    """``value`` as the type of a parameter."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        if len(options) < len(get_args(hint)) and value == "none":
            return None
        return _convert(value, options[0], what, named)
    if origin is Literal:
        if value not in get_args(hint):
            allowed = ", ".join(map(str, get_args(hint)))
            raise InputError(f"{what} must be one of {allowed}, not {_show(value)}")
        return value
    if origin is tuple:
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, list):
            raise InputError(f"{what} must be a list, not {_show(value)}")
        inner = get_args(hint)[0]
        return tuple(
            _convert(item.strip() if isinstance(item, str) else item, inner, what, named)
            for item in items
        )
    if isinstance(hint, type) and issubclass(hint, Metric):
        return named(_text(value, what))
    return _scalar(value, hint, what)


def _scalar(value: object, hint: Any, what: str) -> Any:
    if hint is str:
        return _text(value, what)
    if hint is bool:
        if value in ("true", "false"):
            return value == "true"
        if not isinstance(value, bool):
            raise InputError(f"{what} must be true or false, not {_show(value)}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise InputError(f"{what} must be a number, not {_show(value)}")
    number = parse_rational(value, what)
    if hint is int:
        if number.denominator != 1:
            raise InputError(f"{what} must be a whole number, not {_show(value)}")
        if abs(number) > _LARGEST:
            raise InputError(f"{what} must be at most {_LARGEST} in size")
        return int(number)
    if hint is Fraction:
        return number
    try:
        return float(number)
    except OverflowError:
        raise InputError(f"{what} must be a number below 1e308 in size") from None


def _show(value: object) -> str:
    """A value of a plan, for a message; a whole number can be too long to be written."""
    try:
        return repr(value)[:80]
    except ValueError:
        return "a longer number"


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} must be text, not {_show(value)}")
    return value
