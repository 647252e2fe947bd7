"""Places: all pairs that an attack may look at, in order, and where further ones may be found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from audit.auditors.attack.guessing.floors import takes_distance
from audit.auditors.attack.pairs.chains import chain_between
from audit.auditors.attack.pairs.encodings import find_encodings
from audit.auditors.attack.pairs.given_pairs import chain_pair, given_pair
from audit.auditors.attack.pairs.patterns import Sweep, list_candidates, list_sweeps
from audit.auditors.attack.pairs.records import Encoding
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.subjects.black_box import BlackBox
from audit.subjects.pair import Pair
from audit.subjects.programs import ProgramBox
from audit.subjects.runs import Source
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Places:
    """Where to attack: ``pairs``, the first ``given`` of which came from elsewhere; ``sweeps``."""

    pairs: tuple[Pair, ...]
    sweeps: tuple[Sweep, ...] = ()
    given: int = 0


def list_places(source: Source, box: BlackBox | None, claim: Claim, attack: Attack) -> Places:
    """Where a claim is attacked: on the user's pair, or on all that a search may try.

    Bins are spelt in every encoding that the box reads; a program of a curator reads codes, however
    they are spelt. Raises InputError where there is no pair.
    """
    if attack.pair is not None:
        return Places((attack.pair,))
    given = tuple(filter(None, (_verify(pair, claim, attack) for pair in attack.candidates)))
    domain, least = claim.domain, attack.min_records
    if domain is None and given:
        return Places(given, (), len(given))
    encodings: tuple[Encoding, ...] = (Encoding.NUMBERS,)
    if domain is not None and not isinstance(box, ProgramBox):
        encodings = find_encodings(source, claim, least)
    pairs = (*given, *list_candidates(claim, least, encodings))
    return Places(pairs, list_sweeps(claim, least, encodings), len(given))


def _verify(pair: Pair, claim: Claim, attack: Attack) -> Pair | None:
    """A pair that came from elsewhere, found to be neighbours or ends of a chain; None if not.

    What is no list of records is taken on the word of whoever gave it, and the certificate says so.
    """
    first, second = pair.first, pair.second
    listed = isinstance(first, list) and isinstance(second, list)
    if listed and min(len(first), len(second)) < attack.min_records:
        return None
    domain, records = claim.domain, claim.records
    try:
        if pair.distance == 1:
            found = given_pair(first, second, claim.neighbours, domain, records=records)
        elif not takes_distance(claim.guarantee):
            return None
        elif listed:
            individual = None if domain is None else domain.individual
            chain = chain_between(first, second, claim.neighbours, individual)
            if chain is None or len(chain) - 1 != pair.distance:
                return None
            found = chain_pair(chain, claim.neighbours, domain, pair.pattern, None, records)
        else:
            found = pair
    except InputError:
        return None
    return replace(found, pattern=pair.pattern, kind=pair.kind)
