"""The search for what tells neighbours apart: runs, rules, tests, and smaller pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.auditors.attack.replaying import ALARM
from audit.auditors.data_independence.facets import Facet, Facets, before_draws, facets
from audit.auditors.data_independence.observing import observe
from audit.auditors.data_independence.pairs import smaller
from audit.auditors.data_independence.recorded_draws import Listener
from audit.auditors.data_independence.separation import (
    LEARNING,
    Rule,
    enough_runs,
    learnt,
    p_values,
    settled,
)
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.statements.finding import Rigour
from audit.subjects.function import generator
from audit.subjects.pair import Pair
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError, ProtocolError
from synthesizers.plain import is_integer

MOST_PAIRS = 48
"""Pairs that are looked at unless told otherwise (a choice of this project: all kinds of
`audit.auditors.attack.patterns` of a small domain)."""

MOST_RUNS = 4000
"""The most runs of a test (a choice of this project: enough for ε up to 5.4, a second or so where
a run takes 0.2 ms)."""


@dataclass(frozen=True)
class Effort:
    """How much an examination may do.

    ``pairs``: at most so many; ``runs``: of one test; ``alarm``: the largest chance that an
    honest subject is accused of anything. Raises InputError for numbers that are none of these.
    """

    pairs: int = MOST_PAIRS
    runs: int = MOST_RUNS
    alarm: float = ALARM

    def __post_init__(self) -> None:
        for what, number in (("pairs", self.pairs), ("runs", self.runs)):
            if not is_integer(number) or number < 1:
                raise InputError(f"{what} must be a whole number of at least 1, found {number!r}")
        if not isinstance(self.alarm, int | float) or not 0 < self.alarm < 1:
            raise InputError(f"the alarm must lie strictly between 0 and 1, found {self.alarm!r}")


@dataclass(frozen=True)
class Seen:
    """What tells a pair apart: by which rule, how surely, and whether that speaks against it."""

    pair: Pair
    rule: Rule
    rigour: Rigour
    runs: int
    violated: bool


@dataclass(eq=False)
class Search:
    """The runs of an examination, each with a number of its own, from which its noise follows."""

    subject: AuditedFunction
    guarantee: Guarantee | None
    pairs: Sequence[Pair]
    seed: int
    visible: frozenset[Facet]
    effort: Effort
    shrinks: bool
    listener: Listener = field(default_factory=Listener)
    runs: int = 0
    returned: bool = False

    def found(self) -> dict[Facet, Seen]:
        """What was seen first of each facet, violations before all.

        Raises ProtocolError where every run raises: nothing was looked at then.
        """
        seen: dict[Facet, Seen] = {}
        for pair in self.pairs[:1]:
            # What is imported or cached on first use is no difference between databases.
            self._run(pair.first), self._run(pair.second)
        for pair in self.pairs:
            done = {facet for facet, one in seen.items() if one.violated or not self._sees(facet)}
            for one in self._of_pair(pair, done):
                facet = one.rule.name[0]
                if facet not in seen or (one.violated and not seen[facet].violated):
                    seen[facet] = self._shrunk(one) if one.violated else one
        if not self.returned and not any(one.violated for one in seen.values()):
            raise ProtocolError(
                f"{self.subject.name} raises in every run, so that nothing of it was looked at; "
                "make it run on records of the domain first"
            )
        return seen

    def _sees(self, facet: Facet) -> bool:
        return facet in self.visible

    def _of_pair(self, pair: Pair, done: set[Facet]) -> Iterator[Seen]:
        exact, rules = self._learnt(pair)
        wanted = [rule for rule in exact if rule.name[0] not in done and self._sees(rule.name[0])]
        for rule in self._confirmed(pair, wanted):
            if rule.name[0] not in done:
                yield Seen(pair, rule, Rigour.EXACT, 2 * LEARNING, True)
                done = done | {rule.name[0]}
        open_ = [rule for rule in rules if rule.name[0] not in done]
        for rule in open_:
            if not self._sees(rule.name[0]):
                yield Seen(pair, rule, Rigour.STATISTICAL, 2 * LEARNING, False)
        wanted = [rule for rule in open_ if self._sees(rule.name[0])]
        # Half of the alarm is for the search, half for the pairs that are made smaller.
        yield from self._test(pair, wanted, self.effort.alarm / 2 / len(self.pairs))

    def _test(self, pair: Pair, rules: Sequence[Rule], alarm: float) -> Iterator[Seen]:
        if not rules:
            return
        error = alarm / len(rules)
        needed = None
        if self.guarantee is not None:
            needed = enough_runs(self.guarantee, error, self.effort.runs)
        if self.guarantee is None or needed is None:
            for rule in rules:
                yield Seen(pair, rule, Rigour.STATISTICAL, 2 * LEARNING, False)
            return
        for rule, p in p_values(rules, self._tossed(pair, needed, 0), self.guarantee).items():
            # A rule that fresh runs don't bear out was luck, or what the claim allows.
            if p <= error:
                yield Seen(pair, rule, Rigour.STATISTICAL, needed, True)

    def _confirmed(self, pair: Pair, exact: Sequence[Rule]) -> Sequence[Rule]:
        """Those that as many more runs bear out as refute the claim, where these are not too many.

        So that a generator that nobody saw, because it was kept from an earlier run, does not pass
        for none.
        """
        if not exact or self.guarantee is None:
            return exact
        error = self.effort.alarm / 2 / len(self.pairs) / len(exact)
        needed = enough_runs(self.guarantee, error, self.effort.runs)
        if needed is None:
            return exact
        found = p_values(exact, self._tossed(pair, needed, 1), self.guarantee)
        return [rule for rule, p in found.items() if p <= error]

    def _tossed(self, pair: Pair, runs: int, part: int) -> list[tuple[bool, Facets]]:
        """Runs on the first database, or the second where a coin says True; ``part`` of each."""
        coins = generator(self.seed, self.runs, 1).integers(2, size=runs).astype(bool)
        return [(bool(c), self._run(pair.second if c else pair.first)[part]) for c in coins]

    def _learnt(self, pair: Pair) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
        """The rules of what was settled before anything random, and of everything."""
        runs: tuple[list[tuple[Facets, Facets]], ...] = ([], [])
        exact: tuple[Rule, ...] = ()
        rules: tuple[Rule, ...] = ()
        # A rule must be right in all runs, so that most pairs need only the first half.
        while len(runs[0]) < LEARNING:
            # In Thue and Morse's order, so that nothing that changes from run to run, or comes back
            # every second or fourth run, is a difference between databases.
            for _ in range(LEARNING // 2):
                for second in (0, 1) if len(runs[0]).bit_count() % 2 == 0 else (1, 0):
                    runs[second].append(self._run(pair.second if second else pair.first))
            whole, early = ([[run[part] for run in found] for found in runs] for part in (0, 1))
            rules = learnt(*whole)
            exact = () if self.subject.opaque else settled(learnt(*early), *early)
            if not rules and not exact:
                break
        return exact, rules

    def _run(self, database: Any) -> tuple[Facets, Facets]:
        self.runs += 1
        lines = Facet.ITERATIONS in self.visible
        seen = observe(self.subject, database, self.seed, self.runs, self.listener, lines)
        if isinstance(seen.output, Iterator):
            raise ProtocolError(
                f"{self.subject.name} returns an iterator, which nobody looks into: return a list"
            )
        self.returned = self.returned or seen.error is None
        return facets(seen), before_draws(seen)

    def _shrunk(self, one: Seen) -> Seen:
        """The same on a smaller pair, shown as surely there."""
        exact = one.rigour is Rigour.EXACT

        def rules(pair: Pair) -> list[Rule]:
            found = self._learnt(pair)[0 if exact else 1]
            return [rule for rule in found if rule.name == one.rule.name]

        if not self.shrinks:
            return one
        pair = smaller(one.pair, lambda tried: bool(rules(tried)))
        if pair is one.pair:
            return one
        again = rules(pair)
        if exact:
            kept = self._confirmed(pair, again)
            shown = [Seen(pair, rule, Rigour.EXACT, one.runs, True) for rule in kept]
        else:
            shown = list(self._test(pair, again, self.effort.alarm / 2 / len(Facet)))
        return next((seen for seen in shown if seen.violated), one)
