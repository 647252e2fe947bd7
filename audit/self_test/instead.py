"""What liars ask in place of an honest question."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import Instead, ask
from synthesizers.curator import Curator
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.events import Event, Measure, Sanitize, Select
from synthesizers.laws.dirichlet import DirichletMultinomial
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.table_laws import TableLaw
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace
from synthesizers.queries import CellCounts, Query, answers_of_histograms, whole_table

IntArray = NDArray[np.int64]


def look(curator: Curator) -> IntArray:
    """The true counts of all cells: what no program of a finite guarantee may see."""
    return curator.sanitize(CellSuppression(curator.domain.shape, 1, complementary=False))


def truth(curator: Curator, query: Query) -> IntArray:
    """A query's answers without noise."""
    answers = answers_of_histograms(query, curator.domain, look(curator)[None, :])
    return np.asarray(answers[0], np.int64)


def quieter(factor: Fraction) -> Instead:
    """The noise's scale, or its standard deviation squared, times a factor."""

    def instead(curator: Curator, event: Event) -> IntArray:
        if isinstance(event, Select):
            rate = event.noise.rate / factor
            return ask(curator, replace(event, noise=replace(event.noise, rate=rate)))
        assert isinstance(event, Measure)
        return ask(curator, replace(event, noise=_scale(event.noise, factor)))

    return instead


def _scale(noise: Noise, factor: Fraction) -> Noise:
    if isinstance(noise, DiscreteGaussian):
        return DiscreteGaussian(noise.variance * factor)
    assert isinstance(noise, DiscreteLaplace | RoundedLaplace)
    return replace(noise, scale=noise.scale * factor)


def with_noise(noise: Noise) -> Instead:
    """Another noise."""

    def instead(curator: Curator, event: Event) -> IntArray:
        assert isinstance(event, Measure)
        return ask(curator, replace(event, noise=noise))

    return instead


def unnoised(curator: Curator, event: Event) -> IntArray:
    """No noise at all: the true answers, clamped as the honest ones are."""
    assert isinstance(event, Measure)
    return truth(curator, event.query).clip(event.low, event.high)


def best_in_truth(curator: Curator, event: Event) -> IntArray:
    """The candidate of the highest true score."""
    assert isinstance(event, Select)
    return np.array([int(truth(curator, event.scores).argmax())], np.int64)


def twice(curator: Curator, event: Event) -> IntArray:
    """The question asked twice, each time at its full price; both answers are given."""
    return np.concatenate([ask(curator, event), ask(curator, event)])


def luckiest(curator: Curator, event: Event) -> IntArray:
    """The better of two answers, by true error."""
    assert isinstance(event, Measure)
    first, second = ask(curator, event), ask(curator, event)
    true = truth(curator, event.query)
    worse = np.abs(first - true).sum() > np.abs(second - true).sum()
    return second if worse else first


def where_observed(curator: Curator, event: Event) -> IntArray:
    """Noisy answers, but 0 where the true answer is 0."""
    assert isinstance(event, Measure)
    return np.where(truth(curator, event.query) > 0, ask(curator, event), 0)


def keep_from(threshold: int) -> Instead:
    """Noisy answers, kept or dropped by their true values."""

    def instead(curator: Curator, event: Event) -> IntArray:
        assert isinstance(event, Measure)
        kept = truth(curator, event.query) >= threshold
        return np.where(kept, ask(curator, event).clip(threshold), 0)

    return instead


def observed_cells(curator: Curator, event: Event) -> IntArray:
    """Noisy counts of the cells that hold a record, and of no others."""
    assert isinstance(event, Measure)
    cells = np.flatnonzero(look(curator))
    if not len(cells):
        return np.zeros(0, np.int64)
    return ask(curator, replace(event, query=CellCounts(tuple(cells.tolist()))))


def of_true_size(curator: Curator, event: Event) -> IntArray:
    """Noisy counts brought to the true number of records."""
    counts = largest_remainder(ask(curator, event).tolist(), int(look(curator).sum()))
    return np.array(counts, np.int64)


def first_and_rest(curator: Curator, event: Event) -> IntArray:
    """The first of two cells noised, the second what is left of the true number of records."""
    assert isinstance(event, Measure)
    first = ask(curator, replace(event, query=CellCounts((0,))))
    return np.array([first[0], int(look(curator).sum()) - first[0]], np.int64)


def with_true_rows(curator: Curator, event: Event) -> IntArray:
    """Noisy counts of a table of two attributes, brought to the true totals of the first."""
    rows = look(curator).reshape(curator.domain.shape)
    noisy = ask(curator, event).reshape(rows.shape)
    brought = [
        largest_remainder(line.tolist(), int(total))
        for line, total in zip(noisy, rows.sum(axis=1), strict=True)
    ]
    return np.array(brought, np.int64).ravel()


def over_n(curator: Curator, event: Event) -> IntArray:
    """Noise divided by the true number of records."""
    records = max(int(look(curator).sum()), 1)
    return quieter(Fraction(1, records))(curator, event)


def quieter_when_many(curator: Curator, event: Event) -> IntArray:
    """A question whose noise depends on whether the true number of records passes a limit."""
    return (
        quieter(Fraction(1, 3))(curator, event) if look(curator).sum() > 1 else ask(curator, event)
    )


def one_more(curator: Curator, event: Event) -> IntArray:
    """The question, and once more another of the same noise: one that the budget forgot."""
    assert isinstance(event, Measure)
    forgotten = replace(event, query=whole_table(curator.domain))
    return np.concatenate([ask(curator, event), ask(curator, forgotten)])


def prior_of_observed(curator: Curator, event: Event) -> IntArray:
    """A posterior draw whose prior gives nothing to empty cells."""
    answer, observed = ask(curator, event), look(curator) > 0
    # What fell on empty cells goes to the first that is not.
    moved = np.where(observed, answer, 0)
    moved[observed.argmax()] += answer[~observed].sum()
    return moved


def fitted_prior(curator: Curator, event: Event) -> IntArray:
    """A posterior draw whose prior follows the table: strong where counts are even."""
    assert isinstance(event, Sanitize) and isinstance(event.law, DirichletMultinomial)
    counts = look(curator)
    strength = Fraction(1, 1 + abs(int(counts.max() - counts.min())))
    return ask(curator, Sanitize(replace(event.law, alpha=(strength,))))


def truth_if_far(curator: Curator, event: Event) -> IntArray:
    """The answer, or the true counts where the answer is as far from them as can be."""
    answer, true = ask(curator, event), look(curator)
    return true if np.abs(answer - true).sum() == 2 * true.sum() else answer


def sanitize_by(law: TableLaw) -> Instead:
    """Another law of the whole table."""
    return lambda curator, event: ask(curator, Sanitize(law))
