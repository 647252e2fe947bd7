"""Answers that are compared or ranked: a bound by shifts of the draws that leave every outcome.

If for each outcome the draws can be shifted so that the other database gives the same, its chances
differ by what the shift costs (randomness alignment: Dwork & Roth 2014, Theorem 3.24 and Claim 3.9;
Ding, Wang, Wang, Zhang & Kifer 2018). A linear program finds the cheapest shift.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from audit.auditors.components.forms import Exposed
from audit.auditors.components.multiples import Form
from audit.auditors.components.pairs_of_chances import state_chances
from audit.auditors.components.parts import (
    ONE_SIDED,
    ROUNDED_UP,
    Law,
    Laws,
    Part,
    line_of_draw,
)
from audit.auditors.components.recording.steps import Entry
from audit.auditors.components.selections import soften
from proofs.losses import ResponseLoss

ALIGNED = frozenset({"laplace", "logistic", "discrete laplace", *ONE_SIDED})
"""Laws of which a shift by s costs at most s / scale."""


def align(
    told: Sequence[Exposed], ranked: Sequence[Exposed], draws: Sequence[Entry], laws: Laws
) -> Part | None:
    """A ceiling: the cheapest shift of the draws after which the other database says the same."""
    costs = [_shift_of(told, ranked, draws, laws, sign) for sign in (1, -1)]
    if None in costs:
        return None
    found = max((one for one in costs if one is not None), key=lambda one: one[0])
    epsilon, shifts = Fraction(found[0]) * (1 + ROUNDED_UP), found[1]
    lines = []
    for draw, shift in zip(draws, shifts, strict=True):
        if abs(shift) > 1e-9:
            place = next(one.place for one in (*told, *ranked) if draw in _all_draws(one))
            law = laws[draw]
            lines.append(line_of_draw(law, place, Fraction(shift), abs(shift) / law.scale))
    why = "a bound by shifting the draws, not the exact loss"
    return Part(tuple(lines), (ResponseLoss(epsilon),), False, (), why=why)


def _all_draws(one: Exposed) -> set[Entry]:
    return {*one.form.draws, *(() if one.winner is None else one.winner.draws)}


def _shift_of(
    told: Sequence[Exposed],
    ranked: Sequence[Exposed],
    draws: Sequence[Entry],
    laws: Laws,
    sign: int,
) -> tuple[float, list[float]] | None:
    """The least cost and its shifts, where the first database's move is ``sign``."""
    place = {draw: number for number, draw in enumerate(draws)}
    many = len(draws)
    equal, equal_to, below, below_to = [], [], [], []

    def row(form: Form) -> list[float]:
        found = [0.0] * many
        for draw, multiple in form.draws.items():
            found[place[draw]] = float(multiple)
        return found

    for one in told:
        equal.append(row(one.form))
        equal_to.append(-sign * float(one.form.moved))
    for one in ranked:
        # What was above, or best, has to stay so.
        if one.winner is None:
            form, up = one.form, bool(one.above)
        else:
            form, up = one.winner.plus(one.form, -1), one.use == "argmax"
        factor = -1.0 if up else 1.0
        below.append([factor * value for value in row(form)])
        below_to.append(-factor * sign * float(form.moved))
    scales = [laws[draw].scale for draw in draws]
    # s = up - down; draws with an end can only be shifted upwards.
    cost = [1 / scale for scale in scales] * 2
    bounds = [(0.0, None)] * many + [
        (0.0, 0.0 if laws[draw].name in ONE_SIDED else None) for draw in draws
    ]

    def split(rows: Sequence[Sequence[float]]) -> Any:
        return np.array([[*one, *(-value for value in one)] for one in rows]) if rows else None

    solved: Any = linprog(
        cost,
        A_ub=split(below),
        b_ub=below_to or None,
        A_eq=split(equal),
        b_eq=equal_to or None,
        bounds=bounds,
        method="highs",
    )
    if solved.status != 0:
        return None
    shifts = (solved.x[:many] - solved.x[many:]).tolist()
    whole = {"geometric", "discrete laplace"}
    named = zip(draws, shifts, strict=True)
    if any(laws[draw].name in whole and abs(s - round(s)) > 1e-9 for draw, s in named):
        return None
    return float(solved.fun), shifts


def select_gumbel(ranked: Sequence[Exposed], draws: Sequence[Entry], laws: Laws) -> Part | None:
    """The largest of scores with Gumbel noise of one scale: the exponential mechanism, exactly."""
    scales = {laws[draw].scale for draw in draws}
    simple = all(list(one.form.draws.values()) == [1] for one in ranked)
    if len(scales) != 1 or not simple or any(one.use != "argmax" for one in ranked):
        return None
    (scale,) = scales
    loss = state_chances(
        soften([float(one.form.first) / scale for one in ranked]),
        soften([float(one.form.second) / scale for one in ranked]),
    )
    moved = max((abs(one.form.moved) for one in ranked), default=Fraction(0))
    law = Law("gumbel, ranked", scale, laws[draws[0]].place)
    line = line_of_draw(law, ranked[0].place, moved, loss.epsilon)
    return Part((line,), (loss,), False, (), why="scores with Gumbel noise, ranked")
