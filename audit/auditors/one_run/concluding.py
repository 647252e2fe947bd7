"""What one run's guesses conclude, from their counts: evidence, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from scipy.stats import binom

from audit.auditors.attack.guessing.floors import claimed_name, claimed_value
from audit.auditors.attack.guessing.power import require_detect
from audit.auditors.one_run.bound import Counts
from audit.auditors.one_run.p_values import find_limit, find_p_value, make_bound
from audit.auditors.one_run.planning import MOST_GUESSED, Plan, make_plan
from audit.statements.claim import Claim
from audit.statements.decimals import decimal_below
from audit.statements.evidence import Decision, Evidence, Guesses, OneRunReplay
from audit.statements.power import SUSPICION
from synthesizers.errors import InputError

NAME = "one run"

INCLUSION, PRESENCE, PAIRS = "inclusion", "presence", "pairs"
"""What a coin decides: whether a canary is in, the same where none is guessed out, which of two."""

BLIND = 1e-3
"""The p-value of guesses by chance alone above which no canary counts as seen (what sees none is
said to in all but one of a thousand audits; more would cost honest trainings of few canaries)."""

MOST_VALUE = 32
"""The largest claim that is tested (a leak beyond it takes e^32 canaries to see)."""

MOST_RUNS = 100
"""The most runs of one audit (a reviewer who can afford more has an attack by many runs)."""


@dataclass(frozen=True)
class Setup:
    """What is settled before a coin is looked at.

    ``design``, ``seed``, ``canaries``: see `OneRunReplay`. ``runs``: how many there are.
    ``guesses``: of each, as the user wants; None for the plan's. ``what``: is in or out, in words.
    """

    claim: Claim
    design: str
    seed: str
    canaries: int
    runs: int
    error: Fraction
    alarm: Fraction
    what: str = "canaries"
    detect: Fraction | None = None
    guesses: int | None = None

    def __post_init__(self) -> None:
        if self.guesses is not None and not 1 <= self.guesses <= self.canaries:
            raise InputError(
                f"--guesses is a number from 1 to that of coins, {self.canaries}; found "
                f"{self.guesses}"
            )
        if self.guesses is not None and self.guesses * self.runs > MOST_GUESSED:
            raise InputError(
                f"of all runs at most {MOST_GUESSED} coins are guessed; found {self.guesses} in "
                f"each of {self.runs}: give smaller --guesses"
            )
        if not 1 <= self.runs <= MOST_RUNS:
            raise InputError(f"a training is run 1 to {MOST_RUNS} times; found --runs {self.runs}")
        name, value = claimed_name(self.claim.guarantee), claimed_value(self.claim.guarantee)
        if value > MOST_VALUE or require_detect(self.claim.guarantee, self.detect) > 4 * MOST_VALUE:
            raise InputError(
                f"no number of canaries shows a leak that large: one run tests claims up to "
                f"{name}={MOST_VALUE}, and sees leaks (--detect) up to {name}={4 * MOST_VALUE}"
            )

    @property
    def leak(self) -> float:
        """The leak that must be seen; raises InputError for one that the claim allows."""
        return float(require_detect(self.claim.guarantee, self.detect))

    @property
    def value(self) -> float:
        """The claimed value, rounded up."""
        return _up(claimed_value(self.claim.guarantee))

    def plan(self) -> Plan:
        """How many canaries are guessed, and what that sees."""
        return make_plan(
            self.claim.guarantee,
            self.value,
            self.leak,
            self.canaries,
            self.runs,
            float(self.alarm),
            self.guesses,
            self.design == PRESENCE,
        )


def _up(value: Fraction) -> float:
    return (
        float(value) if Fraction(float(value)) >= value else math.nextafter(float(value), math.inf)
    )


def _round_up(chance: float) -> float:
    """A chance in three digits, no smaller."""
    shown = float(f"{chance:.2e}")
    return min(1.0, shown if shown >= chance else float(f"{chance * 1.005:.2e}"))


def conclude(setup: Setup, plan: Plan, runs: Sequence[Guesses]) -> Evidence:
    """The evidence of guesses.

    Guarantee
    ---------
    While the claim holds, it is VIOLATED with probability at most ``setup.alarm``, and the floor
    exceeds the truth with at most ``setup.error`` (`find_p_value`, `find_floor`); no violation is
    said to be unseen but where the leak that must be seen would have refuted the claim, and guesses
    were better than chance alone makes them with probability `BLIND`. Backed by
    ``tests/audit/auditors/one_run/test_concluding.py``.
    """
    guarantee, covers = setup.claim.guarantee, _covers(setup)
    counts = [Counts(setup.canaries, plan.guesses, one.right) for one in runs]
    p_value = _round_up(find_p_value(counts, guarantee, setup.value))
    limit = find_limit(counts, guarantee, float(setup.error))
    replay = OneRunReplay(
        design=setup.design,
        seed=setup.seed,
        canaries=setup.canaries,
        guesses=plan.guesses,
        runs=tuple(runs),
        p_value=p_value,
        limit=limit,
        detect=setup.leak,
        accuracy=plan.accuracy,
        detected=plan.detected,
        error=setup.error,
        alarm=setup.alarm,
    )
    decision, why = _decide(setup, plan, counts, p_value)
    return Evidence(
        NAME,
        " ".join(filter(None, (_tell(setup, plan, counts, p_value, limit), why))),
        decision,
        covers,
        False,
        make_bound(counts, guarantee, setup.error, covers),
        decimal_below(1 - setup.error, 12),
        replay=replay,
    )


def _decide(
    setup: Setup, plan: Plan, counts: Sequence[Counts], p_value: float
) -> tuple[Decision, str]:
    """The decision, and why in a sentence."""
    name, value = claimed_name(setup.claim.guarantee), claimed_value(setup.claim.guarantee)
    if p_value <= setup.alarm:
        return Decision.VIOLATED, ""
    if p_value < SUSPICION:
        return (
            Decision.UNDECIDED,
            "That is suspicious, and not rare enough to refute the claim: more runs (--runs) would "
            "decide.",
        )
    if not plan.detected:
        most = find_limit(counts, setup.claim.guarantee, float(setup.alarm))
        return (
            Decision.UNDECIDED,
            f"So few coins can't see enough: a leak of {name}={setup.leak:.4g} would not have been "
            f"refuted with a chance of 90 %. At the alarm {float(setup.alarm):g}, if all guesses "
            f"were right, no claim above {name}={most:.4g} would be. Use more canaries, several "
            "runs (--runs), or a larger --alarm.",
        )
    right, made = sum(one.right for one in counts), sum(one.guesses for one in counts)
    by_chance = float(binom.sf(right - 1, made, 0.5))
    if value > 0 and by_chance > BLIND:
        return (
            Decision.UNDECIDED,
            "Guesses are no better than chance, or hardly: whoever tosses a coin guesses as well "
            f"with a chance of {by_chance:.2g}. Either little leaks, or the score does not see "
            "what does. Nothing follows for the claim.",
        )
    return (
        Decision.UNSEEN,
        f"At {name}={setup.leak:.4g}, and with {setup.what} that do not disturb each other, some "
        f"{plan.accuracy:.1%} would have been right, which is refuted.",
    )


def _covers(setup: Setup) -> str:
    how = "one training run" if setup.runs == 1 else f"{setup.runs} training runs"
    if setup.what == "records":
        how = "one release"
    coins = f"{setup.canaries} {'pairs of ' if setup.design == PAIRS else ''}{setup.what}"
    return f"{how} on databases that differ in {coins}"


def _tell(setup: Setup, plan: Plan, counts: Sequence[Counts], p_value: float, limit: float) -> str:
    name = claimed_name(setup.claim.guarantee)
    right = ", ".join(str(one.right) for one in counts)
    coins = f"{setup.what}, in or out by fair coins"
    if setup.design == PAIRS:
        coins = f"pairs of {setup.what}, one of each in by fair coins"
    runs = "" if len(counts) == 1 else f" in each of {len(counts)} runs"
    claimed = f"{name}={claimed_value(setup.claim.guarantee)}"
    return (
        f"of {setup.canaries} {coins}, {plan.guesses} were guessed{runs} and {right} of these "
        f"right. Whoever keeps {claimed} is guessed as well with a chance of at most "
        f"{p_value:.3g}. With all of them right the floor would be {name} >= {limit:.4g}: more "
        "can't be shown by so many guesses."
    )
