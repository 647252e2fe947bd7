"""Whether a synthesizer's error falls to its limit as ε grows, and not before.

Bowen & Snoke (Comparative Study of Differentially Private Synthetic Data Algorithms and Evaluation
Standards, section 5) ask for a wide range of ε: "algorithms which do not eventually asymptote at
maximal accuracy as privacy-loss goes to infinity are inherently flawed". What is seen is compared
with a table that knows nothing but the domain, and with plain resamples of the real one.

**Guarantee**: a family is accused with probability at most ``error`` in all where (1) errors of a
larger ε are stochastically at most those of a smaller one, (2) the first error is near the limit,
or errors fall, as stated at `NEAR` and `FALL`, and (3) the synthesizer of each ε is (ε, δ)-DP. Each
test is exact at any number of replicates. Backed by
``tests/audit/auditors/utility_sanity/test_utility_sanity.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, mannwhitneyu

from audit.auditors.attack.guessing.floors import floor, p_value
from audit.auditors.attack.guessing.guesses import Guesses, chances
from audit.auditors.utility_sanity.family import Family, Loss
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour
from audit.subjects.function import generator
from audit.utility.baselines import uniform_table
from audit.utility.catalogue import metric_named
from audit.utility.metric import Metric
from audit.utility.records import of_dataset
from proofs.guarantees import ApproxDP
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.numerals import number_text
from synthesizers.plain import is_integer, require_rational

GRID = tuple(
    Fraction(text) for text in ("1/100", "3/100", "1/10", "3/10", "1", "3", "10", "30", "100")
)
"""The ε that are looked at (wider than any challenge's)."""

LIMIT_EPSILON = Fraction(10_000)
"""What stands for an infinite ε (a thousand questions get 10 each)."""

REPLICATES = 60
"""Runs of each ε (a sign test at 10^-7 then needs 51 of them)."""

ERROR = 1e-6
"""The chance of accusing an honest family, in all (that of REFUTED)."""

MARGIN = 0.02
"""An error that grows by less is let pass, as a share of the span between a table that knows
nothing and the limit (clamping and rounding move errors by about 1 %)."""

NEAR = 0.25
"""An error this near to the limit, as a share of the span, need not fall."""

FALL = 0.1
"""By how much of the span an error must fall that is not near."""

TINY = 1
"""The ε at which any two tables of the real one's size must look alike, times their distance
(guesses of which is right in at most 73 % of cases)."""

SHARES = {"monotone": 0.4, "improves": 0.2, "tiny": 0.4}
"""Of the error."""

RUNS, UNIFORM, RESAMPLED, TIES, NOISELESS = range(5)
"""What random numbers are for."""


@dataclass(frozen=True)
class Measured:
    """Errors [replicates] of the runs of one ε."""

    epsilon: Fraction
    errors: NDArray[np.float64]

    @property
    def words(self) -> str:
        """Such as "0.12 at epsilon 0.1"."""
        return f"{np.median(self.errors):.4g} at epsilon {number_text(self.epsilon)}"


def examine(
    family: Family,
    dataset: Dataset,
    *,
    metric: str | Metric = "total-variation",
    grid: Sequence[Fraction] = GRID,
    replicates: int = REPLICATES,
    limit: float | None = None,
    seed: int = 0,
    error: float = ERROR,
) -> tuple[Finding, ...]:
    """Three findings: error that grows with ε, error that never falls, error that needs no ε.

    ``metric``: any of `audit.utility.catalogue`, by name or with parameters. ``grid``: increasing.
    ``limit``: the declared error (the score, where lower is better, or minus the score) of the
    synthesizer without noise; by default that of resamples of the real table, with replacement.
    Raises InputError for parameters that do not fit, ProtocolError where the synthesizer fails.
    """
    chosen = metric_named(metric) if isinstance(metric, str) else metric
    chosen.check(dataset.domain)
    values = _check(grid, replicates, error, seed, dataset)
    loss = Loss(chosen, dataset.domain)
    measured = [
        _measure(family, dataset, loss, epsilon, replicates, seed, place)
        for place, epsilon in enumerate((*values, LIMIT_EPSILON))
    ]
    uniform, resampled = _bounds(dataset, loss, replicates, seed)
    best = float(np.median(resampled)) if limit is None else limit
    span = float(np.median(uniform)) - best
    covers = (
        f"{chosen.name}, {len(values)} values of epsilon from {number_text(values[0])} to "
        f"{number_text(values[-1])} and {LIMIT_EPSILON} as the limit, {replicates} runs each; "
        f"{np.median(uniform):.4g} of a table that knows only the domain, {best:.4g} in the limit"
    )
    again = (
        "from audit.auditors.utility_sanity import Family, examine\n"
        f"examine(Family({family.name!r}, …), dataset, metric={chosen.name!r}, "
        f"grid={[number_text(value) for value in values]}, replicates={replicates}, seed={seed}, "
        f"error={error:g})"
    )
    return (
        _monotone(measured, span, error * SHARES["monotone"], seed, covers, again),
        _improves(measured, best, span, error * SHARES["improves"], seed, covers, again),
        _tiny(family, dataset, loss, replicates, error * SHARES["tiny"], seed, again),
    )


def _check(
    grid: Sequence[Fraction], replicates: int, error: float, seed: int, dataset: Dataset
) -> list[Fraction]:
    values = [require_rational(value, "epsilon of the grid") for value in grid]
    if len(values) < 2 or values[0] <= 0 or any(b <= a for a, b in pairwise(values)):
        raise InputError("the grid must be two or more increasing values of epsilon above 0")
    if values[-1] >= LIMIT_EPSILON:
        raise InputError(f"the grid must end below {LIMIT_EPSILON}, which stands for the limit")
    if not is_integer(replicates) or replicates < 2:
        raise InputError("replicates must be a whole number of at least 2")
    if not is_integer(seed) or seed < 0:
        raise InputError("the seed must be a whole number of at least 0")
    if not 0 < error < 1:
        raise InputError(f"the error must lie strictly between 0 and 1, found {error!r}")
    if not dataset.records:
        raise InputError("the table must have at least one record")
    return values


def _measure(
    family: Family,
    dataset: Dataset,
    loss: Loss,
    epsilon: Fraction,
    replicates: int,
    seed: int,
    place: int,
) -> Measured:
    once = family.at(epsilon)
    errors = [
        loss(dataset, once(dataset, generator(seed, RUNS, place, replicate)))
        for replicate in range(replicates)
    ]
    return Measured(epsilon, np.array(errors))


def _bounds(
    dataset: Dataset, loss: Loss, replicates: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Errors of tables that know only the domain, and of resamples of the real table."""
    real = of_dataset(dataset)
    uniform = [
        loss(dataset, uniform_table(real, dataset.records, seed + replicate))
        for replicate in range(replicates)
    ]
    rng = generator(seed, RESAMPLED)
    rows = rng.integers(dataset.records, size=(replicates, dataset.records))
    resampled = [loss(dataset, Dataset(dataset.domain, dataset.codes[chosen])) for chosen in rows]
    return np.array(uniform), np.array(resampled)


def exceeds(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    rng: np.random.Generator,
) -> float:
    """The p-value of: draws of ``first`` are stochastically at most those of ``second``.

    Guarantee
    ---------
    At most x with probability at most x, for any two laws so ordered: Mann & Whitney's (1947) test
    by its exact law, ties broken at random. Larger firsts only raise the statistic, so that equal
    laws are the worst case. Backed by
    ``tests/audit/auditors/utility_sanity/test_utility_sanity.py``.
    """
    both = np.concatenate([first, second])
    ranks = np.empty(len(both))
    ranks[np.lexsort((rng.random(len(both)), both))] = np.arange(len(both))
    split = len(first)
    found = mannwhitneyu(ranks[:split], ranks[split:], alternative="greater", method="exact")
    return float(found.pvalue)


def _monotone(
    measured: Sequence[Measured], span: float, error: float, seed: int, covers: str, again: str
) -> Finding:
    pairs = list(combinations(measured, 2))
    rng = generator(seed, TIES, 0)
    margin = MARGIN * max(span, 0.0)
    found = [(exceeds(b.errors - margin, a.errors, rng), a, b) for a, b in pairs]
    chance, low, high = min(found, key=lambda one: one[0])
    violated = chance <= error / len(pairs)
    words = f"{low.words}, but {high.words}" if violated else "no growth"
    return _finding(
        "error as epsilon grows", violated, "error does not grow", words, covers, again, error
    )


def _improves(
    measured: Sequence[Measured],
    best: float,
    span: float,
    error: float,
    seed: int,
    covers: str,
    again: str,
) -> Finding:
    start, end = measured[0], measured[-1]
    declared = f"error falls by {FALL:.0%} of the span, or starts near its limit"
    if not span > 0:
        words = "not looked at: a table that knows only the domain is as good as the limit"
        return _finding("error in the limit", False, declared, words, covers, again, error)
    # Both must be rejected, so that each may have the whole error.
    far = int(np.count_nonzero(start.errors > best + NEAR * span))
    starts_far = float(binom.sf(far - 1, len(start.errors), 0.5))
    stays = exceeds(end.errors + FALL * span, start.errors, generator(seed, TIES, 1))
    violated = max(starts_far, stays) <= error
    return _finding(
        "error in the limit",
        violated,
        declared,
        f"{start.words}, {end.words}",
        covers,
        again,
        error,
    )


def _tiny(
    family: Family,
    dataset: Dataset,
    loss: Loss,
    replicates: int,
    error: float,
    seed: int,
    again: str,
) -> Finding:
    """Whether the data are seen at an ε so small that any table must give nearly the same."""
    distance = 2 * dataset.records
    epsilon = Fraction(TINY, distance)
    # Group privacy (Dwork & Roth 2014, Theorem 2.2; Vadhan 2017, Lemma 2.2).
    delta = family.delta * distance * Fraction(math.ceil(math.exp(TINY) * 1000), 1000)
    declared = f"a loss of at most {TINY} between tables {distance} steps apart"
    about = f"error at epsilon {number_text(epsilon)}"
    if delta >= 1:
        words = "not looked at: delta is too large for tables so far apart"
        return _finding(about, False, declared, words, "nothing", again, error)
    claim = ApproxDP(Fraction(TINY), delta)
    shape = np.array(dataset.domain.shape)
    other = Dataset(dataset.domain, (dataset.codes + 1) % shape)
    once = family.at(epsilon)
    coins = generator(seed, NOISELESS).integers(2, size=2 * replicates).astype(bool)
    right = wrong = 0
    for place, coin in enumerate(coins.tolist()):
        output = once(other if coin else dataset, generator(seed, NOISELESS, place))
        errors = loss(dataset, output), loss(other, output)
        if errors[0] != errors[1]:
            hit = (errors[1] < errors[0]) == coin
            right, wrong = right + hit, wrong + (not hit)
    guesses = Guesses(len(coins), right, wrong)
    violated = p_value(guesses, claim) <= error
    least = floor(chances(guesses, error, delta > 0), claim)
    words = "no more than that"
    if violated:
        words = f"a loss of at least {least:.4g}: its output is nearer to the table it was made of"
        words += f" than to a relabelled one in {right} of {right + wrong} runs"
    covers = f"{len(coins)} runs on the table and on it with every value replaced by the next one"
    return _finding(about, violated, declared, words, covers, again, error)


def _finding(
    about: str, violated: bool, declared: str, found: str, covers: str, replay: str, error: float
) -> Finding:
    return Finding(
        auditor="utility sanity",
        about=about,
        decision=Decision.of_declaration(violated),
        declared=declared,
        found=found,
        rigour=Rigour.STATISTICAL,
        covers=covers,
        again=replay,
        error=error,
    )
