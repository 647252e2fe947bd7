"""What every entry of a run is, on both databases: a value plus multiples of draws of noise.

Two recordings are read side by side, the second answered with the answers of the first. Sums and
multiples are followed exactly; what another operation makes of noise alone is a draw of its own;
what it makes of a noisy answer is public, and that answer is *exposed* to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from audit.auditors.components.multiples import LINEAR, Form
from audit.auditors.components.recording.primitives import STATED
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording

COMPARED = frozenset({"less", "less_equal", "greater", "greater_equal"})
"""Operations whose answer says on which side of another number a noisy answer lies."""

EXTREME = frozenset({"argmax", "argmin"})

WEIGHED = frozenset({"choice", "bernoulli"})
"""Laws that hide their chances in what they draw."""

ADDITIVE = frozenset(
    {"laplace", "normal", "logistic", "gumbel", "discrete laplace", "discrete gaussian"}
)
"""Laws whose value is added to their noise, where a call names one."""


@dataclass(frozen=True)
class Exposed:
    """A noisy answer that more than a sum can see.

    ``use``: "output", "unseen" where nothing that was recorded has a use for it, or the name of an
    operation. ``outcome``: of a comparison with 0, whether it was above; of an extreme, this
    entry's rank is in ``winner``: the form of the one that was chosen. ``entry``: which it is.
    """

    form: Form
    use: str
    place: str
    entry: Entry
    above: bool | None = None
    winner: Form | None = None


@dataclass(frozen=True)
class Differing:
    """What differs though it should not: ``about`` what, at which line, and both, in words.

    ``entry``: the noisy number that is concerned; ``draws``: what it is made of.
    """

    about: str
    place: str
    found: str
    entry: Entry | None = None
    draws: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Read:
    """Two recordings, side by side.

    ``exposed``: every noisy answer that the pair moves, and (of what is compared or ranked beside
    such ones) others. ``weighed``: calls whose chances move. ``differing``: scales and the like.
    ``calls``: by the number of a step, its call. ``unread``: what was done with what the pair moves
    that is not followed. ``pure``: what was made of noise alone, other than sums; ``known``: of
    some of that, the law and its scale. ``forms``: of every entry. ``stated``: calls of no known
    law whose value moves, and of which a bound is stated.
    """

    exposed: tuple[Exposed, ...]
    weighed: tuple[tuple[Call, tuple[float, ...], tuple[float, ...]], ...]
    differing: tuple[Differing, ...]
    calls: Mapping[int, Call]
    unread: tuple[Differing, ...]
    pure: Mapping[Entry, Operation]
    forms: Mapping[Entry, Form]
    known: Mapping[Entry, tuple[str, float]] = field(default_factory=dict)
    stated: tuple[tuple[Call, Call], ...] = ()


def read(first: Recording, second: Recording) -> Read:
    """Read two recordings, as far as their steps are the same."""
    reading = _Reading()
    steps = list(zip(first.steps, second.steps, strict=False))
    for number, (one, other) in enumerate(steps):
        reading.answers.append(one.answer)
        if isinstance(one, Call) and isinstance(other, Call):
            reading.call(number, one, other)
        elif isinstance(one, Operation) and isinstance(other, Operation):
            reading.operation(number, one, other)
    return reading.end(first)


class _Reading:
    def __init__(self) -> None:
        self.forms: dict[Entry, Form] = {}
        self.exposed: list[Exposed] = []
        self.weighed: list[tuple[Call, tuple[float, ...], tuple[float, ...]]] = []
        self.differing: list[Differing] = []
        self.unread: list[Differing] = []
        self.stated: list[tuple[Call, Call]] = []
        self.calls: dict[int, Call] = {}
        self.pure: dict[Entry, Operation] = {}
        self.within: dict[Entry, Operation] = {}
        self.used: set[Entry] = set()
        self.places: dict[Entry, str] = {}
        self.answers: list[Sequence[object]] = []

    def call(self, number: int, one: Call, other: Call) -> None:
        self.calls[number] = one
        entries = [(number, place) for place in range(len(one.answer))]
        for entry in entries:
            self.forms[entry] = Form(draws={entry: Fraction(1)})
            self.places[entry] = one.place
        for name in one.parameters:
            before, after = one.parameters[name], other.parameters.get(name)
            if before != after:
                about = "scale of noise" if name in ("scale", "p", "cov") else "parameter of noise"
                words = f"{name} is {_brief(before)} on one and {_brief(after)} on the other"
                self.differing.append(
                    Differing(about, one.place, words, (number, 0), ((number, 0),))
                )
        if one.law == STATED:
            self.stated += [(one, other)] if one.value != other.value else []
            return
        if one.value is None or other.value is None or one.law == "unknown":
            if one.value != other.value:
                words = f"{one.primitive} hides another value, by a law that nobody stated"
                self.unread.append(Differing("noise of an unknown law", one.place, words))
            return
        if one.law in ADDITIVE:
            first, second = _spread(one.value, len(entries)), _spread(other.value, len(entries))
            if first is not None and second is not None:
                for entry, before, after in zip(entries, first, second, strict=True):
                    self.forms[entry] = replace(self.forms[entry], first=before, second=after)
                return
        if one.law in WEIGHED:
            if one.value != other.value:
                chances = tuple(map(float, one.value)), tuple(map(float, other.value))
                self.weighed.append((one, *chances))
            return
        if one.value != other.value:
            words = f"the {one.law} draw hides another value, which no theorem here covers"
            self.unread.append(Differing(f"{one.law} noise", one.place, words))

    def operation(self, number: int, one: Operation, other: Operation) -> None:
        for place, answer in enumerate(one.answer):
            entry = (number, place)
            self.places[entry] = one.place
            if one.name == "reduced add" or one.name in EXTREME | _REDUCED:
                operands = [one.operands[place], other.operands[place]]
                self._reduce(entry, one, operands, answer)
                continue
            both = [(left[place], right[place]) for left, right in _pairs(one, other)]
            forms = [self._form(left, right, one.place) for left, right in both]
            if None in forms:
                self.forms[entry] = Form()
                continue
            self.forms[entry] = self._combine(entry, one, both, [f for f in forms if f], answer)

    def _form(self, left: Any, right: Any, place: str) -> Form | None:
        """The form of an operand; None where it is no finite number.

        What is traced in the first run alone is data on which a noisy answer worked that is told.
        """
        if isinstance(left, tuple) and not isinstance(right, tuple):
            form = self.forms.get(left, Form())
            if form.draws and form.moved:
                self.exposed.append(Exposed(form, "public", place, left))
            left = self.answers[left[0]][left[1]]
        if isinstance(left, tuple):
            return self.forms.get(left, Form())
        if not (_finite(left) and _finite(right)):
            return None
        return Form(Fraction(left), Fraction(right))

    def _combine(
        self,
        entry: Entry,
        step: Operation,
        both: Sequence[tuple[object, object]],
        forms: Sequence[Form],
        answer: object,
    ) -> Form:
        traced = [left for left, _ in both if isinstance(left, tuple)]
        known = LINEAR.get(step.name)
        if known is not None and len(forms) == known[0]:
            found = known[1](forms)
            if found is not None:
                self.used |= set(traced)
                return found
            multiplied = [form for form in forms if not form.draws]
            if multiplied and multiplied[0].moved:
                words = (
                    f"noise times {float(multiplied[0].first):g} on one and "
                    f"{float(multiplied[0].second):g} on the other"
                )
                noise = tuple(draw for form in forms for draw in form.draws)
                self.differing.append(Differing("scale of noise", step.place, words, entry, noise))
                self.used |= set(traced)
                self.pure[entry] = step
                return Form(draws={entry: Fraction(1)})
        if step.name in COMPARED and len(forms) == 2:
            return self._compare(step, traced, forms, bool(answer))
        return self._expose(entry, step, both, traced, forms)

    def _compare(
        self, step: Operation, traced: Sequence[Entry], forms: Sequence[Form], answer: bool
    ) -> Form:
        apart = forms[0].plus(forms[1], -1)
        above = answer if step.name.startswith("greater") else not answer
        self.used |= set(traced)
        self.exposed.append(Exposed(apart, step.name, step.place, traced[0], above))
        return Form()

    def _expose(
        self,
        entry: Entry,
        step: Operation,
        both: Sequence[tuple[object, object]],
        traced: Sequence[Entry],
        forms: Sequence[Form],
    ) -> Form:
        data = [form for form in forms if not form.draws and form.moved]
        moving = [form for form in forms if form.draws and form.moved]
        self.used |= set(traced)
        if data:
            words = f"data in {step.name!r} with noise, which is not followed"
            self.unread.append(Differing("data beside noise", step.place, words, entry))
        if moving:
            for (left, _), form in zip(both, forms, strict=True):
                if isinstance(left, tuple) and form.moved:
                    self.exposed.append(Exposed(form, step.name, step.place, left))
            return Form()
        if not any(form.draws for form in forms):
            return Form()
        self._make_pure(entry, step, forms)
        return self.forms[entry]

    def _make_pure(self, entry: Entry, step: Operation, forms: Sequence[Form]) -> None:
        """A draw of its own, made of noise alone by what is no sum."""
        self.pure[entry] = step
        self.forms[entry] = Form(draws={entry: Fraction(1)})
        self.within |= {draw: step for form in forms for draw in form.draws}

    def _reduce(
        self, entry: Entry, step: Operation, operands: Sequence[Sequence[object]], answer: object
    ) -> None:
        both = zip(*operands, strict=True)
        forms = [self._form(left, right, step.place) for left, right in both]
        self.forms[entry] = Form()
        traced = [one for one in operands[0] if isinstance(one, tuple)]
        self.used |= set(traced)
        if None in forms:
            return
        known = [form for form in forms if form is not None]
        if step.name == "reduced add":
            total = Form()
            for form in known:
                total = total.plus(form)
            self.forms[entry] = total
            return
        if not any(form.moved for form in known):
            self._make_pure(entry, step, known)
            return
        winner = None
        if step.name in EXTREME and isinstance(answer, int) and 0 <= answer < len(known):
            winner = known[answer]
        for one, form in zip(operands[0], known, strict=True):
            if form.moved or winner is not None:
                name = one if isinstance(one, tuple) else entry
                self.exposed.append(Exposed(form, step.name, step.place, name, winner=winner))

    def end(self, first: Recording) -> Read:
        shown = {entry for entry in first.released if entry is not None}
        leaves = {leaf for leaf in first.output if isinstance(leaf, float)}
        hiding = {draw for form in self.forms.values() if form.moved for draw in form.draws}
        for draw in hiding & self.within.keys():
            step = self.within[draw]
            words = f"noise that hides a number goes into {step.name!r} by itself, too"
            self.unread.append(Differing("noise used twice", step.place, words, draw, (draw,)))
        for entry, form in self.forms.items():
            # Noise that is told beside what it hides, too.
            if not hiding.intersection(form.draws):
                continue
            answer = first.steps[entry[0]].answer[entry[1]]
            equal = isinstance(answer, float) and answer in leaves
            # Noise alone equals what it is added to where that is 0.
            if entry in shown or (equal and form.moved):
                self.exposed.append(Exposed(form, "output", self.places[entry], entry))
            elif entry not in self.used:
                self.exposed.append(Exposed(form, "unseen", self.places[entry], entry))
        return Read(
            tuple(self.exposed),
            tuple(self.weighed),
            tuple(self.differing),
            self.calls,
            tuple(self.unread),
            self.pure,
            self.forms,
            stated=tuple(self.stated),
        )


_REDUCED = frozenset(
    f"reduced {name}" for name in ("maximum", "minimum", "logical_or", "logical_and")
)


def _pairs(one: Operation, other: Operation) -> list[tuple[Sequence[object], Sequence[object]]]:
    return list(zip(one.operands, other.operands, strict=True))


def _spread(value: Sequence[float], entries: int) -> list[Fraction] | None:
    """A value for each entry; None where there is another number of them, or one is not finite."""
    if not value or entries % len(value) or not all(map(_finite, value)):
        return None
    return [Fraction(one) for one in value] * (entries // len(value))


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _brief(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{len(value)} numbers" if isinstance(value, tuple) and len(value) > 3 else str(value)
