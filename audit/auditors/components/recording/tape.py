"""The tape of a run: its steps as they are made, answered by another run's answers if told so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    """A run made another step than the one whose answers it is given; nobody is meant to catch it."""


class TooLong(BaseException):
    """A run has more steps than can be looked at."""


class Tape:
    """Takes down the steps of one run.

    ``follows``: a recording whose answers this run is given, step by step: what noise hides may be
    another value then, but what it says is the same. ``changes``: by the number of a step, its
    answer in place of that. ``stretch``: by how much symmetric noise that is drawn is multiplied.
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
        number = len(self.steps)
        before = self._followed(number, Call, known["primitive"], known["place"])
        with self:
            # Drawn all the same: of a generator with a state, the next bits are the same then.
            drawn = tuple(draw())
        answer = drawn
        if before is not None:
            if len(before.answer) != len(drawn):
                self._part(number, before.place, known["place"])
            answer = tuple(before.answer)
        answer = tuple(self.changes.get(number, answer))
        self._take(Call(answer=answer, **known))
        return number, answer

    def operate(
        self, name: str, operands: tuple[Operand, ...], computed: Sequence[Number], place: str
    ) -> tuple[int, tuple[Number, ...]]:
        """An operation: its number and its answer."""
        number = len(self.steps)
        before = self._followed(number, Operation, name, place)
        answer = tuple(computed)
        if before is not None:
            if len(before.answer) != len(answer):
                self._part(number, before.place, place)
            hidden = hides(name, operands, len(answer))
            answer = tuple(
                there if known else here
                for known, there, here in zip(hidden, before.answer, answer)
            )
        answer = tuple(self.changes.get(number, answer))
        self._take(Operation(name, operands, answer, place))
        return number, answer

    def seed(self, maker: str, seed: str | None, place: str) -> None:
        """A generator that was made."""
        if self.open:
            self._followed(len(self.steps), Seeding, maker, place)
            self._take(Seeding(maker, seed, place))

    def end(self) -> None:
        """The run is over; of a run that it followed, no step may be left."""
        if self.open and self.follows is not None and len(self.follows.steps) > len(self.steps):
            number = len(self.steps)
            self.parted = (number, self.follows.steps[number].place, "")

    def _take(self, step: Call | Operation | Seeding) -> None:
        self.steps.append(step)
        self._entries += len(step.answer)
        if len(self.steps) > MOST_STEPS or self._entries > MOST_ENTRIES:
            self.deaf += 1
            raise TooLong

    def _followed(self, number: int, kind: type, name: str, place: str) -> Any:
        """The step that is followed, if any; it must be of this kind and name and place."""
        if self.follows is None:
            return None
        if number >= len(self.follows.steps):
            self._part(number, "", place)
        before = self.follows.steps[number]
        if not isinstance(before, kind) or before.place != place or _name(before) != name:
            self._part(number, before.place, place)
        return before

    def _part(self, number: int, there: str, here: str) -> None:
        self.parted = (number, there, here)
        raise Parted


def hides(name: str, operands: tuple[Operand, ...], entries: int) -> list[bool]:
    """For each entry, whether it is noise added to what is none: then it hides that."""
    if name not in ADDED:
        return [False] * entries
    return [len({isinstance(one, tuple) for one in both}) == 2 for both in zip(*operands)]


def _name(step: Call | Operation | Seeding) -> str:
    if isinstance(step, Call):
        return step.primitive
    return step.name if isinstance(step, Operation) else step.maker
