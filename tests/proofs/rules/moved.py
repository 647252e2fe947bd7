"""What the kernel says of how far answers move, and how far they really do."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from proofs import checker
from proofs.derivation import derivation
from proofs.judgments import Stable
from proofs.kernel import prove
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours, databases, neighbour_pairs
from synthesizers.queries import Query, answers_of_histograms


def shape_of(domain: Domain) -> dict[str, int]:
    return dict(zip(domain.names, domain.shape, strict=True))


def bounds(domain: Domain, query: Query, neighbours: Neighbours) -> Stable:
    given = {"neighbours": neighbours, "shape": shape_of(domain), "query": query.to_json()}
    theorem = prove(query.kind, (), given)
    assert theorem.hypotheses == {"public"}
    assert isinstance(theorem.judgment, Stable)
    assert checker.check(derivation(theorem)).status == "checked"
    return theorem.judgment


@cache
def listed(cells: int, neighbours: Neighbours) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    most = 2 * neighbours.unit.max_records + (1 if cells < 4 else 0)
    rows = databases(neighbours, cells, max(most, 2))
    return rows, neighbour_pairs(neighbours, rows)


def differences(domain: Domain, query: Query, neighbours: Neighbours) -> NDArray[np.int64]:
    """The answers' differences of all neighbours, [pairs, answers]; one zero row for no pairs."""
    rows, pairs = listed(domain.size, neighbours)
    answers = answers_of_histograms(query, domain, rows)
    steps = answers[pairs[:, 1]] - answers[pairs[:, 0]]
    return steps if len(steps) else np.zeros((1, answers.shape[1]), np.int64)
