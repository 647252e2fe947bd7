"""Next attacks: one that refuted a claim goes on behind the leaks that are known by then."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from audit.auditors.attack.pairs.given_pairs import REORDERED
from audit.auditors.attack.pairs.patterns import list_candidates
from audit.auditors.attack.recognising.naming import align_pair
from audit.auditors.attack.veils.causes import AUTOMATIC, parse_causes
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.databases import expand
from audit.statements.evidence import Decision, Evidence, SampledWitness
from synthesizers.errors import InputError

MOST_ATTACKS = 8
"""The most attacks of one audit: the first, behind low bits, and behind empty tables from 1 record
on to more than are called tiny, with some to spare."""

SMALL = "empty-tables"
"""The cause behind which a search leaves out small databases."""


def plan_next(
    asked: Attack, last: Attack, evidence: Evidence, claim: Claim, number: int
) -> Attack | None:
    """The next attack, behind more than the last one; None where there is nothing more to do.

    ``asked``: the attack that the user wants, ``beyond`` included; ``number``: of the attack. Its
    randomness is its own. Raises InputError for causes behind which nothing can be seen.
    """
    wanted = parse_causes(asked.beyond)
    if evidence.decision is not Decision.VIOLATED or evidence.partial or number == MOST_ATTACKS:
        return None
    shown = () if evidence.cause is None else (evidence.cause.name,)
    automatic = tuple(name for name in shown if name in AUTOMATIC)
    causes = parse_causes((*last.beyond, *wanted, *automatic))
    least = last.min_records
    if asked.pair is not None:
        # The user's pair stays, whatever its size.
        causes = tuple(name for name in causes if name != SMALL)
    elif SMALL in causes and (SMALL in automatic or SMALL not in last.beyond):
        least = max(1, 2 * least, _smaller(evidence) + 1)
        if not _has_pairs(claim, least):
            return None
    if causes == last.beyond and least == last.min_records:
        return None
    pair = asked.pair
    if pair is not None and "order" in causes and pair.pattern == REORDERED:
        pair = align_pair(pair)
    seed = int(np.random.SeedSequence([asked.seed, number]).generate_state(1)[0])
    return replace(asked, beyond=causes, min_records=least, pair=pair, seed=seed)


def _has_pairs(claim: Claim, least: int) -> bool:
    """Whether the claim speaks of neighbours of so many records."""
    try:
        list_candidates(claim, least)
    except InputError:
        return False
    return True


def _smaller(evidence: Evidence) -> int:
    """The records of the smaller database of a witness; 0 where it does not carry both."""
    if not isinstance(evidence.witness, SampledWitness):
        return 0
    ends = [expand(end) for end in (evidence.witness.pair.first, evidence.witness.pair.second)]
    return min(len(end) if isinstance(end, list) else 0 for end in ends)
