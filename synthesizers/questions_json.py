"""Questions, budgets and settings as plain data: what a curator and another process exchange.

A question is written by its fields, under the names that ledgers use. The forms are derived class
by class over the lists of `declared.py` (see `plain_forms.py`), so that no declared class is
without one.
"""

from __future__ import annotations

from typing import Any

from synthesizers.budget import (
    Budget,
    PureBudget,
    SampledGaussianBudget,
    UnlimitedBudget,
    ZCDPBudget,
)
from synthesizers.curator import Setting
from synthesizers.declared import (
    NOISES,
    PUBLIC_LAWS,
    QUERIES,
    RUNS,
    SAMPLED_NOISES,
    SELECTIONS,
    SUMS,
    TABLE_LAWS,
)
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select
from synthesizers.laws.public_laws import SEED_BITS, Seed
from synthesizers.neighbours import Neighbours, neighbours_from
from synthesizers.plain_forms import Form, choice_form, object_form
from synthesizers.plain_values import (
    Misfit,
    build,
    decode_whole,
    encode_whole,
    read_at,
    read_rational,
    read_record,
    read_text,
    read_truth,
    read_whole,
)

__all__ = [
    "CONSTANTS",
    "PARTS",
    "budget_from_json",
    "decode_whole",
    "encode_whole",
    "question_from_json",
    "question_schemas",
    "question_to_json",
    "setting_from_json",
    "setting_to_json",
]

PARTS: dict[type, dict[str, tuple[str, set[type]]]] = {
    Measure: {"query": ("kind", QUERIES), "noise": ("law", NOISES)},
    MeasureSampled: {"query": ("kind", SUMS), "noise": ("law", SAMPLED_NOISES)},
    MeasureBest: {
        "query": ("kind", QUERIES),
        "noise": ("law", NOISES),
        "runs": ("law", RUNS),
    },
    Select: {"scores": ("kind", QUERIES), "noise": ("law", SELECTIONS)},
    Sanitize: {"law": ("law", TABLE_LAWS)},
    Draw: {"law": ("law", PUBLIC_LAWS)},
}
"""Which declared classes a part of an event is of, and the key that tells them apart."""

CONSTANTS: dict[type, dict[str, int]] = {Seed: {"bits": SEED_BITS}}
"""What is written beside a class's fields, the same every time."""

_NAMED = frozenset({"neighbours", "unit"})
_SETTING = frozenset({"domain", "neighbours", "unit", "records", "rows"})
_COUNTED = frozenset({"counted_under", "counted_unit"})


def _tag(key: str, kind: Any) -> str:
    """The name by which a key tells a class apart."""
    return str(kind.name if key == "law" else kind.kind)


def _part_form(key: str, kinds: set[type]) -> Form:
    names = {kind: _tag(key, kind) for kind in kinds}
    constants = {kind: {key: names[kind], **CONSTANTS.get(kind, {})} for kind in kinds}
    forms = {kind: object_form(kind, constants[kind], {}) for kind in kinds}
    _SCHEMAS.update({names[kind]: form.schema for kind, form in forms.items()})
    return choice_form(key, forms, names)


def _event_form(kind: Any) -> Form:
    parts = {name: _part_form(*part) for name, part in PARTS[kind].items()}
    form = object_form(kind, {"event": kind.kind}, parts)
    _SCHEMAS[kind.kind] = form.schema
    return form


_SCHEMAS: dict[str, Any] = {}
_EVENT = choice_form(
    "event",
    {kind: _event_form(kind) for kind in PARTS},
    {kind: _tag("event", kind) for kind in PARTS},
)


def question_schemas() -> dict[str, Any]:
    """The JSON schemas of ``question`` and of every kind of event, query and law, by name."""
    return {"question": _EVENT.schema, **{name: _SCHEMAS[name] for name in sorted(_SCHEMAS)}}


def question_to_json(event: Event) -> dict[str, Any]:
    """A question as plain data, all of it; InputError for numbers of too many digits.

    Guarantee
    ---------
    ``question_from_json`` gives an equal question back, for every declared class. Backed by
    ``tests/synthesizers/test_questions_json.py``.
    """
    plain: dict[str, Any] = _EVENT.write(event)
    return plain


def question_from_json(plain: object, domain: Domain) -> Event:
    """The question of its plain data; InputError that names the place for anything else.

    ``domain``: the curator's. A query that does not fit it is refused as well.

    Guarantee
    ---------
    Every part of what is returned is of exactly a declared class, built by that class from Python's
    own values. Backed by ``tests/synthesizers/test_questions_json.py``.
    """
    try:
        event: Event = _EVENT.read(plain, domain)
        if isinstance(event, Measure | MeasureSampled | MeasureBest):
            read_at(".query", lambda query: build(query.size, domain), event.query)
        elif isinstance(event, Select):
            read_at(".scores", lambda query: build(query.size, domain), event.scores)
    except Misfit as misfit:
        raise InputError(f"question{misfit.place}: {misfit.message}") from None
    return event


def budget_from_json(plain: object) -> Budget:
    """The budget that a budget's ``to_json`` wrote; InputError that names the place otherwise."""
    try:
        return _budget(plain)
    except Misfit as misfit:
        raise InputError(f"budget{misfit.place}: {misfit.message}") from None


def _budget(plain: object) -> Budget:
    if type(plain) is dict and "sampled" in plain:
        sampled = read_record(plain, frozenset({"sampled"}))["sampled"]
        sampled_budget: Budget = read_at(".sampled", _sampled_budget, sampled)
        return sampled_budget
    if type(plain) is dict and "unlimited" in plain:
        given = read_record(plain, frozenset({"unlimited"}))
        if not read_at(".unlimited", read_truth, given["unlimited"]):
            raise Misfit("expected true", ".unlimited")
        return UnlimitedBudget()
    name = "rho" if type(plain) is dict and "rho" in plain else "epsilon"
    counted = _COUNTED if type(plain) is dict and _COUNTED & plain.keys() else frozenset()
    given = read_record(plain, counted | {name})
    limit = read_at(f".{name}", read_rational, given[name])
    relation = None
    if counted:
        relation = _relation(given, "counted_under", "counted_unit")
    budget: Budget = build(ZCDPBudget if name == "rho" else PureBudget, limit, relation)
    return budget


def _sampled_budget(plain: object) -> Budget:
    given = read_record(plain, frozenset({"rate", "mu_squared", "steps"}))
    budget: Budget = build(
        SampledGaussianBudget,
        read_at(".rate", read_rational, given["rate"]),
        read_at(".mu_squared", read_rational, given["mu_squared"]),
        read_at(".steps", read_whole, given["steps"]),
    )
    return budget


def _relation(given: dict[str, Any], name: str, unit: str) -> Neighbours:
    inside = read_at(
        f".{unit}",
        lambda value: read_record(value, frozenset({"name", "max_records"})),
        given[unit],
    )
    relation: Neighbours = build(
        neighbours_from,
        read_at(f".{name}", read_text, given[name]),
        read_at(f".{unit}.name", read_text, inside["name"]),
        read_at(f".{unit}.max_records", read_whole, inside["max_records"]),
    )
    return relation


def setting_to_json(setting: Setting) -> dict[str, Any]:
    """The public constants of a run as plain data."""
    unit = setting.neighbours.unit
    return {
        "domain": setting.domain.to_json(),
        "neighbours": setting.neighbours.name,
        "unit": {"name": unit.name, "max_records": encode_whole(unit.max_records)},
        "records": None if setting.records is None else encode_whole(setting.records),
        "rows": None if setting.rows is None else encode_whole(setting.rows),
    }


def setting_from_json(plain: object) -> Setting:
    """The setting that `setting_to_json` wrote; InputError that names the place otherwise."""
    try:
        given = read_record(plain, _SETTING)
        domain = read_at(".domain", lambda value: build(Domain.from_json, value), given["domain"])
        relation = _relation(given, "neighbours", "unit")
        sizes = (read_at(f".{name}", _size, given[name]) for name in ("records", "rows"))
        setting: Setting = build(Setting, domain, relation, *sizes)
    except Misfit as misfit:
        raise InputError(f"setting{misfit.place}: {misfit.message}") from None
    return setting


def _size(value: object) -> int | None:
    return None if value is None else read_whole(value)
