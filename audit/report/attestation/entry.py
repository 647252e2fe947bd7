"""A registry entry: facts of a certificate and of its user, laid out by the registry's schema."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from audit.report.attestation.facts import MARKS, Fact, Mark, escape, find_facts
from audit.report.words import clean
from audit.review.attestations.attestation import Attestation
from audit.review.attestations.registry_schema import Field, part_of, registry_schema, require_entry
from audit.statements.evidence import Verdict
from synthesizers.errors import InputError

NOTES: Field = ("deployment", "administrative", "notes")

ENTRIES = (Verdict.PROVED, Verdict.EXACT, Verdict.NOT_REFUTED)
"""The verdicts of which there are entries: a registry's tables show ε, and have no column for a
verdict."""


THIRD_TIER: tuple[Field, ...] = (
    ("deployment", "deployment_model", "actors"),
    ("deployment", "implementation", "preprocessing_and_hyperparameter_tuning"),
    ("deployment", "implementation", "justification"),
)
"""What an entry of the third tier says and no certificate knows."""


def list_facts(attestation: Attestation) -> list[Fact]:
    """All that is said of a release, what the user states last."""
    stated = attestation.about or {}
    return [
        *find_facts(attestation),
        *(
            Fact(field, "stated", one)
            for field, value in stated.items()
            for one in (value if isinstance(value, tuple) else (value,))
        ),
    ]


def make_entry(attestation: Attestation) -> dict[str, Any]:
    """The entry as plain data.

    Free text says of each of its parts how it is known; the notes say it of every field. Raises
    InputError where the user states nothing, where the claim is refuted or undecided, and where the
    entry would not fit the schema.

    Guarantee
    ---------
    Every field is marked, nothing is marked as shown unless the verdict is PROVED or EXACT, and the
    entry is valid by the registry's schema. Backed by
    ``tests/audit/report/attestation/test_entry.py``.
    """
    verdict = attestation.reread.certificate.verdict
    if verdict not in ENTRIES:
        raise InputError(
            f"the verdict is {verdict.value}, and an entry would show the claim's parameters as "
            "those of a guarantee; leave out --registry, the label says what was found"
        )
    if attestation.about is None:
        raise InputError(
            "an entry needs what no certificate knows, as its curator and its date: --about FILE, "
            "which dp-audit attest --draft-about FILE drafts"
        )
    facts = list_facts(attestation)
    fields: dict[Field, list[Fact]] = {}
    for fact in facts:
        fields.setdefault(fact.field, []).append(fact)
    fields.pop(NOTES, None)
    entry: dict[str, Any] = {
        "url_slug": attestation.about[("url_slug",)],
        "status": "Draft",
        "tier": 3 if all(field in attestation.about for field in THIRD_TIER) else 2,
        "deployment": {},
    }
    for field, said in fields.items():
        _put(entry, field, _join(field, said))
    _put(entry, NOTES, "\n\n".join(_write_notes(attestation, facts)))
    require_entry(entry)
    return _in_order(entry, registry_schema().content)


def write_yaml(entry: Mapping[str, Any]) -> str:
    """An entry as YAML: texts of several lines in blocks, other values as in JSON, which is YAML.

    Guarantee
    ---------
    Whoever reads YAML 1.2 or 1.1 reads the same entry. Backed by
    ``tests/audit/report/attestation/test_entry.py``, which asks PyYAML.
    """
    return "\n".join(_lines(entry, "")) + "\n"


def _lines(block: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in block.items():
        if isinstance(value, Mapping):
            yield f"{indent}{key}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{key}:"
            yield from (f"{indent}  - {_scalar(one)}" for one in value)
        elif isinstance(value, str) and "\n" in value:
            yield f"{indent}{key}: |2-"
            yield from (f"{indent}  {line}".rstrip() for line in value.split("\n"))
        else:
            yield f"{indent}{key}: {_scalar(value)}"


def _scalar(value: object) -> str:
    if isinstance(value, float):
        # A decimal point, without which YAML 1.1 takes 1e-06 for text.
        mantissa, letter, exponent = repr(value).partition("e")
        point = mantissa if "." in mantissa else f"{mantissa}.0"
        sign = "" if not exponent or exponent[0] in "+-" else "+"
        return f"{point}{letter}{sign}{exponent}"
    return json.dumps(value, ensure_ascii=False)


def _join(field: Field, said: list[Fact]) -> Any:
    """The value of a field: a list, a choice or a number as it is, texts with their marks."""
    part = part_of(field)
    first = said[0].text
    if part.get("type") == "array":
        return [_keep_lines(str(fact.text)) for fact in said]
    if isinstance(first, float) or "enum" in part or {fact.mark for fact in said} == {"stated"}:
        return first if isinstance(first, float) else _keep_lines(first)
    paragraphs = []
    for mark in MARKS:
        texts = [str(fact.text) for fact in said if fact.mark == mark]
        if texts:
            paragraphs.append(f"{mark.capitalize()}: {_keep_lines(' '.join(texts))}")
    return "\n\n".join(paragraphs)


def _keep_lines(text: str) -> str:
    """Text without hidden characters but for its line breaks, and without those YAML lacks."""
    lines = (clean(re.sub("[\ufffe\uffff]", "?", line)).rstrip() for line in text.splitlines())
    return "\n".join(lines).strip()


def _write_notes(attestation: Attestation, facts: list[Fact]) -> Iterator[str]:
    certificate, file = attestation.reread.certificate, attestation.file
    verdict = certificate.verdict
    if verdict is Verdict.NOT_REFUTED:
        yield (
            "**NOT SHOWN**: the parameters of this entry are a claim that an attack did not "
            "refute. No field of it is shown."
        )
    yield (
        f"Made by dp-audit {attestation.version} at {attestation.timestamp} from a certificate "
        f"with the verdict {verdict.value} (file {escape(file.name)}, SHA-256 {file.sha256}). "
        f"Re-check it: {escape(f'dp-audit verify {shlex.quote(file.name)}')}."
    )
    marks: dict[Mark, list[str]] = {mark: [] for mark in MARKS}
    known: dict[Field, set[Mark]] = {}
    for fact in facts:
        if fact.mark not in known.setdefault(fact.field, set()):
            known[fact.field].add(fact.mark)
            marks[fact.mark].append(escape(fact.field[-1]))
    marks["assumed"] += ["status", "tier"]
    lines = [
        f"- {mark} ({MARKS[mark]}): {', '.join(dict.fromkeys(names))}"
        for mark, names in marks.items()
        if names
    ]
    yield "\n".join(["How each field is known:", *lines])
    if certificate.assumptions:
        listed = "; ".join(map(escape, certificate.assumptions))
        yield f"The certificate's assumptions: {listed}."
    added = [fact.text for fact in facts if fact.field == NOTES]
    yield from (f"Stated: {_keep_lines(str(text))}" for text in added)


def _in_order(block: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a block in the order of the schema."""
    own = {key: one for key, one in part["properties"].items() if key in block}
    return {
        key: _in_order(block[key], one) if isinstance(block[key], Mapping) else block[key]
        for key, one in own.items()
    }


def _put(entry: dict[str, Any], field: Field, value: Any) -> None:
    *above, last = field
    for key in above:
        entry = entry.setdefault(key, {})
    entry[last] = value
