"""Functions in this process as black boxes: callables handed over from Python.

A function is f(database, rng), or f(database, rng, runs) that returns ``runs`` outputs at once:
its batch form. It is trusted to end; whoever does not trust it runs it isolated.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.explaining import Failure, explain_exception
from audit.subjects.outcomes import Outcomes, Raised
from audit.subjects.pair import Pair
from synthesizers.errors import InputError, ProtocolError

SINGLE_BLOCK = 500
"""Runs of one call of `draw`, one by one (a tenth of a second where a
run takes 0.2 ms)."""

BATCH_BLOCK = 50_000
"""The same in batches (some milliseconds of numpy)."""

SINGLE, CALL, ORDER = range(3)
"""What a generator is for: runs one by one, a call of the batch form, the order of its calls."""


def generator(seed: int, *purpose: int) -> np.random.Generator:
    """The random numbers of a block for one purpose; of different ones, independent."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=purpose))


def fresh(database: Any) -> Callable[[], Any]:
    """Gives the database as often as it is asked, each time untouched by whoever had it before."""
    if isinstance(database, str | int | float | bool | None):
        return lambda: database
    kept = pickle.dumps(database, pickle.HIGHEST_PROTOCOL)
    return lambda: pickle.loads(kept)


class CallRaised(Exception):
    """A call of the batch form raised, so that its runs have no outputs of their own."""


def in_two_calls(
    call: Callable[[bool, int, int], Outcomes], coins: NDArray[np.bool_], seed: int
) -> Outcomes:
    """One run for each coin by a batch form, called once a database.

    ``call``: of the second database or not, the number of runs, and the call's place in the
    order; it raises CallRaised where there is nothing to give to single runs.

    Guarantee
    ---------
    Which database comes first is a fair coin of its own, so that drift from one call to the next
    says nothing; both calls are asked for as many runs, so that their number says nothing either.
    Backed by ``tests/audit/subjects/test_function_box.py``.
    """
    counts = (int(np.count_nonzero(~coins)), int(np.count_nonzero(coins)))
    first = bool(generator(seed, ORDER).integers(2))
    parts: dict[bool, Outcomes] = {}
    for place, second in enumerate((first, not first)):
        if counts[second]:
            found = call(second, max(counts), place)
            parts[second] = found.take(np.arange(counts[second]))
    if len(parts) < 2:
        return next(iter(parts.values()), Outcomes.of_outputs([]))
    places = np.empty(len(coins), np.intp)
    places[~coins] = np.arange(counts[0])
    places[coins] = counts[0] + np.arange(counts[1])
    return Outcomes.join([parts[False], parts[True]]).take(places)


def one_of(function: Callable[..., Any]) -> Callable[[Any, np.random.Generator], Any]:
    """A batch form as a function: called for one output at a time."""
    return lambda database, rng: function(database, rng, 1)[0]


@dataclass(frozen=True, eq=False)
class FunctionBox:
    """A function of Python, run in this process.

    ``batch``: it is of the batch form. An exception in a run is its outcome. Where a call of the
    batch form raises, all runs of the block are made one by one, in a call each: one exception
    would otherwise be thousands of outcomes that are not independent.
    """

    name: str
    function: Callable[..., Any]
    batch: bool

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return BATCH_BLOCK if self.batch else SINGLE_BLOCK

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order.

        Raises ProtocolError where a batch form does not return one output a run.

        Guarantee
        ---------
        Each run has the database of its coin as it was given, whatever earlier runs did to theirs,
        and its outcome is what it returned then, whatever later runs do to that. Backed by
        ``tests/audit/subjects/test_function_box.py``.
        """
        copies = (fresh(pair.first), fresh(pair.second))
        if not self.batch:
            return Outcomes.of_outputs(_runs(self.function, copies, coins, seed))

        def call(second: bool, runs: int, place: int) -> Outcomes:
            try:
                outputs = self.function(copies[second](), generator(seed, CALL, place), runs)
            except (Exception, SystemExit) as error:
                raise CallRaised from error
            return batch_outcomes(self.name, outputs, runs)

        try:
            return in_two_calls(call, coins, seed)
        except CallRaised:
            return Outcomes.of_outputs(_runs(one_of(self.function), copies, coins, seed))

    def explain(self, database: Any, seed: int) -> Failure | None:
        """One run by itself; None where it raises nothing."""
        single = one_of(self.function) if self.batch else self.function
        try:
            single(fresh(database)(), generator(seed, SINGLE, 0))
        except (Exception, SystemExit) as error:
            return explain_exception(error)
        return None


def batch_outcomes(name: str, outputs: object, runs: int) -> Outcomes:
    """What a batch form returned, run by run; raises ProtocolError for another number of runs."""
    try:
        return Outcomes.of_batch(outputs, runs)
    except InputError as error:
        raise ProtocolError(f"{name}: {error}") from None


def _runs(
    function: Callable[..., Any],
    copies: tuple[Callable[[], Any], Callable[[], Any]],
    coins: NDArray[np.bool_],
    seed: int,
) -> Iterator[object]:
    """The outputs one by one: each is told before the next run, which could change it."""
    rng = generator(seed, SINGLE, 0)
    for second in coins.tolist():
        try:
            output = function(copies[second](), rng)
        except (Exception, SystemExit) as error:
            output = Raised(type(error).__name__)
        yield output
