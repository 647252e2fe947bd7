"""An optimal plan along one finite attribute, found again from optimal potentials.

A plan and potentials π are both optimal exactly if records move from i to j only where
π_i - π_j = M_ij, and a cell ends at its low end where π < 0, at its high end where π > 0, may
have records added only at π = -K and removed only at π = K (complementary slackness). Along a
tree these are intervals for what each cell ends with and for what each edge carries: from the
leaves to the root they say what a subtree can give, back from the root it is shared out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Axis, Plan, Problem
from audit.utility.mgd.solvers.trees import Components, over_siblings, programme

FlowRange = tuple[NDArray[np.int64], NDArray[np.int64]]


def penalties(problem: Problem, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """The records [*shape] to be removed (positive) or added (negative) after moving."""
    return kept - np.clip(kept, problem.lowest, problem.highest)


def stay(problem: Problem) -> Plan:
    """The plan that moves nothing."""
    adding = int(np.abs(penalties(problem, problem.synthetic)).sum()) * problem.penalty
    return Plan(problem.synthetic, (0,) * len(problem.axes), adding)


def move_along(problem: Problem, position: int) -> Plan:
    """A cheapest plan among those that move along the attribute at ``position`` alone.

    **Guarantee.** Its cost is that of ``trees.along``: backed by the comparison of the two in
    ``tests/audit/utility/mgd/test_plan.py``, which also recounts the records.
    """
    axis = problem.axes[position]
    assert axis is not None
    components = Components.of(problem, position)
    _, potentials = programme(axis, problem.penalty, components, True)
    assert potentials is not None
    carried, ends = _shared_out(axis, problem.penalty, components, potentials)
    rest = problem.shape[:position] + problem.shape[position + 1 :]
    kept = np.moveaxis(problem.synthetic, position, 0).reshape(axis.size, -1).copy()
    kept[:, components.kept] = ends
    moving = [0] * len(problem.axes)
    moving[position] = axis.step * int(np.abs(carried).sum())
    table = np.moveaxis(kept.reshape(axis.size, *rest), 0, position)
    return Plan(
        table, tuple(moving), problem.penalty * int(np.abs(penalties(problem, table)).sum())
    )


def _shared_out(
    axis: Axis, penalty: int, components: Components, potentials: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """What each node gives to its parent [nodes, components], and what each value ends with."""
    parents = np.array(axis.parents, dtype=np.int64)
    fewest, most = _ends(components, potentials[: axis.size], penalty)
    least, greatest = _carriable(axis, components, potentials)
    P = components.synthetic
    # What a subtree can give: its own records less what may stay, and what its children give.
    own_least, own_greatest = np.zeros((2, *potentials.shape), dtype=np.int64)
    own_least[: axis.size], own_greatest[: axis.size] = P - most, P - fewest
    can_least, can_greatest = own_least.copy(), own_greatest.copy()
    families = list(zip(axis.generations, axis.generations[1:], strict=False))
    for above, nodes in reversed(families):
        can_least[nodes] = np.maximum(can_least[nodes], least[nodes])
        can_greatest[nodes] = np.minimum(can_greatest[nodes], greatest[nodes])
        can_least[above] += over_siblings(can_least[nodes], parents[nodes], above)
        can_greatest[above] += over_siblings(can_greatest[nodes], parents[nodes], above)
    given = np.zeros_like(potentials)
    for above, nodes in families:
        # Nothing is carried without need; then the cell itself bends, then its children.
        low, high = can_least[nodes], can_greatest[nodes]
        carried = np.clip(0, low, high)
        wanted = given[above] - over_siblings(carried, parents[nodes], above)
        short = wanted - np.clip(wanted, own_least[above], own_greatest[above])
        starts = np.flatnonzero(np.diff(parents[nodes], prepend=-1))
        before: NDArray[np.int64] | int = 0
        # Along a line every node has one child, which stands where it does.
        if not len(starts) == len(nodes) == len(above):
            lengths = np.diff(np.append(starts, len(nodes)))
            short = short[np.repeat(np.flatnonzero(np.isin(above, parents[nodes])), lengths)]
        spare = np.where(short > 0, high - carried, carried - low)
        if len(starts) < len(nodes):
            elder = np.cumsum(spare, axis=0) - spare
            before = elder - np.repeat(elder[starts], lengths, axis=0)
        given[nodes] = carried + np.sign(short) * np.clip(np.abs(short) - before, 0, spare)
    ends = P - given[: axis.size]
    for above, nodes in families:
        valued = above < axis.size
        come = over_siblings(given[nodes], parents[nodes], above)
        ends[above[valued]] += come[valued]
    return given, ends


def _ends(components: Components, potentials: NDArray[np.int64], penalty: int) -> FlowRange:
    """The fewest and the most records that a cell may end with, before adding and removing."""
    fewest = np.where(potentials > 0, components.highest, components.lowest)
    fewest[potentials == -penalty] = 0
    most = np.where(potentials < 0, components.lowest, components.highest)
    total = np.broadcast_to(components.synthetic.sum(axis=0), most.shape)
    np.maximum(most, total, out=most, where=potentials == penalty)
    return fewest, most


def _carriable(axis: Axis, components: Components, potentials: NDArray[np.int64]) -> FlowRange:
    """The least and the most that the edge from each node to its parent may carry."""
    parents = np.array(axis.parents, dtype=np.int64)
    fall = potentials - potentials[np.maximum(parents, 0)]
    total = components.synthetic.sum(axis=0)
    rooted = (parents >= 0)[:, None]
    least = np.where(rooted & (fall == -axis.step), -total, 0)
    greatest = np.where(rooted & (fall == axis.step), total, 0)
    return least, greatest
