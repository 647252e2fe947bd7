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
from proofs.checker import ABOUT, CONVERTED, MEASURED

Proof = Mapping[str, Any]

NAME = "proof"

LATER = ("setting", "released")
"""Parameters that steps came to have within the version: what a theorem says of its domain and of
what is released."""

EARLIER_MAP = "what the program makes of its clamped answers and of public randomness"
"""What every release was called before."""


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
        [_older(one) for one in proof.get("alternatives", [])] for proof in (stated, found)
    )
    # There were none, or none that was written.
    alike = same(own, others) or "alternatives" not in stated
    return alike and same(_older(stated["derivation"]), _older(found["derivation"]))


def _older(derivation: Mapping[str, Any]) -> dict[str, Any]:
    """A derivation as the first versions wrote it."""
    steps = []
    for step in derivation["steps"]:
        given = {key: value for key, value in step["parameters"].items() if key not in LATER}
        if step["rule"] == "post-processing":
            given["map"] = EARLIER_MAP
        steps.append({**step, "parameters": given})
    return {**derivation, "steps": steps}


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


def _foundation(derivation: Mapping[str, Any]) -> tuple[dict[str, Any], Counter[str]]:
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
            own = {key: value for key, value in given.items() if key not in ("seen", "order")}
            about = {"rule": rule, "parameters": own}
        if not steps[place]["premises"] or rule in MEASURED:
            if rule not in ABOUT and rule != "public-draw":
                asked[_answer(steps, place)] += times[place]
            continue
        counts = given.get("counts", [given.get("count", 1)] * len(steps[place]["premises"]))
        for premise, count in zip(steps[place]["premises"], counts, strict=True):
            times[premise] += times[place] * (1 if rule in CONVERTED else count)
    return about, asked


def _answer(steps: Sequence[Mapping[str, Any]], place: int) -> str:
    """A noisy answer as text: its query and its noise, by whichever rule they are read."""
    step = steps[place]
    name = step["rule"].removesuffix("-pair").removesuffix("-zcdp")
    noise = dict(step["parameters"])
    if name in ("analytic-gaussian", "classical-gaussian"):
        # They read one guarantee off the noise of the rule "gaussian".
        name, noise = "gaussian", {"sigma_squared": noise["sigma_squared"]}
    queries = [_answer(steps, premise) for premise in step["premises"]]
    return json.dumps([name, noise, queries], sort_keys=True)
