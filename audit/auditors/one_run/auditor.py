"""The one-run auditor: trainings among canaries, and releases whose training half coins chose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from audit.auditors.effort import Attack, Effort
from audit.auditors.one_run.concluding import INCLUSION, PAIRS, PRESENCE, Setup, conclude
from audit.auditors.one_run.guessing import (
    find_differences,
    guess_inclusion,
    guess_pairs,
    guess_presence,
    tell_guesses,
)
from audit.statements.claim import Claim
from audit.statements.evidence import Evidence
from audit.subjects.coins import derive_seed, draw_coins
from audit.subjects.split_release import ReleaseSubject
from audit.subjects.training import TrainingSubject
from synthesizers.errors import InputError

TRAIN = "training among canaries"
"""What a training's random numbers are for."""


def examine_training(subject: TrainingSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """A training on canaries, each in or out by its own coin, or one of two where n is public.

    Raises InputError for canaries that do not fit the claim, ProtocolError where a run fails.
    """
    _require_records(claim)
    attack = effort.require_attack()
    seed = f"{attack.seed:x}"
    design = PAIRS if claim.neighbours.records_public else INCLUSION
    held = subject.count(derive_seed(seed, TRAIN, 0))
    if design == PAIRS and held % 2:
        raise InputError(
            "under replace-one canaries come in pairs, one of which is in: the first two, the next "
            f"two and so on; found {held}"
        )
    coins = held // 2 if design == PAIRS else held
    setup = _setup(claim, attack, design, seed, coins)
    plan = setup.plan()
    results = []
    for run in range(setup.runs):
        chosen = draw_coins(seed, run, coins)
        places = np.flatnonzero(chosen)
        if design == PAIRS:
            places = 2 * np.arange(coins) + ~chosen
        scores = subject.train(places, derive_seed(seed, TRAIN, run + 1))
        if len(scores) != held:
            raise InputError(
                f"there were {held} canaries, and then {len(scores)}: they must be the same in "
                "each call"
            )
        if design == PAIRS:
            made = guess_pairs(find_differences(scores), plan.guesses, seed, run)
        else:
            made = guess_inclusion(scores, plan.guesses, seed, run)
        results.append(tell_guesses(made, chosen, shown=True))
        if effort.watch is not None:
            effort.watch(run + 1, setup.runs, 0.0)
    yield conclude(setup, plan, results)


def examine_release(subject: ReleaseSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """A release by a training on the records that fair coins chose before.

    Its certificate has counts and digests alone. Raises InputError where the claim's neighbours do
    not differ in whether a record is in.
    """
    _require_records(claim)
    if claim.neighbours.records_public:
        raise InputError(
            "a split decides whether each record is in: its databases are neighbours under "
            "add-remove, and not under replace-one; a claim of replace-one can't be tested by it"
        )
    attack = effort.require_attack()
    scores, places = subject.scores(), subject.canaries
    setup = _setup(claim, replace(attack, runs=1), PRESENCE, "", len(scores), "records")
    plan = setup.plan()
    made = guess_presence(scores, plan.guesses, subject.split.seed)
    yield conclude(setup, plan, [tell_guesses(made, subject.split.chosen[places], shown=False)])


def _setup(
    claim: Claim, attack: Attack, design: str, seed: str, coins: int, what: str = "canaries"
) -> Setup:
    return Setup(
        claim,
        design,
        seed,
        coins,
        attack.runs,
        attack.error,
        attack.alarm,
        what,
        attack.detect,
        attack.guesses,
    )


def _require_records(claim: Claim) -> None:
    if not claim.neighbours.unit.is_record:
        raise InputError(
            "a canary is one record: claims about persons can't be tested in one run; state the "
            "claim for --unit record, or attack by many runs"
        )
