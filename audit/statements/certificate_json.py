"""Certificates as JSON: every key of every version, and what may stand under it.

A certificate may come from anyone. It is read as a `Document`, whole and typed, before anything in
it is computed with, run or printed; the inside of a proof and of a channel certificate is read by
`proofs.checker`, which refuses what it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Annotated, Any, Literal

from audit.statements.claim import Claim
from audit.statements.codec import (
    LATER,
    OPTIONAL,
    Codec,
    Kind,
    Place,
    chosen,
    double,
    flag,
    listed,
    matching,
    named,
    nullable,
    one_of,
    plain,
    record,
    sha256,
    spelled,
    tagged_sha256,
    text,
    unread,
    whole,
)
from audit.statements.decimals import Enclosure
from audit.statements.evidence import (
    AttackReplay,
    Bound,
    EnumerationReplay,
    Evidence,
    Replay,
    Resolution,
    SampledWitness,
    ShownPair,
    Side,
    TranscriptReplay,
    Verdict,
    Witness,
)
from audit.statements.finding import ESSENCE, Finding, Rigour, Shown
from audit.statements.isolation import FILESYSTEMS, NETWORKS, PROCESSES, Isolation
from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Unit, neighbours_from

SCHEMA = "dp-audit/certificate/1"

MAX_COUNT = 10**15
"""The largest count: as on the command line."""

MAX_EVIDENCE = 100
"""The most findings: one an auditor is written."""

MAX_ASSUMPTIONS = 100

_END = r"inf|-?[0-9]{1,60}(\.[0-9]{1,60})?(E[+-]?[0-9]{1,5})?"
_NUMBER = r"[0-9]{1,4000}(\.[0-9]{1,4000})?(/[0-9]{1,4000})?"
_CLAIM = rf"(epsilon|rho|mu|alpha)={_NUMBER}(, (delta|rdp)={_NUMBER})?"

count = whole(0, MAX_COUNT)
positive = whole(1, MAX_COUNT)
threshold = double(infinite=True)
"""A double; infinity is a text."""

_end = matching(_END, "a decimal of at most 60 digits as text, or inf", 130)


def _parse_ends(stated: dict[str, str]) -> Enclosure | None:
    """The enclosure of its ends; None where they enclose nothing: they are false, not malformed."""
    try:
        return Enclosure.from_json(stated)
    except InputError:
        return None


enclosure = spelled(
    record({"lower": _end, "upper": _end}), _parse_ends, lambda ends: ends and ends.to_json()
)


def _parse_error(stated: str) -> Fraction:
    value = parse_rational(stated, "an error")
    if not 0 < value < 1:
        raise InputError("an error lies strictly between 0 and 1")
    return value


error = spelled(
    matching(r"[0-9]{1,4000}(/[0-9]{1,4000})?", "a fraction as text", 8_001), _parse_error, str
)

OWN = ("rho", "mu", "rdp")
"""What a claim may bound that is not ε: a bound has the smallest of it beside its ε."""


def _bound(side: Side | None = None) -> Kind:
    """A bound; ``side``: where it stands under the key that says so."""
    named_side = {"side": one_of(*(one.value for one in Side))} if side is None else {}
    rigour = one_of("exact", "rigorous", "statistical")
    shape = record(
        {**named_side, "epsilon": enclosure, "covers": text(), "rigour": rigour},
        dict.fromkeys(OWN, enclosure),
    )

    def read(value: Any, place: Place) -> Bound:
        parts = shape.read(value, place)
        own = [(name, parts[name]) for name in OWN if name in parts]
        if len(own) > 1:
            place.at(own[1][0]).note("a claim has one parameter")
        of = Side(parts["side"]) if side is None else side
        parameter = own[0] if own else None
        return Bound(of, parts["epsilon"], parts["covers"], parts["rigour"], parameter)

    def write(bound: Bound) -> dict[str, Any]:
        own = {} if bound.parameter is None else dict([bound.parameter])
        return {
            **({"side": bound.side.value} if side is None else {}),
            "epsilon": bound.epsilon.to_json(),
            **{name: ends.to_json() for name, ends in own.items()},
            "covers": bound.covers,
            "rigour": bound.rigour,
        }

    return Kind(read, write)


def _read_domain(value: Any) -> tuple[Domain, int | None]:
    rest = {key: own for key, own in value.items() if key not in ("cells", "records")}
    return Domain.from_json(rest), value["records"]


def _write_domain(about: tuple[Domain, int | None]) -> dict[str, Any]:
    domain, records = about
    return {**domain.to_json(), "cells": domain.size, "records": records}


_attribute = record(
    {
        "name": text(),
        "values": listed(text(), least=1),
        "ordinal": flag,
        "edges": nullable(listed(matching(rf"-?{_NUMBER}", "a number as text", 8_002))),
        "missing": flag,
        "missing_label": text(),
    }
)
_hierarchy = record({"attribute": text(), "levels": listed(listed(text()), least=1)})
domain = spelled(
    unread(
        record(
            {
                "name": text(),
                "attributes": listed(_attribute, least=1),
                "hierarchies": listed(_hierarchy),
                "individual": nullable(text()),
                "cells": whole(1),
                "records": nullable(count),
            }
        )
    ),
    _read_domain,
    _write_domain,
)

_PARAMETERS = {"parameters": named(text())}
_DIGESTS = {"source_sha256": nullable(sha256), "sources_sha256": sha256}
"""Of the one file, as it was written before all files of a subject were covered; of all files."""
_RUN = {"seconds": positive, "megabytes": positive, "rows": nullable(count)}
_NAMED = {"kind": text(), "name": text(4096)}
_PROGRAM = {**_NAMED, **_PARAMETERS, "rows": count}
_COMMANDS = {
    "program": record({**_PROGRAM, "form": one_of("program")}, _DIGESTS),
    None: record({**_NAMED, **_RUN}, {**_DIGESTS, "serves": one_of(True)}),
}


def _command(value: Any, place: Place) -> Any:
    """A command that asks a curator, or one that is only run."""
    form = value.get("form") if type(value) is dict else None
    return _COMMANDS["program" if form is not None else None].read(value, place)


def _of_module(*forms: str) -> Kind:
    return record({**_NAMED, **_PARAMETERS, **_RUN, "form": one_of(*forms)}, _DIGESTS)


_label = text(20_000)
_matrix = record(
    {
        "databases": listed(_label, 20_000),
        "outputs": listed(_label, 20_000),
        "probabilities": listed(listed(text(4_000), 20_000), 20_000),
    }
)
subject = chosen(
    "kind",
    {
        "program": record(_PROGRAM),
        "module": record(_PROGRAM, _DIGESTS),
        "command": Kind(_command),
        "function": _of_module("function", "batch"),
        "estimator": _of_module("estimator"),
        "outputs": record({**_NAMED, "sha256": listed(sha256, 2, 2)}),
        "channel": record({**_NAMED, "sha256": sha256, "rounded": flag}, {"matrix": _matrix}),
    },
)

derivation = record(
    {
        "schema": one_of("dp-audit/derivation/1"),
        "steps": listed(
            record(
                {
                    "rule": text(100),
                    "premises": listed(count),
                    "parameters": named(plain),
                    "conclusion": named(plain),
                }
            ),
            least=1,
        ),
        "hypotheses": listed(text()),
    }
)
proof = record({"derivation": derivation}, {"alternatives": listed(derivation, 100)})

_CHANNEL = (
    *("schema", "finding", "neighbours", "unit", "max_records", "complete"),
    *("databases", "rows", "epsilon", "delta", "sha256"),
)
channel = record(
    {
        **dict.fromkeys(_CHANNEL, plain),
        "schema": one_of("dp-audit/channel-certificate/1"),
        "finding": one_of("holds", "violated"),
    },
    dict.fromkeys(("worst", "pair", "event", "probabilities"), plain),
)

_BUDGET = {"budget": named(plain)}
"""Certificates of before have none, and no release keeps to them."""

questions = chosen(
    "kind",
    {
        "budget": record({"kind": text()}, _BUDGET),
        "ledger": record({"kind": text(), "events": listed(named(plain))}, _BUDGET),
        "tree": record({"kind": text(), "digest": tagged_sha256, "transcripts": count}, _BUDGET),
    },
)
self_test = record(
    {
        "form": one_of("whole", "quick"),
        "liars": positive,
        "caught": positive,
        "honest": positive,
        "accused": one_of(0),
        "version": text(100),
        "code": tagged_sha256,
        "table": tagged_sha256,
    }
)


def _probabilities() -> Kind:
    sides = ("from", "to")
    both = record(dict.fromkeys(sides, enclosure))

    def read(value: Any, place: Place) -> tuple[Enclosure, ...]:
        ends = both.read(value, place)
        return tuple(ends[side] for side in sides)

    return Kind(read, lambda ends: both.write(dict(zip(sides, ends, strict=True))))


_VALUES = Codec({int: count, float: double(0), Enclosure: enclosure, Bound: _bound()})
_pair = _VALUES.fields(ShownPair, distance=positive)
_witnesses: dict[type, Kind] = {
    Witness: _VALUES.fields(Witness, probabilities=_probabilities()),
    SampledWitness: _VALUES.fields(
        SampledWitness,
        pair=_pair,
        rule=named(plain),
        digest=matching("(sha256:[0-9a-f]{64})?", "sha256: and a SHA-256, or nothing"),
        event=listed(text(), 100),
        test=one_of("exact binomial", "e-process", "if deterministic"),
    ),
}
_replays: dict[type, Kind] = {
    **{cls: _VALUES.kind(cls) for cls in (EnumerationReplay, TranscriptReplay, Replay)},
    AttackReplay: _VALUES.fields(
        AttackReplay,
        command=one_of("dp-audit replay CERT.json"),
        mode=one_of("batch", "anytime"),
        seed=whole(),
        runs=positive,
        error=error,
        alarm=error,
        partial=one_of(True),
        versions=named(text(100), 20),
    ),
}


def _evidence(witness: Kind, replay: Kind, *without: str) -> Kind:
    """Evidence but for its proof, which stands beside the evidence."""
    probability = matching(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]{1,4})?", "a probability as text", 60)
    return _VALUES.fields(
        Evidence,
        ("proof", *without),
        auditor=text(100),
        confidence=nullable(probability),
        witness=nullable(witness),
        replay=replay,
    )


def _analysis(replay: Kind) -> Kind:
    return _evidence(_witnesses[Witness], replay, "strict", "resolution")


def _by_type(kinds: Mapping[type, Kind]) -> Kind:
    """What is written by the type that it has."""
    return Kind(plain.read, lambda value: kinds[type(value)].write(value))


PROPERTIES = ("sensitivity", "composition", "data independence", "noise law", "utility sanity")
"""The auditors of what is declared beside the claim."""

_PROPERTY = {
    "about": text(),
    "declared": text(),
    "found": text(),
    "rigour": _VALUES.kind(Rigour),
    "pair": nullable(_VALUES.kind(Shown)),
    "responsible": nullable(text()),
    "error": nullable(double(0)),
}


def _of_property() -> Kind:
    """Evidence of a property: what it is about stands under a key of its own."""
    heard, beside = _analysis(_replays[Replay]), record(_PROPERTY)

    def read(value: Any, place: Place) -> Finding:
        own = record({"property": beside}).read(
            {key: member for key, member in value.items() if key == "property"}, place
        )["property"]
        rest = heard.read({k: member for k, member in value.items() if k != "property"}, place)
        return Finding(**{one.name: getattr(rest, one.name) for one in fields(Evidence)}, **own)

    def write(finding: Finding) -> dict[str, Any]:
        own = dict(zip(ESSENCE, finding.essence, strict=True))
        return {**heard.write(finding), "property": beside.write(own)}

    return Kind(read, write)


_finding = _of_property()

_auditors = {
    "exhaustive": _analysis(_replays[EnumerationReplay]),
    "factorised": _analysis(_replays[TranscriptReplay]),
    "proof": _analysis(_replays[Replay]),
    "attack": _evidence(_witnesses[SampledWitness], _replays[AttackReplay]),
    **dict.fromkeys(PROPERTIES, _finding),
}
"""What the evidence of each auditor may say."""

_own = _evidence(_by_type(_witnesses), _by_type(_replays))
evidence = Kind(
    chosen("auditor", _auditors).read,
    lambda one: (_finding if isinstance(one, Finding) else _own).write(one),
)

_bounds = record({side.value: nullable(_bound(side)) for side in Side})


@dataclass(frozen=True)
class Apart(Isolation):
    """What kept the subject apart, and whether its maker took its word besides."""

    trusted: bool


@dataclass(frozen=True, kw_only=True)
class Document:
    """A certificate as its file has it, key by key.

    What the checker, a subject or a release reads of it stays plain data, of which every key is
    known. ``domain``: with the number of records that the claim speaks of.
    """

    schema: Literal["dp-audit/certificate/1"] = "dp-audit/certificate/1"
    verdict: Verdict
    subject: Annotated[Mapping[str, Any], unread(subject)]
    claim: Guarantee
    neighbours: Literal["add-remove", "replace-one"]
    unit: Unit
    released: Literal["output", "transcript"]
    domain: Annotated[tuple[Domain, int | None], domain] | None
    bounds: Annotated[Mapping[str, Bound | None], _bounds]
    evidence: Annotated[tuple[Evidence, ...], listed(evidence, MAX_EVIDENCE)]
    proof: Annotated[Mapping[str, Any], unread(proof)] | None = field(default=None, metadata=LATER)
    channel_certificate: Annotated[Mapping[str, Any], unread(channel)] | None = field(
        default=None, metadata=LATER
    )
    assumptions: Annotated[tuple[str, ...], listed(text(), MAX_ASSUMPTIONS)]
    reproduce: str
    isolation: Apart | None = field(default=None, metadata=OPTIONAL)
    questions: Annotated[Mapping[str, Any], unread(questions)] | None = field(
        default=None, metadata=OPTIONAL
    )
    self_test: Annotated[Mapping[str, Any], unread(self_test)] | None = field(
        default=None, metadata=OPTIONAL
    )
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


CODEC = Codec(
    {
        **_VALUES.own,
        **_witnesses,
        Resolution: _VALUES.kind(Resolution),
        ShownPair: _pair,
        **_replays,
        Evidence: evidence,
        Guarantee: spelled(
            matching(_CLAIM, "a claim such as 'epsilon=1' or 'epsilon=1, delta=0.001'", 20_000),
            parse_guarantee,
            str,
        ),
        Unit: _VALUES.fields(Unit, name=one_of("record", "person"), max_records=positive),
        Apart: _VALUES.fields(
            Apart,
            process=one_of(*PROCESSES),
            filesystem=one_of(*FILESYSTEMS),
            network=one_of(*NETWORKS),
        ),
    }
)
_DOCUMENT = CODEC.fields(Document, digest=tagged_sha256)


def encode(value: object) -> Any:
    """A document, or a value in one, as plain data."""
    return (_DOCUMENT if isinstance(value, Document) else CODEC.kind(type(value))).write(value)


def decode(plain: object) -> tuple[Document, tuple[str, ...]]:
    """The document of plain data, and what is strange in it: see `audit.statements.codec.Place`.

    A document with anything strange is of no use: what is strange in it may be missing.
    Raises InputError, with the place, where a key is missing or its value is of another kind or
    beyond the limits.

    Guarantee
    ---------
    Of a document without anything strange, every field at every depth holds what dp-audit writes
    there: of its type, in its spelling, and no longer than its limit. Nothing is imported or run.
    Backed by ``tests/audit/statements/test_certificate_json.py``.
    """
    place = Place()
    document: Document = _DOCUMENT.read(plain, place)
    return document, tuple(place.strange)


def require_document(plain: object) -> Document:
    """The document of plain data; raises InputError, too, where anything is strange."""
    document, strange = decode(plain)
    if strange:
        raise InputError(strange[0])
    return document
