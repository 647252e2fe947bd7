"""Wages and pay gaps by city: the third score of the NIST 2018 challenge, "regression"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.utility.compat.nist_2018_cities import PROGRAM_SIDES, program_cities, program_comparison
from audit.utility.labels import value_labels
from audit.utility.nist_2018.challenge_score import PERFECT, Nist2018Score
from audit.utility.nist_2018.city_wages import (
    ABSENT,
    MEN,
    UNKNOWN,
    WOMEN,
    Cities,
    City,
    Comparison,
    Wages,
    usual_cities,
    usual_comparison,
)
from audit.utility.numeric_columns import midpoints_note
from audit.utility.pair import Pair
from audit.utility.records import Records, label_numbers
from audit.utility.score import Breakdown, Entry, Score, Undefined
from synthesizers.domain import Domain
from synthesizers.errors import InputError

NOT_APPLICABLE = 999998.0
"""Wages from here on mean "not applicable" (INCWAGE of IPUMS USA; the local scorer)."""

_COLUMNS = (
    "group",
    "score",
    "real records",
    "synthetic records",
    "real Gini",
    "synthetic Gini",
    "real pay gap",
    "synthetic pay gap",
    "real rank",
    "synthetic rank",
)


@dataclass(frozen=True, kw_only=True)
class Inequality(Nist2018Score):
    """5·10^5 · (s1 + s2): how well the Gini index and the rank by pay gap of each city are kept.

    s1 is the root mean square of 1 - |difference of the Gini indices|, s2 that of
    max(0, 1 - |difference of the ranks|/(k-1)), both over the k cities of the real
    table; a city that the synthetic table lacks has 0 in both. The pay gap is the mean
    wage of men less that of women, and the largest gap ranks first. Wages of
    ``not_applicable`` and above do not count (None: all do), nor do absent ones.

    Mode "fixed" takes the usual Gini index, cuts differences of it off at 1, takes
    average ranks among the cities with a gap in both tables, and leaves out, counted,
    real cities without wages or with those of one sex alone. A synthetic city without
    wages has 0 in s1, one without a gap 0 in s2. Undefined for fewer than two cities.

    Mode "nist-2018" gives the program's number bit for bit: its Gini index is less by
    one over the number of wages, and 1 for a city without any; an absent sex has the
    mean 0; ties keep the order of the file; synthetic cities of no real counterpart
    push the others down; the value can exceed a million. Undefined, with the reason,
    where the program stops with an error.

    Source: the local scorer of Match 3 and its ground-truth generator; in words DPSyn
    experiences, section 5.1.
    """

    name = "inequality"

    city: str = "CITY"
    sex: str = "SEX"
    wage: str = "INCWAGE"
    male: str = "1"
    female: str = "2"
    not_applicable: float | None = NOT_APPLICABLE

    def __post_init__(self) -> None:
        """Refuse one attribute, or one value, for two things."""
        super().__post_init__()
        if len({self.city, self.sex, self.wage}) < 3:
            raise InputError(f"{self.name}: city, sex and wage must be three attributes")
        if self.male == self.female:
            raise InputError(f"{self.name}: male and female must be two values of {self.sex!r}")

    def check(self, domain: Domain) -> None:
        """Refuse a domain without the attributes, the two sexes, or numbers for wages."""
        self.need(domain, city=self.city, sex=self.sex, wage=self.wage)
        for what in ("male", "female"):
            if getattr(self, what) not in domain.attribute(self.sex).values:
                raise InputError(
                    f"{self.name}: {self.sex!r} has no value {getattr(self, what)!r}; name the one "
                    f"that means {what} with the parameter {what}"
                )
        label_numbers(domain.attribute(self.wage))

    def score(self, pair: Pair) -> Score:
        """The score of two tables; undefined, with the reason, where there is none.

        Raises ``NeedsRecords`` for a table that is only counted.
        """
        tables = self._wages(pair.tables[0]), self._wages(pair.tables[1])
        try:
            if self.reproduces:
                cities: tuple[Cities, Cities] = (
                    program_cities(tables[0], truth=True),
                    program_cities(tables[1], truth=False),
                )
                found = program_comparison(*cities)
            else:
                cities = usual_cities(tables[0]), usual_cities(tables[1])
                found = usual_comparison(*cities)
        except Undefined as reason:
            return self.undefined(str(reason))
        return self.scored(
            found.value,
            stated=self._notes(pair, tables, cities, found),
            details=(self._breakdown(pair.domain, tables, cities, found),),
        )

    def _wages(self, records: Records) -> Wages:
        cities = records.domain.attribute(self.city)
        sexes = records.domain.attribute(self.sex)
        side_of = {self.male: MEN, self.female: WOMEN}
        if self.reproduces and (self.male, self.female) == ("1", "2"):
            side_of = PROGRAM_SIDES
        sides = np.array([*(side_of.get(label, UNKNOWN) for label in sexes.labels), UNKNOWN])
        if sexes.missing:
            sides[len(sexes.values)] = ABSENT
        wage = records.numbers(self.wage)
        limit = np.inf if self.not_applicable is None else self.not_applicable
        return Wages(
            records.column(self.city),
            len(cities.values),
            sides[records.column(self.sex)],
            wage,
            wage < limit,
        )

    def _notes(
        self, pair: Pair, tables: tuple[Wages, Wages], cities: tuple[Cities, Cities], of: Comparison
    ) -> tuple[str, ...]:
        absent = sum(code not in cities[1] for code in of.kept)
        left = len(cities[0]) - len(of.kept)
        extra = sum(code not in cities[0] for code in cities[1])
        sentences = [
            f"{len(of.kept)} values of {self.city}, of which the synthetic table lacks {absent}"
        ]
        if left:
            sentences.append(f"{left} without wages of both sexes in the real table are left out")
        if extra:
            effect = "push the others down" if self.reproduces else "are not ranked"
            sentences.append(f"{extra} in the synthetic table alone {effect}")
        without = [table.without_city for table in tables]
        if any(without):
            sentences.append(
                f"{without[0]} real and {without[1]} synthetic records without a declared value of "
                f"{self.city} are left out"
            )
        if self.reproduces:
            sentences.append("Gini index less 1/m of m wages; tied pay gaps in the file's order")
        return (*sentences, *midpoints_note(pair, (self.wage,)))

    def _breakdown(
        self,
        domain: Domain,
        tables: tuple[Wages, Wages],
        cities: tuple[Cities, Cities],
        of: Comparison,
    ) -> Breakdown:
        """Worst first; cities that do not count, and those in the synthetic table alone, last."""
        labels = value_labels(domain, self.city)
        scores = {code: PERFECT / 2 * (kept.gini + kept.rank) for code, kept in of.kept.items()}
        rows: list[tuple[Entry, ...]] = []
        codes = [*sorted(scores, key=lambda code: scores[code])]
        codes += [code for code in {**cities[0], **cities[1]} if code not in scores]
        for code in codes:
            real, synthetic = (table.get(code, City()) for table in cities)
            ranks = of.kept[code].ranks if code in of.kept else (None, None)
            rows.append(
                (
                    labels[code],
                    scores.get(code),
                    *(int(table.records[code]) for table in tables),
                    *(real.gini, synthetic.gini, real.gap, synthetic.gap),
                    *ranks,
                )
            )
        return Breakdown.of_worst("groups", _COLUMNS, rows)
