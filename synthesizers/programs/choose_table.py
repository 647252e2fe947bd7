"""The nearest of several public tables, chosen by its distance to the data, and how near it is.

Purpose: to publish which of several synthetic tables was taken, or whether one is useful enough,
at a stated epsilon. It makes no synthetic data, and so is no program that `release` knows.

Source: the exponential mechanism (McSherry & Talwar 2007); discrete Laplace noise (Ghosh et al.
2009); the score is the mean of total variations on marginals.

Inputs: marginals, a public list; for each candidate its counts on them and its number of records,
all public; epsilon; telling, the share of epsilon for the noisy distance of the chosen one
(default 1/2; 0: it is not told). Of a single candidate nothing is chosen.

Budget: epsilon, of which telling asks for one score with discrete Laplace noise, and the rest for
the choice. A score is moved by a record as `TableDistances` says: with n public, its mean of total
variations moves by 1/n.

Post-processing: none. The output is the number of the chosen candidate, then its noisy score.

Assumes public: the domain, the marginals, and the candidates, which are public or releases of their
own: what they cost is not in epsilon. n under replace-one; rows, the number of records that counts
are compared for, under add-remove.

Known weaknesses: what the candidates share with the data beyond the marginals is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import exponential_rate, require_epsilon
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.events import Event, Measure, Select
from synthesizers.noise import DiscreteLaplace
from synthesizers.plain import require_rational
from synthesizers.programs.asking import require_share
from synthesizers.queries import MAX_SUMMAND, Marginal, TableDistances, answer
from synthesizers.selection import Exponential

FINE = Fraction(1, 2**20)
"""Of a record: what counts are rounded to where they are not exact (a choice of this project)."""

MOST_SCALES = 2**33
"""The most marginals times their scale: scores of 2^28 records stay within 2^62."""


@dataclass(frozen=True, slots=True)
class ChooseTable:
    """See the module.

    ``counts``: of each candidate, marginal after marginal; ``records``: how many it has.
    """

    marginals: tuple[Marginal, ...]
    counts: tuple[tuple[int, ...], ...]
    records: tuple[int, ...]
    epsilon: Fraction
    telling: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        share = require_rational(self.telling, "share for telling")
        if not self.marginals or not self.counts or len(self.counts) != len(self.records):
            raise InputError("a choice needs one or more marginals and one or more candidates")
        if min(self.records) < 1:
            raise InputError("a candidate has no records")
        if share:
            require_share(share, "the share for telling, where it is not 0,")
        if share == 0 and len(self.counts) == 1:
            raise InputError(
                "of one candidate there is nothing to choose: let its distance be told"
            )

    @classmethod
    def of(
        cls,
        candidates: Sequence[Dataset],
        marginals: Sequence[Marginal],
        epsilon: Fraction,
        telling: Fraction = Fraction(1, 2),
    ) -> ChooseTable:
        """The choice between tables of records."""
        counts = tuple(
            tuple(int(n) for marginal in marginals for n in answer(marginal, table))
            for table in candidates
        )
        records = tuple(table.records for table in candidates)
        return cls(tuple(marginals), counts, records, epsilon, telling)

    def __call__(self, curator: Curator) -> list[int]:
        """The number of the chosen candidate, and its noisy score where it is told."""
        setting = curator.setting
        place = 0
        if len(self.counts) > 1:
            place = curator.ask(self.choosing(setting))[0]
        if not self.telling:
            return [place]
        return [place, *curator.ask(self.measuring(setting, place))]

    def budget(self, setting: Setting) -> Budget:
        """The guarantee."""
        return PureBudget(self.epsilon)

    def ledger(self, setting: Setting) -> tuple[Event, ...] | None:
        """The only question where there is but one; the second of two depends on the first."""
        if len(self.counts) == 1:
            return (self.measuring(setting, 0),)
        return None if self.telling else (self.choosing(setting),)

    def choosing(self, setting: Setting) -> Select:
        """The question which candidate is nearest."""
        scores = self.distances(setting)
        sensitivity = scores.sensitivity(setting.domain, setting.neighbours)
        epsilon = (1 - self.telling) * self.epsilon
        # Scores that no unit moves are free at any rate.
        rate = exponential_rate(epsilon, sensitivity) if sensitivity.linf else epsilon
        return Select(scores, Exponential(rate))

    def measuring(self, setting: Setting, place: int) -> Measure:
        """The question how near one candidate is; at most as far as the farthest that can be."""
        whole = self.distances(setting)
        score = TableDistances(whole.marginals, (whole.models[place],), whole.scale)
        moved = score.sensitivity(setting.domain, setting.neighbours).l1
        epsilon = self.epsilon if len(self.counts) == 1 else self.telling * self.epsilon
        noise = DiscreteLaplace(moved / epsilon if moved else Fraction(1))
        return Measure(score, noise, -self.farthest(setting), 0)

    def distances(self, setting: Setting) -> TableDistances:
        """The scores: counts of each candidate for the public number of records, in fractions.

        These are exact where the numbers of records have a small common multiple, and otherwise
        rounded to multiples of `FINE`: the candidates are public, so that this costs nothing.
        """
        rows = self.rows(setting)
        scale = math.lcm(*(own // math.gcd(own, rows) for own in self.records))
        most = min(MAX_SUMMAND, MOST_SCALES // len(self.marginals))
        if scale > most:
            scale = min(FINE.denominator, most)
        models = tuple(
            tuple((2 * count * scale * rows + own) // (2 * own) for count in counts)
            for counts, own in zip(self.counts, self.records, strict=True)
        )
        return TableDistances(self.marginals, models, scale)

    def rounding(self, setting: Setting) -> Fraction:
        """How far the mean distance of a candidate is off at most, for its counts are rounded."""
        query = self.distances(setting)
        whole = query.scale * self.rows(setting)
        off = (
            Fraction(sum(abs(n * own - c * whole) for n, c in zip(model, counts, strict=True)), own)
            for model, counts, own in zip(query.models, self.counts, self.records, strict=True)
        )
        return max(off) / self.farthest(setting)

    def farthest(self, setting: Setting) -> int:
        """The score, in size, at which all total variations are 1."""
        return 2 * self.distances(setting).scale * len(self.marginals) * self.rows(setting)

    def rows(self, setting: Setting) -> int:
        """The number of records that counts are compared for: n where that is public."""
        rows = setting.require_rows() if setting.records is None else setting.records
        if rows < 1:
            raise InputError("a choice needs a public number of records of at least 1")
        return rows
