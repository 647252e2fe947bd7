"""Events: one question each, with its support and its chance under every database.

`Measure` asks a query and adds noise, `MeasureSampled` does so on a secret
sample of the records, `MeasureBest` a random number of times, of which the best
is told, `Select` chooses a candidate by its score, `Sanitize` sends the table
through a row-stochastic law, and `Draw` is
public randomness given the transcript. An event's answer splits into
independent coordinates; each coordinate knows its outcomes and the chance of
every one of them under every listed database.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import FREE, Cost, SampledSteps
from synthesizers.domain import Domain
from synthesizers.errors import BelowDoublesError, InputError, TooLargeError
from synthesizers.exact import TABLE_ERROR, Exact
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.intervals import Interval
from synthesizers.laws.product_laws import ProductFactors, ProductLaw, product_error
from synthesizers.laws.public_laws import PublicLaw, Seed
from synthesizers.laws.table_laws import MAX_CHANCES, MAX_PAIRS, TableLaw
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.noise import Noise, clamped_mass
from synthesizers.plain import require_integer, require_rational
from synthesizers.powers import doubles, powers
from synthesizers.queries import Query, answers_of_histograms
from synthesizers.runs import Runs
from synthesizers.selection import Exponential

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Outcome = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Databases:
    """The databases of an exact analysis: ``rows`` of counts over the domain's cells."""

    domain: Domain
    rows: IntArray

    @cached_property
    def laws(self) -> Callable[[Event], tuple[Coordinate, ...]]:
        """The coordinates of an event, remembered for the events met last."""
        return lru_cache(maxsize=64)(lambda event: event.coordinates(self))

    def __reduce__(self) -> tuple[type[Databases], tuple[Domain, IntArray]]:
        return Databases, (self.domain, self.rows)


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One independent coordinate of an answer.

    ``outcomes[o]`` is what the coordinate may be; ``chance(o, t)`` its exact
    chance for the distinct truth number t; ``truths[d]`` the truth's number
    under database d.

    Guarantee
    ---------
    ``floats`` holds the exact chances within relative error ``error``·2^-53,
    and is 0 exactly where the chance is 0.
    """

    outcomes: Sequence[Outcome]
    chance: Callable[[int, int], Exact]
    truths: IntArray

    @property
    def error(self) -> int:
        """Relative error of ``floats`` in units of 2^-53."""
        return TABLE_ERROR

    @cached_property
    def _columns(self) -> int:
        return int(self.truths.max()) + 1

    @cached_property
    def floats(self) -> FloatArray:
        """Chances as doubles, [outcomes, databases]; TooLargeError for a table too large."""
        table = doubles(*self._powers())
        if np.isnan(table).any():
            raise BelowDoublesError
        return _spread_columns(table, self.truths)

    @cached_property
    def powers(self) -> tuple[FloatArray, FloatArray]:
        """Chances as mantissas in [1/2, 1] and exponents, [outcomes, databases] each.

        A chance of 0 has mantissa 0. For chances that lie below the doubles.
        """
        mantissas, exponents = self._powers()
        return _spread_columns(mantissas, self.truths), _spread_columns(exponents, self.truths)

    @cached_property
    def exact(self) -> NDArray[np.object_]:
        """Exact chances, [outcomes, databases]; TooLargeError for a table too large."""
        table = np.fromiter(self._chances(), np.object_).reshape(self._shape)
        return _spread_columns(table, self.truths)

    def part(self, outcomes: slice, databases: IntArray) -> FloatArray:
        """Chances of some outcomes under some databases (by number) as doubles."""
        return self.floats[outcomes, databases]

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.outcomes), self._columns

    def _powers(self) -> tuple[FloatArray, FloatArray]:
        return powers(self._chances(), self._shape)

    def _chances(self) -> Iterator[Exact]:
        """Each outcome's chances, truth after truth."""
        self._require(MAX_CHANCES)
        return itertools.starmap(self.chance, np.ndindex(self._shape))

    def _require(self, cap: int) -> None:
        entries = len(self.outcomes) * self._columns
        if entries > cap:
            raise TooLargeError(
                f"one question has {len(self.outcomes)} outcomes for {self._columns} different "
                f"truths, more than {cap} chances; take fewer cells or records"
            )


@dataclass(frozen=True, eq=False)
class ProductCoordinate(Coordinate):
    """A coordinate whose law is a product over cells: doubles by factors, many at once."""

    law: ProductLaw
    tables: IntArray

    @property
    def error(self) -> int:
        """Relative error of ``floats`` in units of 2^-53."""
        return product_error(self.tables.shape[1])

    @cached_property
    def _factors(self) -> ProductFactors:
        return ProductFactors(self.law, self.tables, np.array(self.outcomes, np.int64))

    @cached_property
    def floats(self) -> FloatArray:
        """Chances as doubles, [outcomes, databases]; TooLargeError for a table too large."""
        self._require(MAX_PAIRS)
        return self.part(slice(None), self._all)

    @cached_property
    def powers(self) -> tuple[FloatArray, FloatArray]:
        """Chances as mantissas and exponents, [outcomes, databases] each."""
        self._require(MAX_PAIRS)
        return self._factors.powers(slice(None), self.truths)

    def part(self, outcomes: slice, databases: IntArray) -> FloatArray:
        """Chances of some outcomes under some databases (by number) as doubles."""
        return self._factors.floats(outcomes, self.truths[databases])

    @property
    def _all(self) -> IntArray:
        return np.arange(len(self.truths))


def _spread_columns(table: NDArray[Any], truths: IntArray) -> NDArray[Any]:
    """One column a database; a single law for all of them is not copied."""
    if table.shape[1] == 1:
        return np.broadcast_to(table, (len(table), len(truths)))
    return np.asarray(table[:, truths])


def _distinct(rows: IntArray) -> tuple[IntArray, IntArray]:
    values, numbers = np.unique(rows, axis=0, return_inverse=True)
    return values, np.asarray(numbers, np.int64).reshape(-1)


def _bounds(low: object, high: object) -> tuple[int, int]:
    """The declared bounds of an answer as Python's own integers."""
    found = []
    for name, value in (("low", low), ("high", high)):
        if value is None:
            raise InputError(f"a measurement declares its bounds; {name} is missing")
        bound = require_integer(value, f"{name} of a measurement")
        if not -(2**62) <= bound <= 2**62:
            raise InputError(f"a measurement's {name} must lie within ±2^62")
        found.append(bound)
    if found[0] > found[1]:
        raise InputError(f"a measurement needs low <= high, found {found[0]} > {found[1]}")
    return found[0], found[1]


@dataclass(frozen=True)
class _Answers(Sequence[Outcome]):
    """Every answer of a range as an outcome, made when it is asked for: bounds may be wide."""

    values: range

    def __getitem__(self, place: Any) -> Any:
        value = self.values[place]
        return _Answers(value) if isinstance(value, range) else (value,)

    def __len__(self) -> int:
        return len(self.values)


class _Clamped:
    """What the events share whose answers are clamped to ``low … high``."""

    __slots__ = ()

    query: Query
    low: int
    high: int

    def __post_init__(self) -> None:
        low, high = _bounds(self.low, self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def width(self, databases: Databases) -> int:
        """How many answers are possible."""
        options = self.high - self.low + 1
        return int(options ** self.query.size(databases.domain))


@dataclass(frozen=True, slots=True)
class Measure(_Clamped):
    """A query's answers plus independent noise, clamped to ``low … high``."""

    query: Query
    noise: Noise
    low: int
    high: int
    kind = "measure"

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """One coordinate an answer of the query; TooLargeError for bounds too wide to list."""
        if self.high - self.low + 1 > MAX_OUTCOMES:
            raise TooLargeError(
                f"measure {self.query.kind} has {self.high - self.low + 1} outcomes an answer, "
                "too many to enumerate; take narrower bounds"
            )
        answers = answers_of_histograms(self.query, databases.domain, databases.rows)
        options = _Answers(range(self.low, self.high + 1))
        return tuple(self._coordinate(options, column) for column in answers.T)

    def _coordinate(self, options: Sequence[Outcome], column: IntArray) -> Coordinate:
        truths, numbers = _distinct(column[:, None])
        values = truths[:, 0].tolist()

        def chance(outcome: int, truth: int) -> Exact:
            answer = options[outcome][0]
            return clamped_mass(self.noise, values[truth], answer, self.low, self.high)

        return Coordinate(options, chance, numbers)

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """The noise's cost at the query's sensitivity; clamping is post-processing."""
        return self.noise.cost(self.query.sensitivity(domain, neighbours))

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data, with the sensitivity and cost that follow."""
        sensitivity = self.query.sensitivity(domain, neighbours)
        return {
            "event": self.kind,
            "query": self.query.to_json(),
            "noise": self.noise.to_json(),
            "low": self.low,
            "high": self.high,
            "sensitivity": {
                "l1": sensitivity.l1,
                "l2_squared": sensitivity.l2_squared,
                "linf": sensitivity.linf,
            },
            "cost": self.cost(domain, neighbours).to_json(),
        }


@dataclass(frozen=True, slots=True)
class MeasureSampled(_Clamped):
    """A sum over a Poisson sample of the records, plus independent noise, clamped.

    Each record enters the sample by its own coin of chance ``rate``; who is in it stays secret.
    ``query``: one whose answers are sums over records, so that its sensitivity holds of samples.

    Guarantee
    ---------
    Chances are mixtures over all samples, so that the answers form one coordinate. The cost holds
    under every relation, as that of the query on one sample (divergences of mixtures are at most
    the largest of their parts: van Erven & Harremoës 2014, Theorem 13); what sampling gains is
    stated beside it, for add-remove of a record. Backed by
    ``tests/synthesizers/test_sampled_events.py``.
    """

    query: Query
    rate: Fraction
    noise: RoundedGaussian
    low: int
    high: int
    kind = "measure-sampled"

    def __post_init__(self) -> None:
        _Clamped.__post_init__(self)
        object.__setattr__(self, "rate", require_rational(self.rate, "rate of a sample"))
        if not 0 < self.rate <= 1:
            raise InputError("the rate of a sample lies above 0 and is at most 1")

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """A single coordinate: all answers, which share one sample."""
        width = self.width(databases)
        if width > MAX_SAMPLED_OUTCOMES:
            raise TooLargeError(
                f"a noisy sum of {self.query.size(databases.domain)} entries over a sample has too "
                "many outcomes to enumerate: its entries share the sample, and all of them are "
                "listed together; take narrower bounds and fewer entries"
            )
        values = range(self.low, self.high + 1)
        options = list(itertools.product(values, repeat=self.query.size(databases.domain)))
        truths, numbers = _distinct(databases.rows)
        samples = [self._samples(databases.domain, row) for row in truths]

        def chance(outcome: int, truth: int) -> Exact:
            terms = (
                share * _mass(self, answers, options[outcome]) for share, answers in samples[truth]
            )
            return sum(terms, Interval(Fraction(0), Fraction(0)))

        return (Coordinate(options, chance, numbers),)

    def _samples(self, domain: Domain, row: IntArray) -> list[tuple[Fraction, Outcome]]:
        """The answers of all samples of a database, with the chance of each."""
        sizes = row.tolist()
        if math.prod(size + 1 for size in sizes) > MAX_SAMPLES:
            raise TooLargeError("a database has too many samples to list; take fewer records")
        kept = list(itertools.product(*(range(size + 1) for size in sizes)))
        answers = answers_of_histograms(self.query, domain, np.array(kept, np.int64))
        shares: dict[Outcome, Fraction] = {}
        for sample, found in zip(kept, answers.tolist(), strict=True):
            ways = math.prod(map(math.comb, sizes, sample))
            share = ways * self.rate ** sum(sample) * (1 - self.rate) ** (sum(sizes) - sum(sample))
            shares[tuple(found)] = shares.get(tuple(found), Fraction(0)) + share
        return [(share, found) for found, share in shares.items() if share]

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """The noise's cost at the query's sensitivity; the sampled step under add-remove."""
        sensitivity = self.query.sensitivity(domain, neighbours)
        whole = self.noise.cost(sensitivity)
        if whole == FREE or neighbours != AddRemove():
            return whole
        step = SampledSteps(self.rate, self.noise.mu_squared(sensitivity))
        return Cost(whole.epsilon, whole.rho, (step,))

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data, with the sensitivity and cost that follow."""
        return {
            "event": self.kind,
            "query": self.query.to_json(),
            "rate": str(self.rate),
            "noise": self.noise.to_json(),
            "low": self.low,
            "high": self.high,
            "sensitivity": {"l2_squared": self.query.sensitivity(domain, neighbours).l2_squared},
            "cost": self.cost(domain, neighbours).to_json(),
        }


def _mass(event: MeasureSampled | MeasureBest, answers: Outcome, outcome: Outcome) -> Exact:
    """The chance of all noisy answers, given the true ones."""
    one: Exact = Fraction(1)
    for answer, noisy in zip(answers, outcome, strict=True):
        one = one * clamped_mass(event.noise, answer, noisy, event.low, event.high)
    return one


@dataclass(frozen=True, slots=True)
class MeasureBest(_Clamped):
    """The best of a random number of measurements, each with noise of its own; clamped.

    The best has the largest first answer, which is the score; of equal ones the next answer
    decides, and so on. How many there were is drawn by ``runs``, stays secret, as do the others.

    Guarantee
    ---------
    Chances are those of the law of the number of runs, all answers being one coordinate. The cost
    is that of the whole, not of one run. Backed by ``tests/synthesizers/test_best_events.py``.
    """

    query: Query
    noise: Noise
    runs: Runs
    low: int
    high: int
    kind = "measure-best"

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """A single coordinate: all answers of the best run."""
        if self.width(databases) > MAX_BEST_OUTCOMES:
            raise TooLargeError(
                f"the best of several runs of {self.query.size(databases.domain)} answers has too "
                "many outcomes to enumerate: they are listed together; take narrower bounds"
            )
        values = range(self.low, self.high + 1)
        options = list(itertools.product(values, repeat=self.query.size(databases.domain)))
        answers = answers_of_histograms(self.query, databases.domain, databases.rows)
        truths, numbers = _distinct(answers)
        chances = [
            self.runs.best([_mass(self, tuple(truth), option) for option in options])
            for truth in truths.tolist()
        ]
        return (Coordinate(options, lambda outcome, truth: chances[truth][outcome], numbers),)

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """What the law of runs makes of the noise's cost at the query's sensitivity."""
        return self.runs.cost(self.noise.cost(self.query.sensitivity(domain, neighbours)))

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data, with the sensitivity and cost that follow."""
        one = Measure(self.query, self.noise, self.low, self.high).to_json(domain, neighbours)
        whole = self.cost(domain, neighbours).to_json()
        return {**one, "event": self.kind, "runs": self.runs.to_json(), "cost": whole}


@dataclass(frozen=True, slots=True)
class Select:
    """One candidate, chosen by its private score."""

    scores: Query
    noise: Exponential
    kind = "select"

    def width(self, databases: Databases) -> int:
        """How many candidates there are."""
        return self.scores.size(databases.domain)

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """A single coordinate: the candidate's number."""
        answers = answers_of_histograms(self.scores, databases.domain, databases.rows)
        truths, numbers = _distinct(answers)
        chances = [self.noise.chances(scores) for scores in truths.tolist()]
        options = [(candidate,) for candidate in range(answers.shape[1])]
        return (Coordinate(options, lambda outcome, truth: chances[truth][outcome], numbers),)

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """The exponential mechanism's cost at the scores' sensitivity."""
        return self.noise.cost(self.scores.sensitivity(domain, neighbours))

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data, with the sensitivity and cost that follow."""
        sensitivity = self.scores.sensitivity(domain, neighbours)
        return {
            "event": self.kind,
            "scores": self.scores.to_json(),
            "noise": self.noise.to_json(),
            "sensitivity": {"linf": sensitivity.linf, "monotone": sensitivity.monotone},
            "cost": self.cost(domain, neighbours).to_json(),
        }


@dataclass(frozen=True, slots=True)
class Sanitize:
    """The whole table through a row-stochastic law."""

    law: TableLaw
    kind = "sanitize"

    def width(self, databases: Databases) -> int:
        """How many tables may come out."""
        return len(self.law.outcomes(databases.rows))

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """A single coordinate: the table that comes out."""
        options = self.law.outcomes(databases.rows)
        truths, numbers = _distinct(databases.rows)
        tables = [tuple(row) for row in truths.tolist()]

        def chance(outcome: int, truth: int) -> Exact:
            return self.law.chance(tables[truth], options[outcome])

        if isinstance(self.law, ProductLaw):
            return (ProductCoordinate(options, chance, numbers, self.law, truths),)
        return (Coordinate(options, chance, numbers),)

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """The law's own bound."""
        return self.law.cost(neighbours)

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data, with its cost."""
        return {
            "event": self.kind,
            "law": self.law.to_json(),
            "cost": self.cost(domain, neighbours).to_json(),
        }


@dataclass(frozen=True, slots=True)
class Draw:
    """Public randomness given the transcript: it costs nothing."""

    law: PublicLaw
    kind = "draw"

    def width(self, databases: Databases) -> int:
        """How many outcomes there are."""
        return self.law.count()

    def coordinates(self, databases: Databases) -> tuple[Coordinate, ...]:
        """A single coordinate, of the same chance under every database."""
        if self.law.count() > MAX_OUTCOMES:
            raise TooLargeError(
                f"a {self.law.name} draw has {self.law.count()} outcomes, too many to enumerate; "
                "the transcript can be analysed instead (--released transcript)"
            )
        options = self.law.outcomes()
        chances: list[Fraction] = [self.law.chance(option) for option in options]
        numbers = np.zeros(len(databases.rows), np.int64)
        return (Coordinate(options, lambda outcome, truth: chances[outcome], numbers),)

    def cost(self, domain: Domain, neighbours: Neighbours) -> Cost:
        """Nothing: the law does not depend on the data."""
        return FREE

    def to_json(self, domain: Domain, neighbours: Neighbours) -> dict[str, Any]:
        """The event as plain data."""
        return {"event": self.kind, "law": self.law.to_json(), "cost": FREE.to_json()}


MAX_OUTCOMES = 5_000_000
"""The most outcomes of one draw or answer that are enumerated."""

MAX_SAMPLED_OUTCOMES = 200_000
"""The most outcomes of one noisy sum over a sample that are enumerated, a mixture each."""

MAX_BEST_OUTCOMES = 2_000
"""The most outcomes of the best of several runs that are enumerated: each is a quotient of sums."""

MAX_SAMPLES = 100_000
"""The most samples of one database that are listed."""

Event = Measure | MeasureSampled | MeasureBest | Select | Sanitize | Draw


def is_seed(event: Event) -> bool:
    """Whether an event begins the generation of the output."""
    return isinstance(event, Draw) and isinstance(event.law, Seed)
