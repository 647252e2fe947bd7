"""The noise-law auditor on a black box: what its outputs show, and the law that it states.

Nothing has to be declared for two questions: is there noise that is new in each run, and do the low
bits of numbers tell what it was added to? Where a subject exposes its noise and its query
(`audit.auditors.exposed`), its outputs less the query's answers are held against that law.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.pairs.encodings import find_encodings
from audit.auditors.data_independence.case import MOST_PAIRS
from audit.auditors.data_independence.pairs import list_neighbours
from audit.auditors.effort import Attack, Effort
from audit.auditors.exposed import Exposed, find_exposed, query_of
from audit.auditors.noise_law.examination import RUNS, examine_mechanism
from audit.auditors.noise_law.findings import freshness_finding, low_bits_finding
from audit.auditors.noise_law.lattice import Leak, leak_beyond
from audit.auditors.noise_law.subjects import StatedMechanism
from audit.auditors.registry import LeftOut
from audit.auditors.sensitivity.answers import Answer
from audit.statements.claim import Claim
from audit.statements.finding import Finding, Shown
from audit.statements.shares import SHARES
from audit.subjects.black_box import BlackBox
from audit.subjects.isolated import IsolatedBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from audit.subjects.subject import BlackBoxSubject
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError, ProtocolError

FEW = 8
"""Runs that show whether a subject gives outputs at all."""

LEAST_RUNS = 100
"""Of both databases: fewer show no repetition and no low bits."""

MOST_RUNS = 10_000
"""Of both databases, where no law is stated: low bits that tell are seen in far fewer."""

MOST_AFRESH = 32
"""Runs of a new process that are compared with those of another, at most (an estimator's take a
minute where one takes a second)."""

NUMBER = 10**6
"""Of the pair, among those of an attack: its runs have random numbers of their own."""

COORDINATES = 4
"""Numbers of an output whose low bits are looked at, the first ones."""


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """Whether noise is fresh, what low bits tell, and the declared law where one is exposed.

    Raises LeftOut where the runs are too few, or give no output.
    """
    attack = effort.require_attack()
    if attack.runs_beside < LEAST_RUNS:
        raise LeftOut(f"a tenth of the runs is too few: give --runs {5 * LEAST_RUNS}")
    box: Any = subject.box
    error = float(attack.alarm * SHARES["noise law"])
    hidden = subject.live is None and attack.pair is not None and not attack.data_is_public
    try:
        exposed = find_exposed(subject)
        source = Drawing(box, Seeds(attack.seed), effort.share)
        most = min(attack.runs_beside, MOST_RUNS)
        pair, runs = _draw_first_outputs(source, _list_pairs(source, claim, attack), most)
        shown = None if hidden else Shown(pair.first, pair.second)
        yield _judge_freshness(runs, pair, box, claim.guarantee, attack.seed, error / 3, shown)
        if _are_fractions(runs):
            yield _judge_low_bits(runs, claim.guarantee, error / 3, shown)
        if exposed.noise is not None:
            yield from _find_declared_law(subject, exposed, pair, attack, error / 3)
    except (InputError, ProtocolError) as reason:
        raise LeftOut(str(reason)) from None


def _list_pairs(source: Drawing, claim: Claim, attack: Attack) -> tuple[Pair, ...]:
    """The user's, or the smallest neighbours, and the smallest both of which hold a record."""
    if attack.pair is not None:
        return (attack.pair,)
    if claim.domain is None:
        raise LeftOut("without a domain or a pair there are no databases to look at")
    encodings = find_encodings(source, claim, attack.min_records)
    made = list_neighbours(claim, MOST_PAIRS, attack.min_records, encodings)
    sizes = [min(len(pair.first), len(pair.second)) for pair in made]
    found = [
        next((pair for pair, size in zip(made, sizes, strict=True) if size >= least), None)
        for least in (attack.min_records, max(1, attack.min_records))
    ]
    return tuple(pair for pair in found if pair is not None)


def _draw_first_outputs(source: Drawing, pairs: Sequence[Pair], runs: int) -> tuple[Pair, Runs]:
    """The first pair on which nothing fails, and its runs."""
    for place, pair in enumerate(pairs):
        few = source.runs("check", pair, NUMBER + place, FEW)
        if all(shape.kind not in ("raised", "ended") for shape in few.outcomes.shapes):
            return pair, source.runs("check", pair, NUMBER + place, runs - len(pairs) * FEW, 2)
    raise LeftOut("no run gave an output")


def _judge_freshness(
    runs: Runs,
    pair: Pair,
    box: Any,
    guarantee: Guarantee,
    seed: int,
    error: float,
    shown: Shown | None,
) -> Finding:
    codes = runs.outcomes.codes()
    first, second = codes[~runs.coins], codes[runs.coins]
    problems = []
    steady = len(np.unique(first)) == 1 and len(np.unique(second)) == 1
    differ = steady and first[0] != second[0]
    if differ and p_value(_test(runs, codes, first[0], second[0]), guarantee) <= error / 2:
        problems.append(
            f"there is none: {len(first)} and {len(second)} runs gave one output on each of two "
            "neighbours, not the same on both"
        )
    looked = f"{len(codes)} runs on two neighbours"
    count = _count_enough_afresh(first, error / 4)
    if isinstance(box, IsolatedBox) and not steady and count is not None:
        looked += f", and {count} runs in each of two new processes"
        if _equal_afresh(box, pair, count, seed):
            problems.append(
                f"two new processes gave the same {count} outputs one after the other, though "
                "they were handed other random numbers: a seed is fixed"
            )
    return freshness_finding(problems, error, looked, "", shown if differ and problems else None)


def _test(runs: Runs, codes: NDArray[np.uint64], first: np.uint64, second: np.uint64) -> Guesses:
    """How often the output that came first on a database tells it in the second half of runs."""
    half = len(codes) // 2
    right = int(np.count_nonzero(np.where(runs.coins, second, first)[half:] == codes[half:]))
    made = len(codes) - half
    return Guesses(made, right, made - right)


def _count_enough_afresh(codes: NDArray[np.uint64], error: float) -> int | None:
    """How many runs two honest processes have in common with a chance of at most 2·error.

    By the largest chance, at ``error``, that two runs are equal, of runs that were paired off. None
    where they are equal too often.
    """
    pairs = len(codes) // 2
    equal = int(np.count_nonzero(codes[: 2 * pairs : 2] == codes[1 : 2 * pairs : 2]))
    if equal == pairs:
        return None
    chance = float(beta.isf(error, equal + 1, pairs - equal))
    count = max(8, math.ceil(math.log(error) / math.log(chance)))
    return count if count <= MOST_AFRESH else None


def _equal_afresh(box: IsolatedBox, pair: Pair, count: int, seed: int) -> bool:
    coins = np.zeros(count, np.bool_)
    numbers = np.random.SeedSequence([seed, NUMBER]).generate_state(2, np.uint64).tolist()
    one, other = (box.draw_afresh(pair, coins, number).codes() for number in numbers)
    return bool(np.array_equal(one, other))


def _are_fractions(runs: Runs) -> bool:
    """Whether all outputs are numbers, some of them no whole ones."""
    outcomes = runs.outcomes
    if [shape.kind for shape in outcomes.shapes] != ["numbers"]:
        return False
    rows = np.asarray(outcomes.blocks[0])[:, :COORDINATES]
    return bool(rows.size and np.all(np.isfinite(rows)) and np.any(rows != np.round(rows)))


def _judge_low_bits(runs: Runs, guarantee: Guarantee, error: float, shown: Shown | None) -> Finding:
    rows = np.asarray(runs.outcomes.blocks[0])[runs.outcomes.places()][:, :COORDINATES]
    half = len(rows) // 2
    learned, coins = rows[:half], runs.coins[:half]
    found: list[Leak] = [
        leak_beyond(
            learned[~coins, place],
            learned[coins, place],
            rows[half:, place],
            runs.coins[half:],
            guarantee,
            error / rows.shape[1],
        )
        for place in range(rows.shape[1])
    ]
    return low_bits_finding(found, guarantee, error, len(rows), shown)


def _find_declared_law(
    subject: BlackBoxSubject, exposed: Exposed, pair: Pair, attack: Attack, error: float
) -> Iterator[Finding]:
    """The findings about the law that a subject states of the noise on its only query."""
    if len(exposed.queries) != 1:
        raise LeftOut("its noise is stated, but not the one query that it is added to")
    (name,) = exposed.queries
    query = query_of(subject, name)
    truths: list[Any] = []
    for database in (pair.first, pair.second):
        found = query.answer(database)
        if not isinstance(found, Answer):
            raise LeftOut(f"its query {name} gave no number ({found.why})")
        numbers = [float(number) for number in found.numbers]
        truths.append(numbers if len(numbers) > 1 else numbers[0])
    if truths[0] == truths[1]:
        raise LeftOut(f"its query {name} has one answer on both databases that were looked at")
    draws = min(RUNS, attack.runs_beside // 2)
    outputs = [
        _outputs(subject.box, Pair(database, database), attack.seed, place, draws + 2)
        for place, database in enumerate((pair.first, pair.second))
    ]

    def mechanism(value: Any, rng: np.random.Generator) -> Any:
        return next(outputs[truths.index(value)])

    stated = StatedMechanism(subject.name, mechanism, exposed.noise or "", (truths[0], truths[1]))
    # What is drawn elsewhere sets no generator of this process; that it is fresh was looked at.
    left_out = ("global generators", "fresh noise")
    for finding in examine_mechanism(stated, seed=attack.seed, draws=draws, error=error):
        if finding.about not in left_out:
            yield finding


def _outputs(box: Any, pair: Pair, seed: int, place: int, runs: int) -> Iterator[Any]:
    """Outputs on a database, one by one: numbers, or a number where there is one."""
    boxed: BlackBox = box
    for block in range(-(-runs // boxed.block)):
        _, own = Seeds(seed).block("check", NUMBER + 2 + place, block)
        size = min(boxed.block, runs - block * boxed.block)
        outcomes = boxed.draw(pair, np.zeros(size, np.bool_), own)
        if [shape.kind for shape in outcomes.shapes] != ["numbers"]:
            raise ProtocolError("its outputs are no numbers, so that they have no stated noise")
        for row in np.asarray(outcomes.blocks[0]):
            yield row if len(row) > 1 else float(row[0])
