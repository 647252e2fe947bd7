"""The curator: all that a program may ask, and the only way to ask it.

A program is a plain function of a curator. It never holds the data: it sees
the public constants, and the outcomes of its own questions. What answers a
question is the *reading* (sampled, enumerated, …) that opened the curator.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, SupportsIndex, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import FREE, Budget, Cost, UnlimitedBudget, rebuilt
from synthesizers.declared import require_declared
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import DPAuditError, InputError, ProtocolError
from synthesizers.events import (
    Draw,
    Event,
    Measure,
    MeasureBest,
    MeasureSampled,
    Outcome,
    Sanitize,
    Select,
    is_seed,
)
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.laws.public_laws import PublicLaw
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import Neighbours
from synthesizers.noise import Noise
from synthesizers.queries import Query
from synthesizers.runs import Runs
from synthesizers.selection import Exponential
from synthesizers.watch import watch

if TYPE_CHECKING:
    from synthesizers.playing import Player

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """The public constants of a run.

    ``records``: n where it is public, otherwise None. ``rows``: the public size
    that outputs and bounds may use; n itself where n is public.
    """

    domain: Domain
    neighbours: Neighbours
    records: int | None
    rows: int | None

    def __post_init__(self) -> None:
        if self.neighbours.records_public and self.records is None:
            raise InputError("under replace-one the number of records is public: state it")
        if not self.neighbours.records_public and self.records is not None:
            raise InputError("the number of records is private under these neighbours")
        for name, value in (("records", self.records), ("rows", self.rows)):
            if value is not None and value < 0:
                raise InputError(f"{name} must not be negative, found {value}")

    @classmethod
    def of(cls, domain: Domain, neighbours: Neighbours, size: int | None) -> Setting:
        """The setting in which ``size`` is n where n is public, and always the public size."""
        public = neighbours.records_public
        return cls(domain, neighbours, size if public else None, size)

    def require_rows(self) -> int:
        """The public output size; InputError where nobody stated it."""
        if self.rows is None:
            raise InputError(
                "the number of records is private here, so the output size must be a public "
                "constant: give --rows M (or --records N for an enumerated instance)"
            )
        return self.rows


Answer = Callable[[Event], Outcome]
Price = Callable[[Event], Cost]
Transcript = tuple[tuple[Event, Outcome], ...]
Admission = Callable[[Transcript, Event], None]
Output = Any


def pricing(setting: Setting, budget: Budget) -> Price:
    """What each event costs under a budget's relation, the setting's unless it has its own."""
    relation = budget.neighbours or setting.neighbours
    return lambda event: event.cost(setting.domain, relation)


class Program(Protocol):
    """A synthesizer: asks a curator, returns what is released."""

    def __call__(self, curator: Curator, /) -> Output:
        """The output: a list of whole numbers, texts and None, a `Dataset`, or one plain value.

        Whole numbers are most often counts over the domain's cells; the program's card says.
        """


@runtime_checkable
class PlayedElsewhere(Protocol):
    """A program that runs in another process, and brings a player of its own."""

    def player(self, setting: Setting, budget: Budget) -> Player:
        """Its player for a setting; ``budget``: what its curator tells as spent."""


class Curator:
    """Answers a program's questions, keeps the ledger, refuses what exceeds the budget.

    ``admit``, where given, is shown the transcript so far and the next question, and raises
    ProtocolError for one that was not agreed on beforehand.

    Guarantee
    ---------
    The costs of all answered questions sum to at most the budget, whatever the
    program does with the answers: each question is charged before it is
    answered. Backed by ``tests/synthesizers/test_curator.py``. What keeps a program from
    changing the curator itself is that other people's programs run in another process
    (`audit.subjects`).
    """

    __slots__ = (
        "__admit",
        "__answer",
        "__budget",
        "__price",
        "__seeded",
        "__spent",
        "__transcript",
        "_setting",
    )
    _setting: Setting
    __budget: Budget
    __answer: Answer
    __price: Price
    __admit: Admission | None
    __transcript: list[tuple[Event, Outcome]]
    __spent: Cost
    __seeded: bool

    def __init__(
        self,
        setting: Setting,
        budget: Budget,
        answer: Answer,
        admit: Admission | None = None,
    ) -> None:
        values: dict[str, Any] = {
            "_setting": setting,
            "_Curator__budget": budget,
            "_Curator__answer": answer,
            "_Curator__price": pricing(setting, budget),
            "_Curator__admit": admit,
            "_Curator__transcript": [],
            "_Curator__spent": FREE,
            "_Curator__seeded": False,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def domain(self) -> Domain:
        """The declared domain."""
        return self._setting.domain

    @property
    def neighbours(self) -> Neighbours:
        """The neighbouring relation of the analysis or release."""
        return self._setting.neighbours

    @property
    def setting(self) -> Setting:
        """All public constants."""
        return self._setting

    @property
    def records(self) -> int | None:
        """n where it is public; None where it is private."""
        return self._setting.records

    @property
    def ledger(self) -> tuple[Event, ...]:
        """The events asked so far."""
        return tuple(event for event, _ in self.transcript)

    @property
    def transcript(self) -> Transcript:
        """The events asked so far, with their outcomes."""
        return tuple(self.__transcript)

    @property
    def spent(self) -> Cost:
        """The sum of the costs so far."""
        return self.__spent

    def measure(self, query: Query, noise: Noise, *, low: int, high: int) -> IntArray:
        """The query's answers plus noise, clamped to ``low … high``; [size of the query]."""
        return np.array(self.ask(Measure(query, noise, low, high)), np.int64)

    def measure_sampled(
        self, query: Query, rate: Fraction, noise: RoundedGaussian, *, low: int, high: int
    ) -> IntArray:
        """A sum over a secret Poisson sample of the records plus noise; [size of the query]."""
        return np.array(self.ask(MeasureSampled(query, rate, noise, low, high)), np.int64)

    def measure_best(
        self, query: Query, noise: Noise, runs: Runs, *, low: int, high: int
    ) -> IntArray:
        """The best of a random number of measurements, by the first answer; [size of the query]."""
        return np.array(self.ask(MeasureBest(query, noise, runs, low, high)), np.int64)

    def select(self, scores: Query, noise: Exponential) -> int:
        """The number of a candidate, chosen by its private score."""
        return self.ask(Select(scores, noise))[0]

    def sanitize(self, law: TableLaw) -> IntArray:
        """What a row-stochastic law releases of the table: counts, or what else the law says."""
        return np.array(self.ask(Sanitize(law)), np.int64)

    def draw(self, law: PublicLaw) -> IntArray:
        """An outcome of public randomness; after a `Seed`, nothing more is answered."""
        return np.array(self.ask(Draw(law)), np.int64)

    def ask(self, event: Event) -> Outcome:
        """The outcome of a question of any kind; BudgetExceeded for one that is refused."""
        require_declared(event)
        if self.__seeded:
            raise ProtocolError(SEEDED)
        if self.__admit is not None:
            self.__admit(self.transcript, event)
        spent = self.__spent + self.__price(event)
        self.__budget.check(spent)
        object.__setattr__(self, "_Curator__spent", spent)
        # Answered or not: a reading that lists transcripts stops here, even if that is caught.
        object.__setattr__(self, "_Curator__seeded", is_seed(event))
        outcome = self.__answer(event)
        self.__transcript.append((event, outcome))
        return outcome

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ProtocolError("a program may not change its curator")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # A copy would be charged apart from the original, and the budget spent twice.
        raise ProtocolError("a curator cannot be copied or pickled: it holds one budget")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ProtocolError(
            f"the program asked the curator for {name!r}, which it does not offer; "
            "data are reached through measure, measure_sampled, measure_best, select, sanitize "
            "and draw alone"
        )


SEEDED = (
    "the program asked on after it had drawn a seed; a seed begins the generation of "
    "the output, and whatever is asked of the curator is asked before"
)


def declared_budget(program: Program, setting: Setting) -> Budget:
    """The budget that a program declares, unlimited if it declares none; ProtocolError."""
    declare = getattr(program, "budget", None)
    if declare is None:
        return UnlimitedBudget()
    try:
        budget = rebuilt(declare(setting))
    except DPAuditError:
        raise
    except Exception as error:
        raise ProtocolError(f"the program's budget raised {type(error).__name__}") from error
    # A budget of another class could refuse otherwise than it says.
    if budget is None:
        raise ProtocolError(
            "budget(setting) of a program must return a PureBudget, a ZCDPBudget, a "
            "SampledGaussianBudget or an UnlimitedBudget"
        )
    return budget


def declared_ledger(program: Program, setting: Setting) -> tuple[Event, ...] | None:
    """The questions that a program declares to ask in every run, in order; None without any.

    Its curator then refuses every other question. Draws of public randomness are left out.
    """
    declare = getattr(program, "ledger", None)
    if declare is None:
        return None
    try:
        declared = declare(setting)
        ledger = None if declared is None else tuple(declared)
    except DPAuditError:
        raise
    except Exception as error:
        raise ProtocolError(f"the program's ledger raised {type(error).__name__}") from error
    for event in ledger or ():
        require_declared(event)
        if isinstance(event, Draw):
            raise ProtocolError("a declared ledger lists questions about the data, and no draws")
    return ledger


def keep_to(ledger: tuple[Event, ...]) -> Admission:
    """Admits the questions of a declared ledger, in its order, and no other about the data."""

    def admit(transcript: Transcript, event: Event) -> None:
        if isinstance(event, Draw):
            return
        place = sum(not isinstance(before, Draw) for before, _ in transcript)
        if place >= len(ledger) or ledger[place] != event:
            raise ProtocolError(
                "the program asked a question that its declared ledger does not have at this place"
            )

    return admit


class GenerationBegins(BaseException):
    """Raised by a reading that lists transcripts, in answer to a drawn `Seed`: all was asked."""


def canonical_output(output: Output, domain: Domain) -> tuple[Any, ...]:
    """An output as a tuple that can be compared: of ints, strs and Nones, and of no other kind.

    That is a list as it is, the counts of a Dataset, or one plain value.
    Raises ProtocolError for an output of another kind.
    """
    if isinstance(output, Dataset):
        return tuple(records_of(output, domain).histogram().tolist())
    if isinstance(output, np.ndarray):
        if output.ndim == 1 and output.dtype.kind in "iu":
            return tuple(output.tolist())
        output = output.tolist()
    if isinstance(output, np.generic):
        output = output.item()
    if type(output) in (int, str):
        return (output,)
    if isinstance(output, list | tuple):
        flat = tuple(value.item() if isinstance(value, np.generic) else value for value in output)
        # Python takes True for 1, but whoever sees them can tell them apart.
        if all(value is None or type(value) in (int, str) for value in flat):
            return flat
    raise ProtocolError(
        f"the program returned {type(output).__name__}; expected a flat list of whole numbers "
        "(such as counts), texts and None, a Dataset over the domain, or one plain value"
    )


def records_of(output: Dataset, domain: Domain) -> Dataset:
    """The codes of an output over the run's own domain; ProtocolError for those of another.

    A subclass could count other records than it holds, so nothing else is looked at.
    """
    if output.domain.attributes != domain.attributes:
        raise ProtocolError("the program returned a Dataset over another domain")
    return Dataset(domain, output.codes)


def ask_program(program: Program, curator: Curator) -> Output:
    """Run a program on a curator; its own exceptions become ProtocolErrors.

    The message of a foreign exception is withheld: it may quote an answer. A
    program that exits the interpreter has not answered, whatever its code. What
    it prints goes to standard error. Raises ProtocolError where it reached past
    the curator as far as `synthesizers.watch` sees it, even if it caught that.
    """
    with watch() as reach, contextlib.redirect_stdout(sys.stderr):
        try:
            output = program(curator)
        except (DPAuditError, KeyboardInterrupt, GenerationBegins) as error:
            if reach.seen:
                raise ProtocolError(reach.message()) from error
            raise
        except (Exception, SystemExit) as error:
            raise ProtocolError(
                f"the program raised {type(error).__name__} ({place_of(error)}); "
                "a program must answer for every transcript (a function is f(database, rng))"
            ) from error
    if reach.seen:
        raise ProtocolError(reach.message())
    return output


def place_of(error: BaseException) -> str:
    """Where an exception was raised, without the name of the file."""
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return "an unknown line" if frames is None else f"line {frames.tb_lineno} of its code"
