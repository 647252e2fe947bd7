"""The search for what tells neighbours apart: runs, rules, tests, and smaller pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from audit.auditors.data_independence.case import Case
from audit.auditors.data_independence.facets import Facet, Facets
from audit.auditors.data_independence.pairs import smaller
from audit.auditors.data_independence.recorded_draws import Listener, overheard
from audit.auditors.data_independence.separation import (
    LEARNING,
    SeparationRule,
    enough_runs,
    learnt,
    p_values,
    settle_rules,
)
from audit.auditors.data_independence.untouched import Untouched
from audit.statements.finding import Rigour
from audit.subjects.function import generator
from audit.subjects.pair import Pair
from synthesizers.errors import CannotFork, ProtocolError

SETTLED = 40
"""Runs in which what was settled before anything random must tell the databases, at least (noise
that is the same in two runs of three is so in all of them with a chance of 10^-7)."""


MOST_COPIES = 1000
"""Runs in copies by which one test is confirmed, at most: enough for an ε of 3.5, some seconds. Of
larger claims nothing is accused that varies, since runs of one process alone could show it."""


MOVES = 20
"""Copies of a process that begin with so many other numbers of runs, none at first (noise of ε = 1
that one generator draws is the same after each with a chance of 4 in 10^7)."""


@dataclass(frozen=True)
class Seen:
    """What tells a pair apart: by which rule, how surely, and whether that speaks against it."""

    pair: Pair
    rule: SeparationRule
    rigour: Rigour
    runs: int
    violated: bool


def search(case: Case) -> dict[Facet, Seen]:
    """What was seen first of each facet, violations before all.

    Raises ProtocolError where every run raises: nothing was looked at then.
    """
    made = Search(case)
    with overheard(made.listener), made.copying():
        return made.all_pairs()


@dataclass(eq=False)
class Search:
    """The runs of an examination, each with a number of its own, from which its noise follows."""

    case: Case
    listener: Listener = field(default_factory=Listener)
    runs: int = 0
    returned: bool = False
    untouched: Untouched | None = None

    @contextmanager
    def copying(self) -> Iterator[None]:
        """With a copy of this process from before the first run, where there can be one."""
        if self.case.copied and not self.case.subject.opaque:
            with suppress(CannotFork):
                self.untouched = Untouched(self.case.subject, self.listener)
        try:
            yield
        finally:
            if self.untouched is not None:
                self.untouched.end()

    def all_pairs(self) -> dict[Facet, Seen]:
        """What was seen first of each facet, violations before all."""
        case = self.case
        seen: dict[Facet, Seen] = {}
        # What is imported or cached on first use is no difference between databases.
        self._run(case.pairs[0].first), self._run(case.pairs[0].second)
        for pair in case.pairs:
            if self._left < 2 * LEARNING:
                break
            done = {
                facet for facet, one in seen.items() if one.violated or facet not in case.visible
            }
            for one in self._tell_apart(pair, done):
                facet = one.rule.name[0]
                if facet not in seen or (one.violated and not seen[facet].violated):
                    seen[facet] = self._shrink(one) if one.violated else one
        if not self.returned and not any(one.violated for one in seen.values()):
            raise ProtocolError(
                f"{case.subject.name} raises in every run, so that nothing of it was looked at; "
                "make it run on records of the domain first"
            )
        return seen

    def _tell_apart(self, pair: Pair, done: set[Facet]) -> Iterator[Seen]:
        """What tells the two databases of a pair apart, by facets that are not done yet."""
        visible = self.case.visible
        exact, rules = self._learn(pair)
        settled = [rule for rule in exact if rule.name[0] in visible - done]
        for rule in self._confirm(pair, settled):
            if rule.name[0] not in done:
                yield Seen(pair, rule, Rigour.EXACT, 2 * LEARNING, True)
                done = done | {rule.name[0]}
        for rule in rules:
            if rule.name[0] not in done | visible:
                yield Seen(pair, rule, Rigour.STATISTICAL, 2 * LEARNING, False)
        unsettled = [rule for rule in rules if rule.name[0] in visible - done]
        # Half of the alarm is for the search, half for the pairs that are made smaller.
        yield from self._test(pair, unsettled, self.case.alarm / 2 / len(self.case.pairs))

    def _test(self, pair: Pair, rules: Sequence[SeparationRule], alarm: float) -> Iterator[Seen]:
        if not rules:
            return
        error, guarantee = alarm / len(rules), self.case.guarantee
        most = min(self.case.runs, self._left)
        needed = None if guarantee is None else enough_runs(guarantee, error, most)
        if guarantee is None or needed is None:
            for rule in rules:
                yield Seen(pair, rule, Rigour.STATISTICAL, 2 * LEARNING, False)
            return
        # A rule that fresh runs don't bear out was luck, or what the claim allows.
        tossed = self._toss(pair, needed, 0)
        left = [rule for rule, p in p_values(rules, tossed, guarantee).items() if p <= error]
        if left and self.untouched is not None:
            # One that copies don't bear out rests on what runs of one process have in common.
            most = min(needed, MOST_COPIES)
            tossed = list(self._toss_in_copies(pair, self.untouched, most, 0))
            left = [rule for rule, p in p_values(left, tossed, guarantee).items() if p <= error]
        for rule in left:
            yield Seen(pair, rule, Rigour.STATISTICAL, needed, True)

    def _confirm(self, pair: Pair, exact: Sequence[SeparationRule]) -> Sequence[SeparationRule]:
        """Those that are right in all of as many more runs as refute the claim.

        So that a generator that nobody saw, because it was kept from an earlier run, does not pass
        for none; nor, by runs in copies of a process that has run nothing before, noise that was.
        """
        if not exact:
            return exact
        guarantee, needed = self.case.guarantee, None
        if guarantee is not None:
            error = self.case.alarm / 2 / len(self.case.pairs) / len(exact)
            needed = enough_runs(guarantee, error, min(self.case.runs, self._left))
        if self._left < SETTLED:
            return ()
        left = list(exact)
        here = self._toss(pair, max(needed or 0, SETTLED), 1)
        copied: Iterable[tuple[bool, Facets]] = ()
        if self.untouched is not None:
            copied = self._toss_in_copies(pair, self.untouched, MOVES, 1)
        for coin, run in chain(here, copied):
            left = [rule for rule in left if rule.guess(run) is coin]
            if not left:
                break
        return left

    def _toss_in_copies(
        self, pair: Pair, untouched: Untouched, runs: int, part: int
    ) -> Iterator[tuple[bool, Facets]]:
        """The same, each first in its process but for runs on other databases.

        These, whose number differs, move on a generator that all copies have in common.
        """
        case, random = self.case, generator(self.case.seed, self.runs, 2)
        own = (pair.first, pair.second)
        others = _others(case, own)
        for place in range(runs):
            coin = bool(random.integers(2))
            before = [others[one] for one in random.permutation(len(others))[: place % MOVES]]
            self.runs += 1 + len(before)
            lines = Facet.ITERATIONS in case.visible
            seen = untouched.look(before, own[coin], case.seed, self.runs, lines)
            yield coin, {} if seen is None else (seen.whole, seen.early)[part]

    def _toss(self, pair: Pair, runs: int, part: int) -> list[tuple[bool, Facets]]:
        """Runs on the first database, or the second where a coin says True; ``part`` of each."""
        coins = generator(self.case.seed, self.runs, 1).integers(2, size=runs).astype(bool)
        return [(bool(c), self._run(pair.second if c else pair.first)[part]) for c in coins]

    def _learn(self, pair: Pair) -> tuple[tuple[SeparationRule, ...], tuple[SeparationRule, ...]]:
        """The rules of what was settled before anything random, and of everything."""
        runs: tuple[list[tuple[Facets, Facets]], ...] = ([], [])
        exact: tuple[SeparationRule, ...] = ()
        rules: tuple[SeparationRule, ...] = ()
        # A rule must be right in all runs, so that most pairs need only the first half.
        while len(runs[0]) < LEARNING:
            # In Thue and Morse's order, so that nothing that changes from run to run, or comes back
            # every second or fourth run, is a difference between databases.
            for _ in range(LEARNING // 2):
                for second in (0, 1) if len(runs[0]).bit_count() % 2 == 0 else (1, 0):
                    runs[second].append(self._run(pair.second if second else pair.first))
            whole, early = ([[run[part] for run in found] for found in runs] for part in (0, 1))
            rules = learnt(*whole)
            exact = () if self.case.subject.opaque else settle_rules(learnt(*early), *early)
            if not rules and not exact:
                break
        return exact, rules

    def _run(self, database: Any) -> tuple[Facets, Facets]:
        self.runs += 1
        case, lines = self.case, Facet.ITERATIONS in self.case.visible
        seen = case.look(case.subject, database, case.seed, self.runs, self.listener, lines)
        self.returned = self.returned or seen.returned
        return seen.whole, seen.early

    @property
    def _left(self) -> int:
        """The runs that may still be made."""
        return self.case.budget - self.runs

    def _shrink(self, one: Seen) -> Seen:
        """The same on a smaller pair, shown as surely there."""
        exact = one.rigour is Rigour.EXACT

        def rules(pair: Pair) -> list[SeparationRule]:
            if self._left < 2 * LEARNING:
                return []
            learned = self._learn(pair)[0 if exact else 1]
            return [rule for rule in learned if rule.name == one.rule.name]

        if not self.case.shrinks:
            return one
        pair = smaller(one.pair, lambda tried: bool(rules(tried)))
        if pair is one.pair:
            return one
        again = rules(pair)
        if exact:
            shown = [
                Seen(pair, rule, Rigour.EXACT, one.runs, True)
                for rule in self._confirm(pair, again)
            ]
        else:
            shown = list(self._test(pair, again, self.case.alarm / 2 / len(Facet)))
        return next((seen for seen in shown if seen.violated), one)


def _others(case: Case, own: tuple[Any, Any]) -> list[Any]:
    """Databases beside those of a pair: of other pairs, and of other sizes where they are lists."""
    found = [one for pair in case.pairs for one in (pair.first, pair.second)]
    longest = max(own, key=lambda one: len(one) if isinstance(one, list) else 0)
    if isinstance(longest, list):
        found += [longest[:1] * size for size in range(2 * MOVES)]
    return [one for place, one in enumerate(found) if one not in own and one not in found[:place]]
