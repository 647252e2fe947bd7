"""A guarantee from its plain data: the inverse of `proofs.judgments.guarantee_to_json`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from proofs.entries import ENTRIES, Entries, Entry
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Odometer, Profile, RenyiCurve
from proofs.losses import join
from proofs.parameters import Parameters
from synthesizers.errors import InputError

KINDS: dict[str, Callable[[Parameters], Guarantee]] = {
    "losses": lambda given: LossList(_entries(given.value("losses"))),
    "approx": lambda given: ApproxDP(given.rational("epsilon"), given.rational("delta")),
    "zcdp": lambda given: ZCDP(given.rational("rho")),
    "gdp": lambda given: GaussianDP(given.rational("mu")),
    "renyi": lambda given: RenyiCurve(given.points("points")),
    "profile": lambda given: Profile(given.points("points")),
    "odometer": lambda given: Odometer(given.points("levels"), given.rational("delta")),
}
"""The kinds of guarantee, as plain data names them, and how each is read."""


def guarantee_from_json(data: object) -> Guarantee:
    """The guarantee of its plain data; ProofError for unknown kinds, names and ranges.

    Numbers are integers, or rationals as text. Losses come in their canonical order, equal ones
    as one entry, so that one guarantee has one form.

    Guarantee
    ---------
    ``guarantee_to_json`` gives the data back, with every number in its lowest terms. Backed by
    ``tests/proofs/rules/test_guarantee_json.py``.
    """
    if not isinstance(data, dict):
        raise ProofError("a guarantee is named values, one of them its kind")
    reader = Parameters("a guarantee", data)
    try:
        found = KINDS[reader.choice("kind", *KINDS)](reader)
    except InputError as error:
        raise ProofError(str(error)) from None
    reader.close()
    return found


def _entries(data: object) -> Entries:
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise ProofError("the losses of a guarantee are a list of named values")
    entries = tuple(entry_from_json(entry) for entry in data)
    if entries != join([entries], [1]):
        raise ProofError("losses are listed by name and parameters, equal ones as one entry")
    return entries


def entry_from_json(data: dict[str, Any]) -> tuple[int, Entry]:
    """One loss and how often it occurs; ProofError for unknown kinds, names and ranges."""
    reader = Parameters("a loss", data)
    kind: Any = ENTRIES[reader.choice("loss", *ENTRIES)]
    own = {
        field.name: _READ.get(field.name, Parameters.rational)(reader, field.name)
        for field in fields(kind)
    }
    count = reader.whole("count", 1)
    reader.close()
    return count, kind(**own)


def _l0(reader: Parameters, name: str) -> int | None:
    return None if reader.value(name) is None else reader.whole(name)


_READ: dict[str, Callable[[Parameters, str], Any]] = {
    "law": Parameters.text,
    "l0": _l0,
    "steps": Parameters.whole,
    "points": Parameters.points,
}
"""The fields of losses that are no rational numbers, and how each is read."""
