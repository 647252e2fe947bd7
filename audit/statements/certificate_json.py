"""Certificates as JSON: every key of every version, and what may stand under it.

A certificate may come from anyone. Before anything in it is computed with, run or printed, each of
its fields is compared with what dp-audit writes there; the inside of a proof and of a channel
certificate is read by `proofs.checker`, which refuses what it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.statements.certificate import SCHEMA
from audit.statements.evidence import Decision, Verdict
from audit.statements.fields import (
    Kind,
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
    tagged_sha256,
    text,
    whole,
)
from audit.statements.isolation import FILESYSTEMS, NETWORKS, PROCESSES

MAX_COUNT = 10**15
"""The largest count: as on the command line."""

MAX_EVIDENCE = 100
"""The most findings (a choice of this project: one an auditor is written)."""

MAX_ASSUMPTIONS = 100
"""The most assumptions (a choice of this project)."""

_END = r"inf|-?[0-9]{1,60}(\.[0-9]{1,60})?(E[+-]?[0-9]{1,5})?"
_NUMBER = r"[0-9]{1,4000}(\.[0-9]{1,4000})?(/[0-9]{1,4000})?"
_CLAIM = rf"(epsilon|rho|mu|alpha)={_NUMBER}(, (delta|rdp)={_NUMBER})?"

end: Kind = matching(_END, "a decimal of at most 60 digits as text, or inf", 130)
enclosure: Kind = record({"lower": end, "upper": end})
count: Kind = whole(0, MAX_COUNT)
error: Kind = matching(r"[0-9]{1,4000}(/[0-9]{1,4000})?", "a fraction as text", 8_001)
threshold: Kind = lambda value, place: (  # noqa: E731 - a value, as its neighbours are
    iter(()) if value in ("inf", "-inf") else double()(value, place)
)
"""A double; infinity is a text."""

domain: Kind = record(
    {
        "name": text(),
        "attributes": listed(
            record(
                {
                    "name": text(),
                    "values": listed(text(), least=1),
                    "ordinal": flag,
                    "edges": nullable(listed(matching(rf"-?{_NUMBER}", "a number as text", 8_002))),
                    "missing": flag,
                    "missing_label": text(),
                }
            ),
            least=1,
        ),
        "hierarchies": listed(
            record({"attribute": text(), "levels": listed(listed(text()), least=1)})
        ),
        "individual": nullable(text()),
        "cells": whole(1),
        "records": nullable(count),
    }
)

_PARAMETERS = {"parameters": named(text())}
_DIGESTS = {"source_sha256": nullable(sha256), "sources_sha256": sha256}
"""Of the one file, as it was written before all files of a subject were covered; of all files."""
_RUN = {"seconds": whole(1, MAX_COUNT), "megabytes": whole(1, MAX_COUNT), "rows": nullable(count)}
_NAMED = {"kind": text(), "name": text(4096)}
_PROGRAM = {**_NAMED, **_PARAMETERS, "rows": count}
_COMMANDS = {
    "program": record({**_PROGRAM, "form": one_of("program")}, _DIGESTS),
    None: record({**_NAMED, **_RUN}, {**_DIGESTS, "serves": one_of(True)}),
}


def _command(value: Any, place: str) -> Any:
    """A command that asks a curator, or one that is only run."""
    form = value.get("form") if type(value) is dict else None
    return _COMMANDS["program" if form is not None else None](value, place)


subject: Kind = chosen(
    "kind",
    {
        "program": record(_PROGRAM),
        "module": record(_PROGRAM, _DIGESTS),
        "command": _command,
        "function": record(
            {**_NAMED, **_PARAMETERS, **_RUN, "form": one_of("function", "batch")}, _DIGESTS
        ),
        "estimator": record(
            {**_NAMED, **_PARAMETERS, **_RUN, "form": one_of("estimator")}, _DIGESTS
        ),
        "outputs": record({**_NAMED, "sha256": listed(sha256, 2, 2)}),
        "channel": record(
            {**_NAMED, "sha256": sha256, "rounded": flag},
            {
                "matrix": record(
                    {
                        "databases": listed(text(), 20_000),
                        "outputs": listed(text(), 20_000),
                        "probabilities": listed(listed(text(4_000), 20_000), 20_000),
                    }
                )
            },
        ),
    },
)

_BOUND = {
    "epsilon": enclosure,
    "covers": text(),
    "rigour": one_of("exact", "rigorous", "statistical"),
}
_OWN = {"rho": enclosure, "mu": enclosure, "rdp": enclosure}
bound: Kind = record(_BOUND, _OWN)
sided_bound: Kind = record({**_BOUND, "side": one_of("floor", "exact", "ceiling")}, _OWN)

database: Kind = listed(count)
witness: Kind = record(
    {
        "from": database,
        "to": database,
        "event": listed(listed(plain)),
        "probabilities": record({"from": enclosure, "to": enclosure}),
    }
)
sampled_witness: Kind = record(
    {
        "pair": record(
            {
                "first": plain,
                "second": plain,
                "distance": whole(1, MAX_COUNT),
                "pattern": text(),
                "verified": flag,
            }
        ),
        "rule": plain,
        "digest": matching("(sha256:[0-9a-f]{64})?", "sha256: and a SHA-256, or nothing"),
        "event": listed(text(), 100),
        "test": one_of("exact binomial", "e-process", "if deterministic"),
        "runs": count,
        "correct": count,
        "wrong": count,
        "p_value": double(0),
    }
)
resolution: Kind = record({"detectable": threshold, "delta": double(0), "runs": count})

_FOUND = {
    "auditor": text(100),
    "finding": text(),
    "decision": one_of(*(decision.value for decision in Decision)),
    "covers": text(),
    "whole": flag,
    "bound": nullable(sided_bound),
    "confidence": nullable(
        matching(r"[0-9]+(\.[0-9]+)?([eE]-?[0-9]{1,4})?", "a probability as text", 60)
    ),
}
_replay: dict[str, Kind] = {
    "exhaustive": record(
        {"arithmetic": one_of("exact", "doubles with counted error")}, {"records": count}
    ),
    "factorised": record({"released": one_of("transcript")}),
    "proof": record({}),
    "attack": record(
        {
            "command": one_of("dp-audit replay CERT.json"),
            "mode": one_of("batch", "anytime"),
            "seed": whole(),
            "runs": whole(1, MAX_COUNT),
            "error": error,
            "alarm": error,
            "versions": named(text(100), 20),
        },
        {
            "attacker": text(),
            "learning_runs": count,
            "total_runs": count,
            "shared_runs": count,
            "fresh_runs": count,
            "repeatable": flag,
            "partial": one_of(True),
        },
    ),
}
_beside: dict[str, tuple[dict[str, Kind], dict[str, Kind]]] = {
    "exhaustive": ({"witness": nullable(witness)}, {}),
    "factorised": ({"witness": nullable(witness)}, {}),
    "proof": ({"witness": nullable(witness)}, {}),
    "attack": (
        {"witness": nullable(sampled_witness)},
        {"strict": sided_bound, "resolution": resolution},
    ),
}
PROPERTIES = ("sensitivity", "composition", "data independence", "noise law", "utility sanity")
"""The auditors of what is declared beside the claim."""

_property: Kind = record(
    {
        "about": text(),
        "declared": text(),
        "found": text(),
        "rigour": one_of("exact", "floor", "statistical"),
        "pair": nullable(record({"first": plain, "second": plain})),
        "responsible": nullable(text()),
        "error": nullable(double(0)),
    }
)
_replay |= dict.fromkeys(PROPERTIES, record({}))
_beside |= dict.fromkeys(PROPERTIES, ({"witness": nullable(witness), "property": _property}, {}))
evidence: Kind = chosen(
    "auditor",
    {
        auditor: record({**_FOUND, **needed, "replay": _replay[auditor]}, optional)
        for auditor, (needed, optional) in _beside.items()
    },
)

derivation: Kind = record(
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
proof: Kind = record({"derivation": derivation}, {"alternatives": listed(derivation, 100)})

_CHANNEL = (
    *("schema", "finding", "neighbours", "unit", "max_records", "complete"),
    *("databases", "rows", "epsilon", "delta", "sha256"),
)
channel: Kind = record(
    {
        **dict.fromkeys(_CHANNEL, plain),
        "schema": one_of("dp-audit/channel-certificate/1"),
        "finding": one_of("holds", "violated"),
    },
    dict.fromkeys(("worst", "pair", "event", "probabilities"), plain),
)

isolation: Kind = record(
    {
        "process": one_of(*PROCESSES),
        "filesystem": one_of(*FILESYSTEMS),
        "network": one_of(*NETWORKS),
        "trusted": flag,
    }
)
_BUDGET = {"budget": named(plain)}
"""Certificates of before have none, and no release keeps to them."""

questions: Kind = chosen(
    "kind",
    {
        "budget": record({"kind": text()}, _BUDGET),
        "ledger": record({"kind": text(), "events": listed(named(plain))}, _BUDGET),
        "tree": record({"kind": text(), "digest": tagged_sha256, "transcripts": count}, _BUDGET),
    },
)
self_test: Kind = record(
    {
        "form": one_of("whole", "quick"),
        "liars": whole(1, MAX_COUNT),
        "caught": whole(1, MAX_COUNT),
        "honest": whole(1, MAX_COUNT),
        "accused": one_of(0),
        "version": text(100),
        "code": tagged_sha256,
        "table": tagged_sha256,
    }
)

certificate: Kind = record(
    {
        "schema": one_of(SCHEMA),
        "verdict": one_of(*(verdict.value for verdict in Verdict)),
        "subject": subject,
        "claim": matching(
            _CLAIM, "a claim such as 'epsilon=1' or 'epsilon=1, delta=0.001'", 20_000
        ),
        "neighbours": one_of("add-remove", "replace-one"),
        "unit": record({"name": one_of("record", "person"), "max_records": whole(1, MAX_COUNT)}),
        "released": one_of("output", "transcript"),
        "domain": nullable(domain),
        "bounds": record({side: nullable(bound) for side in ("floor", "exact", "ceiling")}),
        "evidence": listed(evidence, MAX_EVIDENCE),
        "assumptions": listed(text(), MAX_ASSUMPTIONS),
        "reproduce": text(),
        "digest": tagged_sha256,
    },
    {
        "proof": nullable(proof),
        "channel_certificate": nullable(channel),
        "isolation": isolation,
        "questions": questions,
        "self_test": self_test,
    },
)
"""Optional are the keys that came later within the version, and those of some subjects."""


def unknown_keys(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The places of keys that no certificate has, such as ``bounds.exact.note: unknown key``.

    Raises InputError, with the place, where a key is missing or its value is of another kind or
    beyond the limits.

    Guarantee
    ---------
    Of a document without unknown keys, every field at every depth holds what dp-audit writes
    there: of its type, and no longer than its limit. Nothing is converted, imported or run. Backed
    by ``tests/audit/statements/test_certificate_json.py``.
    """
    return tuple(certificate(document, ""))
