"""Noisy answers that are told as they are: the exact loss, by the shifts of their draws.

Answers that tell all of their draws are a fixed map of these, so that the loss of a pair is that of
the draws' own shifts; sums of normal draws are normal again, and differences of one-sided ones are
Laplace noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from audit.auditors.components.aligned import ALIGNED, align
from audit.auditors.components.forms import Exposed
from audit.auditors.components.linear import dot, rank, solve
from audit.auditors.components.pairs_of_chances import ChanceLoss
from audit.auditors.components.parts import (
    INFINITE,
    MIRRORED,
    ONE_SIDED,
    Law,
    Laws,
    Line,
    Part,
    line_of_draw,
    lines_of,
    loss_of,
    pure_of,
    unknown_part,
)
from audit.auditors.components.recording.steps import Entry
from proofs.losses import GaussianLoss, Loss


def spend_told(told: Sequence[Exposed], draws: Sequence[Entry], laws: Laws) -> Part:
    """Answers that are told as they are."""
    distinct: dict[tuple[object, ...], Exposed] = {}
    for one in told:
        distinct.setdefault((one.form.moved, *sorted(one.form.draws.items())), one)
    answers = list(distinct.values())
    rows = [[one.form.draws.get(draw, Fraction(0)) for draw in draws] for one in answers]
    moved = [one.form.moved for one in answers]
    entries = tuple(one.entry for one in answers)
    names = {law.name for law in laws.values()}
    if rank(rows) == len(draws):
        shifts = solve(rows, moved)
        if shifts is None:
            words = "the same noise hides several numbers, whose differences it doesn't hide"
            return Part(lines_of(told, laws, INFINITE), None, True, entries, (), 1.0, words)
        by_draw = dict(zip(draws, shifts, strict=True))
        return _shifted(by_draw, laws, told, entries, tuple(moved))
    if len(answers) == 1:
        single = _convolved(answers[0], laws)
        if single is not None:
            return single
    if names == {"normal"}:
        return _normal(answers, rows, moved, draws, laws)
    if names <= ALIGNED:
        aligned = align(answers, [], draws, laws)
        if aligned is not None:
            return aligned
    return unknown_part(told, laws, "the sum of these draws has a law that no theorem here covers")


def _shifted(
    shifts: Mapping[Entry, Fraction],
    laws: Laws,
    told: Sequence[Exposed],
    entries: tuple[Entry, ...],
    moved: tuple[Fraction, ...],
) -> Part:
    """The exact part of independent draws that are shifted."""
    losses: list[Loss | ChanceLoss] = []
    lines: list[Line] = []
    leak = 0.0
    why = ""
    for draw, shift in shifts.items():
        if not shift:
            continue
        law = laws[draw]
        added = next(one.place for one in told if draw in one.form.draws)
        loss = loss_of(law, shift)
        if isinstance(loss, float):
            leak = max(leak, loss)
            why = f"{law.name} noise has an end, or steps, that such a move shows"
            lines.append(line_of_draw(law, added, shift, INFINITE))
        elif loss is None:
            return unknown_part(
                told, laws, f"no theorem here covers {law.name} noise told as it is"
            )
        else:
            losses.append(loss)
            squared = float(loss.mu_squared) if isinstance(loss, GaussianLoss) else 0.0
            lines.append(line_of_draw(law, added, shift, pure_of((loss,)), squared))
    return Part(tuple(lines), tuple(losses), True, entries, moved, leak, why)


def _convolved(one: Exposed, laws: Laws) -> Part | None:
    """One answer with several draws: sums of normal ones, differences of one-sided ones."""
    draws = list(one.form.draws.items())
    names = {laws[draw].name for draw, _ in draws}
    law = laws[draws[0][0]]
    moved = one.form.moved
    if names == {"normal"}:
        variance = sum(
            ((multiple * Fraction(laws[draw].scale)) ** 2 for draw, multiple in draws), Fraction(0)
        )
        loss = GaussianLoss(moved**2 / variance)
        summed = Law("normal", math.sqrt(float(variance)), law.place)
        line = line_of_draw(summed, one.place, moved, INFINITE, float(loss.mu_squared))
        return Part((line,), (loss,), True, (one.entry,), (moved,))
    if len(draws) != 2 or len(names) != 1 or not names <= ONE_SIDED | {MIRRORED}:
        return None
    (first, up), (second, down) = draws
    if up != -down or laws[first].scale != laws[second].scale:
        return None
    name = "discrete laplace" if law.name == "geometric" else "laplace"
    two = Law(name, law.scale, law.place)
    found = loss_of(two, moved / up)
    if isinstance(found, float):
        why = "noise of whole numbers does not hide what moves by a part of one"
        line = line_of_draw(two, one.place, moved, INFINITE)
        return Part((line,), (), True, (one.entry,), (moved,), found, why)
    assert found is not None
    line = line_of_draw(two, one.place, moved, pure_of((found,)))
    return Part((line,), (found,), True, (one.entry,), (moved,))


def _normal(
    answers: Sequence[Exposed],
    rows: Sequence[Sequence[Fraction]],
    moved: Sequence[Fraction],
    draws: Sequence[Entry],
    laws: Laws,
) -> Part:
    """Sums of normal draws that are told together: μ² = mᵀ(CΣCᵀ)⁻¹m."""
    squares = [Fraction(laws[draw].scale) ** 2 for draw in draws]
    weighted = [[a * s for a, s in zip(one, squares, strict=True)] for one in rows]
    covariance = [[dot(one, two) for two in rows] for one in weighted]
    weights = solve(covariance, moved)
    entries = tuple(one.entry for one in answers)
    if weights is None:
        words = "the same noise hides several numbers, whose differences it doesn't hide"
        return Part(lines_of(answers, laws, INFINITE), None, True, entries, (), 1.0, words)
    squared = dot(moved, weights)
    lines = lines_of(answers, laws, INFINITE, float(squared))
    return Part(lines, (GaussianLoss(squared),), True, entries, tuple(moved))
