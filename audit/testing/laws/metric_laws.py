"""What every metric must keep: its range, its best end, its draws, no heed of order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from audit.testing.laws.law import SEED, broken, require
from audit.utility.metric import FIXED, Metric
from audit.utility.pair import Pair
from audit.utility.records import Records, of_dataset
from audit.utility.score import Score
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError

MIXED = Domain(
    "mixed",
    (
        Attribute("colour", ("red", "green", "blue"), missing=True),
        Attribute("sex", ("1", "2")),
        Attribute("rooms", ("1", "2", "3", "4", "5", "6"), ordinal=True),
        Attribute.binned("wage", [-10, 0, 5, 20, 100], ordinal=True, missing=True),
        Attribute.binned("age", [0, 20, 40, 60, 100], ordinal=True),
    ),
    individual="id",
)
"""Columns of every kind: what laws try a metric on unless a domain is given."""

RECORDS = 240
"""Of the real table (enough for models, and seconds at most)."""

CLOSE = 1e-9
"""The relative difference of scores that are the same but for the order of additions."""

STANDARD_ERRORS = 8
"""So many standard errors two scores of independent draws may lie apart (few draws have heavier
tails than the normal law)."""

WRONG_DRAWS: tuple[list[object], ...] = (
    [-1],
    [1.5],
    [math.nan],
    [None],
    ["x"],
    [[]],
    [{"a": 1}],
    [["no such column"]],
    [{"row": 10**30}],
)
"""Draws of no metric's form, or of no table's."""


@dataclass(frozen=True, eq=False)
class Scored:
    """A metric, and the tables that it is tried on."""

    metric: Metric
    domain: Domain = MIXED

    @cached_property
    def real(self) -> Records:
        """A table whose columns hang together."""
        return of_dataset(_table(self.domain, SEED, RECORDS))

    @cached_property
    def other(self) -> Records:
        """Another such table, smaller."""
        return of_dataset(_table(self.domain, SEED + 1, RECORDS * 5 // 8))

    @cached_property
    def noise(self) -> Records:
        """A table of uniform values, which has nothing of the real one but its size."""
        generator = np.random.default_rng(SEED)
        codes = generator.integers(self.domain.shape, size=(RECORDS, len(self.domain.shape)))
        return of_dataset(_own(self.domain, codes))

    def score(self, real: Records, synthetic: Records) -> Score:
        """Of one table against the other; raises InputError where the metric refuses the domain."""
        pair = Pair.of(real, synthetic, self.domain)
        self.metric.check(self.domain)
        return self.metric.take(pair)


def range_and_names_are_stated(scored: Scored) -> None:
    """A name in lower case, a range with two ends, the better one, and modes that can be made."""
    metric = scored.metric
    name = metric.name
    require(
        name == name.lower() and " " not in name and "." not in name,
        f"a metric's name is in lower case without spaces and dots, found {name!r}",
    )
    require(metric.lowest < metric.highest, "lowest must lie below highest")
    require(metric.direction in ("higher", "lower"), "direction must be 'higher' or 'lower'")
    require(metric.modes[0] == FIXED, "the first mode must be 'fixed', the sound definition")
    require(len(set(metric.modes)) == len(metric.modes), "a mode is listed twice")
    first = (type(metric).__doc__ or "").strip().splitlines()
    require(bool(first) and first[0].endswith("."), "its docstring must begin with a sentence")


def scores_lie_in_the_range(scored: Scored) -> None:
    """Of a table against another: a finite value within the range, the better end as stated."""
    score = scored.score(scored.real, scored.other)
    require(score.value is not None, f"the score is undefined: {score.undefined}")
    value = _value(score)
    low, high = scored.metric.span
    require(
        math.isfinite(value) and low <= value <= high,
        f"the value must lie from {low:g} to {high:g}, found {value:g}",
    )
    require(
        (score.metric, score.direction, score.mode)
        == (scored.metric.name, scored.metric.direction, scored.metric.mode),
        "the score must carry the metric's name, direction and mode",
    )


def no_noise_beats_the_table_itself(scored: Scored) -> None:
    """A table scores itself at least as well as a table of uniform values."""
    itself = _value(scored.score(scored.real, scored.real))
    noise = _value(scored.score(scored.real, scored.noise))
    sign = 1 if scored.metric.direction == "higher" else -1
    slack = CLOSE * max(1.0, abs(itself), abs(noise))
    require(
        sign * (itself - noise) >= -slack,
        f"the table scores itself {itself:.6g}, and worse than noise, {noise:.6g}; "
        f"{scored.metric.direction} is said to be better",
    )


def the_same_again(scored: Scored) -> None:
    """The same tables have the same score, draws and parts each time."""
    first, again = (scored.score(scored.real, scored.other) for _ in range(2))
    require(
        _numbers(first) == _numbers(again),
        "scored twice, the same tables have two scores: draw from `generator(name, seed)`",
    )


def order_of_synthetic_records_says_nothing(scored: Scored) -> None:
    """The synthetic records in another order have the same score; of random draws, nearly so."""
    codes = _table(scored.domain, SEED + 1, RECORDS * 5 // 8)
    order = np.random.default_rng(SEED).permutation(codes.records)
    persons = None if codes.persons is None else codes.persons[order]
    shuffled = of_dataset(Dataset(scored.domain, codes.codes[order], persons))
    score, again = (scored.score(scored.real, table) for table in (scored.other, shuffled))
    value, found = _value(score), _value(again)
    # Draws of records by their places are other draws after a shuffle.
    slack = 0.0 if score.seed is None else STANDARD_ERRORS * (score.standard_error or 0.0)
    require(
        abs(value - found) <= slack + CLOSE * max(1.0, abs(value)),
        f"the score changes with the order of the synthetic records, from {value:.9g} to "
        f"{found:.9g}",
    )


def wanted_marginals_are_marginals(scored: Scored) -> None:
    """What it wants counted are attributes of the domain, in the domain's order."""
    names = scored.domain.names
    for wanted in scored.metric.marginals_read(scored.domain):
        require(
            tuple(wanted) == tuple(n for n in names if n in wanted),
            f"a wanted marginal lists attributes in the domain's order, found {wanted!r}",
        )


def draws_given_back_give_the_score_back(scored: Scored) -> None:
    """The draws of a score, given again, give its numbers again; other draws are refused."""
    score = scored.score(scored.real, scored.other)
    if not score.drawn:
        try:
            scored.metric.with_draws([["no such column"]])
        except InputError:
            return
        broken("it has no draws of its own, so with_draws must raise InputError")
    given = Scored(scored.metric.with_draws(score.drawn), scored.domain)
    require(
        _numbers(given.score(scored.real, scored.other)) == _numbers(score),
        "its draws, given back, have another score",
    )
    for wrong in WRONG_DRAWS:
        try:
            refused = Scored(scored.metric.with_draws(wrong), scored.domain)
            refused.score(scored.real, scored.other)
        except InputError:
            continue
        broken(f"draws that are none must be refused with InputError, and {wrong!r} are not")


LAWS: tuple[Callable[[Scored], None], ...] = (
    range_and_names_are_stated,
    scores_lie_in_the_range,
    no_noise_beats_the_table_itself,
    the_same_again,
    order_of_synthetic_records_says_nothing,
    wanted_marginals_are_marginals,
    draws_given_back_give_the_score_back,
)


def _table(domain: Domain, seed: int, records: int) -> Dataset:
    """Records whose columns follow one hidden number, with values of their own."""
    generator = np.random.default_rng(seed)
    hidden = generator.normal(size=(records, 1))
    mixed = 0.6 * hidden + 0.4 * generator.normal(size=(records, len(domain.shape)))
    sizes = np.array(domain.shape)
    return _own(domain, np.clip(np.floor((mixed + 1.5) * sizes / 3), 0, sizes - 1).astype(int))


def _own(domain: Domain, codes: np.ndarray) -> Dataset:
    """With persons of three records each where the domain has an id column."""
    persons = None if domain.individual is None else np.arange(len(codes)) // 3
    return Dataset(domain, codes, persons)


def _value(score: Score) -> float:
    if score.value is None:
        broken(f"the score is undefined: {score.undefined}")
    return score.value


def _numbers(score: Score) -> tuple[object, ...]:
    return score.value, score.standard_error, score.parts, score.drawn
