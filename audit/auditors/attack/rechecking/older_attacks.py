"""Older attacks: what certificates said before an attack had to show what it could have seen."""

from __future__ import annotations

import re
from dataclasses import replace

from audit.auditors.attack.guessing.floors import BETTOR_SHARE
from audit.auditors.attack.guessing.power import (
    OF_BEFORE,
    Binomial,
    bound_unseen,
    find_detectable,
    require_detect,
)
from audit.auditors.attack.rechecking.stated_attacks import NAME, read_guesses, require_replay
from audit.statements.checks import Check, Status
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, SampledWitness
from audit.statements.power import Power, Resolution, find_lack

_OLDER_WORDS = re.compile(r"it guesses [AB] where .+ comes to at (?:least|most) \S+")
"""How rules were told at first."""


def compare_words(stated: Evidence, again: Evidence | None) -> tuple[Evidence, tuple[Check, ...]]:
    """The evidence in today's words, where it tells the same rule in those of older versions."""
    old, new = stated.witness, None if again is None else again.witness
    if not (isinstance(old, SampledWitness) and isinstance(new, SampledWitness)):
        return stated, ()
    older = all(_OLDER_WORDS.fullmatch(line) for line in old.event)
    if old.digest != new.digest or old.event == new.event or not older:
        return stated, ()
    note = f"this version tells the same rule so: {'; '.join(new.event)}"
    told = Check(f"{NAME}: the rule in words", Status.WORD, note)
    return replace(stated, witness=replace(old, event=new.event)), (told,)


def is_weak(stated: Evidence, claim: Claim) -> bool:
    """Whether what is stated in the way of before would be undecided today."""
    witness = stated.witness
    if stated.decision is not Decision.UNSEEN or stated.power is not None:
        return False
    if not isinstance(witness, SampledWitness):
        return True
    replay, guesses = require_replay(stated), read_guesses(witness)
    alarm = float(replay.alarm * (1 - BETTOR_SHARE))
    seen = find_detectable(Binomial(claim.guarantee, alarm, witness.pair.distance), guesses)
    detect = float(require_detect(claim.guarantee, replay.detect))
    power = Power(seen, detect, bound_unseen(guesses.runs), guesses.runs)
    return find_lack(witness.p_value, power, None) is not None


def state_as_before(entailed: Evidence, claim: Claim) -> Evidence:
    """Evidence as it was stated before an attack had to show what it could have seen."""
    witness = entailed.witness
    if entailed.power is None or not isinstance(witness, SampledWitness):
        return entailed
    alarm = float(require_replay(entailed).alarm * (1 - BETTOR_SHARE))
    test, guesses = Binomial(claim.guarantee, alarm, witness.pair.distance), read_guesses(witness)
    seen = find_detectable(test, guesses, OF_BEFORE)
    _, _, told = entailed.finding.partition(": ")
    return replace(
        entailed,
        finding=f"no violation seen: {told}",
        decision=Decision.UNSEEN,
        power=None,
        control=None,
        resolution=Resolution(seen, bound_unseen(guesses.runs), guesses.runs),
    )
