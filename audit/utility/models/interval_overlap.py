"""Confidence-interval overlap: whether a regression says the same of both tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.special import ndtri

from audit.utility.compat.programs import SYNTHPOP
from audit.utility.metric import FIXED, Metric
from audit.utility.models.design import Both, design_matrices, drop_settled
from audit.utility.models.fitted_line import fitted_line
from audit.utility.models.predictors import predictors_of
from audit.utility.models.regressions import Coefficients, independent, least_squares, logistic
from audit.utility.pair import Pair
from audit.utility.records import Records, is_measured, is_numeric, numbers_alike
from audit.utility.score import Breakdown, Entry, Score
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.quantities import Quantity


@dataclass(frozen=True, kw_only=True)
class IntervalOverlap(Metric):
    """The mean over the coefficients, intercept included, of the overlap of their intervals.

    One regression of ``outcome`` on ``predictors`` (None: all other attributes) is
    fitted to each table: logistic, of the second value, for an outcome of two values that
    are no bins, least squares for other numbers. An interval is the estimate ± the normal
    quantile of ``level`` times the standard error; the synthetic error is multiplied by
    the root of synthetic over real records, so that a longer synthetic table is not taken
    for a surer one. With [l, u] the intersection, from the larger low end to the smaller high
    end, overlap is the mean of u - l over the real and over the synthetic width
    (Karr et al., A framework for evaluating the utility of data altered to protect
    confidentiality, 2006). ``fixed`` counts disjoint intervals 0, for a range of 0 to
    1; ``synthpop`` keeps u - l negative there, and leaves out records with any missing
    value, which ``fixed`` takes for a value of its own in a nominal predictor. ``fixed``
    also leaves out values whose coefficients are infinite, with their records.

    Binned or ordinal predictors of numbers are numbers; every value of another one but
    the first that both tables have is a term. A term that the earlier ones explain, in
    either table, is left out of both fits.
    """

    name = "interval-overlap"
    lowest, highest, direction = 0.0, 1.0, "higher"
    modes = (FIXED, SYNTHPOP)

    outcome: str | None = None
    predictors: tuple[str, ...] | None = None
    level: Fraction = Fraction(95, 100)

    def __post_init__(self) -> None:
        """Refuse a level that is no probability."""
        super().__post_init__()
        if not 0 < self.level < 1:
            raise InputError(f"{self.name}: level must lie between 0 and 1")

    def check(self, domain: Domain) -> None:
        """Refuse an outcome that is not named or no number, and predictors that are none."""
        self._names(domain)

    def score(self, pair: Pair) -> Score:
        """The mean overlap; undefined where a table has no finite fit."""
        outcome, predictors = self._names(pair.domain)
        tables = self._complete(pair.tables, outcome, predictors)
        settled: list[str] = []
        if self.mode == FIXED and _is_binary(pair.domain.attribute(outcome)):
            tables, settled = drop_settled(tables, outcome, predictors)
        if not all(table.records for table in tables):
            return self.undefined("a table has no record with all values that the fit needs")
        terms, columns = design_matrices(tables, predictors)
        kept = independent(*columns)
        aliased = [term for place, term in enumerate(terms) if place not in kept]
        fits = _fits(tables, outcome, (columns[0][:, kept], columns[1][:, kept]))
        if fits is None:
            return self.undefined(
                "a table has no finite fit: it has too few records for the terms, one outcome "
                "alone, or terms that tell the outcomes apart without error"
            )
        rows = self._rows([terms[place] for place in kept], fits, tables)
        overlaps = [row[-1] for row in rows if isinstance(row[-1], float)]
        if not overlaps:
            return self.undefined("every interval has width 0 in a table")
        value = math.fsum(overlaps) / len(overlaps)
        return self.scored(
            value,
            stated=(
                *self._notes(pair.domain, predictors),
                *_describe_omissions(
                    pair.tables, tables, settled, aliased, len(rows) - len(overlaps)
                ),
            ),
            details=(_breakdown(rows, aliased), *_line(tables, outcome, predictors, fits)),
        )

    @property
    def span(self) -> tuple[float, float]:
        """0 to 1; intervals that are apart count below 0 in synthpop."""
        return 0.0 if self.mode == FIXED else -math.inf, 1.0

    def _names(self, domain: Domain) -> tuple[str, tuple[str, ...]]:
        if self.outcome is None:
            raise InputError(f"{self.name}: set outcome, the attribute to regress on others")
        attribute = domain.attribute(self.outcome)
        if not _is_binary(attribute) and not is_numeric(attribute):
            raise InputError(
                f"{self.name}: the outcome {self.outcome!r} must have two values, or values that "
                "are numbers or bins"
            )
        return self.outcome, predictors_of(domain, self.outcome, self.predictors, self.name)

    def _complete(
        self, tables: tuple[Records, Records], outcome: str, predictors: tuple[str, ...]
    ) -> tuple[Records, Records]:
        """The records with all the values that the fits need."""
        complete = []
        for table in tables:
            domain = table.domain
            known = table.column(outcome) < len(domain.attribute(outcome).values)
            for name in predictors:
                attribute = domain.attribute(name)
                if is_measured(attribute):
                    known &= ~np.isnan(table.numbers(name))
                elif self.mode == SYNTHPOP:
                    known &= table.column(name) < len(attribute.values)
            complete.append(table.take(np.flatnonzero(known)))
        return complete[0], complete[1]

    def _rows(
        self,
        terms: list[str],
        fits: tuple[Coefficients, Coefficients],
        tables: tuple[Records, Records],
    ) -> list[tuple[Entry, ...]]:
        quantile = float(ndtri(float((1 + self.level) / 2)))
        rescaled = math.sqrt(tables[1].records / tables[0].records)
        rows: list[tuple[float, tuple[Entry, ...]]] = []
        for place, term in enumerate(terms):
            real, synthetic = (float(fit.estimates[place]) for fit in fits)
            half = float(fits[0].errors[place]) * quantile
            other = float(fits[1].errors[place]) * quantile * rescaled
            ends = (real - half, real + half), (synthetic - other, synthetic + other)
            found = overlap(*ends)
            # Those that are apart come by how far, also where all of them count 0.
            order = -math.inf if found is None else found
            if found is not None and self.mode == FIXED:
                found = max(found, 0.0)
            rows.append((order, (term, real, *ends[0], synthetic, *ends[1], found)))
        return [row for _, row in sorted(rows, key=lambda row: row[0])]

    def _notes(self, domain: Domain, predictors: tuple[str, ...]) -> tuple[str, ...]:
        attribute = domain.attribute(str(self.outcome))
        binary = _is_binary(attribute)
        used = (attribute, *map(domain.attribute, predictors))
        timed = any(one.edges and one.quantity is not Quantity.NUMBERS for one in used)
        return (
            f"logistic regression of {attribute.name} = {attribute.values[1]}"
            if binary
            else f"least squares of {attribute.name}",
            f"predictors: {', '.join(predictors)}",
            f"intervals at level {self.level}, normal quantile; synthetic errors as for as many "
            "records as the real table has",
            f"disjoint intervals count {'0' if self.mode == FIXED else 'less than 0'}",
            *(("dates and times are numbers of seconds",) if timed else ()),
        )


def overlap(real: tuple[float, float], synthetic: tuple[float, float]) -> float | None:
    """The overlap of two intervals, at most 1, below 0 if they are apart.

    None if one has width 0.
    """
    widths = real[1] - real[0], synthetic[1] - synthetic[0]
    if not all(width > 0 and math.isfinite(width) for width in widths):
        return None
    common = min(real[1], synthetic[1]) - max(real[0], synthetic[0])
    return 0.5 * (common / widths[0] + common / widths[1])


def _is_binary(attribute: Attribute) -> bool:
    return attribute.edges is None and len(attribute.values) == 2


def _describe_omissions(
    given: tuple[Records, Records],
    used: tuple[Records, Records],
    settled: list[str],
    aliased: list[str],
    flat: int,
) -> tuple[str, ...]:
    """Sentences on all that the overlap says nothing about."""
    told = []
    left_out = [table.records - part.records for table, part in zip(given, used, strict=True)]
    if any(left_out):
        told.append(f"records left out: {left_out[0]} real, {left_out[1]} synthetic")
    if settled:
        told.append(
            "values left out with their records, which have one outcome in a table: "
            + ", ".join(settled)
        )
    if aliased:
        told.append(f"terms left out, explained by earlier ones: {', '.join(aliased)}")
    if flat:
        told.append(f"terms left out, with an interval of width 0 in a table: {flat}")
    return tuple(told)


def _fits(
    tables: tuple[Records, Records], outcome: str, columns: Both
) -> tuple[Coefficients, Coefficients] | None:
    if _is_binary(tables[0].domain.attribute(outcome)):
        first, second = (
            logistic(matrix, table.column(outcome) == 1)
            for matrix, table in zip(columns, tables, strict=True)
        )
    else:
        first, second = (
            least_squares(matrix, numbers)
            for matrix, numbers in zip(columns, numbers_alike(tables, outcome), strict=True)
        )
    return None if first is None or second is None else (first, second)


def _line(
    tables: tuple[Records, Records],
    outcome: str,
    predictors: tuple[str, ...],
    fits: tuple[Coefficients, Coefficients],
) -> tuple[Breakdown, ...]:
    """Both fits along the predictor, if it is one quantity that is not constant."""
    domain = tables[0].domain
    if len(predictors) > 1 or not is_measured(domain.attribute(predictors[0])):
        return ()
    if len(fits[0].estimates) < 2:
        return ()
    binary = _is_binary(domain.attribute(outcome))
    if binary:
        real, synthetic = ((table.column(outcome) == 1).astype(np.float64) for table in tables)
    else:
        real, synthetic = numbers_alike(tables, outcome)
    names = predictors[0], outcome
    along = numbers_alike(tables, predictors[0])
    return (fitted_line(names, along, (real, synthetic), fits, logistic=binary),)


def _breakdown(rows: list[tuple[Entry, ...]], aliased: list[str]) -> Breakdown:
    return Breakdown(
        "coefficients",
        (
            *("term", "real estimate", "real low", "real high"),
            *("synthetic estimate", "synthetic low", "synthetic high", "overlap"),
        ),
        tuple(rows),
        f"terms left out, explained by earlier ones: {', '.join(aliased)}" if aliased else "",
    )
