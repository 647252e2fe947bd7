"""How many runs would do: the advice that stands beside what an attack lacks."""

from __future__ import annotations

import math

from audit.auditors.attack.finding.planting import find_planted_rate
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import (
    MOST_RUNS,
    Binomial,
    Refuting,
    count_enough_runs,
    find_rate,
)

MARGIN = 1.5
"""By how much more runs are named than would do at the least: a rule that is learned anew, and a
control's, are a little worse than the best."""


def count_needed(
    test: Refuting, guesses: Guesses, runs: int, detect: float, accuracy: float | None
) -> int | None:
    """How many runs a database would decide, learning included: two digits, as a reader types it.

    ``guesses``: how often they were made. ``runs``: a database, of the attack so far. ``detect``:
    the leak that must be seen, of the rule's guesses and of a control's. ``accuracy``: of guesses
    that are suspicious, where these are to be decided instead. None where none would do that
    anybody waits for. Nothing rests on it.
    """
    guessed = guesses.number > 0
    # Where no guess was made, one in every run is the best that there can be.
    like = guesses if guessed else Guesses(1, 1, 0)
    if accuracy is None:
        wanted = [
            count_enough_runs(test, one, _find_accuracy(test, one, detect))
            for one in (like, _plant(like))
        ]
    else:
        wanted = [count_enough_runs(test, like, accuracy)]
    tests = max(number or MOST_RUNS for number in wanted)
    whole = isinstance(test, Binomial) and guesses.runs > 0
    # Of bets, about half the runs go to learning or to other pairs.
    share = guesses.runs / (2 * runs) if whole else 0.5
    needed = _round_up(tests / (2 * share) * MARGIN)
    if needed >= MOST_RUNS or (needed <= runs and not guessed):
        return None
    return max(needed, _round_up(runs * MARGIN))


def _find_accuracy(test: Refuting, guesses: Guesses, detect: float) -> float:
    """How often such guesses are right where the leak is that which must be seen."""
    sided = guesses.one_sided
    rate = min(1.0, guesses.number / guesses.runs * (2 if sided else 1))
    return find_rate(detect, rate, test.guarantee, test.distance, sided)


def _plant(guesses: Guesses) -> Guesses:
    """Guesses as often as a control has its leak: of both coins, and not in every run."""
    return Guesses(10**6, round(find_planted_rate(guesses) * 10**6), 0)


def _round_up(number: float) -> int:
    """The smallest whole number of two significant digits that is at least this one."""
    place: int = 10 ** max(math.floor(math.log10(max(number, 1))) - 1, 0)
    return math.ceil(number / place) * place
