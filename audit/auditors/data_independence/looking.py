"""Ways to look at one run: in this process, in a copy of it, or from outside."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from audit.auditors.data_independence.facets import Facets, Observed, before_draws, facets
from audit.auditors.data_independence.observing import observe
from audit.auditors.data_independence.recorded_draws import Listener
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.subjects.black_box import BlackBox
from audit.subjects.function import generator
from audit.subjects.outcomes import Outcomes, Shape
from audit.subjects.pair import Pair
from synthesizers.errors import ProtocolError


@dataclass(frozen=True)
class Look:
    """What was seen of a run: all of it, and what was settled before anything random.

    ``returned``: the run ended without an exception.
    """

    whole: Facets
    early: Facets
    returned: bool


Looking = Callable[[AuditedFunction, object, int, int, Listener, bool], Look]
"""Makes a run: of a subject, on a database, with a seed and the run's number, heard by a listener;
lines are counted where the last argument says so."""


def look_from_within(
    subject: AuditedFunction, database: object, seed: int, run: int, listener: Listener, lines: bool
) -> Look:
    """A run in this process; raises ProtocolError for one that returns an iterator."""
    seen = observe(subject, database, seed, run, listener, lines)
    if isinstance(seen.output, Iterator):
        raise ProtocolError(
            f"{subject.name} returns an iterator, which nobody looks into: return a list"
        )
    return Look(facets(seen), before_draws(seen), seen.error is None)


def look_in_a_copy(
    subject: AuditedFunction,
    database: object,
    seed: int,
    run: int,
    listener: Listener,
    lines: bool,
    before: Sequence[object] = (),
) -> Look:
    """The same in a copy of this process that ends with the run, and so leaves it as it was.

    Whoever only looks so shares nothing between runs but what the process held before the first.
    ``before``: databases that the copy runs the subject on first.
    Raises ProtocolError where the copy ends without an answer.
    """
    source, target = os.pipe()
    process = os.fork()
    if not process:
        os.close(source)
        _answer(target, subject, (*before, database), seed, run, listener, lines)
    os.close(target)
    with open(source, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(process, 0)
    try:
        found = pickle.loads(answer)
    except (EOFError, pickle.UnpicklingError):
        raise ProtocolError(f"{subject.name}: a run ended its process, or took too long") from None
    if isinstance(found, Look):
        return found
    raise ProtocolError(str(found))


def _answer(
    target: int,
    subject: AuditedFunction,
    databases: Sequence[object],
    seed: int,
    run: int,
    listener: Listener,
    lines: bool,
) -> NoReturn:
    """Look at a run on the last database, and end this process whatever comes of that."""
    try:
        try:
            found: object = None
            for database in databases:
                found = look_from_within(subject, database, seed, run, listener, lines)
        except ProtocolError as error:
            found = str(error)
        with open(target, "wb") as pipe:
            pickle.dump(found, pipe, pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)


@dataclass(frozen=True, eq=False)
class LookingFromOutside:
    """Looks at what a box gives back, and at nothing else: no code of its subject runs here."""

    box: BlackBox

    def __call__(
        self,
        subject: AuditedFunction,
        database: object,
        seed: int,
        run: int,
        listener: Listener,
        lines: bool,
    ) -> Look:
        """A run of the box; the rest says what only those who look from within can."""
        number = int(generator(seed, run).integers(2**62))
        outcomes = self.box.draw(Pair(database, database), np.zeros(1, np.bool_), number)
        seen = _observe(outcomes)
        return Look(facets(seen), {}, seen.error is None)


def _observe(outcomes: Outcomes) -> Observed:
    """The only outcome as a run: an end by force is an exception of that name."""
    shape, block = outcomes.shapes[0], outcomes.blocks[0]
    error: BaseException | None = None
    if shape.kind in ("raised", "ended"):
        error = type(f"{shape.kind}: {shape.detail}", (Exception,), {})()
    output = block[0] if len(block) else None
    if shape.kind == "numbers":
        output = _restore(shape, np.asarray(output))
    return Observed(output, error, None, (), {}, hidden=True)


_PLAIN: dict[str, Callable[[NDArray[np.float64]], object]] = {
    "bool": lambda numbers: bool(numbers[0]),
    "int": lambda numbers: int(numbers[0]),
    "float": lambda numbers: float(numbers[0]),
    "list": lambda numbers: numbers.tolist(),
    "tuple": lambda numbers: tuple(numbers.tolist()),
}


def _restore(shape: Shape, numbers: NDArray[np.float64]) -> object:
    """Numbers in the type that they came in, as far as it is one of Python's own."""
    made = _PLAIN.get(shape.detail.split()[0])
    finite = bool(np.isfinite(numbers).all()) and len(numbers) > 0
    return numbers if made is None or not finite else made(numbers)
