"""Beside an attack: how many runs its looks before and after, and other auditors, make."""

from __future__ import annotations

from collections.abc import Iterable

from audit.auditors.attack.alive import LEARNED, TESTED
from audit.auditors.attack.independence.probing import PROBED
from audit.auditors.attack.independence.starting import FIRST
from audit.auditors.attack.pairs.far_tables import list_far_pairs
from audit.auditors.data_independence.separation import LEARNING
from audit.auditors.effort import Attack
from audit.auditors.noise_law import boxes as noise_law
from audit.statements.claim import Claim
from audit.subjects.black_box import BlackBox, Starting


def count_runs_beside(
    box: BlackBox, claim: Claim, attack: Attack, auditors: Iterable[str] = ()
) -> int:
    """About how many runs are made beside those of the attack.

    ``auditors``: the names of those that look at the box, too. Of a subject that reads its input
    few tables show it, and one that shows nothing beside its noise uses up what others may use.
    """
    calls = 5 if isinstance(box, Starting) else 3
    made = FIRST + calls * min(PROBED, box.block)
    if attack.pair is None and 2 * attack.runs >= 2 * (LEARNED + TESTED):
        made += (LEARNED + TESTED) * len({far.encoding for far in list_far_pairs(claim, 0)})
    names, most = set(auditors), attack.runs_beside
    if "data independence" in names and most >= 2 + 4 * LEARNING:
        made += most
    if "noise law" in names and most >= noise_law.LEAST_RUNS:
        made += min(most, noise_law.MOST_RUNS)
        made += 2 * noise_law.MOST_AFRESH if isinstance(box, Starting) else 0
    return made
