"""Higher-order conjunctions: the share of persons who are similar to one picked at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from audit.utility.compat.programs import SDNIST, SPRINT_3
from audit.utility.compat.sprint_3 import PROGRAM_SEED, program_draws, program_vectors
from audit.utility.metric import FIXED, Metric, generator
from audit.utility.nist_2020.person_counts import (
    count_vectors,
    need_persons,
    person_places,
    similar,
)
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score, Undefined, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Draw = tuple[int, tuple[int, ...]]
"""A person of the real table, by the order in which they first appear, and a slack a dimension."""

SLACK = (5, 50)
"""The least and the largest slack: ``MIN_HOC_DIFF`` and ``MAX_HOC_DIFF`` of the scorer."""

_MAX_ENTRIES = 2**28


@dataclass(frozen=True, kw_only=True)
class HigherOrderConjunction(Metric):
    """1000 · (1 - mean |share of similar persons, real less synthetic|).

    A person is the vector of how often each value of each of ``attributes`` occurs
    in their records. A draw picks a person of the real table and for each dimension a
    slack, uniform on the integers 5 … 50; a person is similar to the one picked if
    every count differs by less than its slack. Persons are told apart by the id
    column of the domain's ``[individual]``.

    The shares are tiny, so that the score is high even for useless tables: beside it
    stand the score of a table without any similar person, and the mean relative
    error.

    Modes: "fixed" has a dimension for every value of the domain and one for the
    values outside it; "sprint-3" and "sdnist-2.5" one for every value in the real
    table, of which there must be 99, drop the others and line the columns up as
    ``program_vectors`` tells. In "sprint-3" a difference
    equal to the slack is similar, too. The seed 0 stands there for 123456, and the
    program's own draws follow if the real table is sorted by person.

    ``given`` are draws handed in. Sources: Lothe et al., SDNist, "Higher Order
    Conjunction"; drivendataorg/deid2-runtime, branch master, ``metric.py``;
    ``sdnist/metrics/hoc.py`` of the SDNist that ``SDNIST`` names.
    """

    name = "hoc"
    lowest, highest, direction = 0.0, 1000.0, "higher"
    modes = (FIXED, SPRINT_3, SDNIST)

    attributes: tuple[str, ...] = ("shift", "pickup_community_area")
    draws: int = 50
    seed: int = 0
    given: tuple[Draw, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse no attribute, one named twice, or no draw."""
        super().__post_init__()
        if not self.attributes or len(set(self.attributes)) < len(self.attributes):
            raise InputError(f"{self.name}: attributes must be one or more, each named once")
        if self.mode != FIXED and len(self.attributes) != 2:
            raise InputError(
                f"{self.name}: the program of {self.mode} counts two attributes, shift and pickup "
                f"area, not {len(self.attributes)}"
            )
        self.at_least(1, "draws")

    def check(self, domain: Domain) -> None:
        """Raise ``InputError`` for an unknown attribute, or if no id column is declared."""
        for name in self.attributes:
            if name not in domain.names:
                raise InputError(
                    f"{self.name}: there is no attribute {name!r}; name the attributes whose "
                    f"values are counted, from {', '.join(domain.names)}"
                )
        if domain.individual is None:
            raise InputError(
                f"{self.name}: it compares persons and the domain declares no id column; declare "
                "[individual]"
            )

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these draws: each a list of a person's number and a list of slacks."""
        return replace(self, given=tuple(_draw(self.name, draw) for draw in drawn))

    def score(self, pair: Pair) -> Score:
        """The score over the draws, or undefined if the tables do not say whose records they hold.

        Raises ``InputError`` for given draws that do not fit the real table.
        """
        try:
            draws, real, synthetic = self.shares(pair)
        except Undefined as reason:
            return self.undefined(str(reason))
        errors = np.abs(real - synthetic)
        # The real share is that of the picked person at the least, and never 0.
        relative = errors / real
        parts = tuple((1000 * (1 - errors)).tolist())
        null = 1000 * (1 - float(real.mean()))
        rows = sorted(
            zip(real.tolist(), synthetic.tolist(), errors.tolist(), relative.tolist(), strict=True),
            key=lambda row: -row[2],
        )
        header = ("real share", "synthetic share", "error", "relative error")
        return self.scored(
            (1.0 - float(errors.mean())) * 1000,
            seed=None if self.given is not None else self.used_seed,
            drawn=tuple([person, list(slacks)] for person, slacks in draws),
            parts=parts,
            standard_error=standard_error(parts),
            stated=(
                f"mean relative error of the share of similar persons: {relative.mean():.3g}",
                f"null baseline, a table without a similar person: {null:.1f} of 1000",
                f"similar: every count of the values of {', '.join(self.attributes)} differs "
                + ("by at most its slack" if self.mode == SPRINT_3 else "by less than its slack"),
            ),
            details=(Breakdown("targets", header, tuple(rows)),),
        )

    def shares(
        self, pair: Pair
    ) -> tuple[tuple[Draw, ...], NDArray[np.float64], NDArray[np.float64]]:
        """The draws with the share of similar persons [draws] in the real and synthetic table.

        Raises ``Undefined`` if there are none, and ``InputError`` as ``score``.
        """
        need_persons(pair)
        values = sum(pair.domain.attribute(name).size + 1 for name in self.attributes)
        if values * max(person_places(table)[1] for table in pair.tables) > _MAX_ENTRIES:
            raise Undefined(
                "the counts of all persons and values are too many to hold; take fewer attributes"
            )
        if self.mode == FIXED:
            real, synthetic = (
                count_vectors(table, self.attributes, ranked=False) for table in pair.tables
            )
        else:
            real, synthetic = program_vectors(*pair.tables, self.attributes, self.mode)
        at_most = int(self.mode == SPRINT_3)
        draws = self._draws(len(real), real.shape[1], at_most)
        shares = [
            np.array(
                [
                    similar(counts, real[:, person], np.array(slacks) + at_most)
                    for person, slacks in draws
                ]
            )
            / counts.shape[1]
            for counts in (real, synthetic)
        ]
        return draws, shares[0], shares[1]

    @property
    def used_seed(self) -> int:
        """The seed of the draws: in an official mode 0 stands for the program's own."""
        return self.seed if self.mode == FIXED else self.seed or PROGRAM_SEED

    def _draws(self, dimensions: int, persons: int, at_most: int) -> tuple[Draw, ...]:
        low, high = SLACK
        if self.given is not None:
            for person, slacks in self.given:
                if len(slacks) != dimensions:
                    raise InputError(
                        f"{self.name}: a draw has {len(slacks)} slacks and needs {dimensions}, one "
                        "a dimension; draw again for this domain and mode"
                    )
                if person >= persons:
                    raise InputError(
                        f"{self.name}: a draw names a person that the real table does not have; "
                        "use draws made for this table"
                    )
                if not all(slack + at_most > 0 for slack in slacks):
                    raise InputError(
                        f"{self.name}: a draw has a slack of 0, within which nobody is similar, "
                        f"not even the person picked; slacks go from {low} to {high}"
                    )
            return self.given
        if self.mode != FIXED:
            return program_draws(self.draws, self.used_seed, persons, dimensions, SLACK)
        random = generator(self.name, self.seed)
        return tuple(
            (
                int(random.integers(persons)),
                tuple(random.integers(low, high + 1, dimensions).tolist()),
            )
            for _ in range(self.draws)
        )


def _draw(metric: str, draw: object) -> Draw:
    parts = list(draw) if isinstance(draw, list | tuple) else []
    slacks = parts[1] if len(parts) == 2 else None
    if not (
        isinstance(slacks, list | tuple)
        and all(type(number) is int and number >= 0 for number in (parts[0], *slacks))
    ):
        raise InputError(
            f"{metric}: a draw must be a person's number and the slacks, as in [17, [5, 42, 8]]"
        )
    return parts[0], tuple(slacks)
