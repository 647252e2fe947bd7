"""Following: every block of runs is told, whatever it is made for, and left where it is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from audit.auditors.attack.examine import examine_box
from audit.auditors.attack.following import Following
from audit.auditors.effort import Attack, Effort
from audit.parallel import here
from audit.statements.claim import Claim
from audit.subjects.function import FunctionBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.runs import Runs
from audit.subjects.subject import BlackBoxSubject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove


def block(runs: int) -> Runs:
    return Runs(Outcomes.of_outputs([0] * runs), np.zeros(runs, np.bool_))


def test_runs_are_counted_up_to_their_total_and_the_floor_is_kept() -> None:
    told: list[tuple[int, int, float]] = []
    following = Following(here, lambda *words: told.append(words), 100)
    results = following.share(block, [(30,), (30,)])
    next(results)
    following.watch(40, 100, 0.5)
    list(results)
    list(following.share(block, [(90,)]))
    assert told == [(30, 100, 0.0), (40, 100, 0.5), (70, 100, 0.5), (100, 100, 0.5)]


def test_results_that_are_left_are_left_behind_it_too() -> None:
    closed: list[bool] = []

    def share(function: Any, calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        try:
            yield from here(function, calls)
        finally:
            closed.append(True)

    results = Following(share, None, 100).share(block, [(1,), (1,)])
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert closed == [True]


def test_a_search_is_not_silent() -> None:
    """The first word comes long before the pair is found and the rule is learned."""

    def honest(database: Any, rng: np.random.Generator, runs: int) -> Any:
        return np.rint((len(database) + rng.laplace(size=runs)) * 8)

    told: list[tuple[int, int, float]] = []
    lines: list[str] = []
    attack = Attack(runs=1_000, seed=1, error=Fraction(1, 20), alarm=Fraction(1, 10**6))
    about = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", Domain.from_cells("2"), 9)
    subject = BlackBoxSubject("f", "function", FunctionBox("f", honest, True), (), {})
    effort = Effort(attack=attack, watch=lambda *words: told.append(words), tell=lines.append)
    list(examine_box(subject, about, effort))
    made = [done for done, _, _ in told]
    assert made == sorted(made)
    assert made[-1] == 2_000
    assert sum(0 < done < 400 for done in made) > 5
    (plan,) = lines
    assert plan.startswith("plan: at most 2,000 runs, and some 345 beside them, some seconds; at")
