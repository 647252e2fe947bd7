"""The linear programme of AEMC over all pairs of cells, solved and then checked in integers."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers.four_layer import NEVER


def least_cost(
    distances: dict[tuple[int, int], int],
    synthetic: list[int],
    real: list[int],
    tolerance: int,
    penalty: int,
) -> int:
    """The optimum of equation 1 of Li et al. with X ≥ 0, for whole ``distances`` between cells.

    Over X_ij ≥ 0 and t_j ≥ 0: minimise Σ_ij M_ij·X_ij + K·Σ_j t_j where Σ_j X_ij = P_i and
    |Σ_i X_ij - Q_j| ≤ Δ + t_j. HiGHS proposes a plan and prices; both are rounded, found
    feasible in integers and of equal value, which proves either optimal.
    """
    cells = len(real)
    pairs = sorted(distances)
    rows, columns, entries = [], [], []
    for place, (i, j) in enumerate(pairs):
        rows += [i, cells + j, 2 * cells + j]
        columns += [place] * 3
        entries += [1, 1, -1]
    for j in range(cells):
        rows += [cells + j, 2 * cells + j]
        columns += [len(pairs) + j] * 2
        entries += [-1, -1]
    matrix = coo_matrix((entries, (rows, columns)), (3 * cells, len(pairs) + cells)).tocsr()
    lowest, highest = [q - tolerance for q in real], [q + tolerance for q in real]
    costs = [distances[pair] for pair in pairs] + [penalty] * cells
    found = linprog(
        costs,
        A_eq=matrix[:cells],
        b_eq=synthetic,
        A_ub=matrix[cells:],
        b_ub=highest + [-low for low in lowest],
        method="highs-ds",
    )
    assert found.status == 0, found.message
    plan = {pair: round(x) for pair, x in zip(pairs, found.x, strict=False)}
    kept = [sum(plan.get((i, j), 0) for i in range(cells)) for j in range(cells)]
    assert all(x >= 0 for x in plan.values())
    assert [sum(plan.get((i, j), 0) for j in range(cells)) for i in range(cells)] == synthetic
    spent = sum(distances[pair] * x for pair, x in plan.items()) + penalty * sum(
        max(y - high, low - y, 0) for y, low, high in zip(kept, lowest, highest, strict=True)
    )
    leaving = [round(price) for price in found.eqlin.marginals]
    upper = [-round(price) for price in found.ineqlin.marginals[:cells]]
    lower = [-round(price) for price in found.ineqlin.marginals[cells:]]
    assert all(price >= 0 for price in upper + lower)
    assert all(u + v <= penalty for u, v in zip(upper, lower, strict=True))
    assert all(leaving[i] <= distances[i, j] + upper[j] - lower[j] for i, j in pairs)
    worth = (
        sum(u * p for u, p in zip(leaving, synthetic, strict=True))
        - sum(u * h for u, h in zip(upper, highest, strict=True))
        + sum(u * low for u, low in zip(lower, lowest, strict=True))
    )
    assert spent == worth
    return spent


def path_lengths(axis: Axis) -> dict[tuple[int, int], int]:
    """The edges between each two values, counted on the way to their first common ancestor."""
    ways = []
    for value in range(axis.size):
        way, node = [], value
        while node >= 0:
            way.append(node)
            node = axis.parents[node]
        ways.append(way)
    found = {}
    for i, j in itertools.product(range(axis.size), repeat=2):
        common = next((node for node in ways[i] if node in ways[j]), None)
        if common is not None:
            found[i, j] = ways[i].index(common) + ways[j].index(common)
    return found


def distances(problem: Problem) -> dict[tuple[int, int], int]:
    """M between all cells that are not infinitely far from each other."""
    paths = [path_lengths(axis) if axis else None for axis in problem.axes]
    cells = list(itertools.product(*map(range, problem.shape)))
    found = {}
    for (i, a), (j, b) in itertools.product(enumerate(cells), repeat=2):
        total = 0
        for axis, known, x, y in zip(problem.axes, paths, a, b, strict=True):
            if axis is None or known is None:
                if x != y:
                    break
            elif (x, y) not in known:
                break
            else:
                total += axis.step * known[x, y]
        else:
            found[i, j] = total
    return found


def matrix(problem: Problem) -> NDArray[np.int64]:
    """M [cells, cells], ``NEVER`` where infinite; for more cells than ``distances``."""
    cells = np.indices(problem.shape).reshape(len(problem.shape), -1)
    found = np.zeros((problem.size, problem.size), dtype=np.int64)
    never = np.zeros(found.shape, dtype=bool)
    for axis, size, values in zip(problem.axes, problem.shape, cells, strict=True):
        apart = np.full((size, size), NEVER)
        known = path_lengths(axis) if axis else {(value, value): 0 for value in range(size)}
        for pair, edges in known.items():
            apart[pair] = edges * (axis.step if axis else 0)
        found += apart[np.ix_(values, values)]
        never |= apart[np.ix_(values, values)] == NEVER
    found[never] = NEVER
    return found


def optimum(problem: Problem) -> int:
    """The least cost of a problem."""
    return least_cost(
        distances(problem),
        problem.synthetic.ravel().tolist(),
        problem.real.ravel().tolist(),
        problem.tolerance,
        problem.penalty,
    )


def dual_value(problem: Problem, potentials: NDArray[np.int64]) -> int:
    """What the potentials prove, once each constraint of the dual is found kept."""
    flat = potentials.ravel().tolist()
    assert all(abs(price) <= problem.penalty for price in flat)
    assert all(abs(flat[i] - flat[j]) <= cost for (i, j), cost in distances(problem).items())
    return sum(
        price * (p - (q + problem.tolerance if price >= 0 else max(q - problem.tolerance, 0)))
        for price, p, q in zip(
            flat, problem.synthetic.ravel().tolist(), problem.real.ravel().tolist(), strict=True
        )
    )


LEVELS = {
    "star": lambda size: (size,) * size + (-1,),
    "pairs": lambda size: (
        tuple(size + value // 2 for value in range(size))
        + (size + (size + 1) // 2,) * ((size + 1) // 2)
        + (-1,)
    ),
    "deep": lambda size: (
        tuple(size + value // 2 for value in range(size))
        + tuple(size + (size + 1) // 2 + k // 2 for k in range((size + 1) // 2))
        + (-1,) * (((size + 1) // 2 + 1) // 2)
    ),
    "one apart and a line": lambda size: (-1, *(-1 if v == 1 else v - 1 for v in range(1, size))),
    "line and one apart": lambda size: (*range(-1, size - 2), -1),
}
"""Parents by the number of values: one group, groups of two, groups of those, and a forest."""


@st.composite
def trees(draw: st.DrawFn, size: int, step: int) -> Axis:
    """A line or one of the trees above."""
    kind = draw(st.sampled_from(["line", *LEVELS]))
    if kind == "line":
        return Axis.line(size, step)
    return Axis(size, LEVELS[kind](size), step)


@st.composite
def problems(
    draw: st.DrawFn, finite: tuple[int, int] = (0, 3), cells: int = 18, top: int = 9
) -> Problem:
    """Small problems of 1 to 3 attributes, so many of them finite, in any whole numbers."""
    many = draw(st.integers(max(finite[0], 1), 3))
    some = draw(st.integers(finite[0], min(finite[1], many)))
    penalty = draw(st.integers(1, 12))
    axes: list[Axis | None] = []
    shape: list[int] = []
    for place in range(many):
        left = cells
        for size in shape:
            left //= size
        size = draw(st.integers(1, max(min(left, 6), 1)))
        shape.append(size)
        step = draw(st.integers(0, penalty))
        axes.append(draw(trees(size, step)) if place < some else None)
    order = draw(st.permutations(range(many)))
    counts = st.lists(
        st.integers(0, top), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))
    )
    empty = draw(st.booleans()) and draw(st.booleans())
    tables = [np.array(draw(counts)), np.array(draw(counts))]
    if empty:
        tables[0] *= 0
    return Problem(
        tuple(axes[k] for k in order),
        tables[0].reshape([shape[k] for k in order]),
        tables[1].reshape([shape[k] for k in order]),
        draw(st.integers(0, top + 2)),
        penalty,
    )


def random_grid(rng: np.random.Generator, shape: tuple[int, ...], tolerance: int) -> Problem:
    """Dense noise over lines that are all finite, at equal weights."""
    unit = int(np.lcm.reduce([len(shape) * max(size - 1, 1) for size in shape]))
    axes = tuple(Axis.line(size, unit // (len(shape) * max(size - 1, 1))) for size in shape)
    real, noise = rng.integers(0, 9, shape), rng.integers(-6, 7, shape)
    return Problem(axes, np.maximum(real + noise, 0), real, tolerance, unit)
