"""Re-checking: what a certificate says of an attack, as far as it follows from its own counts.

The counts of guesses are trusted only where they are drawn anew; but from counts the floor, the
p-value, the decision and the power follow, and a certificate that says other is false.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from audit.auditors.attack.rechecking.entailment import check_entailment
from audit.auditors.attack.rechecking.older_attacks import compare_words, is_weak, state_as_before
from audit.auditors.attack.rechecking.stated_attacks import NAME, require_replay
from audit.auditors.attack.veils.causes import CAUSES, UNRECOGNISED
from audit.statements.checks import Check, Status
from audit.statements.claim import Claim
from audit.statements.evidence import ALIVE, Decision, Evidence, SampledWitness, Search, Side
from synthesizers.errors import InputError

REPLAY = "dp-audit replay CERT.json"
"""The command that makes fresh runs: our own word, whatever a certificate states."""


@dataclass(frozen=True)
class Rechecked:
    """What came of an attack's evidence.

    ``evidence``: what is stated, for the verdict that it entails. ``drawn``: whether its runs were
    drawn again, and gave the same. ``weak``: it says that no violation was seen, as was said before
    an attack had to show that its runs see enough, and they do not.
    """

    checks: tuple[Check, ...]
    evidence: Evidence
    drawn: bool
    weak: bool = False


def recheck_attack(stated: Evidence, claim: Claim, again: Evidence | None = None) -> Rechecked:
    """Check an attack's evidence against its own counts, and these against the attack made again.

    ``again``: the evidence of the same attack on the same subject, as it is written; None where it
    was not made. Raises InputError where what is stated is what no attack concludes.

    Guarantee
    ---------
    Of a binomial test nothing is confirmed but what its counts entail, at the errors that the
    evidence states; counts are confirmed only if the same rule had the same counts again. Backed
    by ``tests/audit/auditors/attack/rechecking/test_rechecking.py``.
    """
    _require_attack(stated)
    _require_search(require_replay(stated).search)
    seen = replace(stated, witness=None)
    if stated.resolution is not None and again is not None:
        again = state_as_before(again, claim)
    weak = is_weak(stated, claim)
    stated, words = compare_words(stated, again)
    if again is not None and stated.cause is None:
        # Older certificates state none.
        again = replace(again, cause=None)
    if stated == again:
        return Rechecked((*words, Check(NAME, Status.CONFIRMED)), seen, True, weak)
    cause = _check_cause(stated, again)
    checks = (check_entailment(stated, claim), *words, *cause, _check_runs(stated, again))
    return Rechecked(checks, seen, checks[-1].status is Status.CONFIRMED, weak)


def _check_cause(stated: Evidence, again: Evidence | None) -> tuple[Check, ...]:
    """Whether a stated cause is one; which it is, runs alone tell."""
    if stated.cause is None:
        return ()
    name = f"{NAME}: the cause"
    known = stated.cause.name in (*CAUSES, UNRECOGNISED)
    if not known or stated.decision not in (Decision.VIOLATED, Decision.INVALID):
        return (Check(name, Status.FALSE, "no attack states this cause of this finding"),)
    if again is not None:
        # Whether it is the same, `_check_runs` compares.
        return ()
    return (
        Check(name, Status.WORD, "read off runs that were not drawn again; no verdict rests on it"),
    )


def _require_attack(stated: Evidence) -> None:
    """Raise InputError for what is no conclusion of an attack, on a pair by a floor."""
    decisions = {Decision.VIOLATED, Decision.UNSEEN, Decision.INVALID, Decision.UNDECIDED}
    if require_replay(stated).mode == ALIVE:
        decisions = {Decision.UNDECIDED, Decision.SILENT}
    floors = all(
        (bound.side, bound.rigour) == (Side.FLOOR, "statistical")
        for bound in (stated.bound, stated.strict)
        if bound is not None
    )
    if stated.whole or stated.decision not in decisions or not floors:
        raise InputError("the certificate's evidence of an attack concludes what no attack does")


def _require_search(search: Search | None) -> None:
    """Raise InputError for counts of a search that can't be."""
    if search is None:
        return
    if min(vars(search).values()) < 0 or not (
        search.failed <= search.tried <= search.pairs - search.hopeless
        and search.kinds_tried <= search.kinds <= search.pairs
        and search.kinds_tried <= search.tried
        and search.given <= search.pairs
    ):
        raise InputError("the certificate counts more pairs of a search than there were")


def _check_runs(stated: Evidence, again: Evidence | None) -> Check:
    """What is known of the counts."""
    name, old = f"{NAME}: what the runs gave", stated.witness
    if again is None:
        fresh = "" if old is None else f"; fresh ones: {REPLAY}"
        return Check(name, Status.UNCHECKED, f"they were not drawn again{fresh}")
    new = again.witness
    if isinstance(old, SampledWitness) and isinstance(new, SampledWitness):
        if old.digest != new.digest:
            note = f"run again, the attack chose another rule; fresh runs of this one: {REPLAY}"
            return Check(name, Status.UNCHECKED, note)
        # What follows from the counts, `check_entailment` compares.
        entailed = ("bound", "strict", "power", "resolution")
        follows = {part: getattr(stated, part) for part in entailed}
        alike = replace(new, p_value=old.p_value) == old
        if alike and replace(again, witness=old, **follows) == stated:
            return Check(name, Status.CONFIRMED)
    return Check(name, Status.FALSE, "drawn again, the runs gave otherwise")
