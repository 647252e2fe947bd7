"""Small mechanisms with all their chances, and what is exact about them.

Chances are worked out here at 50 digits, from the plain data of queries and laws, apart from the
package: a table holds those of every output under every database of a small domain. A guarantee is
compared with the table's own divergences between all neighbours, both ways. Doubles find the
neighbours that differ most, and 50 digits decide there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, reduce
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from synthesizers.neighbours import Neighbours
from tests.synthesizers.brute_force import neighbours_by_persons, vectors

F = Fraction
Counts = tuple[int, ...]
Shape = Mapping[str, int]
wide = mpmath.MPContext()
wide.dps = 50
"""mpmath at 50 digits, whatever precision other tests set."""

TINY = wide.mpf(10) ** -40
"""What 50 digits may be wrong by after some hundred operations."""


def mp(value: Fraction | int) -> mpmath.mpf:
    """A rational as mpmath's number."""
    exact = Fraction(value)
    return wide.mpf(exact.numerator) / exact.denominator


def above(value: mpmath.mpf, places: int = 40) -> Fraction:
    """A decimal of so many places, a unit or less above the value."""
    return Fraction(int(wide.ceil(value * wide.mpf(10) ** places)), 10**places)


# Databases and their neighbours.


@cache
def all_databases(public: bool, cells: int, records: int) -> tuple[Counts, ...]:
    """The histograms of ``records`` records where their number is public, else of 0 to so many."""
    listed = vectors(cells, records)
    return tuple(counts for counts in listed if not public or sum(counts) == records)


@cache
def directed_pairs(relation: Neighbours, databases: tuple[Counts, ...]) -> NDArray[np.int64]:
    """The numbers of all neighbours, each pair both ways, [pairs, 2]."""
    numbered = list(enumerate(databases))
    found = [
        (i, j)
        for (i, left), (j, right) in itertools.product(numbered, numbered)
        if i != j and neighbours_by_persons(relation, left, right)
    ]
    return np.array(found, np.int64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class Table:
    """Pr[output | database]: ``rows`` [databases, outputs] of mpmath's numbers."""

    databases: tuple[Counts, ...]
    rows: NDArray[np.object_]

    def __post_init__(self) -> None:
        assert all(abs(wide.fsum(row) - 1) < TINY for row in self.rows)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The chances as doubles."""
        return self.rows.astype(np.float64)

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return int(self.rows.shape[1])


def table(databases: Sequence[Counts], law: Callable[[Counts], Mapping[Any, Any]]) -> Table:
    """The table of a law that gives each database's chances by output."""
    laws = [law(counts) for counts in databases]
    outputs = list(dict.fromkeys(output for one in laws for output in one))
    rows = [[wide.mpf(0) + one.get(output, 0) for output in outputs] for one in laws]
    return Table(tuple(databases), np.array(rows, dtype=object))


# What is exact between all neighbours.


def _worst(
    found: Table, pairs: NDArray[np.int64], rough: NDArray[np.float64], exact: Callable[..., Any]
) -> mpmath.mpf:
    """``exact`` of the pair for which the doubles of ``rough`` are largest; 0 without pairs."""
    if not len(pairs):
        return wide.mpf(0)
    first, second = pairs[int(np.argmax(rough))]
    return exact(found.rows[first], found.rows[second])


def delta(found: Table, pairs: NDArray[np.int64], epsilon: Fraction) -> mpmath.mpf:
    """The smallest δ at ε: the largest Σ (P - e^ε·Q)⁺."""
    p, q = found.floats[pairs[:, 0]], found.floats[pairs[:, 1]]
    rough = np.maximum(p - math.exp(min(epsilon, 700)) * q, 0).sum(axis=1)
    power = wide.exp(mp(epsilon))
    return _worst(found, pairs, rough, lambda p, q: wide.fsum(d for d in p - power * q if d > 0))


def epsilon(found: Table, pairs: NDArray[np.int64]) -> mpmath.mpf:
    """The smallest pure ε: the largest ln(P/Q), infinity included."""
    p, q = found.floats[pairs[:, 0]], found.floats[pairs[:, 1]]
    with np.errstate(divide="ignore", invalid="ignore"):
        rough = np.where(p == 0, -np.inf, np.log(p) - np.log(q)).max(axis=1, initial=-np.inf)

    def exact(p: Any, q: Any) -> mpmath.mpf:
        chances = [(a, b) for a, b in zip(p, q, strict=True) if a]
        return max(wide.log(a / b) if b else wide.inf for a, b in chances)

    return _worst(found, pairs, rough, exact)


def renyi(found: Table, pairs: NDArray[np.int64], order: Fraction) -> mpmath.mpf:
    """The largest D_α, infinity included."""
    p, q = found.floats[pairs[:, 0]], found.floats[pairs[:, 1]]
    alpha = float(order)
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.where(p == 0, -np.inf, alpha * np.log(p) + (1 - alpha) * np.log(q))
        top = np.minimum(power.max(axis=1, keepdims=True), 1e300)
        rough = top[:, 0] + np.log(np.exp(power - top).sum(axis=1))

    def exact(p: Any, q: Any) -> mpmath.mpf:
        chances = [(a, b) for a, b in zip(p, q, strict=True) if a]
        if not all(b for _, b in chances):
            return wide.inf
        a = mp(order)
        terms = [wide.exp(a * wide.log(x) + (1 - a) * wide.log(y)) for x, y in chances]
        return wide.log(wide.fsum(terms)) / (a - 1)

    return _worst(found, pairs, rough, exact)


def mu(found: Table, pairs: NDArray[np.int64]) -> mpmath.mpf:
    """The smallest μ of Gaussian DP: at the corners of the trade-off curves, where it is least.

    A curve of straight pieces lies above a convex one if its corners do. At the corner that
    rejects the outputs of the largest P/Q, with the sums p and q, μ >= Φ⁻¹(p) - Φ⁻¹(q).
    """
    worst, corner = 0.0, (wide.mpf(1) / 2, wide.mpf(1) / 2)
    for first, second in pairs:
        p, q = found.rows[first], found.rows[second]
        if any(a and not b for a, b in zip(p, q, strict=True)):
            return wide.inf
        ratio = [float(a / b) if b else 0.0 for a, b in zip(p, q, strict=True)]
        order = np.argsort(ratio)[::-1]
        sums = np.stack([np.cumsum(row[order]) for row in (p, q)])
        rough = sums.astype(np.float64)
        inside = (rough > 1e-15).all(axis=0) & (rough < 1 - 1e-15).all(axis=0)
        quantiles = ndtri(np.where(inside, rough, 0.5))
        gaps = quantiles[0] - quantiles[1]
        place = int(np.argmax(gaps))
        if gaps[place] > worst:
            worst, corner = gaps[place], (sums[0, place], sums[1, place])
    return normal_quantile(corner[0]) - normal_quantile(corner[1])


def normal_quantile(chance: mpmath.mpf) -> mpmath.mpf:
    """Φ⁻¹."""
    return wide.sqrt(2) * wide.erfinv(2 * chance - 1)


# Queries.


def answers(query: Mapping[str, Any], shape: Shape, counts: Counts) -> tuple[int, ...]:
    """The true answers of a query's plain data: record by record, as its kind is described."""
    codes = list(itertools.product(*(range(size) for size in shape.values())))
    names = list(shape)
    held = [(dict(zip(names, code, strict=True)), n) for code, n in zip(codes, counts, strict=True)]
    match query["kind"]:
        case "marginal":
            return _marginal(query["attributes"], shape, held)
        case "cell-counts":
            return tuple(counts[cell] for cell in query["cells"])
        case "total":
            return (sum(counts),)
        case "bounded-sum":
            name, low, high = query["attribute"], query["low"], query["high"]
            worth = [max(low, min(high, value)) for value in query["values"]]
            return (sum(n * worth[record[name]] for record, n in held),)
        case "recoded-marginal":
            return _recoded(query, shape, held)
        case "linear":
            cells = _marginal(query["attributes"], shape, held)
            found = [0] * (1 + max(max(layer["rows"]) for layer in query["layers"]))
            for layer in query["layers"]:
                for count, row in zip(cells, layer["rows"], strict=True):
                    if row >= 0:
                        found[row] += layer["weight"] * count
            return tuple(found)
        case "model-error":
            ones = [1] * len(query["models"])
            weights, offsets = query.get("weights", ones), query.get("offsets", [0] * len(ones))
            parts = zip(query["candidates"], query["models"], weights, offsets, strict=True)
            return tuple(
                weight
                * sum(abs(a - b) for a, b in zip(_candidate(one, shape, held), model, strict=True))
                + offset
                for one, model, weight, offset in parts
            )
        case "cell-errors":
            listed = zip(query["marginals"], query["cells"], query["models"], strict=True)
            return tuple(
                abs(query["scale"] * _marginal(names, shape, held)[cell] - number)
                for names, cells, model in listed
                for cell, number in zip(cells, model, strict=True)
            )
        case "table-distances":
            counts = [n for names in query["marginals"] for n in _marginal(names, shape, held)]
            return tuple(
                -sum(abs(query["scale"] * n - own) for n, own in zip(counts, table, strict=True))
                for table in query["models"]
            )
        case "independence-distance":
            return tuple(
                math.floor(query["scale"] * _distance(left, right, shape, held))
                for left, right in query["candidates"]
            )
    raise AssertionError(query)


def _candidate(one: Any, shape: Shape, held: Any) -> tuple[int, ...]:
    return _recoded(one, shape, held) if isinstance(one, dict) else _marginal(one, shape, held)


def _recoded(query: Mapping[str, Any], shape: Shape, held: Any) -> tuple[int, ...]:
    names, groups = query["attributes"], query["groups"]
    kept = [
        ({name: own[record[name]] for name, own in zip(names, groups, strict=True)}, n)
        for record, n in held
    ]
    return _marginal(
        names, {name: max(own) + 1 for name, own in zip(names, groups, strict=True)}, kept
    )


def _distance(left: Sequence[str], right: Sequence[str], shape: Shape, held: Any) -> F:
    n = sum(count for _, count in held)
    sides = itertools.product(_marginal(left, shape, held), _marginal(right, shape, held))
    joint = _marginal([*left, *right], shape, held)
    parts = zip(joint, sides, strict=True)
    return sum((abs(x - F(a * b, n)) for x, (a, b) in parts), F(0)) if n else F(0)


def _marginal(names: Sequence[str], shape: Shape, held: Any) -> tuple[int, ...]:
    cells = itertools.product(*(range(shape[name]) for name in names))
    projected = [(tuple(record[name] for name in names), n) for record, n in held]
    return tuple(sum(n for own, n in projected if own == cell) for cell in cells)


# Laws.


@cache
def mass(law: str, amount: Fraction, value: int) -> mpmath.mpf:
    """The chance of an integer, of noise around 0; ``amount`` is the scale, or the variance."""
    size = abs(value)
    if law == "discrete-laplace":
        ratio = wide.exp(-1 / mp(amount))
        return (1 - ratio) / (1 + ratio) * ratio**size
    if law == "discrete-gaussian":
        return wide.exp(-mp(F(value * value) / (2 * amount))) / _gaussian_total(amount)
    return tail(law, amount, size) - tail(law, amount, size + 1)


@cache
def tail(law: str, amount: Fraction, value: int) -> mpmath.mpf:
    """The chance of that integer or a larger one."""
    if value <= 0:
        return 1 - tail(law, amount, 1 - value)
    match law:
        case "discrete-laplace":
            ratio = wide.exp(-1 / mp(amount))
            return ratio**value / (1 + ratio)
        case "discrete-gaussian":
            return wide.fsum(mass(law, amount, z) for z in range(value, _reach(amount) + value))
        case "rounded-laplace" | "laplace":
            return wide.exp(-mp((value - F(1, 2)) / amount)) / 2
        case "gaussian":
            return wide.erfc(mp(value - F(1, 2)) / wide.sqrt(2 * mp(amount))) / 2
    raise AssertionError(law)


def _reach(variance: Fraction) -> int:
    """e^(-z²/(2·variance)) < 10^-60 beyond."""
    return math.isqrt(math.ceil(280 * variance)) + 2


@cache
def _gaussian_total(variance: Fraction) -> mpmath.mpf:
    reach = _reach(variance)
    weights = (wide.exp(-mp(F(z * z) / (2 * variance))) for z in range(-reach, reach + 1))
    return wide.fsum(weights)


@cache
def clamped(law: str, amount: Fraction, truth: int, low: int, high: int) -> NDArray[np.object_]:
    """The chances of low … high, the tails on the end points; continuous noise is rounded."""
    if low == high:
        return np.array([wide.mpf(1)], dtype=object)
    inside = [mass(law, amount, z - truth) for z in range(low + 1, high)]
    ends = tail(law, amount, truth - low), tail(law, amount, high - truth)
    return np.array([ends[0], *inside, ends[1]], dtype=object)


def outer(rows: Sequence[NDArray[np.object_]]) -> NDArray[np.object_]:
    """The chances of independent outputs together."""
    return reduce(np.multiply.outer, rows).ravel()


def measured(
    query: Mapping[str, Any],
    law: str,
    amount: Fraction,
    bounds: tuple[int, int],
    shape: Shape,
    databases: Sequence[Counts],
) -> Table:
    """Noisy answers, clamped to bounds."""
    rows = [
        outer([clamped(law, amount, truth, *bounds) for truth in answers(query, shape, counts)])
        for counts in databases
    ]
    return Table(tuple(databases), np.array(rows, dtype=object))


def selected(
    query: Mapping[str, Any],
    way: str,
    rate: Fraction,
    shape: Shape,
    databases: Sequence[Counts],
) -> Table:
    """One candidate by its score: "exponential" or "permute-and-flip"."""
    choose = {"exponential": _exponential, "permute-and-flip": _permuted}[way]
    rows = [choose(rate, answers(query, shape, counts)) for counts in databases]
    return Table(tuple(databases), np.array(rows, dtype=object))


def _exponential(rate: Fraction, scores: Sequence[int]) -> list[mpmath.mpf]:
    weights = [wide.exp(mp(rate * (score - max(scores)))) for score in scores]
    return [weight / wide.fsum(weights) for weight in weights]


def _permuted(rate: Fraction, scores: Sequence[int]) -> list[mpmath.mpf]:
    """Every order of the candidates; each is taken with chance e^(rate·(score - best))."""
    keep = [wide.exp(mp(rate * (score - max(scores)))) for score in scores]
    chances = [wide.mpf(0)] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        left = wide.mpf(1) / len(orders)
        for candidate in order:
            chances[candidate] += left * keep[candidate]
            left *= 1 - keep[candidate]
    return chances


def answered(matrix: Sequence[Sequence[Any]], counts: Counts) -> dict[tuple[int, ...], mpmath.mpf]:
    """Each record i becomes j with chance matrix[i][j]; the histogram of what they become."""
    found: dict[tuple[int, ...], Any] = {(0,) * len(matrix[0]): wide.mpf(1)}
    for cell, count in enumerate(counts):
        for _ in range(count):
            more: dict[tuple[int, ...], Any] = {}
            for held, chance in found.items():
                for value, move in enumerate(matrix[cell]):
                    own = (*held[:value], held[value] + 1, *held[value + 1 :])
                    more[own] = more.get(own, 0) + chance * move
            found = more
    return found


def responses(epsilon: Fraction, values: int) -> list[list[mpmath.mpf]]:
    """The matrix of k-ary randomised response."""
    power = wide.exp(mp(epsilon))
    total = power + values - 1
    return [[(power if i == j else 1) / total for j in range(values)] for i in range(values)]


def synthetic(
    law: str, alpha: Sequence[Fraction], records: int, counts: Counts
) -> dict[Counts, Fraction]:
    """Synthetic tables of the Dirichlet posterior: predictive, or with its mean plugged in."""
    weights = [a + n for a, n in zip(alpha, counts, strict=True)]
    found = {}
    for drawn in vectors(len(counts), records):
        if sum(drawn) != records:
            continue
        ways = F(math.factorial(records), math.prod(map(math.factorial, drawn)))
        step = 1 if law == "dirichlet-multinomial" else 0
        tops = [w + step * k for w, m in zip(weights, drawn, strict=True) for k in range(m)]
        bottoms = [sum(weights) + step * k for k in range(records)]
        found[drawn] = ways * math.prod(tops, start=F(1)) / math.prod(bottoms, start=F(1))
    return found


def of_event(event: Mapping[str, Any], shape: Shape, databases: Sequence[Counts]) -> Table:
    """The table of one event of a ledger, from its plain data."""
    cells = math.prod(shape.values())
    match event["event"]:
        case "measure":
            noise = event["noise"]
            amount = F(noise.get("scale") or noise["variance"])
            bounds = event["low"], event["high"]
            return measured(event["query"], noise["law"], amount, bounds, shape, databases)
        case "measure-best":
            one = of_event({**event, "event": "measure"}, shape, databases)
            return best_of(one, event["runs"]["law"], F(event["runs"]["gamma"]))
        case "select":
            rate = F(event["noise"]["rate"])
            return selected(event["scores"], "exponential", rate, shape, databases)
    law = event["law"]
    match law["law"]:
        case "randomized-response":
            matrix = responses(F(law["epsilon"]), cells)
            return table(databases, lambda counts: answered(matrix, counts))
        case "post-randomisation":
            chances = [[mp(F(entry)) for entry in row] for row in law["matrix"]]
            return table(databases, lambda counts: answered(chances, counts))
        case "dirichlet-multinomial" | "plug-in-multinomial" as name:
            prior = [F(a) for a in law["alpha"]]
            alpha = prior * cells if len(prior) == 1 else prior
            rows = law["records"]
            return table(
                databases,
                lambda counts: {
                    drawn: mp(chance)
                    for drawn, chance in synthetic(name, alpha, rows, counts).items()
                },
            )
    raise AssertionError(event)


# Tables made of tables.


def best_of(run: Table, law: str, gamma: Fraction) -> Table:
    """The best of K runs, the last output being the best, by f(x) = E[x^K].

    Geometric: f(x) = γx/(1 - (1-γ)x); logarithmic: f(x) = ln(1 - (1-γ)x)/ln γ.
    """
    rest = 1 - mp(1 - gamma) * np.cumsum(run.rows, axis=1)
    if law == "geometric":
        ends = mp(gamma) * (1 - rest) / mp(1 - gamma) / rest
    else:
        ends = np.vectorize(wide.log, otypes=[object])(rest) / wide.log(mp(gamma))
    starts = np.concatenate([0 * ends[:, :1], ends[:, :-1]], axis=1)
    return Table(run.databases, ends - starts)


def together(tables: Sequence[Table]) -> Table:
    """The outputs of all, independent given the database."""
    rows = [outer([one.rows[d] for one in tables]) for d in range(len(tables[0].databases))]
    return Table(tables[0].databases, np.array(rows, dtype=object))


def then(first: Table, seconds: Sequence[Table]) -> Table:
    """The first output, and that of the table that it chooses: its number, modulo how many."""
    parts = [
        first.rows[:, [output]] * seconds[output % len(seconds)].rows
        for output in range(first.outputs)
    ]
    return Table(first.databases, np.concatenate(parts, axis=1))


def mixed(tables: Sequence[Table], weights: Sequence[Fraction]) -> Table:
    """One of the tables, drawn by weights, and named with its output."""
    parts = [mp(weight) * one.rows for weight, one in zip(weights, tables, strict=True)]
    return Table(tables[0].databases, np.concatenate(parts, axis=1))


def merged(found: Table, groups: Sequence[int]) -> Table:
    """A function of the output: output m becomes groups[m modulo their number]."""
    number = [groups[output % len(groups)] for output in range(found.outputs)]
    columns = [
        found.rows[:, [m for m, n in enumerate(number) if n == group]].sum(axis=1)
        for group in sorted(set(number))
    ]
    return Table(found.databases, np.stack(columns, axis=1))


def on_images(
    found: Table, databases: Sequence[Counts], image: Callable[[Counts], Mapping[Counts, Any]]
) -> Table:
    """The table of the mechanism after a random map of the database, given by its chances."""
    place = {counts: number for number, counts in enumerate(found.databases)}
    rows = [
        sum(
            (chance * found.rows[place[counts]] for counts, chance in image(database).items()),
            start=np.array([wide.mpf(0)] * found.outputs, dtype=object),
        )
        for database in databases
    ]
    return Table(tuple(databases), np.array(rows, dtype=object))


def poisson_samples(fraction: Fraction, counts: Counts) -> dict[Counts, mpmath.mpf]:
    """Each record is kept with the chance ``fraction``, on its own."""
    return {
        kept: mp(
            math.prod(
                (
                    math.comb(n, k) * fraction**k * (1 - fraction) ** (n - k)
                    for n, k in zip(counts, kept, strict=True)
                ),
                start=F(1),
            )
        )
        for kept in itertools.product(*(range(n + 1) for n in counts))
    }


def fixed_samples(size: int, counts: Counts) -> dict[Counts, mpmath.mpf]:
    """Every set of so many records is as likely."""
    total = math.comb(sum(counts), size)
    return {
        kept: mp(F(math.prod(map(math.comb, counts, kept)), total))
        for kept in itertools.product(*(range(n + 1) for n in counts))
        if sum(kept) == size
    }


def parts_of(databases: Sequence[Counts], cells: Sequence[int]) -> Iterator[Counts]:
    """What each database holds of some cells, with nothing in all others."""
    for counts in databases:
        yield tuple(n if cell in cells else 0 for cell, n in enumerate(counts))
