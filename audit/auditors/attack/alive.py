"""Alive: whether a subject's output depends on its input at all, seen before it is attacked.

The same test as that of a claim, turned on a claim that nobody makes: that between tables as far
apart as can be nothing leaks, ε = 0. Where a rule that is learned on some runs guesses others too
often, the subject reads its input. Where no rule does, and hardly any noise of the claim's size
could hide it, the subject seems to ignore it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit, ndtr
from scipy.stats import binom

from audit.auditors.attack.finding.evidence import list_versions
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.learning.quick_attackers import DirectionAttacker, ForemostAttacker
from audit.auditors.attack.learning.selection import score_held_out
from audit.auditors.attack.pairs.far_tables import FarPair
from audit.auditors.attack.pairs.records import Encoding
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.evidence import ALIVE, AttackReplay, Decision, Evidence
from audit.subjects.failures import describe_failure
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

ERROR = Fraction(1, 100)
"""The chance that a subject which ignores its input is not said to (over all looks together)."""

POWER = 0.99
"""The chance with which a dependence is seen that is said to be one that would have been."""

LEARNED, TESTED = 16, 24
"""Runs on a pair to learn from and to test, at first: of 24 guesses, a rule that is right 24 times
in 25 is seen with `POWER` at the error of a look, and a command makes them in seconds."""

LOOKS = 4
"""How often a pair is looked at, each time with twice the fresh runs; only one that shows nothing
is looked at again."""

SHARE = 0.1
"""The part of an attack's runs that those on a pair which tells nothing may amount to, beside
them."""

SPENT = 4
"""A subject may spend a quarter of what it claims, divided by the number of attributes, on what the
tables differ in (a synthesizer that measures marginals does): where noise for that could hide the
difference, nothing is said of it."""

QUICK: tuple[Attacker, ...] = (
    DirectionAttacker(1.0),
    DirectionAttacker(0.5),
    ForemostAttacker(),
    *(attacker for attacker in PORTFOLIO if attacker.cost is Cost.LOW),
)
"""Who learns from a few runs."""

FARTHEST = 1e300
"""Scores beyond it are taken for it."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """What runs on one far pair show.

    ``depends``: a rule tells its tables apart. ``seen``: the least chance of a right guess that
    would have been seen with `POWER`. ``failure``: in words, where every run failed.
    """

    far: FarPair
    depends: bool
    seen: float
    runs: int
    failure: str | None = None


def look_at(source: Source, pairs: Sequence[FarPair], attack: Attack) -> tuple[Look, ...]:
    """Looks at pairs until nothing is open; none where an attack has too few runs to share.

    Of each encoding, pairs of other values until one depends on them; of the number of records
    alone only if none did.

    Guarantee
    ---------
    A subject whose runs are independent, with one law whatever its input, is found to depend on it
    with a chance of at most `ERROR`: rules are tested on runs that they were not learned from, and
    shares of the error sum to it. Backed by ``tests/audit/auditors/attack/test_alive.py``.
    """
    total = 2 * attack.runs
    if total < 2 * (LEARNED + TESTED):
        return ()
    most = max(LEARNED + TESTED, int(SHARE * total))
    found: list[Look] = []
    for number, far in enumerate(pairs):
        by_values = _read([one for one in found if one.far.values])
        if far.encoding not in _read(found) and (far.values or not by_values):
            found.append(_look(source, far, number, most, float(ERROR) / len(pairs) / LOOKS))
    return tuple(found)


def _read(looks: Sequence[Look]) -> set[Encoding]:
    """The encodings that some of the looks see read."""
    return {look.far.encoding for look in looks if look.depends}


def _look(source: Source, far: FarPair, number: int, most: int, error: float) -> Look:
    """Runs on a pair, in looks of twice as many, each of which tests what all before it taught."""
    learned = source.runs("alive", far.pair, number, LEARNED)
    seen, tested = 1.0, TESTED
    for _ in range(LOOKS):
        fresh = source.runs("alive", far.pair, number, tested, len(learned))
        if _tells(learned, fresh, far, error):
            return Look(far, True, seen, len(learned) + tested)
        seen = _visible(tested, error)
        learned = Runs.join([learned, fresh])
        tested *= 2
        if len(learned) + tested > most:
            break
    return Look(far, False, seen, len(learned), describe_failure(learned.outcomes))


def _tells(learned: Runs, fresh: Runs, far: FarPair, error: float) -> bool:
    """Whether a rule of the first runs guesses the coins of the others too often for luck."""
    rule = _learn(learned, far.pair)
    if rule is None:
        return False
    guesses = rule.count(fresh.outcomes, fresh.coins)
    return float(binom.sf(guesses.correct - 1, guesses.number, 0.5)) <= error


def _learn(runs: Runs, pair: Pair) -> GuessingRule | None:
    """The rule that is right most often in held-out runs; it guesses in every run.

    None where all outcomes are the same, or all runs on one database.
    """
    found = []
    for attacker in QUICK:
        held = score_held_out(attacker, runs, pair)
        if held is not None:
            found.append((_best_threshold(held, runs.coins)[0], attacker))
    if not found:
        return None
    _, best = max(found, key=lambda one: one[0])
    score = best.fit(runs, pair)
    if score is None:
        return None
    _, high = _best_threshold(score.evaluate(runs.outcomes), runs.coins)
    return GuessingRule(score, math.nextafter(high, -math.inf), high)


def _best_threshold(scores: Array, coins: NDArray[np.bool_]) -> tuple[int, float]:
    """How often guesses of the second database from a threshold on are right at most, and where."""
    levels = np.unique(np.clip(scores, -FARTHEST, FARTHEST))
    if len(levels) < 2:
        return int(max(coins.sum(), (~coins).sum())), float(levels[0])
    thresholds = (levels[1:] + levels[:-1]) / 2
    right = ((scores >= thresholds[:, None]) == coins).sum(axis=1)
    best = int(np.argmax(right))
    return int(right[best]), float(thresholds[best])


def _visible(runs: int, error: float) -> float:
    """The least chance of a right guess that so many guesses show with `POWER`."""
    enough = int(binom.isf(error, runs, 0.5)) + 1
    return 1.0 if enough > runs else float(betaincinv(enough, runs - enough + 1, POWER))


def bound_chance(guarantee: Guarantee, records: int, attributes: int) -> float:
    """How often guesses are right of a subject that spends a part of its claim on so many records.

    The part is one in `SPENT` times the ``attributes``. By group privacy: kε of pure ε and kμ of a
    Gaussian, of which zCDP and RDP have those that they allow a Gaussian mechanism (Bun & Steinke
    2016, Proposition 1.6).
    """
    apart = records / (SPENT * attributes)
    match guarantee:
        case ApproxDP(epsilon=epsilon):
            return float(expit(float(epsilon) * apart))
        case GaussianDP(mu=mu):
            distance = float(mu)
        case ZCDP(rho=rho):
            distance = math.sqrt(2 * float(rho))
        case RenyiDP(alpha=alpha, epsilon=epsilon):
            distance = math.sqrt(2 * float(epsilon) / float(alpha))
    return float(ndtr(distance * apart / 2))


def conclude_silent(looks: Sequence[Look], claim: Claim, attack: Attack) -> Evidence | None:
    """What looks say; None where the subject reads all that it is handed, or noise may hide it."""
    # What reads values of one encoding may count the records of both.
    read = _read([look for look in looks if look.far.values]) or _read(looks)
    silent = [look for look in looks if not look.depends and look.far.encoding not in read]
    if not silent:
        return None
    attributes = len(claim.require_domain().attributes)
    if any(
        look.seen >= bound_chance(claim.guarantee, look.far.records, attributes) for look in silent
    ):
        return None
    return Evidence(
        auditor="attack",
        finding=_partly(next(iter(read)), silent) if read else _ignores(silent),
        decision=Decision.SILENT if read else Decision.UNDECIDED,
        covers="tables as far apart as the claim's records allow",
        whole=False,
        replay=AttackReplay(
            mode=ALIVE,
            seed=attack.seed,
            runs=attack.runs,
            error=ERROR,
            alarm=attack.alarm,
            total_runs=sum(look.runs for look in looks),
            versions=list_versions(),
        ),
    )


def _ignores(looks: Sequence[Look]) -> str:
    tried = "; ".join(look.far.words for look in looks)
    return f"this subject seems to ignore its input: {_power(looks)} (tried: {tried})"


def _partly(read: Encoding, silent: Sequence[Look]) -> str:
    """Which of two encodings a subject reads."""
    failures = [look.failure for look in silent if look.failure is not None]
    ignored = silent[0].far.encoding.value
    if len(failures) == len(silent):
        return f"it reads bins as {read.value} and fails on {ignored}: {failures[0]}"
    return f"it reads bins as {read.value} and seems to ignore {ignored}: {_power(silent)}"


def _power(looks: Sequence[Look]) -> str:
    """How many runs saw nothing, and what they would have seen."""
    runs, least = sum(look.runs for look in looks), max(look.seen for look in looks)
    return (
        f"no rule tells very different tables apart in {runs} runs, where one that is right in "
        f"{100 * least:.0f} % of them would have been seen with a chance of {100 * POWER:.0f} %"
    )
