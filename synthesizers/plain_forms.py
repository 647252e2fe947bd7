"""Forms: how values of our own classes are written as plain JSON, and read from a stranger's.

A form follows from a type, so that a class with typed fields needs no reader of its own:

- a tuple is a list; a Fraction is text, such as ``"1/3"``; a whole number beyond 2^53 - 1 is text;
- a class within another is written as its only field, or as an object of its fields;
- a list that may be empty by default is left out when it is.

Reading goes no deeper than the types do, and builds nothing of a list before its length was looked
at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from operator import itemgetter
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from synthesizers.domain import Domain
from synthesizers.plain_values import (
    LARGEST_NUMBER,
    LIMIT,
    MAX_DIGITS,
    Misfit,
    build,
    encode_whole,
    kind_of,
    read_rational,
    read_record,
    read_text,
    read_truth,
    read_whole,
    write_rational,
)

MAX_MEMBERS = 2**24
"""The most members of a list: the most answers of a query."""

ONE_AN_ATTRIBUTE = frozenset({"shape", "groupings", "ladders"})
"""Fields with an entry for each attribute of the domain. Their product says what a law is made for;
it must not be worked out for more entries than that."""


class Form(NamedTuple):
    """How values of one type are read, beside the curator's domain, and written.

    ``schema``: what is read, as JSON schema; it refers to ``whole``, ``exact`` and ``text``.
    """

    read: Callable[[Any, Domain], Any]
    write: Callable[[Any], Any]
    schema: dict[str, Any]


def form_of(kind: Any) -> Form:
    """The form of a type; TypeError for a type that has none."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    arguments = get_args(kind)
    if get_origin(kind) is tuple and arguments[-1] is Ellipsis:
        return _list_form(arguments[0])
    if get_origin(kind) is tuple:
        return _row_form([form_of(argument) for argument in arguments])
    if isinstance(kind, UnionType):
        return _union_form(arguments)
    if isinstance(kind, type) and is_dataclass(kind):
        return _within_form(kind)
    raise TypeError(f"a declared class has a field of {kind}, which has no plain form")


def object_form(kind: Any, constants: Mapping[str, Any], parts: Mapping[str, Form]) -> Form:
    """Of a class: an object of its fields beside what is written every time.

    ``parts``: the forms of fields whose type does not say which classes are declared.
    """
    hints = get_type_hints(kind)
    forms = {f.name: parts.get(f.name) or form_of(hints[f.name]) for f in fields(kind)}
    optional = frozenset(field.name for field in fields(kind) if field.default == ())
    needed = frozenset(forms).union(constants) - optional

    def read(value: object, domain: Domain) -> Any:
        given = read_record(value, needed, optional)
        for name, constant in constants.items():
            if type(given[name]) is not type(constant) or given[name] != constant:
                raise Misfit(f"expected {constant}", f".{name}")
        values = {}
        for name, form in forms.items():
            if name in given:
                try:
                    values[name] = form.read(given[name], domain)
                except Misfit as misfit:
                    raise misfit.within(f".{name}") from None
                if name in ONE_AN_ATTRIBUTE and len(values[name]) != len(domain.attributes):
                    raise Misfit("expected one entry an attribute of the domain", f".{name}")
        return build(kind, **values)

    def write(value: Any) -> dict[str, Any]:
        plain = dict(constants)
        for name, form in forms.items():
            field = getattr(value, name)
            if field != () or name not in optional:
                plain[name] = form.write(field)
        return plain

    properties: dict[str, Any] = {name: {"const": value} for name, value in constants.items()}
    properties |= {name: form.schema for name, form in forms.items()}
    return Form(read, write, record_schema(properties, needed))


def record_schema(properties: dict[str, Any], needed: Iterable[str]) -> dict[str, Any]:
    """The schema of an object with all needed keys and no unknown one."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name in set(needed)],
        "additionalProperties": False,
    }


def choice_form(key: str, forms: Mapping[type, Form], names: Mapping[type, str]) -> Form:
    """Of one of some classes, which an object's ``key`` names."""
    by_name = {names[kind]: form for kind, form in forms.items()}
    if len(by_name) != len(forms):
        raise TypeError(f"two declared classes have the same {key}")
    expected = ", ".join(sorted(by_name))

    def read(value: object, domain: Domain) -> Any:
        if type(value) is not dict:
            raise Misfit(f"expected an object, found {kind_of(value)}")
        name = value.get(key)
        if type(name) is not str or name not in by_name:
            raise Misfit(f"expected one of {expected}", f".{key}")
        return by_name[name].read(value, domain)

    schema = {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in sorted(by_name)]}
    return Form(read, lambda value: forms[type(value)].write(value), schema)


def _list_form(member: Any) -> Form:
    form = form_of(member)
    denominator = _denominator_of(member)

    def read(value: object, domain: Domain) -> tuple[Any, ...]:
        listed = _require_list(value)
        if member is int and _is_small(listed):
            return tuple(listed)
        members = tuple(_members(listed, [form] * len(listed), domain))
        if denominator is not None:
            _require_common(map(denominator, members))
        return members

    def write(members: tuple[Any, ...]) -> list[Any]:
        if member is str or (member is int and _is_small(members)):
            return list(members)
        return [form.write(value) for value in members]

    return Form(read, write, {"type": "array", "items": form.schema, "maxItems": MAX_MEMBERS})


def _row_form(forms: list[Form]) -> Form:
    """Of tuples of so many members."""

    def read(value: object, domain: Domain) -> tuple[Any, ...]:
        listed = _require_list(value)
        if len(listed) != len(forms):
            raise Misfit(f"expected a list of {len(forms)} members, found {len(listed)}")
        return tuple(_members(listed, forms, domain))

    def write(members: tuple[Any, ...]) -> list[Any]:
        return [form.write(value) for form, value in zip(forms, members, strict=True)]

    schema = {"type": "array", "prefixItems": [form.schema for form in forms], "items": False}
    return Form(read, write, {**schema, "minItems": len(forms)})


def _within_form(kind: Any) -> Form:
    """Of a class within another: its only field, or an object of its fields."""
    if len(fields(kind)) > 1:
        return object_form(kind, {}, {})
    (name,) = (field.name for field in fields(kind))
    form = form_of(get_type_hints(kind)[name])
    return Form(
        lambda value, domain: build(kind, form.read(value, domain)),
        lambda value: form.write(getattr(value, name)),
        form.schema,
    )


def _union_form(kinds: tuple[Any, ...]) -> Form:
    """Of two classes that JSON tells apart: one is a list, its only field, the other an object."""
    forms = {kind: form_of(kind) for kind in kinds}
    by_type: dict[Any, Form] = {
        dict if len(fields(kind)) > 1 else list: form for kind, form in forms.items()
    }
    if len(by_type) != len(kinds):
        raise TypeError(f"JSON does not tell {kinds} apart")

    def read(value: object, domain: Domain) -> Any:
        form = by_type.get(type(value))
        if form is None:
            raise Misfit(f"expected a list or an object, found {kind_of(value)}")
        return form.read(value, domain)

    schema = {"oneOf": [form.schema for form in forms.values()]}
    return Form(read, lambda value: forms[type(value)].write(value), schema)


def _require_list(value: object) -> list[Any]:
    if type(value) is not list or len(value) > MAX_MEMBERS:
        raise Misfit(f"expected a list of at most {MAX_MEMBERS} members, found {kind_of(value)}")
    return value


def _members(listed: list[Any], forms: list[Form], domain: Domain) -> Iterator[Any]:
    for place, (value, form) in enumerate(zip(listed, forms, strict=True)):
        try:
            yield form.read(value, domain)
        except Misfit as misfit:
            raise misfit.within(f"[{place}]") from None


def _is_small(numbers: Any) -> bool:
    """Whether all are whole numbers that JSON holds as numbers: so are nearly all long lists."""
    return not numbers or (
        set(map(type, numbers)) == {int}
        and min(numbers) >= -LARGEST_NUMBER
        and max(numbers) <= LARGEST_NUMBER
    )


def _denominator_of(member: Any) -> Callable[[Any], int] | None:
    """Where members of a type hold a Fraction; None if they hold none."""
    if member is Fraction:
        return lambda value: int(value.denominator)
    if Fraction not in get_args(member):
        return None
    pick = itemgetter(get_args(member).index(Fraction))
    return lambda value: int(pick(value).denominator)


def _require_common(denominators: Iterable[int]) -> None:
    """A sum of Fractions without a common denominator grows with every one of them."""
    common = 1
    for denominator in denominators:
        common = math.lcm(common, denominator)
        if common >= LIMIT:
            raise Misfit(f"the numbers' common denominator has more than {MAX_DIGITS} digits")


_PLAIN: dict[Any, Form] = {
    int: Form(read_whole, encode_whole, {"$ref": "#/$defs/whole"}),
    bool: Form(read_truth, lambda value: value, {"type": "boolean"}),
    str: Form(read_text, lambda value: value, {"$ref": "#/$defs/text"}),
    Fraction: Form(read_rational, write_rational, {"$ref": "#/$defs/exact"}),
}
