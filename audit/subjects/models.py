"""Models as functions: classes with ``fit(X)`` or ``fit(X, y)``, as scikit-learn's are.

What is released are the attributes that fitting leaves, those whose names end with an underscore,
or those that the class lists in ``released``. Runs in the subject's process, with numpy alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from synthesizers.errors import InputError


def is_model(found: Any) -> bool:
    """Whether it is fitted and asked for no table: it has ``fit`` and one of what models have."""
    has = [callable(getattr(found, name, None)) for name in ("predict", "transform", "get_params")]
    return callable(getattr(found, "fit", None)) and any(has) and not hasattr(found, "sample")


def release_of(model: Any) -> Callable[..., dict[str, Any]]:
    """The function (database, rng) -> what a model releases by name; parameters may be set on it.

    ``model``: a class, made anew in each run, or an object, whose class is made with its own
    parameters. The last attribute of the records is ``y`` where ``fit`` takes one, all others are
    the columns of ``X``, as numbers. Its random state is left as it is: a model draws from a
    generator of its own.
    """
    kind = model if isinstance(model, type) else type(model)
    own: Mapping[str, Any] = {} if isinstance(model, type) else model.get_params(deep=False)
    supervised = _takes_labels(kind)

    def release(database: Any, rng: Any, **parameters: Any) -> dict[str, Any]:
        made = kind(**{**own, **parameters})
        made.fit(*_read_table(database, supervised))
        return _released_by(made)

    return release


def _takes_labels(kind: type[Any]) -> bool:
    """Whether ``fit`` can't be called without labels."""
    parameters = list(inspect.signature(kind.fit).parameters.values())[2:3]
    return any(one.name.lower() == "y" and one.default is one.empty for one in parameters)


def _read_table(database: Any, supervised: bool) -> tuple[Any, ...]:
    # Another environment may have no numpy, and then no models either.
    import numpy as np

    rows = [list(record.values()) if isinstance(record, Mapping) else record for record in database]
    try:
        table = np.array(rows, np.float64)
    except (TypeError, ValueError):
        raise InputError("a model is fitted on numbers; give attributes with numbers") from None
    if table.ndim != 2:
        table = table.reshape(len(rows), -1 if rows else 1)
    return (table[:, :-1], table[:, -1]) if supervised else (table,)


def _released_by(made: Any) -> dict[str, Any]:
    names = getattr(made, "released", None)
    if names is None:
        names = [name for name in vars(made) if name.endswith("_") and not name.startswith("_")]
    return {name: _plain(getattr(made, name)) for name in sorted(names)}


def _plain(value: Any) -> Any:
    """Numbers, texts and arrays as they are; of anything else the name of its type."""
    if value is None or isinstance(value, (bool, int, float, str)) or hasattr(value, "tolist"):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence):
        return [_plain(one) for one in value]
    return type(value).__name__
