"""The search: which pair of databases will show that a claim does not hold.

Each pair gets a first try; then whichever promises most is run again as often as before, so that
runs go where they may decide, and luck in few of them is found out (Karnin, Koren & Somekh 2013,
whose halving leaves as few pairs to each level, but none of them for good). Where nothing promises
to refute the claim, the search goes on: with further pairs, with sizes at which outputs change
their form, and with a closer look at the first pair of each kind. Its runs are used for nothing
else, so what was tried here costs the certified floor no confidence.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from audit.auditors.attack.columns.table_rows import rows_of
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import Attacker
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.pairs.forms import find_pairs_at_steps
from audit.auditors.attack.pairs.patterns import Sweep
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.promise import Promise, can_refute, foresee
from audit.statements.evidence import Search
from audit.subjects.failures import describe_failure
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source
from synthesizers.errors import InputError, ProtocolError

SHARE, MOST_SHARE = 0.2, 0.4
"""The parts of all runs that the search spends at most: where some pair promises to refute the
claim, and where none does (certifying on three quarters of the runs that are left otherwise widens
the gap to the truth by 15 %, where a poorer pair shows nothing)."""

FIRST = 16
"""Runs of a first try (a pair that gives itself away in every run is ahead of all others)."""

TRIES = 0.5
"""The part of what is to be spent that goes to first tries, at most."""

EARLY = 8
"""Pairs that have a first try before anything else, if the runs go so far: of the first four kinds,
in either encoding."""

WORST = ("two poles", "tied choices")
"""Kinds of pairs on which synthesizers leak most, if what they put out are tables of records."""

AT_WORST = 64
"""Runs of the first try of such a pair (attackers know beforehand which way it moves their columns,
so that many tell nearly as much of it as they ever will)."""

CLOSER = 400
"""Runs on the first pair of each kind, where nothing else promised anything (the low bits of a
float give themselves away in so many, and not in half of them)."""

CLOSER_SHARE = 0.5
"""The part of what is left that goes to them, at most."""

SWEEP_SHARE = 0.4
"""The part of it that sweeps over sizes spend, at most."""

PROMISING, SURE = 0.5, 0.9
"""Chances of refuting at which a search goes no further than `SHARE`, and at which it ends."""

AT_STEP = 128
"""Runs of the first try of a pair at which outputs change their form: that there is something to
see is known, and attackers need as many to learn it."""

DEEPEST = 1000
"""Runs on a pair from which it is tried no further (where its accuracy lies within 3 %; pairs on
which an honest subject uses up its claim would take all that others need)."""

SETTLED = 200
"""Runs from which a chance is believed that ends a search."""

LEAST_OF_COST = {Cost.LOW: 0, Cost.MIDDLE: 300, Cost.HIGH: 1000}
"""Runs on a pair from which attackers take part, by what they cost (with fewer, those that weigh
many columns learn nothing, and would take most of the time)."""

PROBED = 2_000_000
"""The number of the first database of a sweep, whose runs have random numbers of their own."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """The pair that a search chose, its ``number`` among those not hopeless, how it was searched.

    ``runs``: how many the search has spent.
    """

    pair: Pair
    number: int
    search: Search
    runs: int


def search(
    source: Source,
    places: Places,
    attackers: Sequence[Attacker],
    aim: Aim,
    runs: int,
    least: int = 0,
) -> Chosen:
    """The pair that promises most to refute the claim.

    ``attackers``: those of `attackers.PORTFOLIO` that take part. ``aim``: what is certified later;
    of its distance, each pair's own is taken. ``runs``: of the whole audit, of which the search
    spends `MOST_SHARE` at most. ``least``: the fewest records of all databases, for the record.
    Pairs come with the most telling first: that one is taken where
    runs are too few for a search, and of pairs with equal promises the first. The same pair is
    found wherever the runs are drawn.

    Raises ProtocolError where on every pair that was tried every run failed.
    """
    pairs = places.pairs
    if not pairs:
        raise InputError("a search needs at least one pair of databases")
    left = drop_hopeless(pairs, aim)
    trials = _Trials(source, list(left), attackers, aim)
    first, most = int(SHARE * runs), int(MOST_SHARE * runs)
    if len(left) > 1 and first >= 2 * FIRST:
        trials.try_new(FIRST)
        trials.try_worst(int(TRIES * first))
        trials.try_new(min(max(int(TRIES * first), EARLY * FIRST), first) - trials.spent)
        trials.deepen(first)
        if trials.best_chance() < PROMISING:
            for sweep in places.sweeps:
                trials.sweep(sweep, int(SWEEP_SHARE * (most - first) / len(places.sweeps)))
            trials.try_new(int(TRIES * (most - trials.spent)))
            trials.look_closer(int(CLOSER_SHARE * (most - trials.spent)))
            trials.deepen(most)
    best = trials.best()
    told = _tell(places, trials.pairs, trials.seen.keys(), len(trials.failed), least)
    return Chosen(trials.pairs[best], best, told, trials.spent)


def describe_search_by_bets(
    places: Places, left: Sequence[Pair], seen: Mapping[int, Runs], least: int
) -> Search:
    """How bets on the pairs that were ``left`` searched; ``seen``: runs of those that had any."""
    failed = sum(describe_failure(runs.outcomes) is not None for runs in seen.values())
    return _tell(places, left, seen.keys(), failed, least)


def _tell(
    places: Places, left: Sequence[Pair], tried: Collection[int], failed: int, least: int
) -> Search:
    """``left``: the pairs that were not hopeless, and those that were found on the way."""
    able = set(map(id, left))
    hopeless = sum(id(pair) not in able for pair in places.pairs)
    return Search(
        pairs=hopeless + len(left),
        tried=len(tried),
        kinds=len({pair.kind for pair in (*places.pairs, *left)}),
        kinds_tried=len({left[number].kind for number in tried}),
        failed=failed,
        hopeless=hopeless,
        min_records=least,
        given=places.given,
    )


def drop_hopeless(pairs: Sequence[Pair], aim: Aim) -> Sequence[Pair]:
    """The pairs on which some number of right guesses would refute the claim; all if on none."""
    able = {distance: can_refute(aim, distance) for distance in {p.distance for p in pairs}}
    return [pair for pair in pairs if able[pair.distance]] or pairs


@dataclass(eq=False)
class _Trials:
    """What was seen of each pair as its runs came; it changes as they do."""

    source: Source
    pairs: list[Pair]
    attackers: Sequence[Attacker]
    aim: Aim
    spent: int = 0
    seen: dict[int, Runs] = field(default_factory=dict)
    promises: dict[int, Promise] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    probed: int = 0

    def run(self, number: int, runs: int) -> None:
        """Further runs on a pair, and what it promises by all of its runs."""
        pair, so_far = self.pairs[number], self.seen.get(number)
        # Blocks so far are at most as many as their runs.
        start = 0 if so_far is None else len(so_far)
        drawn = self.source.runs("search", pair, number, runs, start)
        self.spent += runs
        all_runs = drawn if so_far is None else Runs.join([so_far, drawn])
        self.seen[number] = all_runs
        failure = describe_failure(all_runs.outcomes)
        if failure is not None:
            self.failed[number] = failure
            return
        self.failed.pop(number, None)
        some = [one for one in self.attackers if LEAST_OF_COST[one.cost] <= len(all_runs)]
        self.promises[number] = foresee(all_runs, pair, some, self.aim)

    def try_new(self, runs: int) -> None:
        """First tries of pairs that had none, in order, with so many runs in all."""
        new = [number for number in range(len(self.pairs)) if number not in self.seen]
        for number in new[: runs // FIRST]:
            self.run(number, FIRST)

    def try_worst(self, runs: int) -> None:
        """First tries of the worst pairs for tables, longer ones, where outputs are such.

        None where a pair already promises to refute the claim.
        """
        tables = any(next(rows_of(one.outcomes, ()), None) for one in self.seen.values())
        if not tables or self.best_chance() >= PROMISING:
            return
        kinds: dict[str, int] = {}
        for number, pair in enumerate(self.pairs):
            kind = (pair.kind or "").split(",")[0]
            if kind in WORST and number not in self.seen:
                kinds.setdefault(kind, number)
        for number in kinds.values():
            self.run(number, min(AT_WORST, runs // len(kinds)))

    def deepen(self, most: int) -> None:
        """Runs on whichever pair may refute most, as many as it had, until ``most`` are spent."""
        while self.promises and self.best_chance(SETTLED) < SURE:
            shallow = [n for n in self.promises if len(self.seen[n]) < DEEPEST]
            if not shallow:
                return
            number = max(shallow, key=lambda n: (self.promises[n].hope, -n))
            wanted = len(self.seen[number])
            if self.spent + wanted > most:
                return
            self.run(number, wanted)

    def look_closer(self, runs: int) -> None:
        """`CLOSER` runs on the first pair of each kind that is left, as far as they go."""
        end = self.spent + runs
        kinds: dict[str, int] = {}
        for number in sorted(self.promises):
            kinds.setdefault(self.pairs[number].kind, number)
        for number in kinds.values():
            missing = CLOSER - len(self.seen[number])
            if missing > 0 and self.spent + missing <= end:
                self.run(number, missing)

    def sweep(self, sweep: Sweep, runs: int) -> None:
        """The pairs at which a sweep changes its form join the others, each with a first try."""
        end = self.spent + runs

        def draw(pair: Pair, wanted: int) -> Runs | None:
            if self.spent + wanted > end:
                return None
            self.spent += wanted
            self.probed += 1
            return self.source.runs("search", pair, PROBED + self.probed, wanted)

        for pair in find_pairs_at_steps(sweep, draw):
            self.pairs.append(pair)
            self.run(len(self.pairs) - 1, AT_STEP)

    def best_chance(self, least: int = 0) -> float:
        """The largest chance of refuting, of pairs with so many runs."""
        chances = [p.chance for n, p in self.promises.items() if len(self.seen[n]) >= least]
        return max(chances, default=0.0)

    def best(self) -> int:
        """The pair that promises most; raises ProtocolError where all fail."""
        if self.promises:
            return max(self.promises, key=lambda n: (self.promises[n], -n))
        if not self.failed:
            return 0
        untried = [number for number in range(len(self.pairs)) if number not in self.failed]
        if untried:
            return untried[0]
        smallest = min(self.failed, key=lambda n: len(self.pairs[n].first))
        size = len(self.pairs[smallest].first)
        raise ProtocolError(
            f"on each of {len(self.failed)} pairs of databases {self.failed[smallest]}; the "
            f"smallest database that was tried has {size} records: check that the subject runs on "
            "databases of this domain, or leave out smaller ones with --min-records N"
        )
