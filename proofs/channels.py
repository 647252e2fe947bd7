"""Channel certificates: that (ε, δ) holds of a finite matrix of chances, or where it fails.

Plain data that `proofs/checker.py` checks again from nothing. Neighbours are never written down:
the maker and the checker find them in the list of databases.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ApproxDP
from proofs.rules.channels import FiniteChannel
from synthesizers.exact import Exact, enclose
from synthesizers.intervals import Interval, exp_interval, round_down
from synthesizers.neighbours import Neighbours, to_json

SCHEMA = "dp-audit/channel-certificate/1"

SLACK_BITS = 64
"""Bits of the stated slack."""

Chance = Exact | int | tuple[Fraction, Fraction]
"""Of an output: exact, or in an interval, or between two rationals."""


def channel_certificate(
    neighbours: Neighbours,
    databases: Sequence[Sequence[int]],
    rows: Sequence[Sequence[Chance]],
    claim: ApproxDP,
) -> dict[str, Any]:
    """The certificate that the claim holds between all listed neighbours, or the one against it.

    ``databases``: different histograms. ``rows``: [databases, outputs]. Raises ProofError for what
    is no channel, UndecidedError where the enclosures leave the claim open.

    Guarantee
    ---------
    `proofs/checker.py` accepts what is returned. Backed by ``tests/proofs/test_channels.py``.
    """
    chances = tuple(tuple(map(_ends, row)) for row in rows)
    listed = tuple(tuple(map(int, database)) for database in databases)
    channel = FiniteChannel.of(neighbours, listed, chances)
    power = exp_interval(claim.epsilon)
    found = {
        pair: channel.divergence(*pair, power)
        for first, second in channel.pairs
        for pair in ((first, second), (second, first))
    }
    left, right = max(found, key=lambda pair: found[pair].upper)
    if found[left, right].upper <= claim.delta:
        slack = claim.delta - found[left, right].upper
        stated = str(round_down(slack, SLACK_BITS))
        return _channel_certificate(channel, chances, claim, "holds") | {
            "worst": {"pair": [left, right], "slack": stated}
        }
    worst = max(found, key=lambda pair: found[pair].lower)
    if found[worst].lower > claim.delta:
        return _channel_certificate(channel, chances, claim, "violated") | _violation(
            channel, worst, power
        )
    raise UndecidedError("the chances are known too vaguely to decide the claim on this channel")


def _violation(channel: FiniteChannel, pair: tuple[int, int], power: Interval) -> dict[str, object]:
    """The pair, the outputs that tell it apart, and their chances under both."""
    ours, theirs = (channel.rows[number] for number in pair)
    event = [
        place
        for place, (p, q) in enumerate(zip(ours.lower, theirs.upper, strict=True))
        if p * theirs.denominator > power.upper * q * ours.denominator
    ]
    sums = (
        tuple(
            Fraction(sum(ends[m] for m in event), row.denominator)
            for ends in (row.lower, row.upper)
        )
        for row in (ours, theirs)
    )
    probabilities = [_plain_chance(low, high) for low, high in sums]
    return {"pair": list(pair), "event": event, "probabilities": probabilities}


def _channel_certificate(
    channel: FiniteChannel,
    chances: tuple[tuple[tuple[Fraction, Fraction], ...], ...],
    claim: ApproxDP,
    finding: str,
) -> dict[str, Any]:
    databases = [list(database) for database in channel.databases]
    rows = [[_plain_chance(*ends) for ends in row] for row in chances]
    text = json.dumps({"databases": databases, "rows": rows}, separators=(",", ":"))
    return {
        "schema": SCHEMA,
        "finding": finding,
        **to_json(channel.neighbours),
        "databases": databases,
        "complete": channel.complete,
        "rows": rows,
        "epsilon": str(claim.epsilon),
        "delta": str(claim.delta),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def _plain_chance(low: Fraction, high: Fraction) -> str | list[str]:
    """An exact chance as text, an enclosed one as the texts of its ends."""
    return str(low) if low == high else [str(low), str(high)]


def _ends(chance: Chance) -> tuple[Fraction, Fraction]:
    """A chance's ends, inside [0, 1]."""
    if isinstance(chance, tuple):
        return chance
    if isinstance(chance, int | Fraction):
        return Fraction(chance), Fraction(chance)
    if isinstance(chance, float):
        raise ProofError("a channel's chances are fractions or intervals, not floating point")
    found = enclose(chance)
    return max(found.lower, Fraction(0)), min(found.upper, Fraction(1))
