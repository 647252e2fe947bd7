"""Redrawing: the attack of a certificate, to be made again with its own random numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.attack.replaying import GIVEN, MOST_RUNS, is_digest, read_pair, stated_error
from audit.auditors.attack_evidence import Attack, versions
from audit.claim import Claim
from synthesizers.errors import InputError


def attack_again(evidence: Mapping[str, Any], claim: Claim, kind: object) -> Attack | None:
    """The attack of an entry of evidence; None where it would not find the same again.

    ``kind``: the subject's. Nothing finds the same again without the same versions, where the
    subject has randomness of its own, where the audit was interrupted, or where a pair is not
    carried. Raises InputError where the entry is malformed.
    """
    replay = evidence.get("replay")
    if not isinstance(replay, Mapping):
        raise InputError("the certificate's evidence of an attack is malformed")
    lasting = replay.get("repeatable") is True or kind == "outputs"
    if not lasting or replay.get("partial") or replay.get("versions") != versions():
        return None
    witness = evidence.get("witness")
    stated = witness.get("pair") if isinstance(witness, Mapping) else None
    # Without a witness there is no telling whether the pair was given.
    if not isinstance(stated, Mapping):
        return None
    pair = None
    if stated.get("pattern") in GIVEN and kind != "outputs":
        if any(is_digest(stated.get(side)) for side in ("first", "second")):
            return None
        pair = read_pair(stated, claim)
    return Attack(
        _whole(replay, "runs", 1),
        _whole(replay, "seed", 0),
        stated_error(evidence, "error"),
        stated_error(evidence, "alarm"),
        replay.get("mode") == "anytime",
        pair,
    )


def _whole(replay: Mapping[str, Any], name: str, least: int) -> int:
    value = replay.get(name)
    if type(value) is not int or value < least or (name == "runs" and value > MOST_RUNS):
        raise InputError(f"the {name} of the certificate's attack is no whole number in its range")
    return value
