"""Distance from the optimum: the loss of a mechanism beside the least of any ε-DP mechanism.

The least expected loss under ε-differential privacy is the value of a linear program: averaged
with a prior over databases (Ghosh, Roughgarden & Sundararajan 2009), or in the worst case (Gupte &
Sundararajan 2010). Loss is the L1 distance between the counts released and the true ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.channels.columns import Columns
from audit.channels.measures.expected_loss import expected_losses, is_count, no_tables
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.mechanisms import Mechanisms, mechanisms, require_visits
from audit.channels.measures.optimum_bounds import least_loss_below, private_mechanisms
from audit.channels.measures.optimum_solver import Proposal, propose_average, propose_worst
from audit.channels.measures.unavailable import Unavailable
from audit.statements.decimals import Enclosure
from synthesizers.errors import InputError, TooLargeError
from synthesizers.intervals import Interval, exp_interval, float_below, round_down, round_up
from synthesizers.neighbours import histogram_count, histograms

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MAX_EPSILON = 700
"""The largest ε whose optimum is looked for: beyond it e^ε leaves the doubles."""

RELATIVE_WIDTH, ABSOLUTE_WIDTH = Fraction(1, 10**6), Fraction(1, 10**9)
"""An enclosure wider than both is said to be wide."""


@dataclass(frozen=True)
class Optimum:
    """Expected losses of a mechanism, and the least that any ε-DP mechanism can have.

    ``epsilon``: in nats. ``uniform``, ``worst``: the least loss averaged over the
    listed databases, and the least largest one over them, of all mechanisms in
    ``ranges_over``. ``own_uniform``, ``own_worst``: the same of the mechanism itself.
    """

    epsilon: Enclosure
    uniform: Enclosure
    worst: Enclosure
    own_uniform: Enclosure
    own_worst: Enclosure
    ranges_over: str

    @property
    def note(self) -> str | None:
        """What a reader must know of enclosures that are wide; None of narrow ones."""
        if not any(_is_wide(ends) for ends in (self.uniform, self.worst)):
            return None
        return (
            "the solver did not finish or was imprecise: the optimum is certain "
            "within its enclosure, which is wide"
        )


def optimum(columns: Columns, epsilon: Fraction) -> Optimum | Unavailable:
    """The loss of a channel's mechanism beside the optimum at a given ε, in nats.

    Raises InputError for a negative ε. What the optimum ranges over, and the Guarantee, are
    those of `optimum_at_own`.
    """
    if epsilon < 0:
        raise InputError("the optimum needs an epsilon of at least 0")
    if epsilon > MAX_EPSILON:
        return Unavailable(f"epsilon exceeds {MAX_EPSILON}")
    return _compare(columns, Enclosure(epsilon, epsilon), exp_interval(epsilon))


def optimum_at_own(columns: Columns, smallest: Extreme) -> Optimum | Unavailable:
    """The loss of a channel's mechanism beside the optimum at its own ε.

    ``smallest``: the channel's ε, as `audit.channels.measures.epsilon.epsilon` finds it.

    What the optimum ranges over is said in ``ranges_over``. Where the counts of every output
    sum to one number m, it is all ε-DP mechanisms on the listed databases that release a table
    of m records over these cells. Otherwise it is all ε-DP mechanisms on them that release
    real numbers as counts, of which it is enough to look at some: a number between two counts
    that listed databases have in that cell may be rounded to either of them, at random with its
    mean kept, and one beyond all of them to the nearest, and no expected loss becomes larger.

    Guarantee
    ---------
    The exact numbers lie in the enclosures, whatever the solver returns: the lower end is
    the dual bound for the largest ε in question, the upper end the exact loss of a mechanism
    that is private at the smallest; the optimum falls with ε. Backed by
    ``tests/audit/channels/measures/test_optimum.py``.
    """
    ends = smallest.enclosure
    if isinstance(ends.lower, float) or isinstance(ends.upper, float):
        return Unavailable("epsilon is infinite, or not known to be finite")
    if ends.upper > MAX_EPSILON:
        return Unavailable(f"epsilon exceeds {MAX_EPSILON}")
    factor = Interval(exp_interval(ends.lower).lower, exp_interval(ends.upper).upper)
    return _compare(columns, ends, factor)


def _compare(columns: Columns, epsilon: Enclosure, factor: Interval) -> Optimum | Unavailable:
    """The comparison where ``factor`` encloses e^ε."""
    reason = no_tables(columns, is_count)
    if reason:
        return Unavailable(reason)
    try:
        # First, for it refuses counts whose distances doubles do not hold: no competitor's is
        # larger than what it allows.
        own = expected_losses(columns, columns.outputs)
        outputs, ranges_over = _competing_outputs(columns)
        competitors = mechanisms(columns, outputs)
    except TooLargeError as error:
        return Unavailable(str(error))
    shrink = float_below(1 / factor.upper)
    average, largest = propose_average(competitors, shrink), propose_worst(competitors, shrink)
    uniform = competitors.sizes.astype(np.float64)
    return Optimum(
        epsilon,
        _enclose(competitors, factor, average, uniform, _average),
        _enclose(competitors, factor, largest, largest.prior, _largest),
        own.average((Fraction(1, len(columns.databases)),) * len(columns.databases)),
        own.largest()[0],
        ranges_over,
    )


def _enclose(
    competitors: Mechanisms,
    factor: Interval,
    proposal: Proposal,
    prior: FloatArray,
    overall: Callable[[Mechanisms, list[Fraction]], Fraction],
) -> Enclosure:
    """The least ``overall`` loss; ``prior``: a weight of classes whose mean never exceeds it."""
    below = least_loss_below(competitors, factor, prior, proposal.prices)
    found = private_mechanisms(competitors, factor, proposal.chances)
    above = min(overall(competitors, one.losses(competitors)) for one in found)
    return Enclosure(round_down(below, 96), round_up(above, 96))


def _average(competitors: Mechanisms, losses: list[Fraction]) -> Fraction:
    """The mean over the listed databases of the loss under each class."""
    sizes = competitors.sizes.tolist()
    total = sum((size * loss for size, loss in zip(sizes, losses, strict=True)), Fraction(0))
    return Fraction(total, sum(sizes))


def _largest(_: Mechanisms, losses: list[Fraction]) -> Fraction:
    return max(losses)


def _competing_outputs(columns: Columns) -> tuple[IntArray, str]:
    """The outputs of the mechanisms to compare with, and these mechanisms in words.

    Raises TooLargeError, before anything is listed.
    """
    cells = columns.databases.shape[1]
    sizes = {sum(output) for output in columns.outputs}
    if len(sizes) == 1 and min(map(min, columns.outputs)) >= 0:
        records = sizes.pop()
        require_visits(histogram_count(cells, records) * cells)
        words = f"ε-DP mechanisms that release a table whose counts sum to {records}"
        return histograms(cells, records), words
    values = [np.unique(column) for column in columns.databases.T]
    require_visits(math.prod(map(len, values)) * cells)
    grid = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, cells)
    return grid, "ε-DP mechanisms, whatever real numbers they release as counts"


def _is_wide(ends: Enclosure) -> bool:
    return ends.upper - ends.lower > max(RELATIVE_WIDTH * ends.upper, ABSOLUTE_WIDTH)
