"""Which facets tell two databases apart, and whether the claim allows that.

A few runs of each database show tokens that one of them has and the other hasn't. The rule that
guesses by these is frozen, and tested on fresh runs whose database a fair coin picks: a mechanism
whose facets vary with its noise gives it no more right guesses than its claim allows.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.data_independence.facets import ABSENT, PRESENT, Facet, Facets, Name, Tokens
from audit.auditors.data_independence.token_words import describe_apart
from proofs.guarantees import Guarantee

LEARNING = 8
"""Runs of each database from which a rule is learnt (with as many, two
values of chance 1/2 look constant once in 2^14 facets, and the test that follows is cheap)."""


@dataclass(frozen=True)
class SeparationRule:
    """Guesses a database by tokens that only it was seen to have; abstains in doubt."""

    name: Name
    first: frozenset[Hashable]
    second: frozenset[Hashable]
    presence: bool

    def guess(self, found: Facets) -> bool | None:
        """True for the second database, False for the first, None in doubt."""
        tokens = tokens_of(found, self.name, self.presence)
        if tokens and tokens <= self.second:
            return True
        if tokens and tokens <= self.first:
            return False
        return None

    def describe(self) -> tuple[str, str]:
        """What the facet was on the first and on the second database, in words."""
        return describe_apart(self.first, self.second)


def tokens_of(found: Facets, name: Name, presence: bool) -> Tokens:
    """What a run showed of a facet; nothing where it ended before there was anything to see.

    ``presence``: the facet is a value that is there or isn't. In what a run with an exception
    did not return nothing is missing.
    """
    returned = found.get((Facet.EXCEPTIONS, "type"), frozenset((None,))) == frozenset((None,))
    return found.get(name, ABSENT if presence and returned else frozenset())


def learnt(first: Sequence[Facets], second: Sequence[Facets]) -> tuple[SeparationRule, ...]:
    """A rule for each facet that was never the same in a run of one database and of the other.

    Only rules that guessed right in all these runs: others would need far more runs to be tested.
    """
    found = []
    for name in dict.fromkeys(n for run in (*first, *second) for n in run):
        presence = any(run.get(name) == PRESENT for run in (*first, *second))
        ways = [[tokens_of(run, name, presence) for run in runs] for runs in (first, second)]
        ours, theirs = (frozenset().union(*way) for way in ways)
        rule = SeparationRule(name, ours - theirs, theirs - ours, presence)
        if _constant(ways[0]) and _constant(ways[1]) and _right(rule, first, second):
            found.append(rule)
    return tuple(found)


def _constant(way: Sequence[Tokens]) -> bool:
    """Whether a token comes again: a fresh number in each run says nothing of the next."""
    return len(set(way)) <= max(1, len(way) // 2)


def _right(rule: SeparationRule, first: Sequence[Facets], second: Sequence[Facets]) -> bool:
    guesses = [(rule.guess(run), False) for run in first]
    guesses += [(rule.guess(run), True) for run in second]
    return all(guess is truth for guess, truth in guesses)


def settle_rules(
    rules: Sequence[SeparationRule], first: Sequence[Facets], second: Sequence[Facets]
) -> tuple[SeparationRule, ...]:
    """The rules of facets that were the same in all runs of one database, and of the other.

    Of facets that nothing random came before (see `before_draws`) this shows an infinite loss.
    """
    return tuple(
        rule
        for rule in rules
        if all(len({run.get(rule.name) for run in runs}) == 1 for runs in (first, second))
    )


@functools.lru_cache(maxsize=256)
def enough_runs(guarantee: Guarantee, error: float, most: int) -> int | None:
    """The fewest runs in which a rule that is always right refutes a claim; None above ``most``."""
    low, high = 1, most
    if p_value(Guesses(most, most, 0), guarantee) > error:
        return None
    while low < high:
        middle = (low + high) // 2
        if p_value(Guesses(middle, middle, 0), guarantee) <= error:
            high = middle
        else:
            low = middle + 1
    return low


def p_values(
    rules: Sequence[SeparationRule], runs: Sequence[tuple[bool, Facets]], guarantee: Guarantee
) -> Mapping[SeparationRule, float]:
    """The p-value of the claim by each rule, from runs whose database a fair coin picked.

    Guarantee
    ---------
    For each rule by itself: under a mechanism that satisfies the guarantee when it releases this
    facet, the p-value is at most x with a chance of at most x
    (`audit.auditors.attack.guessing.floors.p_value`), if the runs are independent of those that the
    rules were learnt from. Backed by
    ``tests/audit/auditors/data_independence/test_separation_of_facets.py``.
    """
    found = {}
    for rule in rules:
        guesses = [(rule.guess(facets), second) for second, facets in runs]
        made = [guess is truth for guess, truth in guesses if guess is not None]
        counts = Guesses(len(runs), sum(made), len(made) - sum(made))
        found[rule] = p_value(counts, guarantee)
    return found
