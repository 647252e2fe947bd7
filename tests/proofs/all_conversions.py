"""Every conversion of a theorem, at the smallest number that the kernel accepts, and its check."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from proofs.entries import RenyiCurve
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import LossList, Profile, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.losses import AllocationLoss, FixedSizeLoss, GaussianLoss, SampledGaussianLoss
from synthesizers.errors import InputError
from tests.proofs.covering import shortfall, strongest
from tests.proofs.drawn_mechanisms import (
    deltas,
    epsilons,
    guarantee_of,
    orders,
)
from tests.proofs.small_mechanisms import (
    Table,
)

F = Fraction


def covers(theorem: Theorem | None, found: Table) -> None:
    """Fail where a theorem promises more than the table keeps."""
    if theorem is not None:
        missing = shortfall(theorem, found)
        assert not missing, f"{theorem.rule} of {[p.rule for p in theorem.premises]}: {missing}"


def conversions(theorem: Theorem, draw: Callable[[Any], Any]) -> list[Callable[[], Any]]:
    """Every conversion of a theorem, each with the smallest number that the kernel accepts."""

    def one(rule: str, **parameters: Any) -> Callable[[], Theorem | None]:
        return lambda: attempted(lambda: prove(rule, [theorem], parameters))

    def least(rule: str, name: str, **rest: Any) -> Callable[[], Theorem | None]:
        return lambda: strongest(lambda value: prove(rule, [theorem], {name: value, **rest}))

    def listed(rule: str, order: Fraction) -> Callable[[], Theorem | None]:
        stated_at = {"orders": [order]}
        return lambda: strongest(
            lambda value: prove(rule, [theorem], stated_at | {"epsilons": [value]})
        )

    def weaker(kind: Any, place: Fraction) -> Callable[[], Theorem | None]:
        return lambda: strongest(lambda value: weakened(theorem, kind(((place, value),))))

    order, at = draw(orders), draw(epsilons)
    match guarantee_of(theorem):
        case ApproxDP(epsilon):
            return [one("as-losses"), weaker(Profile, epsilon + at)]
        case ZCDP() | GaussianDP():
            return [one("as-losses")]
        case RenyiCurve(points):
            order = draw(st.sampled_from(points))[0]
            return [
                one("as-losses"),
                weaker(RenyiCurve, order),
                weaker(RenyiCurve, (1 + order) / 2),
            ]
        case Profile(points):
            return [
                *(weaker(Profile, place) for place in (points[0][0] + at, at)),
                lambda: strongest(lambda d: weakened(theorem, ApproxDP(at + points[0][0], d))),
            ]
        case LossList(entries):
            return _read_offs(theorem, entries, draw, one, least, listed)
    raise AssertionError(theorem.judgment)


def _read_offs(
    theorem: Theorem, entries: Any, draw: Any, one: Any, least: Any, listed: Any
) -> list[Callable[[], Any]]:
    """Every read-off of a list of losses."""
    order, limit, at = draw(orders), draw(deltas), draw(epsilons)
    secret = SampledGaussianLoss | AllocationLoss | FixedSizeLoss
    sampled = any(isinstance(entry, secret) for _, entry in entries)
    hints: dict[str, Any] = {"moment": {"order": str(order - 1)}}
    if not sampled:
        grid = {"bits": 90, "grid": draw(st.integers(0, 8))}
        hints |= {"responses": draw(st.sampled_from([{"bits": 90}, grid]))}
        hints |= {"laplace": {"bits": 90}, "gaussian": {}}
    others = [entry for _, entry in entries if not isinstance(entry, GaussianLoss)]

    def as_gaussian(share: Fraction) -> Theorem:
        shares = [share] * len(others)
        count = sum(n for n, entry in entries if entry in others)
        squared = sum((n * e.mu_squared for n, e in entries if isinstance(e, GaussianLoss)), F(0))
        squared += count * share**2
        # √x <= (x/r + r)/2 for every r > 0.
        root = Fraction(math.sqrt(squared)) or F(1)
        return prove("to-gdp", [theorem], {"mu": (squared / root + root) / 2, "shares": shares})

    found = [least("to-zcdp", "rho"), lambda: strongest(as_gaussian), listed("to-renyi", order)]
    found.append(least("to-approx", "epsilon", method="sum", delta=limit, hints={}))
    for method, hint in hints.items():
        own = {"method": method, "hints": {"remove": hint, "add": hint}}
        found.append(least("to-approx", "delta", epsilon=at, **own))
        found.append(least("to-approx", "epsilon", delta=limit, **own))
        places = [[F(1, 2), F(1, 4)], [2, F(1, 4)]]
        both = {"points": places, "hints": [own["hints"]] * 2}
        found.append(one("to-profile", method=method, **both))
    return found


def attempted(attempt: Callable[[], Theorem]) -> Theorem | None:
    """The theorem; None where the rule does not apply."""
    try:
        return attempt()
    except InputError:
        return None


def weakened(theorem: Theorem, guarantee: Any) -> Theorem:
    """The weaker guarantee, where it is weaker."""
    return prove("weaken", [theorem], {"guarantee": guarantee_to_json(guarantee)})


def all_covered(theorem: Theorem, found: Table, draw: Callable[[Any], Any], depth: int) -> None:
    """Check a theorem, some of its conversions, and some of those of one of them."""
    covers(theorem, found)
    if depth:
        ways = st.lists(st.sampled_from(conversions(theorem, draw)), min_size=1, max_size=3)
        made = [one for way in draw(ways) if (one := way()) is not None]
        for one in made:
            covers(one, found)
        if depth > 1 and made:
            all_covered(made[0], found, draw, depth - 1)
