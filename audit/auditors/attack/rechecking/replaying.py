"""Replays: the rule that a certificate states, tested on runs that nobody has seen before.

A certificate may come from anyone, so nothing in it is taken for true: its rule is read as data
and compared with its digest, its pair is found to be neighbours anew, and what the fresh runs say
does not depend on any count that it states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from audit.auditors.attack.guessing.floors import floor_bound, p_value, takes_distance
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.independence.first_runs import (
    MOST,
    FirstRuns,
    count_enough_steady,
    enough,
    shares,
)
from audit.auditors.attack.independence.independence import Independence, RunsKind, examine
from audit.auditors.attack.independence.probing import probe
from audit.auditors.attack.pairs.chains import chain_between
from audit.auditors.attack.pairs.given_pairs import REORDERED, chain_pair, given_pair
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.scores.scores import score_from_json
from audit.parallel import Map
from audit.statements.certificate_json import decode
from audit.statements.claim import Claim
from audit.statements.databases import expand
from audit.statements.evidence import (
    AttackReplay,
    Bound,
    Decision,
    Evidence,
    SampledWitness,
    ShownPair,
)
from audit.subjects.black_box import BlackBox
from audit.subjects.pair import CARRIED_CHARACTERS, Pair, database_sha256
from audit.subjects.runs import Drawing, Runs, Seeds
from synthesizers.errors import InputError

GIVEN = ("given", REORDERED)
"""Patterns of pairs that a user gave; any other was searched for."""

ERROR = 0.05
"""Of the floor that a replay states: confidence 0.95, as the reports of audits have it."""

ALARM = 1e-6
"""The largest error at which a replay refutes by itself; a certificate may ask for less, not for
more (the project's limit for REFUTED)."""

MOST_RUNS = 10**8
"""The most runs that a certificate may ask for (nobody waits longer)."""

MOST_CHARACTERS = 8 * 2**20
"""The longest rule that is read, as JSON (many times the largest that an
attack learns)."""


@dataclass(frozen=True, eq=False)
class FrozenTest:
    """What a certificate says was tested.

    ``rule``: None where no guesses were counted, since each database always gave one output.
    ``runs``: how many tested it. ``refuted``: whether it was found that they violate the claim.
    ``alarm``: the error of that.
    """

    claim: Claim
    pair: Pair
    rule: GuessingRule | None
    runs: int
    refuted: bool
    alarm: float


@dataclass(frozen=True, eq=False)
class Retest:
    """What fresh runs say: guesses, the p-value of the claim, the floor at 95 %.

    ``independence``: whether the runs look like independent draws, without which the rest is void.
    """

    guesses: Guesses
    p_value: float
    floor: Bound
    independence: Independence

    @property
    def valid(self) -> bool:
        """Whether anything follows from the runs."""
        return self.independence.kind is not RunsKind.DEPENDENT

    @property
    def deterministic(self) -> bool:
        """Whether each database always gave one output, and the two differ.

        If the subject is deterministic, no ε is large enough; if not, the p-value decides.
        """
        return self.independence.kind is RunsKind.DETERMINISTIC

    def refutes(self, alarm: float) -> bool:
        """Whether the claim is refuted, with an error of at most ``alarm``."""
        return self.valid and self.p_value <= alarm


def frozen_test(
    plain: object, number: int | None, databases: tuple[Any, Any] | None = None
) -> FrozenTest:
    """The test of a certificate's evidence: of the given number, or the first that has one.

    ``plain``: the certificate, as plain data. ``databases``: the pair, where the certificate states
    digests of it alone. Raises InputError where there is no sampled witness, where its digests do
    not fit, and where the two databases are no neighbours under the claim.
    """
    document = decode(plain)
    evidence, witness = _choose(document.evidence, number)
    if not 1 <= witness.runs <= MOST_RUNS:
        raise InputError(f"a rule is tested on 1 to {MOST_RUNS} runs; the certificate says other")
    claim = document.about
    fixed = witness.test == "if deterministic"
    alarm = evidence.replay.alarm if isinstance(evidence.replay, AttackReplay) else ALARM
    return FrozenTest(
        claim,
        read_pair(witness.pair, claim, databases),
        None if fixed else read_rule(witness.rule, witness.digest),
        witness.runs,
        evidence.decision is Decision.VIOLATED,
        # The alarm of the certificate, but no error larger than ours.
        min(float(alarm), ALARM),
    )


def _choose(evidence: Sequence[Evidence], number: int | None) -> tuple[Evidence, SampledWitness]:
    """The evidence of a number from 1, or the first with a sampled witness, violations first."""
    sampled = {
        place: (one, one.witness)
        for place, one in enumerate(evidence, 1)
        if isinstance(one.witness, SampledWitness)
    }
    if number is not None:
        if number not in sampled:
            raise InputError(
                f"finding {number} of the certificate has no rule that was tested on runs; "
                + (f"there is one in {', '.join(map(str, sampled))}" if sampled else "none has one")
            )
        return sampled[number]
    if not sampled:
        raise InputError(
            "no finding of the certificate rests on a rule that was tested on runs: there is "
            "nothing to repeat; dp-audit verify re-checks it"
        )
    return min(sampled.values(), key=lambda one: one[0].decision is not Decision.VIOLATED)


def read_rule(data: Mapping[str, Any], digest: str) -> GuessingRule:
    """The rule of its plain data; raises InputError unless it says all that the digest is of."""
    if len(json.dumps(data)) > MOST_CHARACTERS:
        raise InputError(f"the certificate's rule is longer than {MOST_CHARACTERS} characters")
    rule = GuessingRule(score_from_json(dict(data)), *read_ends(data))
    if rule.digest() != digest:
        raise InputError("the certificate's rule is not the one that its digest is of")
    return rule


def read_ends(rule: Mapping[str, Any]) -> tuple[float, float]:
    """The thresholds of a rule's plain data; raises InputError where it has none."""
    if "low" not in rule or "high" not in rule:
        raise InputError("the certificate's rule has no thresholds")
    return float(rule["low"]), float(rule["high"])


def read_pair(stated: ShownPair, claim: Claim, databases: tuple[Any, Any] | None = None) -> Pair:
    """The pair of a certificate, found to be neighbours or the ends of a chain where it can be.

    Raises InputError where its databases are further apart than stated.
    """
    given: tuple[Any, Any] = (None, None) if databases is None else databases
    first, second = _database(stated.first, given[0]), _database(stated.second, given[1])
    if stated.distance > MOST_RUNS:
        raise InputError(f"the distance of the certificate's pair is larger than {MOST_RUNS}")
    if stated.distance > 1 and not takes_distance(claim.guarantee):
        raise InputError("databases apart by more than one step say nothing sharp of this claim")
    if stated.distance == 1:
        pair = given_pair(first, second, claim.neighbours, claim.domain, None, claim.records)
        return pair if stated.pattern in GIVEN else replace(pair, pattern=stated.pattern)
    ends = _are_ends(first, second, stated.distance, claim)
    return Pair(first, second, stated.distance, stated.pattern, ends)


def is_digest(shown: Any) -> bool:
    """Whether the certificate names a database by its digest alone, as `Pair` does."""
    return isinstance(shown, dict) and shown.keys() == {"sha256"}


def _database(shown: Any, own: Any) -> Any:
    """A database as the certificate carries it, or the user's where its digest is stated."""
    if is_digest(shown):
        if own is None:
            raise InputError(
                "the certificate states digests of its databases, which it does not carry: give "
                "them with --pair A.json B.json"
            )
        if database_sha256(own) != shown["sha256"]:
            raise InputError("a database of --pair is not the one that was audited")
        return own
    if len(json.dumps(shown, sort_keys=True)) > CARRIED_CHARACTERS:
        raise InputError("the certificate's databases are longer than a certificate carries")
    return expand(shown)


def _are_ends(first: Any, second: Any, distance: int, claim: Claim) -> bool:
    """Whether a chain of neighbours of at most ``distance`` steps was found between two databases.

    Raises InputError where the databases are lists of records and it is longer, or none.
    """
    individual = None if claim.domain is None else claim.domain.individual
    if not (_are_records(first) and _are_records(second)):
        return False
    chain = chain_between(first, second, claim.neighbours, individual)
    if chain is None:
        return False
    if not 1 <= len(chain) - 1 <= distance:
        raise InputError(
            f"the certificate's databases are {len(chain) - 1} steps apart, not {distance}"
        )
    chain_pair(chain, claim.neighbours, claim.domain, "a chain", None, claim.records)
    return True


def _are_records(database: Any) -> bool:
    """Whether a database is read as records: see `audit.auditors.attack.pairs.given_pairs`."""
    if not isinstance(database, list):
        return False
    return not database or not all(type(item) in (int, float) for item in database)


def retest(
    test: FrozenTest, box: BlackBox, runs: int, seed: int, share: Map, alarm: float = ALARM
) -> Retest:
    """Test the rule on that many fresh runs of the box, in all; raises InputError, ProtocolError.

    ``alarm``: the error at which the claim would be refuted. What would speak against a box whose
    runs share processes is tested on first runs instead, each the only one of its process, and as
    many of them as should suffice, at most ``runs``.

    Guarantee
    ---------
    Under the claim, and if the runs are independent draws, the p-value is at most x with a
    probability of at most x, and the floor exceeds the truth with a probability of at most 0.05,
    whatever rule the certificate states: it was fixed before the runs, whose random numbers are of
    a stage of their own. Backed by ``tests/audit/auditors/attack/rechecking/test_replaying.py``.
    """
    found = _retest(test, Drawing(box, Seeds(seed), share), runs, seed)
    against = not found.valid or found.refutes(alarm)
    if not (against and shares(box, found.independence.repeatable)):
        return found
    guarantee, distance = test.claim.guarantee, test.pair.distance
    if test.rule is None or not found.valid:
        wanted = count_enough_steady(guarantee, alarm, distance)
    else:
        wanted = enough(found.guesses, guarantee, alarm, distance)
    first = Drawing(FirstRuns(box), Seeds(seed), share)
    return _retest(test, first, min(runs, wanted or MOST), seed)


def _retest(test: FrozenTest, drawing: Drawing, runs: int, seed: int) -> Retest:
    """The rule tested on runs from one source, which are all that it rests on."""
    drawn = drawing.runs("replay", test.pair, 0, runs)
    independence = examine(drawn, seed)
    new = probe(drawing.box, test.pair, drawn, seed)
    found_new = new.kind is RunsKind.DEPENDENT and independence.kind is not RunsKind.DEPENDENT
    independence = replace(new if found_new else independence, repeatable=new.repeatable)
    if test.rule is None:
        found = _guess_by_output(len(drawn), independence)
    else:
        found = _count(test.rule, drawn)
    guarantee, distance = test.claim.guarantee, test.pair.distance
    return Retest(
        found,
        p_value(found, guarantee, distance),
        floor_bound(found, guarantee, ERROR, distance, "the pair of the certificate"),
        independence,
    )


def _guess_by_output(runs: int, independence: Independence) -> Guesses:
    """Guesses by which output it is, where each database gave one: learned from a run on either."""
    if independence.kind is RunsKind.DETERMINISTIC:
        return Guesses(runs - 2, runs - 2, 0, abstains=False)
    return Guesses(runs, 0, 0)


def _count(rule: GuessingRule, runs: Runs) -> Guesses:
    """How the rule fares; InputError where it can't be evaluated, as a forged one may not."""
    try:
        with np.errstate(all="ignore"):
            return rule.count(runs.outcomes, runs.coins)
    except (RecursionError, MemoryError, ArithmeticError, ValueError, TypeError, LookupError):
        raise InputError("the certificate's rule cannot be evaluated on these outputs") from None
