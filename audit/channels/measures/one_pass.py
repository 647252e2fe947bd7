"""All measures that one pass over a streamed channel can give, on several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.enumerate import parts_of
from audit.channels.measures.delta import HockeyStick, largest_delta
from audit.channels.measures.epsilon import LargestRatio, smallest_epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.power_sums import PowerSums
from audit.channels.measures.probabilistic import LossBeyond, ProbabilisticDelta, loss_beyond
from audit.channels.measures.sweep import Reducer, group_pairs, sweep_blocks
from audit.channels.streamed import StreamedChannel
from audit.parallel import local
from audit.statements.decimals import Enclosure

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class OnePass:
    """What one pass gives. ``deltas``, ``probabilistic``: by ε; ``renyi``: by order, in nats."""

    epsilon: Extreme
    deltas: Mapping[Fraction, Extreme]
    probabilistic: Mapping[Fraction, ProbabilisticDelta]
    renyi: Mapping[Fraction, Enclosure]


class _Collected:
    """The reducers of one part."""

    def __init__(self, channel: StreamedChannel, pairs: int, epsilons: list[Fraction]) -> None:
        self.ratio = LargestRatio(pairs)
        self.sums = [HockeyStick(pairs, value) for value in epsilons]
        self.beyond = [LossBeyond(channel, value) for value in epsilons]
        self.powers = PowerSums(pairs)

    def merge(self, other: _Collected) -> None:
        self.ratio.merge(other.ratio)
        self.powers.merge(other.powers)
        for mine, theirs in zip(self.sums, other.sums, strict=True):
            mine.merge(theirs)
        for here, there in zip(self.beyond, other.beyond, strict=True):
            here.merge(there)


def one_pass(
    channel: StreamedChannel,
    epsilons: list[Fraction],
    jobs: int,
    progress: Callable[[int, int], None] | None = None,
) -> OnePass:
    """ε, the divergences of Rényi, and δ and probabilistic δ at each of ``epsilons``.

    Guarantee
    ---------
    As the measures one by one. Backed by the comparison with the same channel held whole in
    ``tests/audit/channels/measures/test_one_pass.py``.
    """
    pairs, groups = group_pairs(channel, channel.pairs)
    parts = parts_of(len(channel.outputs))

    def collected(columns: range) -> _Collected:
        part = _Collected(channel, len(pairs), epsilons)
        reducers: list[Reducer] = [part.ratio, *part.sums, *part.beyond, part.powers]
        sweep_blocks(channel.stretch(columns), pairs, groups, reducers)
        return part

    whole = _Collected(channel, len(pairs), epsilons)
    calls = ((columns,) for columns in parts)
    for done, part in enumerate(local(jobs)(collected, calls), start=1):
        whole.merge(part)
        if progress is not None:
            progress(done, len(parts))
    epsilon = smallest_epsilon(channel, pairs, whole.ratio)
    deltas: dict[Fraction, Extreme] = {}
    for value, sums in zip(epsilons, whole.sums, strict=True):
        sums.widen()
        deltas[value] = largest_delta(channel, pairs, sums, value)
    likely = zip(epsilons, whole.beyond, strict=True)
    return OnePass(
        epsilon,
        deltas,
        {value: loss_beyond(channel, beyond) for value, beyond in likely},
        whole.powers.divergences(epsilon.enclosure),
    )
