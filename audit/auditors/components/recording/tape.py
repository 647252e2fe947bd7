"""The tape of a run: its steps as they are made, answered by another run's answers if told so."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from audit.auditors.components.recording.steps import Call, Operation, Recording, Seeding

if TYPE_CHECKING:
    from audit.auditors.components.recording.steps import Number, Operand

MOST_STEPS = 20_000
"""The most steps of a run (a second or so; a loop over a large table has more)."""

MOST_ENTRIES = 200_000
"""The most entries of all answers of a run."""

ADDED = frozenset({"add", "subtract"})
"""What hides a value: noise and something that is no noise, added up."""


class Parted(BaseException):
    """A run made another step than the one whose answers it has; nobody is meant to catch it."""


class TooLong(BaseException):
    """A run has more steps than can be looked at."""


class Tape:
    """Takes down the steps of one run.

    ``follows``: a recording whose answers this run is given, step by step: what noise hides may be
    another value then, but what it says is the same. ``changes``: by the number of a step, its
    answer in place of that; None leaves an entry as it is. ``stretch``: by how much symmetric noise
    that is drawn is multiplied.
    """

    def __init__(
        self,
        follows: Recording | None = None,
        changes: Mapping[int, Sequence[Any]] | None = None,
        stretch: int = 1,
    ) -> None:
        self.follows = follows
        self.changes = dict(changes or {})
        self.stretch = stretch
        self.steps: list[Call | Operation | Seeding] = []
        self.parted: tuple[int, str, str] | None = None
        self.deaf = 0
        self._entries = 0
        self._public: set[tuple[int, int]] = set()
        self._moved: set[tuple[int, int]] = set()
        self._uses = Counter() if follows is None else count_uses(follows)

    def __enter__(self) -> Tape:
        self.deaf += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.deaf -= 1

    @property
    def open(self) -> bool:
        """Whether steps are taken down: not within a primitive, nor after a run has parted."""
        return not self.deaf and self.parted is None

    def call(self, draw: Callable[[], Sequence[Any]], **known: Any) -> tuple[int, tuple[Any, ...]]:
        """A call of noise: its number and its answer, which ``draw`` gives where none is known.

        ``known``: all fields of `Call` but the answer. What is drawn within is not taken down.
        """
        before = self._match(Call, known["primitive"], known["place"])
        number = len(self.steps)
        with self:
            # Drawn all the same: of a generator with a state, the next bits are the same then.
            drawn = tuple(draw())
        answer = drawn
        if before is not None:
            if len(before.answer) != len(drawn):
                self._part(before.place, known["place"])
            answer = tuple(before.answer)
            if before.value != known["value"]:
                self._moved |= {(number, place) for place in range(len(answer))}
        answer = self._change_answer(number, answer)
        self._take(Call(answer=answer, **known))
        return number, answer

    def operate(
        self, name: str, operands: tuple[Operand, ...], computed: Sequence[Number], place: str
    ) -> tuple[int | None, tuple[Number, ...]]:
        """An operation: its number and its answer; no number where its answer is not traced.

        Code that handles noisy answers once a record does so another number of times on a
        neighbour: what the followed run did not do is no noise that hides anything.
        """
        answer = tuple(computed)
        before = self._match(Operation, name, place, len(answer))
        number = len(self.steps)
        if self.follows is not None:
            if before is None:
                return None, answer
            answer = self._answer(before, operands, answer)
        answer = self._change_answer(number, answer)
        self._take(Operation(name, operands, answer, place))
        return number, answer

    def traces(self, number: int, place: int) -> bool:
        """Whether an entry goes on being traced: not where it is data times a noisy answer."""
        return (number, place) not in self._public

    def _answer(
        self, before: Operation, operands: tuple[Operand, ...], computed: Sequence[Number]
    ) -> tuple[Number, ...]:
        """The answer of an operation that was matched, entry by entry."""
        number = len(self.steps)
        found = list(computed)
        grouped = len(operands) == len(computed) and before.name.startswith(GROUPED)
        hidden = [False] * len(found) if grouped else hides(before.name, operands, len(found))
        for place, there in enumerate(before.answer):
            parts = operands[place] if grouped else [operand[place] for operand in operands]
            traced = [one for one in parts if isinstance(one, tuple)]
            answered = any(one in self._moved for one in traced)
            public = answered and any(self._uses[one] > 1 for one in traced)
            own = [operand[place] for operand in before.operands] if not grouped else []
            if hidden[place] and not public and _are_finite([*parts, *own]):
                found[place] = there
                if answered or own != list(parts):
                    self._moved.add((number, place))
            elif answered and found[place] != there:
                self._public.add((number, place))
            elif answered:
                self._moved.add((number, place))
        return tuple(found)

    def seed(self, maker: str, seed: str | None, place: str) -> None:
        """A generator that was made."""
        if self.open:
            self._match(Seeding, maker, place)
            self._take(Seeding(maker, seed, place))

    def end(self) -> None:
        """The run is over; of a run that it followed, no step may be left."""
        if self.open and self.follows is not None:
            rest = self.follows.steps[len(self.steps) :]
            for step in rest:
                if not isinstance(step, Operation):
                    self.parted = (len(self.steps), step.place, "")
                    return
                self.steps.append(step)

    def _change_answer(self, number: int, answer: tuple[Any, ...]) -> tuple[Any, ...]:
        """The answer with what is put in its place; None leaves an entry as it is."""
        changed = self.changes.get(number)
        if changed is None:
            return answer
        return tuple(old if new is None else new for old, new in zip(answer, changed))

    def _take(self, step: Call | Operation | Seeding) -> None:
        self.steps.append(step)
        self._entries += len(step.answer)
        if len(self.steps) > MOST_STEPS or self._entries > MOST_ENTRIES:
            self.deaf += 1
            raise TooLong

    def _match(self, kind: type, name: str, place: str, entries: int | None = None) -> Any:
        """The step that is followed; operations that this run leaves out are taken as they were.

        None where nothing is followed, and of an operation that the other run did not make.
        """
        if self.follows is None:
            return None
        steps = self.follows.steps
        at = len(self.steps)
        while at < len(steps) and isinstance(steps[at], Operation):
            step = steps[at]
            same = kind is Operation and _name(step) == name and step.place == place
            if same and len(step.answer) == entries:
                break
            at += 1
        if at == len(steps):
            return None if kind is Operation else self._part("", place)
        found = steps[at]
        if kind is Operation and not isinstance(found, Operation):
            return None
        if type(found) is not kind or found.place != place or _name(found) != name:
            self._part(found.place, place)
        self.steps += steps[len(self.steps) : at]
        return found

    def _part(self, there: str, here: str) -> NoReturn:
        self.parted = (len(self.steps), there, here)
        raise Parted


GROUPED = ("reduced", "arg")
"""How the names of reductions begin, whose operands are what each result is made of."""


def count_uses(recording: Recording) -> Counter[tuple[int, int]]:
    """How often each entry of a run was handled or told."""
    found: Counter[tuple[int, int]] = Counter()
    for step in recording.steps:
        if isinstance(step, Operation):
            found.update(
                one for operand in step.operands for one in operand if isinstance(one, tuple)
            )
    found.update(entry for entry in recording.released if entry is not None)
    return found


def hides(name: str, operands: tuple[Operand, ...], entries: int) -> list[bool]:
    """For each entry, whether it is noise added to what is none: then it hides that."""
    if name not in ADDED:
        return [False] * entries
    return [len({isinstance(one, tuple) for one in both}) == 2 for both in zip(*operands)]


def _are_finite(operands: Sequence[Any]) -> bool:
    """Whether all plain numbers are: an infinite one no noise hides."""
    return all(math.isfinite(one) for one in operands if isinstance(one, (int, float)))


def _name(step: Call | Operation | Seeding) -> str:
    if isinstance(step, Call):
        return step.primitive
    return step.name if isinstance(step, Operation) else step.maker
