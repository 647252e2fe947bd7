"""Values of classes that a program could write itself, equal to the plain ones until asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np


def _told(self: object, *others: object) -> NoReturn:
    raise AssertionError("a value of the program's own was asked, and could keep what it was told")


OPERATORS = (
    *("eq", "ne", "lt", "le", "gt", "ge", "hash", "abs", "neg", "bool", "contains", "getitem"),
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "str", "repr"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "index"),
)
TELLS = {f"__{name}__": _told for name in OPERATORS} | {"__array_ufunc__": None}

Whole: Any = type("Whole", (int,), TELLS)
Number: Any = type("Number", (np.int64,), TELLS)
Ratio: Any = type("Ratio", (Fraction,), TELLS)
Text: Any = type("Text", (str,), TELLS)
Several: Any = type("Several", (tuple,), TELLS)

KINDS: dict[type, list[Callable[[Any], object]]] = {
    bool: [np.bool_, Whole],
    int: [Whole, Number, Ratio],
    Fraction: [Ratio],
    str: [Text],
}


def hostile(value: Any) -> Iterator[object]:
    """The same value in classes of a program's own: the whole of it, each member, and both."""
    if type(value) is tuple:
        yield Several(value)
        for place, member in enumerate(value):
            for other in hostile(member):
                yield (*value[:place], other, *value[place + 1 :])
                yield Several((*value[:place], other, *value[place + 1 :]))
    for make in KINDS.get(type(value), []):
        yield make(value)
