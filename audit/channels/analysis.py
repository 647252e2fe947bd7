"""Everything that follows from a channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from audit.channels.channel import Channel
from audit.channels.measures.attacker import (
    EVENS,
    Guess,
    LastRecord,
    Naming,
    guess,
    last_record,
    naming,
)
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.gdp import smallest_mu
from audit.channels.measures.groups import GroupLosses, group_losses
from audit.channels.measures.one_pass import one_pass
from audit.channels.measures.optimum import Optimum, optimum, optimum_at_own
from audit.channels.measures.probabilistic import ProbabilisticDelta, data_laws, probabilistic_delta
from audit.channels.measures.profile import Profile, profile
from audit.channels.measures.renyi import renyi
from audit.channels.measures.rows import RowView, row_view
from audit.channels.measures.tradeoff import Tradeoff, tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho, zcdp
from audit.channels.streamed import StreamedChannel
from audit.statements.decimals import Enclosure

Progress = Callable[[int, int], None]

ORDERS = (Fraction(3, 2), *(Fraction(order) for order in (2, 4, 8, 16, 32, 64)))
"""The orders at which Rényi divergences are listed."""

MAX_TERMS = 150_000_000
"""Pairs times outputs up to which all measures are computed (minutes, of
which most go into ρ, the profile and the trade-off; ``benchmarks/measures.py --all`` prints the
times)."""


@dataclass(frozen=True)
class Wishes:
    """What a reader asks of an analysis.

    ``epsilons``: where δ is wanted, as typed. ``prior``: the attacker's, of the likelier of two
    databases. ``optimum``: the ε of the optimum, in nats; the channel's own if None.
    """

    epsilons: Mapping[str, Fraction]
    prior: Fraction = EVENS
    optimum: Fraction | None = None


@dataclass(frozen=True)
class Analysis:
    """A channel with its measures.

    ``deltas``, ``probabilistic``: by ε as the user typed it; ``renyi``: by order, in nats;
    ``namings``: by the name of the prior.
    """

    channel: Channel | StreamedChannel
    epsilon: Extreme
    deltas: Mapping[str, Extreme]
    probabilistic: Mapping[str, ProbabilisticDelta]
    renyi: Mapping[Fraction, Enclosure]
    last_record: LastRecord
    profile: Profile | Unavailable
    zcdp: SmallestRho | Unavailable
    tradeoff: Tradeoff | Unavailable
    gdp: Extreme | Unavailable
    rows: RowView | Unavailable
    guess: Guess | Unavailable
    namings: Mapping[str, Naming] | Unavailable
    groups: GroupLosses | Unavailable
    optimum: Optimum | Unavailable


def analyse(channel: Channel, wishes: Wishes) -> Analysis:
    """All measures of a channel that is held whole."""
    smallest = epsilon(channel)
    terms = len(channel.pairs) * len(channel.outputs)
    large = Unavailable(
        f"{len(channel.pairs)} pairs of neighbours on {len(channel.outputs)} outputs are more "
        f"than {MAX_TERMS} comparisons"
    )
    small = terms <= MAX_TERMS
    curves = tradeoff(channel) if small else large
    return Analysis(
        channel,
        smallest,
        {text: delta(channel, value) for text, value in wishes.epsilons.items()},
        {text: probabilistic_delta(channel, value) for text, value in wishes.epsilons.items()},
        {order: renyi(channel, order).enclosure for order in ORDERS},
        last_record(smallest, wishes.prior),
        profile(channel) if small else large,
        zcdp(channel) if small else large,
        curves,
        curves if isinstance(curves, Unavailable) else smallest_mu(channel, curves),
        row_view(channel),
        guess(channel, wishes.prior),
        {name: naming(channel, law) for name, law in data_laws(channel).items()},
        group_losses(channel, wishes.epsilons) if small else large,
        optimum_at_own(channel, smallest)
        if wishes.optimum is None
        else optimum(channel, wishes.optimum),
    )


def analyse_streamed(
    channel: StreamedChannel, wishes: Wishes, jobs: int, progress: Progress | None = None
) -> Analysis:
    """What one pass over a streamed channel gives; the rest is unavailable."""
    found = one_pass(channel, list(wishes.epsilons.values()), jobs, progress)
    reason = Unavailable(
        "the channel is too large to hold, and this takes more than the one pass made over it"
    )
    return Analysis(
        channel,
        found.epsilon,
        {text: found.deltas[value] for text, value in wishes.epsilons.items()},
        {text: found.probabilistic[value] for text, value in wishes.epsilons.items()},
        found.renyi,
        last_record(found.epsilon, wishes.prior),
        reason,
        reason,
        reason,
        reason,
        reason,
        reason,
        reason,
        reason,
        reason,
    )
