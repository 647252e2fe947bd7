"""Rounding goes the safe way: wider enclosures make the kernel refuse more, and never accept more.

Every function that encloses a logarithm, an exponential or Φ is replaced by one whose ends lie a
thousandth further apart. An end that is taken from the wrong side would then let a smaller number
through than the true one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import ApproxZCDP, Dominated, RenyiCurve, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.losses import DiscreteLaplaceLoss, GaussianLoss, LaplaceLoss, ResponseLoss
from proofs.profiles import gaussian, laplace, moment, moments, responses
from proofs.rules import adaptive, channels, conversions, noise, optimal, tables, zcdp_conversions
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne

F = Fraction
SMALL = F(1, 10**6)
WIDER = F(1, 1024)
"""By how much of its size each end moves outwards."""

MODULES = (
    *(adaptive, channels, conversions, noise, optimal, tables, zcdp_conversions),
    *(gaussian, laplace, moment, moments, responses),
)
ENCLOSURES = ("log_interval", "exp_interval", "normal_cdf", "log_of", "log_enclosure", "_root")


def stated(guarantee: Any) -> list[Theorem]:
    data = {"mechanism": "M", "guarantee": guarantee_to_json(guarantee)}
    return [prove("stated-guarantee", [], {"neighbours": AddRemove(), **data})]


def pairs(*losses: Any) -> list[Theorem]:
    return stated(Dominated(losses))


def answer() -> list[Theorem]:
    norms: dict[str, Any] = {"l0": 1, "l1": 1, "l2_squared": 1, "linf": 1}
    kind = {"query": "a count", "monotone": True, "integers": True}
    return [prove("stated-sensitivity", [], {"neighbours": AddRemove(), **norms, **kind})]


def method(name: str, epsilon: Fraction, **hint: Any) -> dict[str, Any]:
    return {"method": name, "epsilon": epsilon, "hints": {"remove": hint}}


PRIOR = {"neighbours": AddRemove(), "alpha_min": F(1, 3), "records": 4}
HALVES = {
    "neighbours": ReplaceOne(),
    "databases": [[0, 1], [1, 0]],
    "rows": [["1/2", "1/2"], ["9/10", "1/10"]],
    "epsilon": F(1, 4),
}

Case = tuple[str, Callable[[], Sequence[Theorem]], str, dict[str, Any]]
CASES: list[Case] = [
    ("zcdp-to-approx", lambda: stated(ZCDP(F(1, 2))), "epsilon", {"delta": SMALL}),
    (
        "zcdp-to-approx-at-order",
        lambda: stated(ZCDP(F(1, 2))),
        "epsilon",
        {"order": 6, "delta": SMALL},
    ),
    (
        "renyi-to-approx",
        lambda: stated(RenyiCurve(((F(5), F(2)),))),
        "epsilon",
        {"order": 5, "delta": SMALL},
    ),
    (
        "renyi-to-approx-mironov",
        lambda: stated(RenyiCurve(((F(5), F(2)),))),
        "epsilon",
        {"order": 5, "delta": SMALL},
    ),
    (
        "approx-zcdp-to-approx",
        lambda: stated(ApproxZCDP(F(1, 5), F(1, 2), F(1, 10))),
        "epsilon",
        {"delta_split": SMALL},
    ),
    ("pure-to-gdp", lambda: stated(ApproxDP(F(2))), "mu", {}),
    ("advanced", lambda: stated(ApproxDP(F(1, 2))), "epsilon", {"count": 30, "slack": SMALL}),
    ("optimal-homogeneous", lambda: stated(ApproxDP(F(1, 2))), "delta", {"count": 9, "drop": 2}),
    (
        "optimal-heterogeneous",
        lambda: stated(ApproxDP(F(1, 2), F(1, 100))),
        "delta",
        {"counts": [9], "epsilon": 2, "bits": 4},
    ),
    ("analytic-gaussian", answer, "delta", {"sigma_squared": 2, "epsilon": F(1, 2)}),
    ("classical-gaussian", answer, "sigma_squared", {"epsilon": F(1, 2), "delta": SMALL}),
    ("dirichlet-multinomial", list, "epsilon", PRIOR),
    ("plug-in-multinomial", list, "epsilon", PRIOR),
    (
        "local-matrix",
        list,
        "epsilon",
        {"neighbours": ReplaceOne(), "matrix": [["2/3", "1/3"], ["1/3", "2/3"]]},
    ),
    ("finite-channel", list, "delta", HALVES),
    (
        "pair-to-approx",
        lambda: pairs((1, GaussianLoss(F(1)))),
        "delta",
        method("gaussian", F(1)),
    ),
    (
        "pair-to-approx",
        lambda: pairs((1, DiscreteLaplaceLoss(F(1), 1)), (5, ResponseLoss(F(1, 2), F(1, 50)))),
        "delta",
        method("responses", F(1), bits=90),
    ),
    (
        "pair-to-approx",
        lambda: pairs((3, LaplaceLoss(F(1, 2)))),
        "delta",
        method("laplace", F(1, 2), bits=90),
    ),
    (
        "pair-to-approx",
        lambda: pairs((5, ResponseLoss(F(1, 2)))),
        "delta",
        method("moment", F(1), order="2"),
    ),
    (
        "pair-to-renyi",
        lambda: pairs((1, DiscreteLaplaceLoss(F(1), 2)), (2, LaplaceLoss(F(1)))),
        "epsilons",
        {"orders": ["5/2"]},
    ),
    ("odometer", list, "levels", {"neighbours": AddRemove(), "program": {}, "deltas": [SMALL]}),
]


def least(case: Case, bits: int = 30) -> Fraction:
    """The smallest number that the kernel accepts, to 2^-``bits`` of it."""
    rule, premises, name, rest = case
    given = premises()

    def accepts(value: Fraction) -> bool:
        whole: Any = {"epsilons": [value], "levels": [[F(1, 2), value]]}.get(name, value)
        try:
            prove(rule, given, rest | {name: whole})
        except ProofError:
            return False
        return True

    low, high = F(0), F(1)
    while not accepts(min(high, F(999, 1000)) if name == "delta" else high):
        low, high = high, 2 * high
        assert high < 10**6, rule
    for _ in range(bits):
        middle = (low + high) / 2
        low, high = (low, middle) if accepts(middle) else (middle, high)
    return high


def widened(enclose: Callable[..., Interval]) -> Callable[..., Interval]:
    def wider(*given: Any) -> Interval:
        found = enclose(*given)
        # What is positive stays so: an end moves by less than its size.
        slack = [WIDER * abs(end) for end in (found.lower, found.upper)]
        return Interval(found.lower - slack[0], found.upper + slack[1])

    return wider


def used(case: Case) -> list[tuple[Any, str]]:
    """Where the case's rule looks up an enclosure: modules and names."""
    found: set[tuple[Any, str]] = set()
    with pytest.MonkeyPatch.context() as patch:
        for module in MODULES:
            for name in filter(partial(hasattr, module), ENCLOSURES):
                enclose = getattr(module, name)

                def noted(*given: Any, place: Any = (module, name), own: Any = enclose) -> Interval:
                    found.add(place)
                    return own(*given)

                patch.setattr(module, name, noted)
        least(case, 4)
    return sorted(found, key=lambda place: (place[0].__name__, place[1]))


NAMES = [f"{rule}-{rest['method']}" if "method" in rest else rule for rule, *_, rest in CASES]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_wider_enclosures_let_no_smaller_number_through(case: Case) -> None:
    true, places = least(case), used(case)
    assert places
    for alone in [[place] for place in places] + [places]:
        with pytest.MonkeyPatch.context() as patch:
            for module, name in alone:
                patch.setattr(module, name, widened(getattr(module, name)))
            assert least(case) >= true
            # All together are wider by far: they did not go unused.
            assert alone != places or least(case) > true * (1 + F(1, 10**7))
