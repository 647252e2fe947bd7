"""The page's methods by name, with their channels as fractions and their comparisons."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from audit.channels.channel import Channel
from docs.agency_methods import METHODS, Comparison, channel_on, compared
from synthesizers.exact import enclose

BY_NAME = {method.program: method for method in METHODS}


@cache
def published(program: str) -> Channel:
    method = BY_NAME[program]
    return channel_on(method.cells, method.program, method.values, exact=True)


def fractions(channel: Channel) -> list[list[Fraction]]:
    """The chances of an agency's method, all of them rational."""
    assert channel.exact is not None
    rows = [[enclose(chance) for chance in row] for row in channel.exact.tolist()]
    assert all(chance.lower == chance.upper for row in rows for chance in row)
    return [[chance.lower for chance in row] for row in rows]


@cache
def comparison(program: str) -> Comparison:
    return compared(BY_NAME[program])
