"""Certificates as JSON: documents, key by key, as values.

A certificate may come from anyone. It is compared with the published schema, and read as a
`Document`, before anything in it is computed with, run or printed; the inside of a proof and of a
channel certificate is read by `proofs.checker`, which refuses what it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Annotated, Any, TypeVar, cast

from audit.statements.claim import Claim
from audit.statements.codec import OPTIONAL, Codec, Kind, double, spelling
from audit.statements.decimals import Enclosure
from audit.statements.evidence import (
    ENCLOSURE,
    Bound,
    Evidence,
    Side,
    Verdict,
)
from audit.statements.finding import Finding, Property
from audit.statements.isolation import Isolation
from audit.statements.published import Place, Schema
from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Unit, neighbours_from

VERSION = "dp-audit/certificate/1"
SCHEMA = Schema.load("1/certificate.json")

OWN = ("rho", "mu", "rdp")
"""What a claim may bound that is not ε: a bound has the smallest of it beside its ε."""


def _read_bound(side: Side | None, value: Any, place: Place) -> Bound:
    of = Side(value["side"]) if side is None else side
    ends = {
        name: ENCLOSURE.read(value[name], place.at(name))
        for name in ("epsilon", *OWN)
        if name in value
    }
    epsilon, *own = ends.items()
    if len(own) > 1:
        place.at(own[1][0]).note("a claim has one parameter")
    parameter = own[0] if own else None
    return Bound(of, epsilon[1], value["covers"], value["rigour"], parameter)


def _write_bound(bound: Bound) -> dict[str, Any]:
    own = dict([] if bound.parameter is None else [bound.parameter])
    return {
        "side": bound.side.value,
        "epsilon": bound.epsilon.to_json(),
        **{name: ends.to_json() for name, ends in own.items()},
        "covers": bound.covers,
        "rigour": bound.rigour,
    }


def _read_bounds(value: Any, place: Place) -> dict[str, Bound | None]:
    return {
        side: None if own is None else _read_bound(Side(side), own, place.at(side))
        for side, own in value.items()
    }


def _write_bounds(bounds: Mapping[str, Bound | None]) -> dict[str, Any]:
    written = {side: None if own is None else _write_bound(own) for side, own in bounds.items()}
    return {
        side: own and {key: part for key, part in own.items() if key != "side"}
        for side, own in written.items()
    }


def _parse_error(stated: str) -> Fraction:
    value = parse_rational(stated, "an error")
    if not 0 < value < 1:
        raise InputError("an error lies strictly between 0 and 1")
    return value


def _read_domain(value: Any) -> tuple[Domain, int | None]:
    rest = {key: own for key, own in value.items() if key not in ("cells", "records")}
    return Domain.from_json(rest), value["records"]


def _write_domain(about: tuple[Domain, int | None]) -> dict[str, Any]:
    domain, records = about
    return {**domain.to_json(), "cells": domain.size, "records": records}


@dataclass(frozen=True)
class Apart(Isolation):
    """What kept the subject apart, and whether its maker took its word besides."""

    trusted: bool


@dataclass(frozen=True, kw_only=True)
class Document:
    """A certificate as its file has it, key by key.

    What the checker, a subject or a release reads of it stays plain data. ``domain``: with the
    number of records that the claim speaks of.
    """

    schema: str = VERSION
    verdict: Verdict
    subject: Mapping[str, Any]
    claim: Guarantee
    neighbours: str
    unit: Unit
    released: str
    domain: Annotated[tuple[Domain, int | None], spelling(_read_domain, _write_domain)] | None
    bounds: Annotated[Mapping[str, Bound | None], Kind(_read_bounds, _write_bounds)]
    evidence: tuple[Evidence, ...]
    proof: Mapping[str, Any] | None = None
    channel_certificate: Mapping[str, Any] | None = None
    assumptions: tuple[str, ...]
    reproduce: str
    isolation: Apart | None = field(default=None, metadata=OPTIONAL)
    questions: Mapping[str, Any] | None = field(default=None, metadata=OPTIONAL)
    unproved: str | None = field(default=None, metadata=OPTIONAL)
    self_test: Mapping[str, Any] | None = field(default=None, metadata=OPTIONAL)
    digest: str = ""

    @property
    def about(self) -> Claim:
        """The claim, with all that it is relative to; raises InputError where that is none."""
        relation = neighbours_from(self.neighbours, self.unit.name, self.unit.max_records)
        domain, records = (None, None) if self.domain is None else self.domain
        return Claim(self.claim, relation, self.released, domain, records)

    @property
    def attacks(self) -> tuple[Evidence, ...]:
        """The evidence of attacks."""
        return tuple(one for one in self.evidence if one.auditor == "attack")


def claim_fields(claim: Claim) -> dict[str, Any]:
    """What a document has of a claim, by its fields."""
    relation, domain = claim.neighbours, claim.domain
    return {
        "claim": claim.guarantee,
        "neighbours": relation.name,
        "unit": relation.unit,
        "released": claim.released,
        "domain": None if domain is None else (domain, claim.records),
    }


_LEAVES = Codec(
    {
        float: double,
        Fraction: spelling(_parse_error, str),
        Guarantee: spelling(parse_guarantee, str),
        Enclosure: ENCLOSURE,
        Bound: Kind(lambda value, place: _read_bound(None, value, place), _write_bound),
    }
)
# Its proof stands beside the evidence.
_EVIDENCE = _LEAVES.fields(Evidence, "proof")
_PROPERTY = _LEAVES.fields(Property)


def _read_evidence(value: Any, place: Place) -> Evidence:
    """Evidence; of a property, all that it is about stands under a key of its own."""
    if "property" not in value:
        return cast(Evidence, _EVIDENCE.read(value, place))
    rest = {key: own for key, own in value.items() if key != "property"}
    parts = (_EVIDENCE.read(rest, place), _PROPERTY.read(value["property"], place.at("property")))
    return Finding(**{one.name: getattr(part, one.name) for part in parts for one in fields(part)})


def _write_evidence(evidence: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = _EVIDENCE.write(evidence)
    if not isinstance(evidence, Finding):
        return plain
    return {**plain, "property": _PROPERTY.write(evidence.essence)}


_FOUND = Kind(_read_evidence, _write_evidence)
_PARTS = Codec({**_LEAVES.own, Evidence: _FOUND, Finding: _FOUND})
_CODEC = Codec({**_PARTS.own, Document: _PARTS.fields(Document)})

T = TypeVar("T")


def encode(value: object) -> Any:
    """A document, or a value in one, as plain data."""
    return _CODEC.kind(type(value)).write(value)


def decode(value: object) -> Document:
    """The document of plain data.

    Raises InputError, with the place, where a key is missing or its value is of another form or
    beyond the limits, and `Strange` for keys that no version has and numbers spelled otherwise.

    Guarantee
    ---------
    Every field at every depth holds what dp-audit writes there: of its type, in its spelling, and
    no longer than its limit. Nothing is converted before all of it was compared with the published
    schema, and nothing is imported or run. Backed by
    ``tests/audit/statements/test_certificate_json.py``.
    """
    return _decode(Document, SCHEMA.content, value)


def decode_evidence(value: object) -> Evidence:
    """One finding of plain data, as a document has it; raises as `decode`."""
    return _decode(Evidence, {"$ref": "#/$defs/evidence"}, value)


def _decode(cls: type[T], schema: Mapping[str, Any], value: object) -> T:
    place = Place()
    SCHEMA.check(schema, value, place)
    place.require_ordinary()
    decoded = cast(T, _CODEC.kind(cls).read(value, place))
    place.require_ordinary()
    return decoded


def as_written(evidence: Evidence) -> Evidence:
    """Evidence with its numbers as a document has them, which may be a little wider."""
    return cast(Evidence, _CODEC.kind(Evidence).read(encode(evidence), Place()))
