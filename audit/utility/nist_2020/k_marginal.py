"""The k-marginal score of the Temporal Map Challenge and of SDNist: 1000 · (1 - mean TV)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from audit.utility.column_sets import (
    DRAWS,
    distinct_among,
    given_sets,
    index_sets,
    sampling_error,
)
from audit.utility.compat.k_marginals import PROGRAMS, KMarginalProgram, sorted_tables
from audit.utility.counts import Attributes, order_attributes
from audit.utility.groups import Groups
from audit.utility.metric import FIXED, Metric, generator
from audit.utility.nist_2020.k_marginal_breakdowns import Measured, breakdowns
from audit.utility.pair import Pair
from audit.utility.score import Score, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True, kw_only=True)
class KMarginal(Metric):
    """How near sets of k columns are on average: 1000 · (1 - mean total variation).

    Column sets are drawn from ``columns`` (all attributes but the groups, if none
    are named). ``draws`` sets of distinct columns are drawn without replacement;
    None takes all of them, or 300 if there are more; ``all_sets`` takes all of them
    however many they are. ``k`` None is 3, and 2 in the
    official modes. With ``groups`` the tables of each group are normalised by
    themselves and the groups weigh alike: one with records in one table only has
    the worst score, one with none in either is left out. ``given`` are column sets
    handed in, in place of ``k`` and ``draws``.

    The official modes repeat a program's operations to the last bit for its column
    sets, provided that values ascend there as numbers or as texts do:

    - "sprint-2": scorer of the ACS sprint; 50 sets; ``bias_penalty`` (250 if None):
      a group whose counts differ by so much or more has the worst score.
    - "sprint-3": scorer of the taxi sprint; all ordered sets; no penalty if None.
    - "sdnist-1": ``KMarginalScore`` of SDNist 1.x; 50 sets with replacement, so that
      a column may come twice; a group on one side only scores 500, and one whose
      counts differ by more than ``bias_penalty`` 0.
    - "sdnist-2.5": ``KMarginal`` of SDNist 2.x; all pairs below 30 columns, else 200
      with replacement; densities over groups and columns together.

    In these the seed 0 stands for the program's own.

    Source: Lothe et al., SDNist, "k-marginal score"; the programs as
    ``audit.utility.compat.k_marginals`` lists them.
    """

    name = "k-marginal"
    family = "marginals"
    lowest, highest, direction = 0.0, 1000.0, "higher"
    modes = (FIXED, *PROGRAMS)

    k: int | None = None
    draws: int | None = None
    all_sets: bool = False
    columns: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    bias_penalty: int | None = None
    seed: int = 0
    given: tuple[tuple[str, ...], ...] | None = None

    def __post_init__(self) -> None:
        """Refuse parameters that no domain could make sense of."""
        super().__post_init__()
        self.at_least(1, "k", "draws")
        if self.all_sets and (self.mode, self.draws, self.given) != (FIXED, None, None):
            raise InputError(
                f"{self.name}: all_sets takes every set in the mode {FIXED}, without draws or "
                "given sets; leave it out, or the others"
            )
        program = self.program
        if self.draws is not None and program is not None and program.draws is None:
            raise InputError(
                f"{self.name}: the program of {self.mode} takes all ordered sets of columns; leave "
                "draws out"
            )
        if self.bias_penalty is not None:
            if program is None or not program.penalised:
                penalised = [mode for mode, other in PROGRAMS.items() if other.penalised]
                raise InputError(
                    f"{self.name}: the mode {self.mode} has no bias penalty; leave it out, or "
                    f"choose one of the modes {', '.join(penalised)}"
                )
            if self.bias_penalty < 0:
                raise InputError(
                    f"{self.name}: bias_penalty is a number of records and at least 0, not "
                    f"{self.bias_penalty}"
                )
        if self.given is not None and not all(self.given):
            raise InputError(f"{self.name}: every set of columns needs at least one")

    def check(self, domain: Domain) -> None:
        """Raise ``InputError`` for columns or groups that ``domain`` does not have."""
        for name in (*self.columns, *self.groups, *itertools.chain(*(self.given or ()))):
            domain.position(name)
        for what, names in (("groups", self.groups), ("columns", self.columns)):
            if len(set(names)) < len(names):
                raise InputError(f"{self.name}: {what} names an attribute twice; name it once")
        if self.program is not None and self.program.grouped and not self.groups:
            raise InputError(
                f"{self.name}: the program of {self.mode} scores groups; name the attributes that "
                'make them, as in groups = ["PUMA", "YEAR"]'
            )
        if self.bias_penalty is not None and not self.groups:
            raise InputError(f"{self.name}: a bias penalty compares groups; name groups")
        if self.given is None:
            self._check_columns(domain)
        self._check_sets(domain)

    def _check_columns(self, domain: Domain) -> None:
        columns = self._columns(domain)
        shared = set(columns) & set(self.groups)
        if shared:
            raise InputError(
                f"{self.name}: {min(shared)!r} makes groups and cannot be drawn as well; leave it "
                "out of columns"
            )
        if not columns or (len(columns) < self.size and not self._replaced):
            raise InputError(
                f"{self.name}: sets of k = {self.size} columns need as many columns to draw from, "
                f"found {len(columns)}; lower k, or name more columns or fewer groups"
            )

    def _check_sets(self, domain: Domain) -> None:
        codes = {attribute.name: attribute.size + 1 for attribute in domain.attributes}
        for names in self._sets(domain)[0]:
            distinct = set(names)
            if len(distinct) < len(names) and not self._replaced:
                raise InputError(
                    f"{self.name}: the set {' × '.join(names)} names an attribute twice; only "
                    "SDNist draws with replacement"
                )
            if distinct & set(self.groups):
                raise InputError(
                    f"{self.name}: the set {' × '.join(names)} has an attribute that makes groups"
                )
            cells = math.prod(codes[name] for name in (*distinct, *self.groups))
            if cells >= 2**63:
                raise InputError(
                    f"{self.name}: the marginal {' × '.join((*self.groups, *names))} has too many "
                    "cells to be numbered; take a smaller k or fewer groups"
                )

    @property
    def program(self) -> KMarginalProgram | None:
        """The program that the mode reproduces, if any."""
        return PROGRAMS.get(self.mode)

    @property
    def size(self) -> int:
        """The number of columns in a set that is drawn."""
        return self.k or (3 if self.program is None else 2)

    @property
    def _replaced(self) -> bool:
        return self.program is not None and self.program.replaced

    def _columns(self, domain: Domain) -> tuple[str, ...]:
        if self.columns:
            return self.columns
        return tuple(name for name in domain.names if name not in self.groups)

    def _sets(self, domain: Domain) -> tuple[tuple[tuple[str, ...], ...], int | None]:
        """The column sets, and how many there are in all where they were drawn among distinct."""
        columns = self._columns(domain)
        if self.given is not None:
            return self.given, None if self.program else distinct_among(self.given, columns)
        if self.program is not None:
            return self.program.sets(columns, self.size, self.draws, self.seed), None
        columns = order_attributes(columns, domain)
        random = generator(self.name, self.seed)
        total = math.comb(len(columns), self.size)
        draws = total if self.all_sets else self.draws or DRAWS
        places = index_sets(len(columns), self.size, draws, random)
        return tuple(tuple(columns[place] for place in draw) for draw in places), total

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The groups, and the groups with each column set."""
        own = [order_attributes(self.groups, domain)] if self.groups else []
        sets = self._sets(domain)[0]
        return [*own, *(order_attributes((*self.groups, *dict.fromkeys(s)), domain) for s in sets)]

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these column sets, each a list of attributes."""
        return replace(self, given=given_sets(self.name, drawn), k=None, draws=None, all_sets=False)

    def score_over_1000(self, pair: Pair) -> float:
        """The score over 1000, as a program has it before it scales."""
        sets = self._sets(pair.domain)[0]
        return self._measure(pair, sets, Groups.of(pair, self.groups)).score_over_1000

    def _measure(self, pair: Pair, sets: Sequence[tuple[str, ...]], groups: Groups) -> Measured:
        if self.program is None:
            return _measure_fixed(pair, sets, groups)
        cutoff = self.program.penalty if self.bias_penalty is None else self.bias_penalty
        return self.program.measure(sorted_tables(pair, sets, groups), groups, cutoff)

    def score(self, pair: Pair) -> Score:
        """The mean over sets and groups; always defined."""
        sets, total = self._sets(pair.domain)
        groups = Groups.of(pair, self.groups)
        found = self._measure(pair, sets, groups)
        parts = tuple(found.parts.tolist())
        details = breakdowns(sets, found.distances.tolist())
        if self.groups:
            details = (groups.breakdown(pair.domain, found.groups), *details)
        return self.scored(
            min(max(found.value, 0.0), 1000.0),
            seed=self._used_seed(),
            drawn=tuple(list(names) for names in sets),
            parts=parts,
            standard_error=self._error(parts, total),
            stated=(*self._notes(len(sets), total), *groups.notes(), *found.stated),
            details=details,
        )

    def _used_seed(self) -> int | None:
        if self.program is None or self.given is not None:
            return self.seed if self.given is None else None
        return None if self.program.draws is None else self.program.used_seed(self.seed)

    def _error(self, parts: tuple[float, ...], total: int | None) -> float | None:
        if self.given is None and self.program is not None and self.program.draws is None:
            return 0.0
        return standard_error(parts) if total is None else sampling_error(parts, total)

    def _notes(self, sets: int, total: int | None) -> tuple[str, ...]:
        if self.given is not None:
            drawn = f"{sets} sets of columns as given"
        elif self.program is not None:
            drawn = f"{sets} sets of {self.size} columns as {self.mode} takes them"
        elif sets == total:
            drawn = f"all {total} sets of {self.size} columns"
        else:
            drawn = f"{sets} sets of {self.size} columns, drawn without replacement from {total}"
        meaning = "1000 · (1 - mean total variation); total variation is half the L1 distance"
        return drawn, meaning


def _measure_fixed(pair: Pair, sets: Sequence[tuple[str, ...]], groups: Groups) -> Measured:
    real, synthetic = np.maximum(groups.real, 1), np.maximum(groups.synthetic, 1)
    summed, distances = np.zeros(len(groups)), []
    for marginal in pair.marginals((*groups.names, *names) for names in sets):
        if groups.names:
            place = groups.places(marginal)
            gaps = np.abs(marginal.real / real[place] - marginal.synthetic / synthetic[place])
            found = np.minimum(np.bincount(place, gaps, len(groups)) / 2, 1.0)
            found[groups.one_sided] = 1.0
        else:
            found = np.array([marginal.total_variation()])
        summed += found
        distances.append(found.mean())
    mean = math.fsum(distances) / len(distances)
    return Measured(
        1000 * (1 - mean),
        1 - mean,
        1000 * (1 - np.array(distances)),
        np.array(distances),
        1000 * (1 - summed / len(distances)),
    )
