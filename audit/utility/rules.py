"""What holds of every record, as people write it: ``AGE < 15 -> MARITAL = N``.

::

    rule      = condition [ "->" condition ]
    condition = clause { "or" clause }
    clause    = part { "and" part }
    part      = "not" part | "(" condition ")" | column test
    test      = ("=" | "!=" | "<" | "<=" | ">" | ">=") (value | column)
              | "in" "[" value { "," value } "]" | "is missing" | "is present"

A name or a value with other signs than letters, digits and ``_ . + -`` stands in quotes. A word
after a sign is a column where the domain has one of that name, and a value otherwise. Columns with
bins, and ordinal ones whose values are numbers, are compared as numbers (or as dates and times,
where bins are of these), other ordinal ones by their declared order.

Of a record that only names its bin a rule may neither be known to hold nor to be broken, and so it
is where a value that is missing is compared as a number or by an order: every condition says of a
record whether it holds for certain, and whether it may hold (Kleene 1952). Beside = and != with a
label a missing value is a value of its own, and ``is missing`` always knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.records import Records, is_measured, label_numbers
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.quantities import Quantity

Mask = NDArray[np.bool_]

Truth = tuple[Mask, Mask]
"""Of each record [records]: whether a condition holds for certain, and whether it may hold."""

Condition = Callable[[Records], Truth]

_TOKEN = re.compile(
    r"""\s*(?:(->|!=|<=|>=|[=<>()\[\],])|"([^"]*)"|'([^']*)'|([^\s"'()\[\],=<>!]+?(?=->|[\s"'()\[\],=<>!]|$)))"""
)

_WORDS = ("and", "or", "not", "in", "is")

_SIGNS = ("=", "!=", "<", "<=", ">", ">=")

_DEEPEST = 50
"""So many brackets and "not" stand in each other at most: far more than anybody reads, and few
enough for Python's stack."""


@dataclass(frozen=True)
class Rule:
    """A rule in its own words, and when it is broken."""

    text: str
    broken: Condition


def read_rule(text: str, domain: Domain) -> Rule:
    """The rule that a text states over a domain.

    Raises ``InputError`` for a text that is no rule, an unknown column, a value that the column
    does not have, and an order where there is none.
    """
    try:
        reader = _Reader(text, domain)
        first = reader.read_condition()
        if reader.take("->"):
            broken = _require_all([first, _negate(reader.read_condition())])
        else:
            broken = _negate(first)
        reader.require_end()
    except InputError as error:
        raise InputError(f"the rule {text!r}: {error}") from error
    return Rule(text, broken)


@dataclass(frozen=True)
class _Token:
    """A sign, a bare word, or what stood in quotes."""

    text: str
    quoted: bool = False
    sign: bool = False


class _Reader:
    """The tokens of a rule, read from the first to the last."""

    def __init__(self, text: str, domain: Domain) -> None:
        self.domain = domain
        self.tokens = _split(text)
        self.place = 0
        self.depth = 0

    def read_condition(self) -> Condition:
        found = [self.read_clause()]
        while self.take("or"):
            found.append(self.read_clause())
        return _allow_any(found)

    def read_clause(self) -> Condition:
        found = [self.read_part()]
        while self.take("and"):
            found.append(self.read_part())
        return _require_all(found)

    def read_part(self) -> Condition:
        if self.take("not"):
            return _negate(self.within(self.read_part))
        if self.take("("):
            found = self.within(self.read_condition)
            self.need(")")
            return found
        attribute = self.domain.attribute(self.read_word("a column"))
        if self.take("is"):
            missing = _test_missing(attribute)
            if self.take("missing"):
                return missing
            self.need("present")
            return _negate(missing)
        if self.take("in"):
            self.need("[")
            values = [_test_equal(attribute, self.read_word("a value"))]
            while self.take(","):
                values.append(_test_equal(attribute, self.read_word("a value")))
            self.need("]")
            return _allow_any(values)
        sign = next((sign for sign in _SIGNS if self.take(sign)), None)
        if sign is None:
            raise InputError(
                f"after {attribute.name} stands one of {' '.join(_SIGNS)}, in [ … ], is missing or "
                "is present"
            )
        quoted = self.peek().quoted
        value = self.read_word("a value or a column")
        if not quoted and value in self.domain.names:
            return _test_pair(attribute, sign, self.domain.attribute(value))
        if sign in ("=", "!="):
            same = _test_equal(attribute, value)
            return same if sign == "=" else _negate(same)
        return _test_side(attribute, sign, value)

    def within(self, read: Callable[[], Condition]) -> Condition:
        """What stands in brackets or behind "not"."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InputError(f"more than {_DEEPEST} brackets and not stand in each other")
        found = read()
        self.depth -= 1
        return found

    def peek(self) -> _Token:
        return self.tokens[self.place] if self.place < len(self.tokens) else _Token("", sign=True)

    def take(self, text: str) -> bool:
        token = self.peek()
        known = token.sign or not token.quoted
        if known and token.text == text and self.place < len(self.tokens):
            self.place += 1
            return True
        return False

    def need(self, text: str) -> None:
        if not self.take(text):
            raise InputError(f"expected {text!r}, found {self.peek().text or 'the end'!r}")

    def read_word(self, what: str) -> str:
        token = self.peek()
        if token.sign or (not token.quoted and token.text in _WORDS):
            raise InputError(f"expected {what}, found {token.text or 'the end'!r}")
        self.place += 1
        return token.text

    def require_end(self) -> None:
        if self.place < len(self.tokens):
            raise InputError(f"expected the end, and, or or ->, found {self.peek().text!r}")


def _split(text: str) -> list[_Token]:
    tokens, place = [], 0
    rest = text.rstrip()
    while place < len(rest):
        found = _TOKEN.match(rest, place)
        if found is None:
            raise InputError(f"it cannot be read from {rest[place:].strip()!r} on")
        sign, double, single, word = found.groups()
        quoted = double if double is not None else single
        if quoted is not None:
            tokens.append(_Token(quoted, quoted=True))
        else:
            tokens.append(_Token(sign or word, sign=sign is not None))
        place = found.end()
    return tokens


def _require_all(conditions: Sequence[Condition]) -> Condition:
    def holds(records: Records) -> Truth:
        certain, may = conditions[0](records)
        for condition in conditions[1:]:
            other, may_other = condition(records)
            certain, may = certain & other, may & may_other
        return certain, may

    return holds


def _allow_any(conditions: Sequence[Condition]) -> Condition:
    return _negate(_require_all([_negate(condition) for condition in conditions]))


def _negate(condition: Condition) -> Condition:
    def holds(records: Records) -> Truth:
        certain, may = condition(records)
        return ~may, ~certain

    return holds


def _test_missing(attribute: Attribute) -> Condition:
    def holds(records: Records) -> Truth:
        none = records.column(attribute.name) == attribute.size - 1
        found = none if attribute.missing else np.zeros_like(none)
        return found, found

    return holds


def _test_equal(attribute: Attribute, value: str) -> Condition:
    """Whether the value is the one stated: a label, or a number of a column with bins."""
    if value in attribute.labels:
        code = attribute.labels.index(value)

        def is_labelled(records: Records) -> Truth:
            same = records.column(attribute.name) == code
            return same, same

        return is_labelled
    number = attribute.quantity.double(value)
    if attribute.edges is None or number is None:
        raise InputError(
            f"{attribute.name} has no value {value!r}; it has {', '.join(attribute.labels[:12])}"
            + (" and more" if len(attribute.labels) > 12 else "")
        )

    def is_equal(records: Records) -> Truth:
        stated = np.array(number)
        return _compare(_find_ends(records, attribute), "=", (stated, stated))

    return is_equal


def _test_side(attribute: Attribute, sign: str, value: str) -> Condition:
    """Whether the value lies on a side of the one stated."""
    if is_measured(attribute):
        number = attribute.quantity.double(value)
        if number is None:
            kind = attribute.quantity.value
            raise InputError(f"{attribute.name} is compared with {kind}, and {value!r} is none")
        stated = np.array(number)
        return lambda records: _compare(_find_ends(records, attribute), sign, (stated, stated))
    if not attribute.ordinal:
        raise InputError(
            f"the values of {attribute.name} have no order; declare ordinal = true, or say in [ … ]"
        )
    if value not in attribute.values:
        raise InputError(f"{attribute.name} has no value {value!r}")
    place = np.array(float(attribute.values.index(value)))

    def holds(records: Records) -> Truth:
        codes = records.column(attribute.name)
        places = np.where(codes < len(attribute.values), codes, np.nan)
        return _compare((places, places), sign, (place, place))

    return holds


def _test_pair(first: Attribute, sign: str, second: Attribute) -> Condition:
    """Whether two columns of a record stand in an order, or have the same value."""
    kinds = {first.quantity, second.quantity}
    alike = len(kinds) == 1 or kinds == {Quantity.DATES, Quantity.MOMENTS}
    if not (is_measured(first) and is_measured(second) and alike):
        if sign not in ("=", "!=") or first.labels != second.labels:
            raise InputError(
                f"{first.name} and {second.name} cannot be compared: both must be numbers, or both "
                "dates, or have the same values and stand beside = or !="
            )

        def is_same(records: Records) -> Truth:
            same = records.column(first.name) == records.column(second.name)
            return same, same

        return is_same if sign == "=" else _negate(is_same)

    def holds(records: Records) -> Truth:
        return _compare(_find_ends(records, first), sign, _find_ends(records, second))

    return holds


Ends = tuple[NDArray[np.float64], NDArray[np.float64]]


def _find_ends(records: Records, attribute: Attribute) -> Ends:
    """The least and the largest number that each record may have, NaN where it has none."""
    name = attribute.name
    if attribute.edges is None:
        numbers = label_numbers(attribute)[records.column(name)]
        return numbers, numbers
    if name not in records.midpoints:
        return records.binned[name], records.binned[name]
    edges = np.array([float(edge) for edge in attribute.edges])
    codes = records.column(name)
    known = codes < len(edges) - 1
    place = np.where(known, codes, 0)
    # Bins are left-closed, but for the last one.
    tops = np.append(np.nextafter(edges[1:-1], -np.inf), edges[-1])
    low, high = edges[place], tops[place]
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _compare(first: Ends, sign: str, second: Ends) -> Truth:
    """Whether one number stands in an order to another; where either is absent, it may."""
    (low, high), (least, most) = first, second
    if sign == "!=":
        certain, may = _compare(first, "=", second)
        return ~may, ~certain
    if sign in (">", ">="):
        return _compare(second, {">": "<", ">=": "<="}[sign], first)
    absent = np.isnan(low + least)
    if sign == "<":
        return high < least, (low < most) | absent
    if sign == "<=":
        return high <= least, (low <= most) | absent
    same = (low == high) & (least == most) & (low == least)
    return same, ((low <= most) & (least <= high)) | absent
