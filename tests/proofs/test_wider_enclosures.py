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

from proofs.entries import ConcentratedLoss, NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.judgments import LossList, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.losses import GaussianLoss, ResponseLoss, join
from proofs.profiles import entry_moments, gaussian, laplace, moment, moments, responses
from proofs.rules import adaptive, channels, readings, tables
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne

F = Fraction
SMALL = F(1, 10**6)
WIDER = F(1, 1024)
"""By how much of its size each end moves outwards."""

MODULES = (
    *(adaptive, channels, readings, tables, entry_moments),
    *(gaussian, laplace, moment, moments, responses),
)
ENCLOSURES = ("log_interval", "exp_interval", "normal_cdf", "log_of", "log_enclosure")


def losses(*entries: Any) -> list[Theorem]:
    held = {"mechanism": "M", "guarantee": guarantee_to_json(LossList(join([entries], [1])))}
    return [prove("stated-guarantee", [], {"neighbours": AddRemove(), **held})]


def one_answer(law: str, amount: Fraction, move: int = 1) -> NoiseLoss:
    return NoiseLoss(law, amount, 1, F(move), F(move**2), F(move))


def method(name: str, epsilon: Fraction, **hint: Any) -> dict[str, Any]:
    return {"method": name, "epsilon": epsilon, "hints": {"remove": hint}}


HALVES = {
    "neighbours": ReplaceOne(),
    "databases": [[0, 1], [1, 0]],
    "rows": [["1/2", "1/2"], ["9/10", "1/10"]],
    "epsilon": F(1, 4),
}

Case = tuple[str, Callable[[], Sequence[Theorem]], str, dict[str, Any]]
CASES: list[Case] = [
    (
        "to-approx",
        lambda: losses((1, RenyiCurve(((F(5), F(2)),)))),
        "epsilon",
        {**method("moment", F(0), order=4), "delta": SMALL},
    ),
    (
        "to-approx",
        lambda: losses(
            (1, ConcentratedLoss(F(1, 5), F(1, 2), F(1, 10))), (5, ResponseLoss(F(1, 2)))
        ),
        "delta",
        method("moment", F(8), order="2"),
    ),
    ("to-gdp", lambda: losses((1, ResponseLoss(F(2)))), "shares", {"mu": 99}),
    (
        "to-zcdp",
        lambda: losses((1, ResponseLoss(F(2))), (1, one_answer("laplace", F(2)))),
        "rho",
        {},
    ),
    (
        "to-approx",
        lambda: losses((9, ResponseLoss(F(1, 2), F(1, 100)))),
        "delta",
        method("responses", F(2), bits=90, grid=4),
    ),
    *(
        (
            "posterior-draws",
            list,
            "epsilon",
            {"neighbours": AddRemove(), "law": law, "alpha_min": F(1, 3), "records": 4},
        )
        for law in ("dirichlet-multinomial", "plug-in-multinomial")
    ),
    (
        "local-randomizer",
        list,
        "epsilon",
        {"neighbours": ReplaceOne(), "matrix": [["2/3", "1/3"], ["1/3", "2/3"]]},
    ),
    ("finite-channel", list, "delta", HALVES),
    (
        "to-approx",
        lambda: losses((1, GaussianLoss(F(1)))),
        "delta",
        method("gaussian", F(1)),
    ),
    (
        "to-approx",
        lambda: losses(
            (1, one_answer("discrete-laplace", F(1))), (5, ResponseLoss(F(1, 2), F(1, 50)))
        ),
        "delta",
        method("responses", F(1), bits=90),
    ),
    (
        "to-approx",
        lambda: losses((3, one_answer("laplace", F(2)))),
        "delta",
        method("laplace", F(1, 2), bits=90),
    ),
    (
        "to-renyi",
        lambda: losses(
            (1, one_answer("discrete-laplace", F(1), 2)), (2, one_answer("laplace", F(1)))
        ),
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
        lists = {"epsilons": [value], "shares": [value], "levels": [[F(1, 2), value]]}
        whole: Any = lists.get(name, value)
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
                    held: Interval = own(*given)
                    return held

                patch.setattr(module, name, noted)
        least(case, 4)
    return sorted(found, key=lambda place: (place[0].__name__, place[1]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[3].get('method')}")
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
