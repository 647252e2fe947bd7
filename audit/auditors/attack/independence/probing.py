"""Probing: whether new calls and new processes give outputs of their own."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.independence.dependence_tests import Sign, repeats
from audit.auditors.attack.independence.first_runs import COMPARED, compare, make_first_runs
from audit.auditors.attack.independence.independence import (
    FALSE_ALARM,
    PROBED_WIDE,
    Independence,
    RunsKind,
    examine,
)
from audit.subjects.black_box import BlackBox, Copied, Starting
from audit.subjects.outcomes import WIDE, number_length
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from synthesizers.errors import CannotFork

PROBED = 100
"""Runs of a new call (enough to tell a repeat of two-valued outputs)."""

COPIES = 40
"""Runs of new copies (of noise that is kept for each database, 20 of which are others, which is
seen in as few learning runs as make a finding)."""

CACHED = "outputs are always the same within a process, and others in a new one"

ALONE = "outputs are always the same in processes of their own, and others where runs are served"


def guard(
    box: BlackBox,
    pair: Pair,
    learned: Runs,
    seed: int,
    probed: int = PROBED,
    error: float = FALSE_ALARM / 3,
) -> Independence:
    """What the learning runs on a pair and a few new calls show: `examine` and `probe` together.

    ``probed``: runs of each new call; there are three, and two in new processes where the box
    offers them. ``error``: of each of the two. Runs that a submission serves are compared with
    first runs of new processes besides. Raises ProtocolError where the box can't be run.
    """
    seen = examine(learned, seed, error=error)
    if not (isinstance(box, Starting) and box.serves):
        new = probe(box, pair, learned, seed, probed, error)
        found = (
            new if new.kind is RunsKind.DEPENDENT and seen.kind is not RunsKind.DEPENDENT else seen
        )
        return replace(found, runs=len(learned) + new.runs, repeatable=new.repeatable)
    new = probe(box, pair, learned, seed, probed, error / 2)
    first = make_first_runs(box, pair, COMPARED, seed)
    signs = (
        compare(first, learned, seed, error / 4),
        _test_steady(_code_runs(first), _code_runs(learned), ALONE, error / 4),
    )
    sign = max(signs, key=lambda sign: sign.nats)
    made = len(learned) + new.runs + len(first)
    found = new if new.kind is RunsKind.DEPENDENT and seen.kind is not RunsKind.DEPENDENT else seen
    if sign.nats >= 0 and found.kind is not RunsKind.DEPENDENT:
        found = Independence(RunsKind.DEPENDENT, sign.words, made, repeated=sign.repeated)
    return replace(found, runs=made, repeatable=new.repeatable, compared=len(first))


def probe(
    box: BlackBox,
    pair: Pair,
    learned: Runs,
    seed: int,
    runs: int = PROBED,
    error: float = FALSE_ALARM / 3,
) -> Independence:
    """Whether new calls, with the same coins and other seeds, give outputs of their own.

    ``learned``: earlier runs on the pair. Raises ProtocolError where the box can't be run.

    Guarantee
    ---------
    As of `examine`. Backed by ``tests/audit/auditors/attack/independence/test_independence.py``.
    """
    sequence = np.random.SeedSequence([seed, PROBED])
    if any(number_length(shape) > WIDE for shape in learned.outcomes.shapes):
        runs = min(runs, PROBED_WIDE)
    size = max(1, min(runs, box.block))
    coins = np.random.default_rng(sequence).integers(0, 2, size).astype(np.bool_)
    first, other = (int(s) for s in sequence.generate_state(2, np.uint64))
    found = box.draw(pair, coins, first).codes()
    repeatable = bool(np.array_equal(found, box.draw(pair, coins, first).codes()))
    second = box.draw(pair, coins, other).codes()
    signs = [_test_repeats(found, second, coins, "a new call", error / 3)]
    made = 3 * size
    if isinstance(box, Starting):
        # The seeds are those of before: a state that differs from process to process would show.
        fresh = [box.draw_afresh(pair, coins, s).codes() for s in (first, other)]
        repeatable = repeatable and np.array_equal(fresh, [found, second])
        signs.append(_test_repeats(fresh[0], fresh[1], coins, "a new process", error / 3))
        both = np.concatenate(fresh), np.concatenate([coins, coins])
        signs.append(_test_steady(_code_runs(learned), both, CACHED, error / 3))
        made += 2 * size
    elif isinstance(box, Copied) and examine(learned, seed).kind is RunsKind.DETERMINISTIC:
        # Where it can't be copied, what follows holds if it is deterministic, and says so.
        with suppress(CannotFork):
            copies = box.draw_in_copies(pair, coins[:COPIES], other).codes()
            new = copies, coins[:COPIES]
            signs.append(_test_steady(_code_runs(learned), new, CACHED, error / 3))
            made += len(copies)
    worst = max(signs, key=lambda sign: sign.nats)
    kind = RunsKind.DEPENDENT if worst.nats >= 0 else RunsKind.INDEPENDENT
    words = worst.words if worst.nats >= 0 else kind.value
    return Independence(kind, words, made, repeatable, repeated=worst.repeated)


_Coded = tuple[NDArray[np.uint64], NDArray[np.bool_]]
"""The digests of outcomes, and the coins of their runs."""


def _code_runs(runs: Runs) -> _Coded:
    return runs.outcomes.codes(), runs.coins


def _test_repeats(
    old: NDArray[np.uint64],
    new: NDArray[np.uint64],
    coins: NDArray[np.bool_],
    what: str,
    error: float,
) -> Sign:
    """Whether a second call gave the outputs of the first again, though its seed was another."""
    found = repeats(np.concatenate([old, new]), np.tile(coins, 2), len(coins), error)
    same = int(np.count_nonzero(old == new))
    words = f"{what} gave {same} of {len(old)} outputs again, although its seed was another"
    return Sign(found.nats, words, True)


def _test_steady(old: _Coded, new: _Coded, words: str, error: float) -> Sign:
    """Whether outputs that never changed in some runs changed in others.

    Given all outputs on a database without their order, the chance that m of them, all that differ
    from a certain one, fall into the new ones is a ratio of binomial coefficients. The one is any
    that is common enough to fill the old ones.
    """
    log_chance = 0.0
    for side in (False, True):
        before, after = (codes[coins == side] for codes, coins in (old, new))
        if not len(before) or len(np.unique(before)) > 1:
            return Sign(-math.inf, "")
        odd = int(np.count_nonzero(after != before[0]))
        places = np.arange(odd)
        everything = len(before) + len(after)
        log_chance += math.log(everything // len(before))
        log_chance += float(np.sum(np.log((len(after) - places) / (everything - places))))
    return Sign(-log_chance - math.log(1 / error), words, True)
