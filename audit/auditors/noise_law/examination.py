"""The examination of noise: all checks of a sampler, or of a mechanism that adds noise.

**Guarantee**: an honest subject is accused by any finding with probability at most ``error`` in
all: each check has a fixed share, and keeps it at finite numbers of draws. Honest is: draws are
independent, of the declared law, on the reals or rounded by a fixed rule to a lattice (or a
floating-point format) that does not depend on the true value. Backed by
``tests/audit/auditors/noise_law/test_noise_examination.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.noise_law.findings import (
    dependence_finding,
    entropy_finding,
    freshness_finding,
    global_state_finding,
    lattice_finding,
    scale_finding,
    shape_finding,
    support_finding,
)
from audit.auditors.noise_law.fit import LARGEST_FACTOR, Blur
from audit.auditors.noise_law.freshness import Sign, between, likeliest, repeats, serial
from audit.auditors.noise_law.lattice import ULPS, leak, precision, spacing, ulps
from audit.auditors.noise_law.laws import FloatArray, NoiseLaw, upto
from audit.auditors.noise_law.seeds import count_draws, equal_afresh, reseeds
from audit.auditors.noise_law.subjects import (
    StatedMechanism,
    StatedNoise,
    Value,
    is_scalar,
    outputs,
    sampler,
)
from audit.statements.finding import Finding, Shown
from audit.subjects.function import generator
from audit.subjects.isolated import IsolatedBox
from synthesizers.errors import InputError
from synthesizers.plain import is_integer

ERROR = 1e-6
"""The chance of accusing an honest subject, in all (that of REFUTED)."""

DRAWS = 200_000
"""Draws of a sampler (a Laplace scale that is wrong by 2 % is found)."""

RUNS = 50_000
"""Runs of a mechanism on each value (a second where a run takes 5 µs)."""

SHARES = {"scale": 0.3, "shape": 0.3, "dependence": 0.1, "entropy": 0.1, "fresh": 0.1, "leak": 0.1}
"""Of the error."""

CALLS = 2000
"""Separate calls of a sampler that are compared (a seed of 16 bits then
comes back some 30 times)."""

CALL_NATS = 28.0
"""How unlikely it is at least that two calls are equal, as -ln."""

MOST_PER_CALL = 64
"""Draws of such a call; laws that need more are not looked at so."""

LEARNED = 2000
"""Draws that only tell the lattice of the others."""

COORDINATES = 16
"""Numbers of an output of which all pairs are compared, the first ones (120 pairs)."""

FRESH_A, FRESH_B, LEARN, MAIN, RANKS, MANY, GLOBAL, COINS, AFRESH_A, AFRESH_B = range(10)
"""What random numbers are for."""


def examine(
    stated: StatedNoise, *, seed: int = 0, draws: int = DRAWS, error: float = ERROR
) -> tuple[Finding, ...]:
    """All findings about a sampler: fresh noise, support, law, scale, dependence, entropy.

    ``seed``: of the generators that the sampler is handed, so that findings about a sampler that
    uses no other repeat exactly. ``draws``: of which the law is tested. ``error``: the chance of
    accusing an honest sampler, in all. Raises InputError for parameters, ProtocolError where the
    sampler does not return its draws.
    """
    _check(seed, draws, error)
    law, name = stated.law, stated.name
    draw = sampler(name, stated.sample)
    again = _replay("examine", "StatedNoise", name, stated.sample, law, "", seed, draws, error)
    # Before anything can leave a state behind.
    box = _box(name, stated.sample, "SamplerAfresh", "sampler")
    learned = draw(generator(seed, LEARN), min(LEARNED, draws))
    step = _coarse(learned)
    fresh = _sampler_freshness(draw, box, law, step, seed, error * SHARES["fresh"], again)
    reseeded = reseeds(lambda: draw(generator(seed, GLOBAL), 2))
    found = [fresh, global_state_finding(reseeded, again)]
    tested = draw(generator(seed, MAIN), draws)
    off = _off(np.concatenate([learned, tested]), law)
    found.append(support_finding(np.concatenate([learned, tested]), off, law, "", again))
    if off:
        return tuple(found)
    found += _law_findings(tested, learned, law, error, "", again)
    calls = None if is_scalar(stated.sample) else _calls(draw, law, learned, seed)
    return (*found, *_sampler_dependence(tested, calls, learned, law, seed, error, again))


def _check(seed: int, draws: int, error: float) -> None:
    for what, number, least in (("the seed", seed, 0), ("draws", draws, 1)):
        if not is_integer(number) or number < least:
            raise InputError(f"{what} must be a whole number of at least {least}, found {number!r}")
    if not isinstance(error, int | float) or not 0 < error < 1:
        raise InputError(f"the error must lie strictly between 0 and 1, found {error!r}")


def _off(draws: FloatArray, law: NoiseLaw) -> int:
    """How many draws are not in the support of any law of this kind."""
    finite = np.isfinite(draws)
    if law.discrete:
        finite &= draws == np.round(draws)
    return int(np.count_nonzero(~finite))


def _law_findings(
    draws: FloatArray, learned: FloatArray, law: NoiseLaw, error: float, where: str, again: str
) -> Iterator[Finding]:
    blur = Blur() if law.discrete else _blur(learned[:, None], np.zeros(1), 2 * ulps(draws), law)
    yield scale_finding(draws, law, blur, error * SHARES["scale"], where, again)
    yield shape_finding(draws, law, blur, error * SHARES["shape"], where, again)


def _blur(outputs: FloatArray, values: FloatArray, rounding: float, law: NoiseLaw) -> Blur:
    """How far noise may lie from outputs [n, d] less their values [d]."""
    steps = []
    for column, value in zip(outputs.T, values, strict=True):
        step = spacing(column)
        multiples = (column - value) / step
        # A value off the lattice of its outputs was rounded to it, as well as the noise.
        steps.append(step if np.allclose(multiples, np.round(multiples), 0, 1e-6) else 2 * step)
    relative = 2.0 ** (1 - min(map(precision, outputs.T)))
    largest = relative * float(np.max(abs(values)))
    # Nothing is left to be compared of a law that is rounded by so much.
    return Blur(
        min(max(*steps, largest) + rounding, LARGEST_FACTOR * law.scale),
        relative,
    )


def _coarse(draws: FloatArray) -> float:
    """The step of the lattice that draws show; 0 where they are all equal, which shows none."""
    found = spacing(draws[np.isfinite(draws)])
    return found if math.isfinite(found) else 0.0


def _sampler_freshness(
    draw: Callable[[np.random.Generator, int], FloatArray],
    box: IsolatedBox | None,
    law: NoiseLaw,
    step: float,
    seed: int,
    error: float,
    again: str,
) -> Finding:
    count = count_draws(law, error / 2, step)
    if count is None:
        covers = "nothing: honest runs of this law are equal too often"
        return freshness_finding((), error, covers, again)
    problems = []
    first, second = (draw(generator(seed, purpose), count) for purpose in (FRESH_A, FRESH_B))
    if np.array_equal(first, second, equal_nan=True):
        problems.append(f"two runs give the same {count} draws")
    if box is not None and equal_afresh(box, None, count, _two_seeds(seed)):
        problems.append(f"two fresh interpreters give the same {count} draws")
    return freshness_finding(problems, error, _fresh_covers("two runs", box), again)


def _fresh_covers(runs: str, box: IsolatedBox | None) -> str:
    if box is None:
        return f"{runs} in one process; name it as module:function to look at fresh interpreters"
    return f"{runs} in one process, and two fresh interpreters"


def _two_seeds(seed: int) -> list[int]:
    return [int(generator(seed, purpose).integers(2**32)) for purpose in (AFRESH_A, AFRESH_B)]


def _calls(
    draw: Callable[[np.random.Generator, int], FloatArray],
    law: NoiseLaw,
    learned: FloatArray,
    seed: int,
) -> tuple[FloatArray, float] | None:
    """Separate calls [calls, m], and the most that the chance of any one result can be."""
    chance = likeliest(law, learned)
    if chance >= 1:
        return None
    length = math.ceil(CALL_NATS / -math.log(chance))
    if length > MOST_PER_CALL:
        return None
    rng = generator(seed, MANY)
    rows = np.array([draw(rng, length) for _ in range(CALLS)])
    return rows, likeliest(law, rows.ravel()) ** length


def _sampler_dependence(
    draws: FloatArray,
    calls: tuple[FloatArray, float] | None,
    learned: FloatArray,
    law: NoiseLaw,
    seed: int,
    error: float,
    again: str,
) -> tuple[Finding, Finding]:
    share = error * SHARES["dependence"] / 2
    signs = [serial(draws, generator(seed, RANKS, 0), share)]
    repeated = [("draws", repeats(draws, likeliest(law, draws), error * SHARES["entropy"] / 2))]
    looked = f"the first {min(len(draws), 20_000)} draws of one call"
    counted = f"{len(draws)} draws of one call"
    if calls is not None:
        rows, chance = calls
        signs.append(serial(rows[:, 0], generator(seed, RANKS, 1), share))
        repeated.append(("calls", repeats(rows, chance, error * SHARES["entropy"] / 2)))
        looked += f", and the first draws of {len(rows)} calls"
        counted += f", and {len(rows)} calls of {rows.shape[1]} draws"
    return (
        dependence_finding(signs, error * SHARES["dependence"], looked, again),
        entropy_finding(repeated, error * SHARES["entropy"], counted, again),
    )


def examine_mechanism(
    stated: StatedMechanism, *, seed: int = 0, draws: int = RUNS, error: float = ERROR
) -> tuple[Finding, ...]:
    """All findings about a mechanism's noise: those of `examine`, and what outputs tell.

    ``draws``: runs on each value, in turn. The noise is output less value. Of an output of
    several numbers each has noise of its own; none of it may come back in another number, or in
    the run on another value. Raises InputError for parameters, ProtocolError where the mechanism
    does not return its numbers.
    """
    _check(seed, draws, error)
    law, name, values = stated.law, stated.name, stated.compared
    spelled = ", ".join(repr(_plain(value)) for value in values)
    again = _replay(
        "examine_mechanism",
        "StatedMechanism",
        name,
        stated.mechanism,
        law,
        f", ({spelled})",
        seed,
        draws,
        error,
    )
    runs = [outputs(name, stated.mechanism, value) for value in values]
    box = _box(name, stated.mechanism, "MechanismAfresh", "mechanism")
    afresh = _afresh(box, values[0], law, seed, error * SHARES["fresh"] / 2)
    rng = generator(seed, GLOBAL)
    reseeded = reseeds(lambda: runs[0](rng))
    tables = _in_turn(runs, generator(seed, MAIN), draws)
    share = error * SHARES["fresh"] / (2 * len(values))
    found = [
        _mechanism_freshness(tables, values, afresh, box, law, share, again),
        global_state_finding(reseeded, again),
    ]
    noise = [_noise(table, value, law) for table, value in zip(tables, values, strict=True)]
    off = sum(_off(part.ravel(), law) for part in noise)
    found.append(support_finding(np.concatenate(noise).ravel(), off, law, _at(values), again))
    if off:
        return tuple(found)
    for part, table, value in zip(noise, tables, values, strict=True):
        found += _mechanism_law(part, table, law, value, error / len(values), again)
    return (
        *found,
        _mechanism_dependence(noise, tables, law, seed, error * SHARES["dependence"], again),
        _mechanism_entropy(tables, values, law, error * SHARES["entropy"], again),
        _mechanism_leaks(tables, values, law, seed, error * SHARES["leak"], again),
    )


def _in_turn(
    runs: Sequence[Callable[[np.random.Generator], FloatArray]],
    rng: np.random.Generator,
    draws: int,
) -> list[FloatArray]:
    """[draws, d] of each value, whose runs take turns."""
    rows: list[list[FloatArray]] = [[] for _ in runs]
    for _ in range(draws):
        for run, mine in zip(runs, rows, strict=True):
            mine.append(run(rng))
    return [np.array(mine) for mine in rows]


def _noise(table: FloatArray, value: Value, law: NoiseLaw) -> FloatArray:
    """Outputs less the value; where the law is on the integers, rid of rounding errors."""
    truth = np.asarray(value, np.float64)
    noise: FloatArray = table - truth
    if not law.discrete:
        return noise
    near = np.round(noise)
    close = abs(noise - near) <= ULPS * np.spacing(abs(table) + abs(truth))
    return np.where(close, near, noise)


def _at(values: Sequence[Value]) -> str:
    return f" at {len(values)} values"


def _plain(value: Value) -> Any:
    return np.asarray(value).tolist()


def _afresh(box: IsolatedBox | None, value: Value, law: NoiseLaw, seed: int, error: float) -> bool:
    count = count_draws(law, error)
    if box is None or count is None:
        return False
    return equal_afresh(box, _plain(value), count, _two_seeds(seed))


def _mechanism_freshness(
    tables: Sequence[FloatArray],
    values: Sequence[Value],
    afresh: bool,
    box: IsolatedBox | None,
    law: NoiseLaw,
    error: float,
    again: str,
) -> Finding:
    # Rounding may be coarse: of equal outputs, as likely as noise within a step of the lattice.
    steps = [spacing(column) for column in np.concatenate(tables).T]
    chance = law.peak if law.discrete else max(_within(law, step) for step in steps)
    problems = [
        f"the noise of a value is fixed: {len(table)} runs on {_plain(value)} give one output"
        for table, value in zip(tables, values, strict=True)
        if np.all(table == table[0]) and chance ** (len(table) - 1) <= error
    ]
    if afresh:
        problems.append("two fresh interpreters give the same outputs")
    covers = _fresh_covers(f"{len(tables[0])} runs on each value", box)
    return freshness_finding(problems, 2 * error * len(values), covers, again)


def _within(law: NoiseLaw, step: float) -> float:
    """The chance of noise within a step of the law's centre, on either side."""
    centre = law.centre
    return float(1 - law.above(centre + step) - upto(law, centre - step))


def _mechanism_law(
    noise: FloatArray, table: FloatArray, law: NoiseLaw, value: Value, error: float, again: str
) -> Iterator[Finding]:
    """Of each run one number, in turn: they are independent even where an output's are not."""
    runs = np.arange(len(noise))
    draws = noise[runs, runs % noise.shape[1]]
    where = f" at the value {_plain(value)}"
    blur = Blur()
    if not law.discrete:
        learned = max(1, min(LEARNED, len(draws) // 10))
        # Outputs lie on a lattice; the values that are taken off need not.
        blur = _blur(
            table[:learned], np.atleast_1d(np.asarray(value, np.float64)), 2 * ulps(table), law
        )
        draws = draws[learned:] if len(draws) > learned else draws
    yield scale_finding(draws, law, blur, error * SHARES["scale"], where, again)
    yield shape_finding(draws, law, blur, error * SHARES["shape"], where, again)


def _mechanism_dependence(
    noise: Sequence[FloatArray],
    tables: Sequence[FloatArray],
    law: NoiseLaw,
    seed: int,
    error: float,
    again: str,
) -> Finding:
    rounding = 0.0 if law.discrete else 2 * max(map(ulps, tables))
    columns = [
        (f"number {place + 1} at value {number + 1}", part[:, place])
        for number, part in enumerate(noise)
        for place in range(min(part.shape[1], COORDINATES))
    ]
    pairs = list(combinations(columns, 2))
    share = error / (len(pairs) + len(noise))
    signs = [
        serial(part[:, 0], generator(seed, RANKS, number), share)
        for number, part in enumerate(noise)
    ]
    for (first, one), (second, two) in pairs:
        sign = between(one, two, law, rounding, share)
        signs.append(Sign(f"noise of {first} and of {second}: {sign.words}", sign.ratio))
    covers = f"{len(noise[0])} runs on each value; {len(pairs)} pairs of numbers of an output"
    if noise[0].shape[1] > COORDINATES:
        covers += f", the first {COORDINATES} of {noise[0].shape[1]}"
    return dependence_finding(signs, error, covers, again)


def _mechanism_entropy(
    tables: Sequence[FloatArray], values: Sequence[Value], law: NoiseLaw, error: float, again: str
) -> Finding:
    found = []
    for table, value in zip(tables, values, strict=True):
        truth = np.atleast_1d(np.asarray(value, np.float64))
        chances = [
            likeliest(law, column, float(v)) for column, v in zip(table.T, truth, strict=True)
        ]
        found.append(("outputs", repeats(table, math.prod(chances), error / len(tables))))
    return entropy_finding(found, error, f"{len(tables[0])} runs on each value", again)


def _mechanism_leaks(
    tables: Sequence[FloatArray],
    values: Sequence[Value],
    law: NoiseLaw,
    seed: int,
    error: float,
    again: str,
) -> Finding:
    """Each number of the output by itself, where the two values differ in it."""
    truths = [np.atleast_1d(np.asarray(value, np.float64)) for value in values]
    cases = [
        (first, second, place)
        for first, second in combinations(range(len(values)), 2)
        for place in range(min(len(truths[0]), COORDINATES))
        if truths[first][place] != truths[second][place]
    ]
    coins: NDArray[np.bool_] = generator(seed, COINS).integers(2, size=len(tables[0])).astype(bool)
    leaks = []
    for first, second, place in cases:
        pair = (float(truths[first][place]), float(truths[second][place]))
        columns = (tables[first][:, place], tables[second][:, place])
        found = leak(*columns, law, pair, coins, error / len(cases))
        if found is not None:
            leaks.append((Shown(_plain(values[first]), _plain(values[second])), found))
    covers = f"{len(tables[0])} runs on each value, half of them to choose what is looked at"
    return lattice_finding(leaks, error, covers, again)


def _box(name: str, subject: object, wrapper: str, parameter: str) -> IsolatedBox | None:
    """A process in which the subject is found by its name; None where it has none."""
    if not isinstance(subject, str):
        return None
    return IsolatedBox(
        name, f"audit.auditors.noise_law.seeds:{wrapper}", "batch", {parameter: subject}
    )


def _replay(
    function: str,
    kind: str,
    name: str,
    subject: object,
    law: NoiseLaw,
    values: str,
    seed: int,
    draws: int,
    error: float,
) -> str:
    what = repr(subject) if isinstance(subject, str) else "…"
    return (
        f"from audit.auditors.noise_law import {kind}, {function}\n"
        f"{function}({kind}({name!r}, {what}, {law.text!r}{values}), "
        f"seed={seed}, draws={draws}, error={error:g})"
    )
