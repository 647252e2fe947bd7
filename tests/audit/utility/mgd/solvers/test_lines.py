from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers import trees
from audit.utility.mgd.solvers.lines import long_line
from audit.utility.mgd.solvers.trees import along
from tests.audit.utility.mgd.exact_plans import dual_value


def _both(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> int:
    """The cost by levels and by breakpoints, and what the potentials of the latter prove."""
    with monkeypatch.context() as patch:
        patch.setattr(trees, "FEW", 0)
        patch.setattr(trees, "LONG", 10**9)
        levels = along(problem, 0).cost
        patch.setattr(trees, "LONG", 0)
        found = along(problem, 0, potentials=True)
    assert found.potentials is not None
    assert found.cost == levels == along(problem, 0).cost
    assert dual_value(problem, found.potentials) == levels
    return levels


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30),
    st.integers(0, 6),
    st.integers(1, 25),
    st.integers(0, 4),
)
@settings(max_examples=100)
def test_breakpoints_and_levels_agree(
    cells: list[tuple[int, int]], tolerance: int, penalty: int, step: int
) -> None:
    P, Q = np.array(cells).T
    axis = Axis.line(len(cells), min(step, penalty))
    with pytest.MonkeyPatch.context() as patch:
        _both(Problem((axis,), P, Q, tolerance, penalty), patch)


@pytest.mark.parametrize("size", [2, 40, 120])
@pytest.mark.parametrize("tolerance", [0, 3])
@pytest.mark.parametrize("swing", [1, 20, 10**6])
def test_they_agree_on_longer_lines_of_any_noise(
    size: int, tolerance: int, swing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(size + swing)
    tables = rng.integers(0, swing + 1, (2, size))
    problem = Problem((Axis.line(size, 1),), tables[0], tables[1], tolerance, size - 1)
    _both(problem, monkeypatch)


def test_they_agree_where_gains_alternate(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    tables = rng.integers(0, 9, (2, 100))
    tables[0, 50::2] += 1000
    tables[1, 51::2] += 1000
    problem = Problem((Axis.line(100, 1),), tables[0], tables[1], 2, 99)
    assert _both(problem, monkeypatch) > 0


def test_a_line_with_values_apart_is_a_line_and_single_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    tables = rng.integers(0, 30, (2, 12))
    axis = Axis(12, (*range(-1, 9), -1, -1), 1)
    assert axis.lines == (slice(0, 10), slice(10, 11), slice(11, 12))
    _both(Problem((axis,), tables[0], tables[1], 1, 9), monkeypatch)


def test_whole_numbers_of_any_size() -> None:
    # One record too many at one end, one missing at the other, far apart: moved all the way.
    far = 10**30
    cost, potentials = long_line([far, -far], [far, -far], 7, 10, False)
    assert cost == 7 * far and not potentials.any()
