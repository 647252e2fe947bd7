"""What a metric is."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from audit.utility.counts import Attributes
from audit.utility.pair import NeedsRecords, Pair, Source
from audit.utility.records import NumbersTooLarge
from audit.utility.score import Direction, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.plain import is_integer

FIXED = "fixed"
"""The mode that follows the sound definition; every other mode reproduces a named program."""


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """One utility measure with its parameters, the fields of its dataclass.

    Called with two tables and their domain it gives a ``Score``. A suite calls
    ``take`` on a pair whose marginals are counted once for all its metrics.
    """

    name: ClassVar[str]
    lowest: ClassVar[float]
    highest: ClassVar[float]
    direction: ClassVar[Direction]
    modes: ClassVar[tuple[str, ...]] = (FIXED,)
    family: ClassVar[str | None] = ""
    """What metrics of one family measure alike: a ranking gives a family one vote. Empty for one
    of its own, None for a metric that is made of others, which have their votes."""

    works_on_real: ClassVar[bool] = False
    """Whether most of its work is on the real table alone, and is done once for all files."""

    mode: str = FIXED

    def __post_init__(self) -> None:
        """Refuse a mode that the metric does not have; metrics add their own checks."""
        if self.mode not in self.modes:
            raise InputError(
                f"{self.name}: the mode must be one of {', '.join(self.modes)}, not {self.mode!r}"
            )

    def __call__(self, real: Source, synthetic: Source, domain: Domain) -> Score:
        """The score of a synthetic table against a real one, both over ``domain``.

        Raises ``InputError`` for tables or parameters that do not fit the domain.
        """
        pair = Pair.of(real, synthetic, domain)
        self.check(domain)
        return self.take(pair)

    def check(self, domain: Domain) -> None:  # noqa: B027 - some metrics refuse no domain
        """Raise ``InputError`` if the metric cannot be taken of tables over ``domain``."""

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals that ``score`` will read, so that one pass counts those of all metrics."""
        return ()

    @abstractmethod
    def score(self, pair: Pair) -> Score:
        """The score of a pair of tables that ``check`` accepts."""

    def take(self, pair: Pair) -> Score:
        """The score of a pair, undefined for tables that the metric cannot look into."""
        try:
            return self.score(pair)
        except (NeedsRecords, NumbersTooLarge) as error:
            return self.undefined(str(error))

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        """What a pair of tables of so many records would take one core, roughly; 0 if little.

        ``benchmarks/utility.py --estimates`` prints it beside the time taken.
        """
        return 0.0

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these draws, in the plain JSON of ``Score.drawn``, instead of its own.

        Raises ``InputError`` for draws of another form, or if it has none.
        """
        raise InputError(f"{self.name} has no random draws; leave it out of the draws file")

    def at_least(self, least: int, *names: str) -> None:
        """Refuse a parameter that is neither None nor a whole number of ``least`` or more."""
        for name in names:
            value = getattr(self, name)
            if value is not None and (not is_integer(value) or value < least):
                raise InputError(
                    f"{self.name}: {name} must be at least {least}, a whole number, not {value!r}"
                )

    def need(self, domain: Domain, **roles: str) -> None:
        """Refuse a domain without the attributes that fill these roles."""
        for role, name in roles.items():
            if name not in domain.names:
                raise InputError(
                    f"{self.name}: the domain has no attribute {name!r}; name the one that holds "
                    f"the {role} with the parameter {role}, one of {', '.join(domain.names)}"
                )

    @property
    def span(self) -> tuple[float, float]:
        """The range of the score with these parameters; without any, lowest to highest."""
        return self.lowest, self.highest

    def scored(self, value: float, **fields: Any) -> Score:
        """A score of this metric; ``fields`` as those of ``Score``."""
        return Score(self.name, value, *self.span, self.direction, self.mode, **fields)

    def undefined(self, reason: str, **fields: Any) -> Score:
        """The score of tables for which this metric has no value."""
        return Score(
            self.name, None, *self.span, self.direction, self.mode, undefined=reason, **fields
        )


@dataclass(frozen=True, kw_only=True)
class Combined(Metric):
    """A metric that is made of others; it refuses what one of them refuses."""

    @abstractmethod
    def parts(self) -> tuple[Metric, ...]:
        """The metrics that it is made of, with their parameters."""

    def __post_init__(self) -> None:
        """Refuse what one of the parts refuses."""
        super().__post_init__()
        self.parts()

    def check(self, domain: Domain) -> None:
        """Refuse what one of the parts refuses."""
        for part in self.parts():
            part.check(domain)

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals of all parts."""
        return [names for part in self.parts() for names in part.marginals_read(domain)]


def generator(metric: str, seed: int) -> np.random.Generator:
    """The random numbers of one metric: metrics of one seed draw independently of each other.

    Raises ``InputError`` unless the seed is an integer of at least 0.
    """
    if not is_integer(seed) or seed < 0:
        raise InputError(f"{metric}: the seed must be a whole number of at least 0")
    return np.random.default_rng([seed, zlib.crc32(metric.encode())])
