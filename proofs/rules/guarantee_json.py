"""A guarantee from its plain data: the inverse of `proofs.judgments.guarantee_to_json`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Odometer,
    Profile,
    RenyiCurve,
)
from proofs.losses import LOSSES, Loss, Losses, join
from proofs.parameters import Parameters
from synthesizers.errors import InputError

KINDS = ("approx", "zcdp", "gdp", "approx-zcdp", "renyi", "profile", "dominated", "odometer")
"""The kinds of guarantee, as plain data names them."""


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
    reader = Parameters("of a guarantee", data)
    try:
        found = _read_guarantee(reader)
    except InputError as error:
        raise ProofError(str(error)) from None
    reader.close()
    return found


def _read_guarantee(reader: Parameters) -> Guarantee:
    match reader.choice("kind", *KINDS):
        case "approx":
            return ApproxDP(reader.rational("epsilon"), reader.rational("delta"))
        case "zcdp":
            return ZCDP(reader.rational("rho"))
        case "gdp":
            return GaussianDP(reader.rational("mu"))
        case "approx-zcdp":
            return ApproxZCDP(*(reader.rational(name) for name in ("xi", "rho", "delta")))
        case "renyi":
            return RenyiCurve(reader.points("points"))
        case "profile":
            return Profile(reader.points("points"))
        case "odometer":
            return Odometer(reader.points("levels"), reader.rational("delta"))
        case _:
            return Dominated(_losses(reader.value("losses")))


def _losses(data: object) -> Losses:
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        raise ProofError("the losses of a guarantee are a list of named values")
    losses = tuple(_loss(entry) for entry in data)
    if losses != join([losses], [1]):
        raise ProofError("losses are listed by name and parameters, equal ones as one entry")
    return losses


def _loss(entry: dict[str, object]) -> tuple[int, Loss]:
    reader = Parameters("of a loss", entry)
    kind = LOSSES[reader.choice("loss", *LOSSES)]
    own: dict[str, Any] = {
        field.name: (reader.whole if field.name == "shift" else reader.rational)(field.name)
        for field in fields(kind)
    }
    count = reader.whole("count", 1)
    reader.close()
    return count, kind(**own)
