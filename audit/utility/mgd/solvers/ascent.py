"""The two steps of the primal-dual method: carry what may be carried, and move the prices.

Every cell has a potential π, what it is worth to be rid of a record there. A plan fits
potentials (complementary slackness) if records move along an edge only where π falls by its
cost, and a cell keeps, before any are added or removed,

    at least Q + Δ if π = K,   Q + Δ if 0 < π,   max(Q - Δ, 0) to Q + Δ if π = 0,
    max(Q - Δ, 0) if π < 0,    at most that if π = -K.

A plan that fits feasible potentials is optimal, and so are they (Ford and Fulkerson, Flows in
Networks, 1962, chapter III). So a maximum flow along such edges either ends the search, or
shows where the potentials have to rise or fall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from ortools.graph.python import max_flow

from audit.utility.mgd.solvers.network import Network
from audit.utility.mgd.solvers.paths import FAR, settle


@dataclass(eq=False)
class Ascent:
    """Feasible potentials, and a plan that fits them but for an excess.

    ``potentials`` and ``excess`` [nodes], ``kept``, ``lowest`` and ``highest`` [cells], and
    ``carried`` [edges], which is negative from the upper to the lower end. A cell ends up
    with what it keeps plus its excess, positive or negative. The potentials stay between
    ``floor`` and ``ceiling`` [nodes].
    """

    network: Network
    penalty: int
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]
    potentials: NDArray[np.int64]
    kept: NDArray[np.int64]
    excess: NDArray[np.int64]
    carried: NDArray[np.int64]
    floor: NDArray[np.int64]
    ceiling: NDArray[np.int64]

    @classmethod
    def start(
        cls,
        network: Network,
        penalty: int,
        free: tuple[NDArray[np.int64], NDArray[np.int64]],
        synthetic: NDArray[np.int64],
        potentials: NDArray[np.int64],
    ) -> Ascent:
        """From feasible potentials [cells] and the free interval of each cell; no move yet."""
        prices = np.full(network.nodes, FAR, dtype=np.int64)
        prices[: network.cells] = potentials
        settle(network, prices, network.steps, network.steps)
        found = cls(
            network=network,
            penalty=penalty,
            lowest=free[0],
            highest=free[1],
            potentials=prices,
            kept=synthetic,
            excess=np.zeros(network.nodes, dtype=np.int64),
            carried=np.zeros(len(network.lower), dtype=np.int64),
            floor=np.full(network.nodes, -FAR),
            ceiling=np.full(network.nodes, FAR),
        )
        found.kept = np.clip(synthetic, *found._keepable())
        found.excess[: network.cells] = synthetic - found.kept
        return found

    @property
    def left(self) -> int:
        """The records that are still to be carried, away or here."""
        return int(np.abs(self.excess).sum())

    def carry(self) -> None:
        """Reduce the excess as far as a plan that fits the potentials can (a maximum flow)."""
        ways = self.network
        fall = self.potentials[ways.lower] - self.potentials[ways.upper]
        down, up = np.flatnonzero(fall == ways.steps), np.flatnonzero(fall == -ways.steps)
        forth, back = np.flatnonzero(self.carried > 0), np.flatnonzero(self.carried < 0)
        fewest, most = self._keepable()
        more, fewer = np.flatnonzero(self.kept < most), np.flatnonzero(self.kept > fewest)
        over, under = np.flatnonzero(self.excess > 0), np.flatnonzero(self.excess < 0)
        # Where records are added, removed, or counted as free, whatever is left over cancels.
        outside, source, sink = ways.nodes, ways.nodes + 1, ways.nodes + 2
        surplus = int(self.excess.sum())
        total = int(self.excess[over].sum()) + max(-surplus, 0)
        arcs = [
            (ways.lower[down], ways.upper[down], np.full(len(down), total)),
            (ways.upper[up], ways.lower[up], np.full(len(up), total)),
            (ways.upper[forth], ways.lower[forth], self.carried[forth]),
            (ways.lower[back], ways.upper[back], -self.carried[back]),
            (more, np.full(len(more), outside), np.minimum(most - self.kept, total)[more]),
            (np.full(len(fewer), outside), fewer, (self.kept - fewest)[fewer]),
            (np.full(len(over), source), over, self.excess[over]),
            (under, np.full(len(under), sink), -self.excess[under]),
        ]
        if surplus:
            ends = (outside, sink) if surplus > 0 else (source, outside)
            arcs.append((np.array([ends[0]]), np.array([ends[1]]), np.array([abs(surplus)])))
        flows = _maximum_flow(arcs, source, sink)
        self.carried[down] += flows[0]
        self.carried[up] -= flows[1]
        self.carried[forth] -= flows[2]
        self.carried[back] += flows[3]
        self.kept[more] += flows[4]
        self.kept[fewer] -= flows[5]
        self.excess[over] -= flows[6]
        self.excess[under] += flows[7]

    def lift(self) -> int:
        """Move potentials until every excess has a way out; by how much at most.

        Each rises (or falls) by the cost of its cheapest way, and all others by as much as
        keeps them feasible, so every plan that did fit still does.
        """
        risen = np.where(self.kept < self.highest, 0, self.penalty)
        risen[self.kept < self.lowest] = -self.penalty
        fallen = np.where(self.kept > self.lowest, 0, self.penalty)
        fallen[self.kept > self.highest] = -self.penalty
        before = self.potentials
        self.potentials = self._raise_potentials(
            before, self.carried, self.excess, risen, self.ceiling
        )
        self.potentials = -self._raise_potentials(
            -self.potentials, -self.carried, -self.excess, fallen, -self.floor
        )
        return int(np.abs(self.potentials - before).max(initial=0))

    def near(self, radius: int, rounds: int = 2) -> NDArray[np.bool_]:
        """The nodes [nodes] within about that distance of an excess, on its ways out.

        A distance is what an edge costs beyond the fall of the potentials along it; a few
        ``rounds`` suffice, as no more than a choice of nodes depends on it.
        """
        inside = np.zeros(self.network.nodes, dtype=bool)
        for sign in (1, -1):
            potentials = sign * self.potentials
            over = np.flatnonzero(sign * self.excess > 0)
            if len(over):
                away = np.full(len(inside), FAR)
                away[over] = -potentials[over]
                settle(self.network, away, *self._costs(sign * self.carried), rounds)
                inside |= away + potentials <= radius
        return inside

    def part(self, inside: NDArray[np.bool_]) -> tuple[Ascent, NDArray[np.int64]]:
        """The ascent over the nodes in a mask [nodes], and its edges; all others stay put."""
        ways, edges = self.network.within(inside)
        cells = inside[: self.network.cells]
        to_upper, to_lower = self._costs(self.carried)
        floor, ceiling = self.floor.copy(), self.ceiling.copy()
        lower, upper = self.network.lower, self.network.upper
        for near, far, out, back in (
            (lower, upper, to_upper, to_lower),
            (upper, lower, to_lower, to_upper),
        ):
            rim = np.flatnonzero(inside[near] & ~inside[far])
            beyond = self.potentials[far[rim]]
            np.minimum.at(ceiling, near[rim], beyond + out[rim])
            np.maximum.at(floor, near[rim], beyond - back[rim])
        return Ascent(
            ways,
            self.penalty,
            self.lowest[cells],
            self.highest[cells],
            self.potentials[inside],
            self.kept[cells],
            self.excess[inside],
            self.carried[edges],
            floor[inside],
            ceiling[inside],
        ), edges

    def take_over(self, part: Ascent, inside: NDArray[np.bool_], edges: NDArray[np.int64]) -> None:
        """Put the state of a part back."""
        self.potentials[inside] = part.potentials
        self.kept[inside[: self.network.cells]] = part.kept
        self.excess[inside] = part.excess
        self.carried[edges] = part.carried

    def _costs(self, carried: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cost of each edge up and down; against what is carried it is less than 0."""
        steps = self.network.steps
        return np.where(carried < 0, -steps, steps), np.where(carried > 0, -steps, steps)

    def _raise_potentials(
        self,
        potentials: NDArray[np.int64],
        carried: NDArray[np.int64],
        excess: NDArray[np.int64],
        leaving: NDArray[np.int64],
        ceiling: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """The potentials once every positive excess has a way out.

        A way ends at a cell that lacks records, at a ``ceiling``, or by ``leaving`` [cells]
        the network at that cost. Against what is carried it costs less than nothing.
        """
        over, under = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
        if not len(over):
            return potentials
        ways = self.network
        to_upper, to_lower = self._costs(carried)
        reach = ceiling.copy()
        reach[: ways.cells] = np.minimum(reach[: ways.cells], leaving)
        reach[under] = np.minimum(reach[under], potentials[under])
        settle(ways, reach, to_lower, to_upper)
        lowered = -potentials
        lowered[over] = -reach[over]
        settle(ways, lowered, to_upper, to_lower)
        return -lowered

    def _keepable(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The fewest and the most records [cells] that each may keep at its potential."""
        prices = self.potentials[: self.network.cells]
        fewest = np.where(prices > 0, self.highest, self.lowest)
        fewest[prices == -self.penalty] = 0
        most = np.where(prices < 0, self.lowest, self.highest)
        most[prices == self.penalty] = FAR
        return fewest, most


Arcs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _maximum_flow(arcs: list[Arcs], source: int, sink: int) -> list[NDArray[np.int64]]:
    """A maximum flow along each of the arcs, given as tails, heads and capacities."""
    solver = max_flow.SimpleMaxFlow()
    tails, heads, capacities = (np.concatenate(parts) for parts in zip(*arcs, strict=True))
    numbers = solver.add_arcs_with_capacity(
        tails.astype(np.int32), heads.astype(np.int32), capacities
    )
    status = solver.solve(source, sink)
    if status != solver.OPTIMAL:
        raise ArithmeticError(f"OR-Tools did not find a maximum flow: {status.name}")
    ends = np.cumsum([len(tail) for tail, _, _ in arcs])
    return np.split(solver.flows(numbers), ends[:-1])
