"""What every query must keep: integer answers, and a sensitivity that no neighbours exceed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from audit.testing.laws.ground import Ground, IntArray
from audit.testing.laws.law import SEED, require, require_json, require_pickles
from synthesizers.domain import Dataset
from synthesizers.neighbours import describe
from synthesizers.queries import Query, Sensitivity, answer, answers_of_histograms


def answers_are_whole_numbers(query: Query, ground: Ground) -> None:
    """Answers are integers, [databases, size], also of a database without records."""
    rows = ground.listed(ground.relations[0])
    found, size = answers_of_histograms(query, ground.domain, rows), query.size(ground.domain)
    require(type(size) is int and size >= 1, f"size must be a positive int, found {size!r}")
    require(
        isinstance(found, np.ndarray) and found.dtype.kind in "iu",
        "answers must be an array of integers: what is not a whole number can't be noised exactly",
    )
    require(
        found.shape == (len(rows), size),
        f"answers of {len(rows)} databases must have the shape {(len(rows), size)}, found "
        f"{found.shape}",
    )
    empty = np.zeros((0, len(ground.domain.shape)), np.int64)
    none = query.answers(ground.domain, empty, np.zeros((1, 0), np.int64))
    require(np.shape(none) == (1, size), "a database without records must have answers, too")


def order_of_records_says_nothing(query: Query, ground: Ground) -> None:
    """The same records in another order have the same answers."""
    generator = np.random.default_rng(SEED)
    for counts in _sample(ground):
        dataset = Dataset.from_histogram(ground.domain, counts)
        expected = answer(query, dataset)
        for order in (slice(None, None, -1), generator.permutation(dataset.records)):
            shuffled = Dataset(ground.domain, dataset.codes[order])
            require(
                np.array_equal(expected, answer(query, shuffled)),
                f"the answers change with the order of the records of {counts.tolist()}",
            )


def histograms_have_the_answers_of_their_records(query: Query, ground: Ground) -> None:
    """A histogram, its records, and its records by weight have the same answers."""
    for counts in _sample(ground):
        listed = answer(query, Dataset.from_histogram(ground.domain, counts))
        by_weight = answers_of_histograms(query, ground.domain, counts[None, :])[0]
        require(
            np.array_equal(listed, by_weight),
            f"the histogram {counts.tolist()} has answers {by_weight.tolist()} by weights and "
            f"{listed.tolist()} record by record",
        )


def answers_stand_for_themselves(query: Query, ground: Ground) -> None:
    """A database's answers do not depend on which others are asked with it."""
    rows = _sample(ground)
    together = answers_of_histograms(query, ground.domain, rows)
    for counts, found in zip(rows, together, strict=True):
        alone = answers_of_histograms(query, ground.domain, counts[None, :])[0]
        require(
            np.array_equal(alone, found),
            f"{counts.tolist()} has answers {alone.tolist()} alone and {found.tolist()} beside "
            "other databases",
        )


def sensitivity_bounds_every_change(query: Query, ground: Ground) -> None:
    """Under every relation no two neighbours' answers lie further apart than is stated."""
    for relation in ground.relations:
        first, second = ground.pairs(relation)
        if not len(first):
            continue
        stated = query.sensitivity(ground.domain, relation)
        change = np.subtract(
            answers_of_histograms(query, ground.domain, second),
            answers_of_histograms(query, ground.domain, first),
            dtype=object,
        )
        for norm, values in _norms(change).items():
            worst = int(np.argmax(values))
            limit = getattr(stated, norm)
            require(
                values[worst] <= limit,
                f"under {describe(relation)}, the {norm} sensitivity is stated as {limit}, and "
                f"{first[worst].tolist()} and {second[worst].tolist()} differ by {values[worst]}",
            )
        both_ways = (change > 0).any(axis=1) & (change < 0).any(axis=1)
        require(
            not (stated.monotone and both_ways.any()),
            f"under {describe(relation)} the query is stated to be monotone, and between "
            f"{first[int(both_ways.argmax())].tolist()} and "
            f"{second[int(both_ways.argmax())].tolist()} answers move both ways",
        )


def norms_fit_together(query: Query, ground: Ground) -> None:
    """L∞ ≤ L1, L∞² ≤ L2² ≤ L1 · L∞ ≤ L1², none of them negative or a fraction."""
    for relation in ground.relations:
        found = query.sensitivity(ground.domain, relation)
        require(isinstance(found, Sensitivity), "sensitivity must return a Sensitivity")
        numbers = (found.l1, found.l2_squared, found.linf)
        require(
            all(type(number) is int and number >= 0 for number in numbers),
            f"the norms must be whole numbers of at least 0, found {numbers}",
        )
        require(
            found.linf <= found.l1 and found.l2_squared <= found.l1 * found.l1,
            f"no vector has L1, L2² and L∞ of {numbers}: L∞ and L2 are at most L1",
        )


def is_plain_data(query: Query, ground: Ground) -> None:
    """to_json is JSON, kind is a text, and the query pickles to an equal one."""
    require(isinstance(query.kind, str), "kind must be a text")
    require_json(query)
    require_pickles(query)


LAWS: tuple[Callable[[Query, Ground], None], ...] = (
    answers_are_whole_numbers,
    order_of_records_says_nothing,
    histograms_have_the_answers_of_their_records,
    answers_stand_for_themselves,
    sensitivity_bounds_every_change,
    norms_fit_together,
    is_plain_data,
)

LOOKED_AT = 60
"""Databases that are asked one by one."""


def _sample(ground: Ground) -> IntArray:
    """Some databases, evenly apart in the list of all."""
    rows = np.unique(
        np.concatenate([ground.listed(relation) for relation in ground.relations]), axis=0
    )
    return np.asarray(rows[np.unique(np.linspace(0, len(rows) - 1, LOOKED_AT).astype(int))])


def _norms(change: np.ndarray) -> dict[str, np.ndarray]:
    size = np.abs(change)
    return {
        "l1": size.sum(axis=1),
        "l2_squared": (size * size).sum(axis=1),
        "linf": size.max(axis=1),
    }
