"""The longitudinal k-marginal score: persons over time, a column at a period being a feature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from audit.utility.column_sets import DRAWS, distinct_among, index_sets, sampling_error
from audit.utility.metric import Metric, generator
from audit.utility.nist_2020.person_counts import need_persons
from audit.utility.nist_2020.unfolding import EXTRA, Feature, period_labels, unfold
from audit.utility.pair import HeldCounts, Pair, common_shape
from audit.utility.score import Breakdown, Entry, Score, Undefined, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True, kw_only=True)
class LongitudinalKMarginal(Metric):
    """The k-marginal score of persons: 1000 · (1 - mean total variation).

    The records of a person are unfolded into one row, whose features are the pairs
    (column, period) over all ``columns`` (every attribute but the period, if none are
    named) and all values of the attribute ``period``. A feature of a person
    without a record at that period has a code of its own, and so has that of a person
    with several records there. ``draws`` sets of ``k`` distinct features are drawn
    without replacement, all of them if there are no more. Persons are told apart by
    the id column of the domain's ``[individual]``.

    ``given`` are sets handed in. Source: Lothe et al., SDNist, "Extension to
    individual longitudinal data" and table 1; 300 sets of 3 as in SDNist 1.x, whose
    own draws hardly ever leave a single period and are not reproduced.
    """

    name = "longitudinal-k-marginal"
    lowest, highest, direction = 0.0, 1000.0, "higher"

    period: str = "YEAR"
    k: int = 3
    draws: int = DRAWS
    columns: tuple[str, ...] = ()
    seed: int = 0
    given: tuple[tuple[Feature, ...], ...] | None = None

    def __post_init__(self) -> None:
        """Refuse numbers below 1, and a period among the columns."""
        super().__post_init__()
        self.at_least(1, "k", "draws")
        if self.period in self.columns or len(set(self.columns)) < len(self.columns):
            raise InputError(
                f"{self.name}: columns must be distinct attributes without the period "
                f"{self.period!r}"
            )

    def check(self, domain: Domain) -> None:
        """Raise ``InputError`` if ``domain`` has no such features, or no id column."""
        self.need(domain, period=self.period)
        if domain.individual is None:
            raise InputError(
                f"{self.name}: it follows persons and the domain declares no id column; declare "
                "[individual]"
            )
        for name in self.columns:
            domain.position(name)
        features = self._features(domain)
        if self.given is None and len(features) < self.k:
            raise InputError(
                f"{self.name}: sets of k = {self.k} need as many features, pairs of a column and a "
                f"period, found {len(features)}; lower k, or name more columns"
            )
        known = set(features)
        for features_drawn in self._sets(domain)[0]:
            self._check_set(features_drawn, known, domain)

    def _check_set(
        self, features: tuple[Feature, ...], known: set[Feature], domain: Domain
    ) -> None:
        if not known.issuperset(features) or len(set(features)) < len(features):
            raise InputError(
                f"{self.name}: the set {_spell(features)} must be of distinct pairs of a column "
                f"and a value of {self.period}, as the domain declares them"
            )
        if math.prod(domain.attribute(column).size + EXTRA for column, _ in features) >= 2**63:
            raise InputError(
                f"{self.name}: the marginal {_spell(features)} has too many cells to be numbered; "
                "lower k"
            )

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these sets, each a list of pairs ``[column, period]``."""
        return replace(self, given=tuple(_read_set(self.name, draw) for draw in drawn))

    def score(self, pair: Pair) -> Score:
        """The mean over the sets, or undefined if a table does not say whose records it holds."""
        try:
            need_persons(pair)
        except Undefined as reason:
            return self.undefined(str(reason))
        sets, total = self._sets(pair.domain)
        used = tuple(dict.fromkeys(feature for features in sets for feature in features))
        unfolded = [unfold(table, self.period, used) for table in pair.tables]
        shape = common_shape([table.records for table in unfolded])
        persons = Pair(*(HeldCounts(table.records, shape) for table in unfolded))
        column = {feature: str(place) for place, feature in enumerate(used)}
        marginals = persons.marginals([column[feature] for feature in f] for f in sets)
        distances = [marginal.total_variation() for marginal in marginals]
        parts = tuple(1000 * (1 - distance) for distance in distances)
        error = standard_error(parts) if total is None else sampling_error(parts, total)
        rows: list[tuple[Entry, ...]] = [
            (_spell(features), distance) for features, distance in zip(sets, distances, strict=True)
        ]
        rows.sort(key=lambda row: -float(row[1] or 0))
        of = "" if total is None else f" of {total}"
        return self.scored(
            min(max(1000 * (1 - math.fsum(distances) / len(distances)), 0.0), 1000.0),
            seed=self.seed if self.given is None else None,
            drawn=tuple([list(feature) for feature in features] for features in sets),
            parts=parts,
            standard_error=error,
            stated=(
                f"{len(sets)}{of} sets of features, each a column at a value of {self.period}",
                "1000 · (1 - mean total variation) over persons, each one row",
                "several records of a person at one period are a value of their own: "
                f"{unfolded[0].several} times in the real and {unfolded[1].several} times in the "
                "synthetic table",
            ),
            details=(Breakdown("marginals", ("attributes", "total variation"), tuple(rows)),),
        )

    def _features(self, domain: Domain) -> tuple[Feature, ...]:
        columns = self.columns or tuple(name for name in domain.names if name != self.period)
        labels = period_labels(domain, self.period)
        return tuple((column, label) for column in columns for label in labels)

    def _sets(self, domain: Domain) -> tuple[tuple[tuple[Feature, ...], ...], int | None]:
        """The sets of features, and how many there are in all unless they were handed in."""
        features = self._features(domain)
        if self.given is not None:
            return self.given, distinct_among(self.given, features)
        random = generator(self.name, self.seed)
        places = index_sets(len(features), self.k, self.draws, random)
        sets = tuple(tuple(features[place] for place in draw) for draw in places)
        return sets, math.comb(len(features), self.k)


def _spell(features: Sequence[Feature]) -> str:
    return " × ".join(f"{column} @ {period}" for column, period in features)


def _read_set(metric: str, draw: object) -> tuple[Feature, ...]:
    features = []
    for feature in draw if isinstance(draw, list | tuple) else ():
        texts = tuple(feature) if isinstance(feature, list | tuple) else ()
        if len(texts) != 2 or not all(isinstance(text, str) for text in texts):
            break
        features.append((str(texts[0]), str(texts[1])))
    else:
        if features:
            return tuple(features)
    raise InputError(
        f'{metric}: a draw must be a list of pairs of a column and a period, as in [["AGE", '
        f'"2012"], ["SEX", "2013"]], not {draw!r}'
    )
