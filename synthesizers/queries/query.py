"""Queries: the kinds of question that may be asked, with their sensitivity.

A query maps a database to a vector of integers. Its sensitivity follows from
its kind, the neighbours and the unit; nobody types it in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Dataset, Domain
from synthesizers.neighbours import Neighbours

IntArray = NDArray[np.int64]

MAX_ANSWERS = 1 << 24
"""The most answers of one query that are held as a dense vector (128 MiB of int64)."""

MAX_SUMMAND = 2**31 - 1
"""The largest size of a bound of a sum or of a model's count: what is summed of them in int64
over `MAX_ANSWERS` cells or 2^28 records stays exact."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far the answers of two neighbours lie apart, at most.

    ``l1``, ``l2_squared``, ``linf``: the norms of the difference, as integers.
    ``monotone``: between neighbours, all answers move in one direction.
    """

    l1: int
    l2_squared: int
    linf: int
    monotone: bool


def spans_sensitivity(spans: Sequence[int]) -> Sensitivity:
    """Of scores that move by at most their spans, each in a direction of its own."""
    return Sensitivity(sum(spans), sum(span * span for span in spans), max(spans), max(spans) == 0)


class Query(Protocol):
    """A question of a declared kind."""

    @property
    def kind(self) -> str:
        """The name of the kind, as ledgers print it."""

    def size(self, domain: Domain) -> int:
        """How many integers the answer has."""

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """The answers for several databases over one list of records.

        ``codes``: [records, attributes]; ``weights``: [databases, records], how
        often each database holds each record. Returns [databases, size].
        """

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """The sensitivity under a neighbouring relation."""

    def to_json(self) -> dict[str, Any]:
        """The query as plain data."""


def answer(query: Query, dataset: Dataset) -> IntArray:
    """The true answer of one dataset, [size]. Private: never shown to a program."""
    ones = np.ones((1, dataset.records), np.int64)
    return np.asarray(query.answers(dataset.domain, dataset.codes, ones)[0], np.int64)


def answers_of_histograms(query: Query, domain: Domain, rows: IntArray) -> IntArray:
    """The true answers of every listed histogram, [databases, size]."""
    return query.answers(domain, domain.codes(), rows)
