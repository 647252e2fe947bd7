"""Parameters rebuilt as Python's own values.

A law compares its parameters with true counts and computes with both, and a
class of a program's own could keep what it is compared with, or answer wrongly.
So a parameter is rebuilt as an exact int, Fraction, str, bool or tuple before
anything else looks at it; an object of another kind is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeGuard

import numpy as np

from synthesizers.errors import InputError


def is_integer(value: object) -> TypeGuard[int | np.integer[Any]]:
    """Tell whether ``value`` is a Python or numpy integer; a bool is not a number here."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def require_integer(value: object, name: str) -> int:
    """Return ``value`` as an int if it is an integer, else raise ``InputError``.

    Guarantee
    ---------
    What this and the other functions of this module return is of exactly the
    type that they say, in every part. Backed by ``tests/synthesizers/test_plain.py``.
    """
    if not is_integer(value):
        raise InputError(f"The {name} must be a whole number, not {_kind(value)}.")
    return int(value)


def require_count(value: object, name: str) -> int:
    """Return ``value`` as an int if it is a nonnegative integer, else raise ``InputError``."""
    count = int(value) if is_integer(value) else -1
    if count < 0:
        raise InputError(f"The {name} must be a nonnegative integer, not {_kind(value)}.")
    return count


def require_rational(value: object, name: str) -> Fraction:
    """Return ``value`` as a Fraction if it is an integer or a Fraction, else ``InputError``."""
    if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:
        return value
    if isinstance(value, Fraction):
        # A Fraction can be built of numpy integers, whose arithmetic would overflow in silence.
        return Fraction(int(value.numerator), int(value.denominator))
    if not is_integer(value):
        raise InputError(
            f"The {name} must be an exact rational (a Fraction or an integer), not {_kind(value)}."
        )
    return Fraction(int(value))


def require_text(value: object, name: str) -> str:
    """Return ``value`` as a str if it is text, else raise ``InputError``."""
    if not isinstance(value, str):
        raise InputError(f"The {name} must be a text, not {_kind(value)}.")
    # A subclass may say anything of itself, but not in place of the class that it derives from.
    return str.__str__(value)


def require_switch(value: object, name: str) -> bool:
    """Return ``value`` as a bool if it is true or false, else raise ``InputError``."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"The {name} must be true or false, not {_kind(value)}.")
    return bool(value)


def require_tuple(values: object, name: str) -> tuple[Any, ...]:
    """Return the members of a list, tuple or array, as they are; else raise ``InputError``."""
    if type(values) is tuple:
        return values
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"The {name} must be a list, not {_kind(values)}.")
    return tuple(values)


def require_integers(values: object, name: str) -> tuple[int, ...]:
    """Return a list of integers as a tuple of ints; else raise ``InputError``."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype == np.int64:
        return tuple(values.tolist())
    members = require_tuple(values, name)
    if set(map(type, members)) <= {int}:
        return members
    for member in members:
        if not is_integer(member):
            raise InputError(f"The {name} must be whole numbers, not {_kind(member)}.")
    return tuple(map(int, members))


def _kind(value: object) -> str:
    return "a negative number" if is_integer(value) else f"a {type(value).__name__}"


class PlainQuery:
    """A query whose plain data are its kind and its fields."""

    __slots__ = ()
    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""
        return {"kind": self.kind, **_plain_fields(self)}


class PlainLaw:
    """A law whose plain data are its name and its fields."""

    __slots__ = ()
    name: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, **_plain_fields(self)}


def _plain_fields(value: Any) -> dict[str, Any]:
    """Fields by their names; a list that may be empty by default is left out when it is."""
    values = [(field, getattr(value, field.name)) for field in fields(value)]
    return {f.name: _plain(held) for f, held in values if held != () or f.default != ()}


def _plain(value: Any) -> Any:
    """A tuple is a list, a Fraction text; a part is its only field, or an object of its fields."""
    if isinstance(value, tuple):
        flat = set(map(type, value)) <= {int, str}
        return list(value) if flat else [_plain(each) for each in value]
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        plain = _plain_fields(value)
        return plain if len(fields(value)) > 1 else next(iter(plain.values()))
    return value
