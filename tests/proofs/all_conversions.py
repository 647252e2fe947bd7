"""Every conversion of a theorem, at the smallest number that the kernel accepts, and its check."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Profile,
    RenyiCurve,
    guarantee_to_json,
)
from proofs.kernel import Theorem, prove
from proofs.losses import FixedSizeLoss, SampledGaussianLoss
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

    order, limit, at = draw(orders), draw(deltas), draw(epsilons)
    match guarantee_of(theorem):
        case ApproxDP(_, 0):
            return [
                one("pure-to-zcdp"),
                least("pure-to-zcdp-tight", "rho"),
                one("pure-to-pair"),
                least("pure-to-gdp", "mu"),
                listed("pure-to-renyi", order),
                one("approx-to-approx-zcdp"),
            ]
        case ApproxDP():
            rules = ("pure-to-pair", "approx-to-approx-zcdp", "approx-to-profile")
            return [one(rule) for rule in rules]
        case ZCDP():
            return [
                least("zcdp-to-approx", "epsilon", delta=limit),
                least("zcdp-to-approx-at-order", "epsilon", order=order, delta=limit),
                least("zcdp-to-approx-at-order", "delta", order=order, epsilon=at),
                one("zcdp-to-renyi", orders=[order, order + 1]),
                one("zcdp-to-approx-zcdp", delta=limit),
            ]
        case ApproxZCDP():
            return [least("approx-zcdp-to-approx", "epsilon", delta_split=limit)]
        case GaussianDP():
            return [one("gdp-to-pair"), one("gdp-to-zcdp")]
        case RenyiCurve(points):
            order = draw(st.sampled_from(points))[0]
            return [
                least("renyi-to-approx", "epsilon", order=order, delta=limit),
                least("renyi-to-approx", "delta", order=order, epsilon=at),
                least("renyi-to-approx-mironov", "epsilon", order=order, delta=limit),
                weaker(RenyiCurve, order),
                weaker(RenyiCurve, (1 + order) / 2),
            ]
        case Profile(points):
            return [
                one("profile-to-approx", epsilon=at + points[0][0]),
                weaker(Profile, points[0][0] + at),
                weaker(Profile, at),
            ]
        case Dominated(losses):
            secret = SampledGaussianLoss | FixedSizeLoss
            sampled = any(isinstance(loss, secret) for _, loss in losses)
            hints = {"moment": {"order": str(order - 1)}}
            if not sampled:
                more_hints: dict[str, Any] = {"responses": {"bits": 90}, "laplace": {"bits": 90}}
                hints |= more_hints | {"gaussian": {}}
            found = [one("pair-to-pure"), one("pair-to-zcdp"), least("pair-to-gdp", "mu")]
            found.append(listed("pair-to-renyi", order))
            for method, hint in hints.items():
                own = {"method": method, "hints": {"remove": hint, "add": hint}}
                found.append(least("pair-to-approx", "delta", epsilon=at, **own))
                places = [[F(1, 2), F(1, 4)], [2, F(1, 4)]]
                both = {"points": places, "hints": [own["hints"]] * 2}
                found.append(one("pair-to-profile", method=method, **both))
            return found
    raise AssertionError(theorem.judgment)


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
