"""Certificates: what was audited, what was found, and the verdict that follows.

A certificate is immutable. Its verdict and bounds are derived from its
evidence; its digest is that of its canonical JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from audit.statements.certificate_json import Apart, Document, claim_fields, encode
from audit.statements.claim import Claim
from audit.statements.decimals import Extended
from audit.statements.evidence import Bound, Evidence, Side, Verdict, verdict
from audit.statements.isolation import Isolation


@dataclass(frozen=True)
class Certificate:
    """The whole of one audit.

    ``subject``: what was audited, as plain data (kind, name, parameters, …).
    ``assumptions``: what the verdict rests on and this certificate does not
    show. ``reproduce``: the command that makes it again. ``channel``: the claim's own channel as
    `proofs.checker` reads it, where it is small enough to carry. ``self_test``: how the auditors
    did on liars and honest cases beforehand (`audit.self_test.loading`); no verdict rests on it.
    ``isolation``: what kept a program that is not ours apart while it was analysed; ``trusted``:
    the user takes its word where that is too little. ``questions``: what a release under this
    certificate may ask (`audit.questions`). ``unproved``: why no theorem stands beside an exact
    finding, in the words of what refused it.

    Guarantee
    ---------
    A program that is not ours is PROVED or EXACT only if its isolation is sufficient, or the user
    said to trust it. Backed by ``tests/audit/statements/test_certificate.py``.
    """

    subject: Mapping[str, Any]
    claim: Claim
    evidence: tuple[Evidence, ...]
    assumptions: tuple[str, ...]
    reproduce: str
    channel: Mapping[str, Any] | None = None
    self_test: Mapping[str, Any] | None = None
    isolation: Isolation | None = None
    trusted: bool = False
    questions: Mapping[str, Any] | None = None
    unproved: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "subject", MappingProxyType(deepcopy(dict(self.subject))))

    @property
    def verdict(self) -> Verdict:
        """The verdict that the evidence entails, obtained as it was."""
        entailed = self.entailed
        if entailed not in (Verdict.PROVED, Verdict.EXACT) or self.subject.get("kind") in OWN_WORD:
            return entailed
        kept_apart = self.isolation is not None and self.isolation.sufficient
        return entailed if kept_apart or self.trusted else Verdict.UNDECIDED

    @property
    def entailed(self) -> Verdict:
        """What the findings entail, if the subject could not have brought them about."""
        return verdict(self.evidence, self.subject.get("kind") == "program")

    @property
    def of_program(self) -> bool:
        """Whether the subject asks a curator; otherwise it is a channel, or can only be run."""
        kind, form = self.subject.get("kind"), self.subject.get("form")
        return kind in ("program", "module") or (kind == "command" and form == "program")

    def bound(self, side: Side) -> Bound | None:
        """The bound of a side that covers most: of the whole claim before a part of it.

        Of several ceilings over as much, the lowest.
        """
        found = [(e.whole, e.bound) for e in self.evidence if e.bound is not None]
        of_side = [(whole, bound) for whole, bound in found if bound.side is side]
        if side is Side.CEILING:
            of_side.sort(key=lambda entry: _upper(entry[1]))
        of_side.sort(key=lambda entry: not entry[0])
        return of_side[0][1] if of_side else None

    @property
    def proof(self) -> dict[str, Any] | None:
        """The derivation behind the theorem, if there is one, as `proofs.checker` reads it."""
        found = [evidence.proof for evidence in self.evidence if evidence.proof is not None]
        return deepcopy(dict(found[0])) if found else None

    @classmethod
    def of(cls, document: Document) -> Certificate:
        """The certificate that a document states, whose verdict and bounds follow anew."""
        apart, proof = document.isolation, document.proof
        return cls(
            document.subject,
            document.about,
            tuple(
                replace(one, proof=proof) if one.auditor == "proof" else one
                for one in document.evidence
            ),
            document.assumptions,
            document.reproduce,
            document.channel_certificate,
            document.self_test,
            apart,
            apart is not None and apart.trusted,
            document.questions,
            document.unproved,
        )

    def document(self) -> Document:
        """What its file says, without the digest."""
        apart = self.isolation
        return Document(
            verdict=self.verdict,
            subject=dict(self.subject),
            **claim_fields(self.claim),
            bounds={side.value: self.bound(side) for side in Side},
            evidence=self.evidence,
            proof=self.proof,
            channel_certificate=self.channel,
            assumptions=self.assumptions,
            reproduce=self.reproduce,
            isolation=None
            if apart is None
            else Apart(apart.process, apart.filesystem, apart.network, self.trusted),
            questions=self.questions,
            unproved=self.unproved,
            self_test=self.self_test,
        )

    def to_json(self) -> dict[str, Any]:
        """The certificate as plain data, digest included."""
        plain: dict[str, Any] = encode(self.document())
        return {**plain, "digest": digest(plain)}


OWN_WORD = ("program", "channel")
"""Kinds of subject of which nothing runs that is not ours."""


def _upper(bound: Bound) -> Extended:
    """The upper end of what a claim bounds: its own parameter, or ε."""
    ends = bound.epsilon if bound.parameter is None else bound.parameter[1]
    return ends.upper


def canonical(body: object) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(body: Mapping[str, Any]) -> str:
    """The SHA-256 of the canonical JSON without the digest itself."""
    rest = {key: value for key, value in body.items() if key != "digest"}
    return "sha256:" + hashlib.sha256(canonical(rest).encode("ascii")).hexdigest()
