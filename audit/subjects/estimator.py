"""Estimators as functions: a new object a run, fitted on the database, asked for a table."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from synthesizers.errors import InputError

SEED_NAMES = ("random_state", "seed")
"""Parameters of a constructor that take a seed: scikit-learn's name, and the plain one."""

_SEED_BITS = 32

Function = Callable[[Any, Any], Any]


def as_function(
    estimator: Any,
    parameters: Mapping[str, Any],
    rows: int,
    columns: Sequence[str] | None = None,
) -> Function:
    """The function (database, rng) -> table of an estimator with ``fit`` and ``sample``.

    ``estimator``: a class, made anew in each run with ``parameters``, or an object, copied in
    each run as it is now. It is fitted on a data frame of the database's records, or on the list
    of these where no pandas is installed, and asked for ``rows`` records, a public constant.
    ``columns``: the frame's, so that a database without records has them too; by default those of
    the records.

    Where the constructor takes a seed that nobody set, it gets a fresh integer of ``rng``: a seed
    that was set stays, and shows. Raises InputError for parameters that don't fit.
    """
    if rows < 0:
        raise InputError(f"the number of rows of a sample must not be negative, found {rows}")
    signature = _signature(estimator)
    seeded = [] if signature is None else [n for n in SEED_NAMES if n in signature.parameters]
    if isinstance(estimator, type):
        if signature is not None:
            try:
                signature.bind(**parameters)
            except TypeError as error:
                raise InputError(
                    f"the estimator can't be made of these parameters: {error}"
                ) from None
        open_seeds = [name for name in seeded if name not in parameters]
        new: Callable[[dict[str, int]], Any] = functools.partial(_make, estimator, dict(parameters))
    elif parameters:
        raise InputError("an estimator that is an object takes no parameters; give its class")
    else:
        open_seeds = [name for name in seeded if getattr(estimator, name, 0) is None]
        new = functools.partial(_copy, estimator)
    # Before the first run, so that no run pays for it; another environment may have no pandas.
    with contextlib.suppress(ModuleNotFoundError):
        import pandas  # noqa: F401 - it is loaded, not used
    names = None if columns is None else list(columns)
    return functools.partial(_run, new, open_seeds, rows, names)


def _run(
    new: Callable[[dict[str, int]], Any],
    open_seeds: list[str],
    rows: int,
    columns: list[str] | None,
    database: Any,
    rng: Any,
) -> Any:
    estimator = new({name: _draw_seed(rng) for name in open_seeds})
    estimator.fit(_table(database, columns))
    return estimator.sample(rows)


def _table(database: Any, columns: list[str] | None) -> Any:
    try:
        # Another environment may have no pandas.
        import pandas as pd
    except ModuleNotFoundError:
        return database
    return pd.DataFrame(database, columns=columns)


def _draw_seed(rng: Any) -> int:
    """Of a Generator of numpy, or of what the standard library has where that is not installed."""
    integers = getattr(rng, "integers", None)
    return rng.getrandbits(_SEED_BITS) if integers is None else int(integers(2**_SEED_BITS))


def _make(estimator: type[Any], parameters: dict[str, Any], seeds: dict[str, int]) -> Any:
    return estimator(**parameters, **seeds)


def _copy(estimator: Any, seeds: dict[str, int]) -> Any:
    copied = copy.deepcopy(estimator)
    for name, seed in seeds.items():
        setattr(copied, name, seed)
    return copied


def _signature(estimator: Any) -> inspect.Signature | None:
    """The constructor's; None where it can't be seen."""
    try:
        return inspect.signature(estimator if isinstance(estimator, type) else type(estimator))
    except ValueError:
        return None
