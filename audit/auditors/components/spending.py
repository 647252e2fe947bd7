"""What the noise of a run spends on a pair: shifts of draws that make both databases say the same.

Noisy answers that share draws are one part. If every answer moves by as much as a shift of its
draws moves it, the densities of both databases differ by what the shift costs: where the answers
tell all draws, that is the part's exact loss; where they are compared or ranked, any shift that
leaves every comparison as it was bounds it (randomness alignment: Dwork & Roth 2014, Theorem 3.24
and Claim 3.9; Ding, Wang, Wang, Zhang & Kifer 2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from audit.auditors.components.forms import COMPARED, EXTREME, Exposed, Form, Read
from audit.auditors.components.linear import rank, solve
from audit.auditors.components.recording.places import UNKNOWN
from audit.auditors.components.recording.steps import Call, Entry
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
)

INFINITE = math.inf
"""The loss of what can be told apart for certain."""

ROUNDED_UP = Fraction(1, 10**12)
"""A relative margin on losses that are made of logarithms in doubles."""

LARGEST = 400
"""The most answers and draws of a part whose shift is searched for."""

ONE_SIDED = frozenset({"exponential", "geometric"})
"""Laws whose draws can only be shifted upwards."""

_NAMES = frozenset({"laplace", "logistic", "discrete laplace", *ONE_SIDED})


@dataclass(frozen=True)
class Law:
    """The law of a draw by the only parameter that counts, and the line that draws it."""

    name: str
    scale: float
    place: str


@dataclass(frozen=True)
class Line:
    """What one line of the foreign code spends: a row of the table.

    ``place``: the line that draws; ``added``: the one where the noise meets what it hides, if that
    is another. ``scale``: as text. ``moved``: how far the pair moves what is hidden, as text. ``epsilon``: the
    pure loss of its part, infinite where there is none. ``squared``: Δ²/σ² of normal noise.
    """

    place: str
    law: str
    scale: str
    moved: str
    epsilon: float
    squared: float = 0.0
    added: str = ""


@dataclass(frozen=True)
class Part:
    """What answers that share draws spend together.

    ``losses``: independent losses that add up to it, or bound it; None where no theorem here says
    anything. ``exact``: they are it, on this pair, to whoever sees ``entries``, which ``moved`` by so much. ``leak``: the
    chance with which they tell both databases apart for certain, at least. ``why``: in words, where it is not exact.
    """

    lines: tuple[Line, ...]
    losses: tuple[Loss, ...] | None
    exact: bool
    entries: tuple[Entry, ...]
    moved: tuple[Fraction, ...] = ()
    leak: float = 0.0
    why: str = ""


def spend(read: Read) -> tuple[Part, ...]:
    """The parts of a run, whose losses add up."""
    groups = _components([one for one in read.exposed if one.form.draws])
    found = [_part(read, group) for group in groups if any(one.form.moved for one in group)]
    found += [_weighed(*one) for one in read.weighed]
    return tuple(found)


def _components(exposed: Sequence[Exposed]) -> list[list[Exposed]]:
    """Answers that share draws, directly or by way of others; those of one ranking together."""
    parent: dict[object, object] = {}

    def root(one: object) -> object:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for one in exposed:
        keys: list[object] = list(one.form.draws)
        keys += [] if one.winner is None else list(one.winner.draws)
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
    groups: dict[object, list[Exposed]] = {}
    for one in exposed:
        groups.setdefault(root(next(iter(one.form.draws))), []).append(one)
    return list(groups.values())


def _part(read: Read, group: Sequence[Exposed]) -> Part:
    draws = sorted({draw for one in group for draw in one.form.draws})
    laws = {draw: _law(read, draw) for draw in draws}
    ranked = [one for one in group if one.use in COMPARED or one.use in EXTREME]
    told = [one for one in group if one not in ranked]
    only = ranked[0] if len(ranked) == 1 and not told else None
    if only is not None and only.use in COMPARED:
        coin = _coin(read, only)
        if coin is not None:
            return coin
    if len(draws) + len(group) > LARGEST:
        return _unknown(group, laws, "too many answers share their noise to be looked at together")
    if not ranked or _tells(told, ranked, draws):
        return _of_told(told, draws, laws)
    if all(law.name in _NAMES for law in laws.values()):
        aligned = _align(told, ranked, draws, laws)
        if aligned is not None:
            return aligned
    if {law.name for law in laws.values()} == {"gumbel"} and not told:
        selected = _select(ranked, draws, laws)
        if selected is not None:
            return selected
    # Whoever sees the answers themselves sees no less.
    plain = [_revealed(one) for one in group]
    found = _of_told([one for one in plain if one.form.draws], draws, laws)
    why = "noisy answers are compared or ranked, which may tell less than they do"
    return Part(found.lines, found.losses, False, (), why=why)


def _tells(told: Sequence[Exposed], ranked: Sequence[Exposed], draws: Sequence[Entry]) -> bool:
    """Whether what is compared or ranked follows from what is told anyway."""
    forms = [form for one in ranked for form in (one.form, one.winner) if form is not None]
    known = [one.form for one in told]

    def rows(of: Sequence[Form]) -> list[list[Fraction]]:
        return [[form.draws.get(draw, Fraction(0)) for draw in draws] for form in of]

    return bool(known) and rank(rows(known)) == rank(rows([*known, *forms]))


def _revealed(one: Exposed) -> Exposed:
    return Exposed(one.form, "unseen", one.place, one.entry)


def _law(read: Read, draw: Entry) -> Law:
    """The law of a draw; "unknown" with a scale of 0 for others than those that are counted."""
    call = read.calls.get(draw[0])
    if call is None:
        return Law("unknown", 0.0, read.pure[draw].place if draw in read.pure else UNKNOWN)
    if call.law == "geometric":
        chance = _entry_of(call.parameters.get("p"), draw, call)
        if 0 < chance < 1:
            return Law("geometric", -1 / math.log1p(-chance), call.place)
        return Law("unknown", 0.0, call.place)
    scale = _entry_of(call.parameters.get("scale"), draw, call)
    known = scale > 0 and math.isfinite(scale)
    return Law(call.law, scale, call.place) if known else Law("unknown", 0.0, call.place)


def _entry_of(parameter: object, draw: Entry, call: Call) -> float:
    if isinstance(parameter, tuple):
        if not parameter or len(call.answer) % len(parameter):
            return 0.0
        parameter = parameter[draw[1] % len(parameter)]
    return float(parameter) if isinstance(parameter, int | float) else 0.0


Laws = Mapping[Entry, Law]


def _of_told(told: Sequence[Exposed], draws: Sequence[Entry], laws: Laws) -> Part:
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
            return Part(_lines(told, laws, INFINITE), None, True, entries, (), 1.0, words)
        by_draw = dict(zip(draws, shifts, strict=True))
        return _shifted(by_draw, laws, told, entries, tuple(moved))
    if len(answers) == 1:
        single = _convolved(answers[0], laws)
        if single is not None:
            return single
    if names == {"normal"}:
        return _normal(answers, rows, moved, draws, laws)
    if names <= _NAMES:
        aligned = _align(answers, [], draws, laws)
        if aligned is not None:
            return aligned
    return _unknown(told, laws, "the sum of these draws has a law that no theorem here covers")


def _shifted(
    shifts: Mapping[Entry, Fraction],
    laws: Laws,
    told: Sequence[Exposed],
    entries: tuple[Entry, ...],
    moved: tuple[Fraction, ...],
) -> Part:
    """The exact part of independent draws that are shifted."""
    losses: list[Loss] = []
    lines: list[Line] = []
    leak = 0.0
    why = ""
    for draw, shift in shifts.items():
        if not shift:
            continue
        law = laws[draw]
        added = next(one.place for one in told if draw in one.form.draws)
        loss = loss_of(law.name, law.scale, shift)
        if isinstance(loss, float):
            leak = max(leak, loss)
            why = f"{law.name} noise has an end, or steps, that such a move shows"
            lines.append(_line(law, added, shift, INFINITE))
        elif loss is None:
            return _unknown(told, laws, f"no theorem here covers {law.name} noise told as it is")
        else:
            losses.append(loss)
            squared = float(loss.mu_squared) if isinstance(loss, GaussianLoss) else 0.0
            lines.append(_line(law, added, shift, pure_of((loss,)), squared))
    return Part(tuple(lines), tuple(losses), True, entries, moved, leak, why)


def _line(law: Law, added: str, moved: Fraction, epsilon: float, squared: float = 0.0) -> Line:
    elsewhere = "" if added == law.place else added
    return Line(law.place, law.name, f"{law.scale:g}", _number(moved), epsilon, squared, elsewhere)


def loss_of(law: str, scale: float, shift: Fraction) -> Loss | float | None:
    """The loss of one draw that is shifted; None for unknown ones.

    A float is the chance with which the two are told apart for certain: of whole numbers that move
    by a part of one, and of laws with an end.
    """
    size, width = abs(shift), Fraction(scale)
    match law:
        case "laplace":
            return LaplaceLoss(size / width)
        case "normal":
            return GaussianLoss((size / width) ** 2)
        case "discrete laplace":
            if size.denominator != 1:
                return 1.0
            return DiscreteLaplaceLoss(1 / width, int(size))
        case "discrete gaussian":
            if size.denominator != 1:
                return 1.0
            return DiscreteGaussianLoss(width**2, int(size))
        case "geometric" | "exponential":
            whole = law == "exponential" or size.denominator == 1
            return -math.expm1(-float(size) / scale) if whole else 1.0
    return None


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
        line = _line(summed, one.place, moved, INFINITE, float(loss.mu_squared))
        return Part((line,), (loss,), True, (one.entry,), (moved,))
    if len(draws) != 2 or len(names) != 1 or not names <= ONE_SIDED:
        return None
    (first, up), (second, down) = draws
    if up != -down or laws[first].scale != laws[second].scale:
        return None
    name = "laplace" if law.name == "exponential" else "discrete laplace"
    found = loss_of(name, law.scale, moved / up)
    two = Law(name, law.scale, law.place)
    if isinstance(found, float):
        why = "noise of whole numbers does not hide what moves by a part of one"
        line = _line(two, one.place, moved, INFINITE)
        return Part((line,), (), True, (one.entry,), (moved,), found, why)
    assert found is not None
    line = _line(two, one.place, moved, pure_of((found,)))
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
    covariance = [
        [sum((a * b * s for a, b, s in zip(one, two, squares, strict=True)), Fraction(0)) for two in rows]
        for one in rows
    ]
    weights = solve(covariance, moved)
    entries = tuple(one.entry for one in answers)
    if weights is None:
        words = "the same noise hides several numbers, whose differences it doesn't hide"
        return Part(_lines(answers, laws, INFINITE), None, True, entries, (), 1.0, words)
    squared = sum((m * w for m, w in zip(moved, weights, strict=True)), Fraction(0))
    lines = _lines(answers, laws, INFINITE, float(squared))
    return Part(lines, (GaussianLoss(squared),), True, entries, tuple(moved))


def _align(
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
            lines.append(_line(law, place, Fraction(shift), abs(shift) / law.scale))
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

    solved = linprog(
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


def _select(ranked: Sequence[Exposed], draws: Sequence[Entry], laws: Laws) -> Part | None:
    """The largest of scores with Gumbel noise of one scale: the exponential mechanism, exactly."""
    scales = {laws[draw].scale for draw in draws}
    simple = all(list(one.form.draws.values()) == [1] for one in ranked)
    if len(scales) != 1 or not simple or any(one.use != "argmax" for one in ranked):
        return None
    (scale,) = scales
    first = _softmax([float(one.form.first) / scale for one in ranked])
    second = _softmax([float(one.form.second) / scale for one in ranked])
    loss = max(abs(one - other) for one, other in zip(first, second, strict=True))
    moved = max((abs(one.form.moved) for one in ranked), default=Fraction(0))
    law = Law("gumbel, ranked", scale, laws[draws[0]].place)
    line = _line(law, ranked[0].place, moved, loss)
    return Part((line,), (_response(loss),), False, (), why="scores with Gumbel noise, ranked")


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    total = top + math.log(sum(math.exp(score - top) for score in scores))
    return [score - total for score in scores]


def _response(loss: float) -> Loss:
    return ResponseLoss(Fraction(loss) * (1 + ROUNDED_UP))


def _coin(read: Read, one: Exposed) -> Part | None:
    """A uniform draw that is compared with a number: a coin of that chance."""
    draws = list(one.form.draws.items())
    if len(draws) != 1 or abs(draws[0][1]) != 1:
        return None
    call = read.calls.get(draws[0][0][0])
    if call is None or call.law != "uniform":
        return None
    low, high = (call.parameters.get(name) for name in ("low", "high"))
    if (low, high) != (0.0, 1.0):
        return None
    chances = [min(max(abs(value), Fraction(0)), Fraction(1)) for value in (one.form.first, one.form.second)]
    sides = tuple((float(chance), float(1 - chance)) for chance in chances)
    return _of_chances(one.place, "coin", sides[0], sides[1])


def _weighed(call: Call, first: Sequence[float], second: Sequence[float]) -> Part:
    return _of_chances(call.place, call.law, first, second)


def _of_chances(place: str, law: str, first: Sequence[float], second: Sequence[float]) -> Part:
    """A draw by chances: the largest |ln(p/p')|."""
    if len(first) != len(second):
        line = Line(place, law, "", "another number of candidates", INFINITE)
        return Part((line,), None, False, (), why="it draws among another number of candidates")
    loss = 0.0
    for one, other in zip(first, second, strict=True):
        if (one > 0) != (other > 0):
            loss = INFINITE
        elif one > 0 and other > 0:
            loss = max(loss, abs(math.log(one) - math.log(other)))
    moved = max(abs(one - other) for one, other in zip(first, second, strict=True))
    line = Line(place, law, "", f"{moved:.3g} of a chance", loss)
    if loss == INFINITE:
        why = "what has no chance on one database has one on the other"
        return Part((line,), None, False, (), why=why)
    return Part((line,), (_response(loss),), False, (), why="a draw by chances")


def _lines(
    exposed: Iterable[Exposed], laws: Laws, epsilon: float, squared: float = 0.0
) -> tuple[Line, ...]:
    found = []
    for one in exposed:
        draw = next(iter(one.form.draws))
        found.append(_line(laws[draw], one.place, one.form.moved, epsilon, squared))
        squared = 0.0
    return tuple(found)


def _unknown(group: Sequence[Exposed], laws: Laws, why: str) -> Part:
    moving = [one for one in group if one.form.moved]
    return Part(_lines(moving, laws, INFINITE), None, False, (), why=why)


def _number(value: Fraction) -> str:
    return str(value) if value.denominator < 10**6 else f"{float(value):.6g}"


def pure_of(losses: Iterable[Loss]) -> float:
    """The largest loss of a composition; infinite with normal noise."""
    total = 0.0
    for loss in losses:
        match loss:
            case LaplaceLoss(epsilon) | ResponseLoss(epsilon, _):
                total += float(epsilon)
            case DiscreteLaplaceLoss(rate, shift):
                total += float(rate * shift)
            case _:
                return INFINITE
    return total
