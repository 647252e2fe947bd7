"""Stated proofs beside those of an audit made again: older ones, and ones by other rules.

`proofs.checker` sees whether each step of a stated proof follows and whether it is about the
certificate's subject, domain and bounds. What it can't see is what the program asks: a proof may
speak of a ledger with more noise than the program adds. That is compared here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from audit.statements.checks import Check, Status, same
from proofs.checker import ABOUT, READINGS, RULES
from proofs.derivation import replay
from proofs.errors import ProofError
from proofs.older import translate

Proof = Mapping[str, Any]

NAME = "proof"

LATER = ("setting",)
"""What a theorem came to say of its program within the version: its domain."""


def renew(proof: Proof | None) -> Proof | None:
    """A stated proof whose derivations are of today's version, where they were of an older one.

    One that does not translate stays as it is: the checker says what is wrong with it.
    """
    if proof is None:
        return None
    try:
        found = {**proof, "derivation": translate(proof["derivation"])}
        if "alternatives" in proof:
            found["alternatives"] = [translate(one) for one in proof["alternatives"]]
    except (ProofError, LookupError, TypeError, AttributeError):
        return proof
    return found


def completes(stated: Proof | None, found: Proof | None) -> bool:
    """Whether a proof is the audit's, but for what a proof did not say in older versions.

    Guarantee
    ---------
    Where it is, the proof that was found says all that the stated one does. Backed by
    ``tests/audit/statements/test_stated_proofs.py``.
    """
    if stated is None or found is None:
        return stated is found
    own, others = (
        [proof["derivation"], *proof.get("alternatives", [])] for proof in (stated, found)
    )
    if "alternatives" not in stated:
        # There were none, or none that was written.
        others = others[:1]
    return len(own) == len(others) and all(map(_says_as_much, others, own))


def _says_as_much(found: Mapping[str, Any], stated: Mapping[str, Any]) -> bool:
    """Whether the stated derivation holds, and is of the found theorem from the same foundation."""
    try:
        replay(stated)
    except ProofError:
        return False
    last, other = (one["steps"][-1]["conclusion"] for one in (stated, found))
    bases = [_foundation(one, LATER) for one in (stated, found)]
    alike = same(last, other) and same(stated["hypotheses"], found["hypotheses"])
    return alike and bases[0] == bases[1]


def compare_foundations(stated: Proof, found: Sequence[Mapping[str, Any]]) -> Check:
    """What a stated proof, which the checker has checked, rests on beside the derivations found.

    Guarantee
    ---------
    Confirmed only if each derivation of the proof is about a program that asks the same questions
    with the same noise as often, or keeps to the same budget, as one that was found. Backed by
    ``tests/audit/statements/test_stated_proofs.py``.
    """
    known = [_foundation(one) for one in found]
    for derivation in (stated["derivation"], *stated.get("alternatives", [])):
        about, asked = _foundation(derivation)
        if (about, asked) in known:
            continue
        if about["rule"] in [other["rule"] for other, _ in known]:
            note = "it rests on other questions, or another budget, than the program's"
            return Check(NAME, Status.FALSE, note)
        return Check(NAME, Status.UNCHECKED, "it rests on something else than the audit's of today")
    return Check(NAME, Status.CONFIRMED, "by other rules than today's")


def _foundation(
    derivation: Mapping[str, Any], left_out: Sequence[str] = ()
) -> tuple[dict[str, Any], Counter[str]]:
    """What is said of the program, and how often its ledger has each noisy answer."""
    steps = derivation["steps"]
    times = [0] * (len(steps) - 1) + [1]
    about: dict[str, Any] = {"rule": "", "parameters": {}}
    asked: Counter[str] = Counter()
    for place in range(len(steps) - 1, -1, -1):
        rule, given = steps[place]["rule"], steps[place]["parameters"]
        if not times[place]:
            continue
        if rule in ABOUT:
            own = {key: value for key, value in given.items() if key not in ("seen", *left_out)}
            about = {"rule": rule, "parameters": own}
        if not steps[place]["premises"] or RULES[rule].needs == "query":
            if rule not in ABOUT and rule != "public-draw":
                asked[_answer(steps, place)] += times[place]
            continue
        counts = given.get("counts", [1] * len(steps[place]["premises"]))
        for premise, count in zip(steps[place]["premises"], counts, strict=True):
            times[premise] += times[place] * (1 if rule in READINGS else count)
    return about, asked


def _answer(steps: Sequence[Mapping[str, Any]], place: int) -> str:
    """A noisy answer as text: its query and its noise."""
    step = steps[place]
    name, noise = step["rule"], step["parameters"]
    queries = [_answer(steps, premise) for premise in step["premises"]]
    return json.dumps([name, noise, queries], sort_keys=True)
