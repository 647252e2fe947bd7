"""The checker: it agrees with the kernel on what follows, and lets nothing else through."""

from __future__ import annotations

import ast
import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import checker, hypotheses
from proofs.derivation import derivation
from proofs.kernel import Theorem, prove
from proofs.rules import RULES
from synthesizers.errors import InputError

AR = {"neighbours": "add-remove", "unit": "record", "max_records": 1}
AR3 = {"neighbours": "add-remove", "unit": "person", "max_records": 3}
RO = {"neighbours": "replace-one", "unit": "record", "max_records": 1}
RO2 = {"neighbours": "replace-one", "unit": "person", "max_records": 2}
SHAPE = {"sex": 2, "age": 3}
MARGINAL = {"kind": "marginal", "attributes": ["age"]}


def marginal(at: dict[str, Any] = AR) -> Theorem:
    return prove("marginal", [], {"neighbours": at, "shape": SHAPE, "query": MARGINAL})


def stated(at: dict[str, Any] = AR, **guarantee: Any) -> Theorem:
    given = {"neighbours": at, "mechanism": "box", "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


def approx(epsilon: str, delta: str = "0", at: dict[str, Any] = AR) -> Theorem:
    return stated(at, kind="approx", epsilon=epsilon, delta=delta)


def zcdp(rho: str) -> Theorem:
    return stated(kind="zcdp", rho=rho)


def gaussians() -> Theorem:
    one = prove("gaussian", [marginal(RO)], {"sigma_squared": 900})
    return prove("compose-pairs", [one], {"counts": [1000]})


def renyi() -> Theorem:
    return stated(kind="renyi", points=[["2", "1/2"], ["4", "3/2"], ["9", "5"]])


def pairs(*losses: dict[str, Any]) -> Theorem:
    return stated(kind="dominated", losses=list(losses))


def asked(rule: str, at: dict[str, Any], **query: Any) -> Theorem:
    return prove(rule, [], {"neighbours": at, "shape": SHAPE, "query": {"kind": rule, **query}})


def scores(monotone: bool = False) -> Theorem:
    norms = {"l0": None, "l1": 3, "l2_squared": 3, "linf": 1}
    own = {"neighbours": AR, "query": "scores", "monotone": monotone, "integers": True}
    return prove("stated-sensitivity", [], {**norms, **own})


def measured(rule: str, query: Theorem, **given: Any) -> Theorem:
    return prove(rule, [query], given)


LAPLACE = {"loss": "laplace", "count": 3, "epsilon": "1/10"}
RESPONSE = {"loss": "response", "count": 40, "epsilon": "1/10", "delta": "0"}
LEAKY = {"loss": "response", "count": 4, "epsilon": "1/2", "delta": "1/1000000"}
DISCRETE = {"loss": "discrete-laplace", "count": 2, "rate": "1/3", "shift": 2}
DGAUSS = {"loss": "discrete-gaussian", "count": 5, "variance": "25", "shift": 1}
GAUSS = {"loss": "gaussian", "count": 1, "mu_squared": "3/7"}
SAMPLED = {"loss": "sampled-gaussian", "count": 100, "fraction": "1/100", "mu_squared": "1"}
COINS = {
    "neighbours": RO,
    "databases": [[1, 0], [0, 1]],
    "rows": [["3/4", "1/4"], ["1/4", "3/4"]],
    "epsilon": "1.0986122886681099",
    "delta": 0,
}

EXAMPLES: dict[str, list[Callable[[], Theorem]]] = {
    "marginal": [lambda at=at: marginal(at) for at in (AR, AR3, RO, RO2)],
    "cell-counts": [
        lambda at=at, cells=cells: asked("cell-counts", at, cells=cells)
        for at in (AR, AR3, RO, RO2)
        for cells in ([3], [0, 5], [0, 1, 2, 3, 4, 5])
    ],
    "total": [lambda at=at: asked("total", at) for at in (AR, AR3, RO, RO2)],
    "bounded-sum": [
        lambda at=at, ends=ends: asked(
            "bounded-sum", at, attribute="age", values=[-9, 2, 7], low=ends[0], high=ends[1]
        )
        for at in (AR, AR3, RO, RO2)
        for ends in ((-3, 5), (1, 5), (-4, -2), (0, 0))
    ],
    "model-error": [
        lambda at=at: asked(
            "model-error", at, candidates=[["sex"], ["sex", "age"]], models=[[1, 2], [0] * 6]
        )
        for at in (AR, AR3, RO, RO2)
    ]
    + [
        lambda at=at: asked(
            "model-error",
            at,
            candidates=[
                ["sex"],
                {"attributes": ["age", "sex"], "groups": [[0, 0, 1], [0, -1]]},
                {"attributes": ["age"], "groups": [[0, 0, 0]]},
            ],
            models=[[1, 2], [3, 4], [5]],
            weights=[2, 0, 3],
            offsets=[-8, 0, 1],
        )
        for at in (AR, AR3, RO, RO2)
    ],
    "recoded-marginal": [
        lambda at=at, groups=groups: asked(
            "recoded-marginal", at, attributes=["sex", "age"], groups=[[0, 0], groups]
        )
        for at in (AR, AR3, RO, RO2)
        for groups in ([0, 1, 1], [-1, 0, 0], [0, 0, 0], [4, -1, 0])
    ],
    "linear": [
        lambda at=at, layers=layers: asked(
            "linear",
            at,
            attributes=["age"],
            layers=[{"weight": weight, "rows": rows} for weight, rows in layers],
        )
        for at in (AR, AR3, RO, RO2)
        for layers in (
            [(1, [0, 0, 0]), (1, [1, 2, 3])],
            [(2, [0, 1, -1]), (-3, [-1, 1, 0])],
            [(-5, [0, -1, -1]), (5, [0, -1, 2])],
            [(1, [0, 0, 0])],
            [(-7, [0, 0, -1])],
        )
    ],
    "cell-errors": [
        lambda at=at: asked(
            "cell-errors",
            at,
            marginals=[["sex"], ["age"], ["sex", "age"]],
            cells=[[1, 0], [2], [0, 3, 5]],
            models=[[9, -1], [0], [4, 5, 6]],
            scale=3,
        )
        for at in (AR, AR3, RO, RO2)
    ],
    "independence-distance": [
        lambda at=at, ages=ages: prove(
            "independence-distance",
            [],
            {
                "neighbours": at,
                "shape": {**SHAPE, "age": ages, "one": 1},
                "query": {
                    "kind": "independence-distance",
                    "candidates": [
                        [["sex"], ["age"]],
                        [["age", "one"], ["sex"]],
                        [["one"], ["sex", "age"]],
                    ],
                    "scale": 5,
                },
            },
        )
        for at in (AR, AR3, RO, RO2)
        for ages in (2, 3)
    ],
    "mutual-information": [
        lambda names=names, n=n: asked(
            "mutual-information", RO, candidates=[names, ["sex", ["age"]]], records=n, scale=7
        )
        for names in (["sex", ["age"]], ["age", ["sex"]])
        for n in (0, 1, 2, 3, 4, 48_842, 2**28)
    ],
    "maximal-correlation": [
        lambda at=at: asked("maximal-correlation", at, candidates=[["sex", ["age"]]])
        for at in (AR, AR3, RO, RO2)
    ],
    "itemset-counts": [
        lambda at=at, sets=sets: asked("itemset-counts", at, itemsets=sets)
        for at in (AR, AR3, RO, RO2)
        for sets in ([[["sex", 1]]], [[["age", 0]], [["sex", 0], ["age", 2]]])
    ],
    "rank-distance": [
        lambda at=at: asked(
            "rank-distance", at, items=[["age", 2], ["sex", 0], ["age", 0]], length=2, rank=4
        )
        for at in (AR, AR3, RO, RO2)
    ],
    "stated-sensitivity": [scores],
    "transformed": [
        lambda: prove("transformed", [marginal(AR3)], {"records": 3, "description": "copy"})
    ],
    "laplace": [
        lambda law=law: measured("laplace", marginal(RO), law=law, scale="7/2")
        for law in ("laplace", "rounded-laplace", "discrete-laplace")
    ],
    "laplace-pair": [
        lambda law=law, at=at: measured("laplace-pair", marginal(at), law=law, scale="7/2")
        for law in ("laplace", "rounded-laplace", "discrete-laplace")
        for at in (AR3, RO, RO2)
    ],
    "gaussian": [lambda: measured("gaussian", marginal(RO), sigma_squared="9/4")],
    "analytic-gaussian": [
        lambda: measured(
            "analytic-gaussian", marginal(), sigma_squared=1, epsilon=5, delta="5.79372169192e-7"
        )
    ],
    "classical-gaussian": [
        lambda: measured(
            "classical-gaussian", marginal(), sigma_squared=120, epsilon="1/2", delta="1e-6"
        )
    ],
    "discrete-gaussian": [lambda: measured("discrete-gaussian", marginal(RO), variance="25/2")],
    "discrete-gaussian-pair": [
        lambda: measured("discrete-gaussian-pair", marginal(RO2), variance="25/2")
    ],
    "stated-guarantee": [
        renyi,
        lambda: stated(RO2, kind="gdp", mu="2"),
        lambda: stated(AR3, kind="approx-zcdp", xi="0", rho="1/3", delta="1e-9"),
        lambda: pairs(DGAUSS, DISCRETE, LAPLACE, RESPONSE, SAMPLED),
    ],
    "public-draw": [lambda: prove("public-draw", [], {"neighbours": AR, "law": {"law": "coin"}})],
    "exponential": [lambda: measured("exponential", scores(), rate="1/4")],
    "exponential-zcdp": [lambda: measured("exponential-zcdp", scores(True), rate="1/4")],
    "noisy-max": [
        lambda noise=noise: measured("noisy-max", scores(), noise=noise, scale=3)
        for noise in ("laplace", "exponential", "discrete-laplace")
    ],
    "permute-and-flip": [lambda: measured("permute-and-flip", scores(), rate="1/4")],
    "sparse-vector": [
        lambda: measured(
            "sparse-vector",
            scores(),
            threshold_scale=4,
            query_scale=9,
            count=3,
            resampled=False,
            releases="bits",
        )
    ],
    "randomized-response": [
        lambda: prove("randomized-response", [], {"neighbours": RO, "values": 4, "epsilon": "1/2"})
    ],
    "response": [lambda: measured("response", asked("total", AR), epsilon="1/3")],
    "local-matrix": [
        lambda: prove(
            "local-matrix",
            [],
            {"neighbours": RO, "matrix": COINS["rows"], "epsilon": COINS["epsilon"]},
        )
    ],
    "dirichlet-multinomial": [
        lambda at=at: prove(
            "dirichlet-multinomial",
            [],
            {"neighbours": at, "alpha_min": "1/2", "records": 5, "epsilon": "7.1937"},
        )
        for at in (AR3, RO)
    ],
    "plug-in-multinomial": [
        lambda: prove(
            "plug-in-multinomial",
            [],
            {"neighbours": RO, "alpha_min": "1/2", "records": 5, "epsilon": "5.4930615"},
        )
    ],
    "finite-channel": [lambda: prove("finite-channel", [], COINS)],
    "weaken": [
        lambda one=one, weaker=weaker: prove("weaken", [one], {"guarantee": weaker})
        for one, weaker in [
            (approx("1"), {"kind": "approx", "epsilon": "2", "delta": "1e-9"}),
            (zcdp("1"), {"kind": "zcdp", "rho": "1"}),
            (renyi(), {"kind": "renyi", "points": [["3", "2"], ["4", "3/2"]]}),
        ]
    ],
    "pure-to-zcdp": [lambda: prove("pure-to-zcdp", [approx("1/3")])],
    "pure-to-zcdp-tight": [lambda: prove("pure-to-zcdp-tight", [approx("1")], {"rho": "0.4622"})],
    "pure-to-pair": [lambda: prove("pure-to-pair", [approx("1/3", "1e-9")])],
    "pure-to-gdp": [
        lambda: prove("pure-to-gdp", [approx("1")], {"mu": "1.2327"}),
        lambda: prove("pure-to-gdp", [approx("0")], {"mu": "0"}),
    ],
    "pure-to-renyi": [
        lambda: prove(
            "pure-to-renyi", [approx("1")], {"orders": ["3/2", "8"], "epsilons": ["0.7", "0.96"]}
        )
    ],
    "approx-to-approx-zcdp": [lambda: prove("approx-to-approx-zcdp", [approx("1/3", "1e-9")])],
    "approx-to-profile": [lambda: prove("approx-to-profile", [approx("1/3", "1e-9")])],
    "profile-to-approx": [
        lambda: prove(
            "profile-to-approx",
            [prove("approx-to-profile", [approx("1/3", "1e-9")])],
            {"epsilon": "1/2"},
        )
    ],
    "gdp-to-pair": [lambda: prove("gdp-to-pair", [stated(kind="gdp", mu="2")])],
    "gdp-to-zcdp": [lambda: prove("gdp-to-zcdp", [stated(kind="gdp", mu="2")])],
    "zcdp-to-approx": [
        lambda: prove("zcdp-to-approx", [zcdp("1/2")], {"epsilon": "5.756522", "delta": "1e-6"})
    ],
    "zcdp-to-approx-at-order": [
        lambda: prove(
            "zcdp-to-approx-at-order",
            [zcdp("1/2")],
            {"order": "5.7", "epsilon": "5.25", "delta": "1e-6"},
        )
    ],
    "zcdp-to-renyi": [lambda: prove("zcdp-to-renyi", [zcdp("1/2")], {"orders": ["3/2", 8]})],
    "zcdp-to-approx-zcdp": [lambda: prove("zcdp-to-approx-zcdp", [zcdp("1/2")], {"delta": "1e-9"})],
    "approx-zcdp-to-approx": [
        lambda: prove(
            "approx-zcdp-to-approx",
            [stated(kind="approx-zcdp", xi="1/8", rho="1/2", delta="1e-9")],
            {"epsilon": "6", "delta_split": "1e-6"},
        )
    ],
    "renyi-to-approx": [
        lambda: prove("renyi-to-approx", [renyi()], {"order": 4, "epsilon": 6, "delta": "1e-6"})
    ],
    "renyi-to-approx-mironov": [
        lambda: prove(
            "renyi-to-approx-mironov", [renyi()], {"order": 9, "epsilon": 7, "delta": "1e-6"}
        )
    ],
    "pair-to-approx": [
        lambda: prove(
            "pair-to-approx",
            [gaussians()],
            {"method": "gaussian", "epsilon": 8, "delta": "1e-6", "hints": {}},
        ),
        lambda: prove(
            "pair-to-approx",
            [pairs(RESPONSE)],
            {
                "method": "responses",
                "epsilon": "5/2",
                "delta": "1e-3",
                "hints": {"remove": {"bits": 128}},
            },
        ),
        *[
            lambda losses=losses: prove(
                "pair-to-approx",
                [pairs(*losses)],
                {
                    "method": "moment",
                    "epsilon": 9,
                    "delta": "1e-3",
                    "hints": {"remove": {"order": "2"}, "add": {"order": "5/2"}},
                },
            )
            for losses in ([DISCRETE, LAPLACE, LEAKY], [DGAUSS, GAUSS], [SAMPLED])
        ],
    ],
    "pair-to-profile": [
        lambda: prove(
            "pair-to-profile",
            [gaussians()],
            {"method": "gaussian", "points": [[4, "1e-2"], [8, "1e-6"]], "hints": [{}, {}]},
        )
    ],
    "pair-to-pure": [lambda: prove("pair-to-pure", [pairs(DISCRETE, LAPLACE, RESPONSE)])],
    "pair-to-zcdp": [lambda: prove("pair-to-zcdp", [pairs(DGAUSS, DISCRETE, GAUSS, LAPLACE)])],
    "pair-to-gdp": [lambda: prove("pair-to-gdp", [pairs(GAUSS)], {"mu": "0.655"})],
    "pair-to-renyi": [
        lambda: prove(
            "pair-to-renyi",
            [pairs(DGAUSS, DISCRETE, GAUSS, LAPLACE, RESPONSE)],
            {"orders": [2, 6], "epsilons": ["3", "8"]},
        ),
        lambda: prove(
            "pair-to-renyi", [pairs(SAMPLED)], {"orders": [2, "5/2"], "epsilons": ["0.02", "0.03"]}
        ),
    ],
    "compose": [
        lambda: prove("compose", [approx("1/3", "1e-9"), approx("1/5")], {"counts": [3, 2]}),
        lambda: prove("compose", [approx("1/3", "1e-9"), approx("1/5")]),
    ],
    "compose-zcdp": [lambda: prove("compose-zcdp", [zcdp("1/3"), zcdp("1/5")])],
    "compose-approx-zcdp": [
        lambda: prove(
            "compose-approx-zcdp",
            [stated(kind="approx-zcdp", xi="1/8", rho="1/2", delta="1e-9")],
            {"counts": [7]},
        )
    ],
    "compose-renyi": [lambda: prove("compose-renyi", [renyi(), renyi()], {"counts": [2, 3]})],
    "compose-gdp": [lambda: prove("compose-gdp", [stated(kind="gdp", mu="3")] * 2, {"mu": "4.3"})],
    "compose-pairs": [
        lambda: prove("compose-pairs", [pairs(GAUSS, LAPLACE), gaussians_ar(), pairs(LAPLACE)], {})
    ],
    "advanced": [
        lambda: prove(
            "advanced",
            [approx("1/10", "1e-9")],
            {"count": 30, "slack": "1e-6", "epsilon": "3.195"},
        )
    ],
    "optimal-homogeneous": [
        lambda leak=leak, delta=delta: prove(
            "optimal-homogeneous",
            [approx("1/10", leak)],
            {"count": 30, "drop": 3, "delta": delta},
        )
        for leak, delta in (("0", "1e-6"), ("1e-9", "2e-6"))
    ],
    "optimal-heterogeneous": [
        lambda: prove(
            "optimal-heterogeneous",
            [approx("1/10", "1e-9"), approx("1/3"), approx("0", "1e-9")],
            {"counts": [5, 2, 1], "epsilon": "1", "delta": "2e-2", "bits": 4},
        )
    ],
    "parallel": [
        lambda way=way: prove("parallel", [approx("1"), approx("2")], {"key": "k", "relation": way})
        for way in ("add-remove", "replace-one")
    ]
    + [
        lambda: prove(
            "parallel",
            [approx("1", "1e-9")],
            {"key": "sex", "relation": "replace-one", "delta": "4e-9", "counts": [5]},
        )
    ],
    "filter": [
        lambda measure=measure, more=more: prove(
            "filter",
            [],
            {"neighbours": AR, "measure": measure, "budget": "2", "program": {}, **more},
        )
        for measure, more in (("epsilon", {}), ("rho", {}), ("renyi", {"order": 8}))
    ],
    "sampled-filter": [
        lambda: prove(
            "sampled-filter",
            [],
            {"neighbours": AR, "fraction": "1/4", "mu_squared": "2", "steps": 3, "program": {}},
        )
    ],
    "odometer": [
        lambda: prove(
            "odometer",
            [],
            {
                "neighbours": AR,
                "levels": [["1/10", "2.6"], ["1/2", "6"]],
                "deltas": ["1e-6", "1e-6"],
                "program": {},
            },
        )
    ],
    "poisson": [
        lambda: prove("poisson", [approx("1", "1e-9")], {"fraction": "1/10", "epsilon": "0.159"}),
        lambda: prove("poisson", [approx("1", "1e-9")], {"fraction": 1, "epsilon": 1}),
    ],
    "without-replacement": [
        lambda: prove(
            "without-replacement",
            [approx("1", "1e-9", RO)],
            {"sample": 10, "records": 100, "epsilon": "0.159"},
        )
    ],
    "poisson-gaussian": [
        lambda: measured("poisson-gaussian", marginal(), fraction="1/100", sigma_squared=4)
    ],
    "post-processing": [lambda: prove("post-processing", [zcdp("1")], {"map": "round"})],
    "fixed-ledger": [
        lambda seen=seen: prove("fixed-ledger", [zcdp("1")], {"program": {}, "seen": seen})
        for seen in ("every transcript", "a first question that uses up the budget")
    ],
    "group": [
        lambda one=one, at=at, more=more: prove("group", [one], {"neighbours": at, **more})
        for one, at, more in [
            (approx("1/3"), RO2, {}),
            (approx("1/3", "1e-9"), AR3, {"delta": "5e-9"}),
            (approx("0", "1e-9"), AR3, {"delta": "3e-9"}),
            (zcdp("1/3"), RO, {}),
            (stated(kind="gdp", mu="2"), AR3, {}),
            (renyi(), RO, {"orders": [2], "epsilons": ["7/2"]}),
            (pairs(GAUSS), RO2, {}),
            (renyi(), AR, {}),
        ]
    ],
    "mixture": [
        lambda: prove(
            "mixture",
            [approx("1", "1e-9"), approx("2", "1e-8")],
            {"weights": ["1/3", "2/3"]},
        )
    ],
    "worst-branch": [lambda: prove("worst-branch", [zcdp("1"), zcdp("2")])],
}


def gaussians_ar() -> Theorem:
    one = prove("gaussian", [marginal()], {"sigma_squared": 900})
    return prove("compose-pairs", [one], {"counts": [1000]})


def written(theorem: Theorem) -> Any:
    return json.loads(json.dumps(derivation(theorem)))


def cases() -> list[Any]:
    return [
        pytest.param(make, id=f"{rule}-{number}")
        for rule, several in EXAMPLES.items()
        for number, make in enumerate(several)
    ]


def test_every_rule_of_the_kernel_is_checked_here_and_no_other() -> None:
    known = {rule for table, _ in checker.FAMILIES for rule in table}
    assert known == set(RULES) == set(EXAMPLES)
    assert set(checker.HYPOTHESES) <= set(hypotheses.HYPOTHESES)


@pytest.mark.parametrize("make", cases())
def test_what_the_kernel_proves_is_checked(make: Callable[[], Theorem]) -> None:
    theorem = make()
    found = checker.check(written(theorem))
    assert found.status == "checked", found.reasons
    assert set(found.hypotheses) == theorem.hypotheses
    assert found.mechanism and found.neighbours and found.guarantee


NUMBERS = ("0", "-1", "1.7", "1e-12")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all numbers, and of what is true or false, in plain data."""
    if isinstance(value, dict):
        return [at for key, member in value.items() for at in leaves(member, (*path, key))]
    if isinstance(value, list):
        return [at for key, member in enumerate(value) for at in leaves(member, (*path, key))]
    number = type(value) in (int, bool) or (type(value) is str and value[:1].isdigit())
    return [path] if number else []


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The data with another value at a place."""
    data = copy.deepcopy(value)
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return data


def nearby(value: Any) -> list[Any]:
    """Other values of the same type."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [value + 1, value - 1, 0]
    return [*NUMBERS, str(Fraction(value) * Fraction(9, 10)), str(Fraction(value) * 2)]


def compare(steps: list[dict[str, Any]]) -> None:
    """Both programs draw the same conclusions from some steps, up to the first that is refused.

    What the kernel refuses the checker refuses as well, or says that it left it to the kernel.
    """
    theorems: list[Theorem] = []
    found: list[Any] = []
    for step in steps:
        rule, given = step["rule"], step["parameters"]
        checker.METER.notes.clear()
        try:
            concluded = checker.conclusion(rule, [found[at] for at in step["premises"]], given)
        except REFUSALS:
            concluded = None
        try:
            theorem = prove(rule, [theorems[at] for at in step["premises"]], given)
        except InputError:
            assert concluded is None or checker.METER.notes, (rule, given)
            return
        assert concluded is not None, (rule, given)
        judgment, hypotheses = concluded
        assert checker.agrees(judgment, theorem.judgment.to_json()), (rule, given)
        earlier = [theorems[at].hypotheses for at in step["premises"]]
        assert hypotheses.union(*earlier) == theorem.hypotheses
        theorems.append(theorem)
        found.append(judgment)


REFUSALS = (checker.Rejected, checker.Unaffordable, LookupError, TypeError, ValueError)


@pytest.fixture(autouse=True)
def unmetered() -> None:
    checker.METER.left = checker.WORK


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_when_a_number_is_changed(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    for place, step in enumerate(steps):
        for path in leaves(step["parameters"]):
            old = step["parameters"]
            for key in path:
                old = old[key]
            for new in nearby(old):
                changed = {**step, "parameters": replaced(step["parameters"], path, new)}
                compare([*steps[:place], changed, *steps[place + 1 :]])


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_under_other_neighbours(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    for place, step in enumerate(steps):
        for at in (AR, AR3, RO, RO2):
            if "neighbours" in step["parameters"]:
                changed = {**step, "parameters": {**step["parameters"], "neighbours": at}}
                compare([*steps[:place], changed, *steps[place + 1 :]])


@pytest.mark.parametrize("make", cases())
def test_both_refuse_the_same_of_other_premises(make: Callable[[], Theorem]) -> None:
    steps = written(make())["steps"]
    last = len(steps) - 1
    others = [marginal(), approx("1", "1e-9"), zcdp("1"), renyi(), pairs(GAUSS, LAPLACE)]
    others += [stated(kind="gdp", mu="1"), prove("approx-to-profile", [approx("1", "1e-9")])]
    for other in others:
        added = written(other)["steps"]
        shifted = [
            {**step, "premises": [at + len(steps) - 1 for at in step["premises"]]} for step in added
        ]
        new = len(steps) + len(added) - 2
        for premises in ([], [new], [new, new], [*steps[last]["premises"], new]):
            compare([*steps[:last], *shifted, {**steps[last], "premises": premises}])


def example() -> Any:
    """A derivation of several steps: two noisy answers composed, converted and post-processed."""
    query = marginal()
    noisy = [measured("discrete-gaussian", query, variance=v) for v in ("100", "50")]
    both = prove("compose-zcdp", noisy, {"counts": [2, 1]})
    made = prove("post-processing", [both], {"map": "fit a model"})
    given = {"epsilon": "1.1", "delta": "1e-6"}
    return written(prove("zcdp-to-approx", [made], given))


def rejected(data: Any, words: str) -> None:
    found = checker.check(data)
    assert found.status == "rejected" and words in found.reasons[0], found.reasons
    assert not found.mechanism and not found.guarantee


def test_a_forged_theorem_is_rejected() -> None:
    data = example()
    data["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    rejected(data, "step 5: the rule zcdp-to-approx concludes otherwise")


def test_a_conclusion_changed_in_any_place_is_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for path in leaves(step["conclusion"]):
            new = copy.deepcopy(data)
            new["steps"][number]["conclusion"] = replaced(step["conclusion"], path, "19/7")
            assert checker.check(new).status == "rejected", (number, path)
        for name in step["conclusion"]:
            new = copy.deepcopy(data)
            del new["steps"][number]["conclusion"][name]
            assert checker.check(new).status == "rejected", (number, name)


def test_missing_and_spare_hypotheses_are_rejected() -> None:
    data = example()
    for name in data["hypotheses"]:
        fewer = {**data, "hypotheses": [h for h in data["hypotheses"] if h != name]}
        rejected(fewer, "hypotheses")
    rejected({**data, "hypotheses": [*data["hypotheses"], "public"]}, "hypotheses")
    rejected({**data, "hypotheses": data["hypotheses"][::-1]}, "hypotheses")


def test_circular_premises_are_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for premise in (number, number + 1, -1, 10**30, True, "0", None):
            new = copy.deepcopy(data)
            new["steps"][number] = {**step, "premises": [premise]}
            assert checker.check(new).status == "rejected"


def test_reordered_steps_are_rejected() -> None:
    data = example()
    last = len(data["steps"]) - 1
    for first, second in [(0, 1), (1, 3), (last - 1, last)]:
        steps = list(data["steps"])
        steps[first], steps[second] = steps[second], steps[first]
        assert checker.check({**data, "steps": steps}).status == "rejected"


def test_a_dropped_step_is_rejected() -> None:
    data = example()
    for number in range(len(data["steps"]) - 1):
        steps = data["steps"][:number] + data["steps"][number + 1 :]
        assert checker.check({**data, "steps": steps}).status == "rejected"


def test_unknown_rules_and_unknown_missing_or_spare_parameters_are_rejected() -> None:
    data = example()
    for number, step in enumerate(data["steps"]):
        for name in step["parameters"]:
            fewer = {k: v for k, v in step["parameters"].items() if k != name}
            new = copy.deepcopy(data)
            new["steps"][number]["parameters"] = fewer
            assert checker.check(new).status == "rejected"
        new = copy.deepcopy(data)
        new["steps"][number]["parameters"]["spare"] = 1
        rejected(new, "parameters")
        new["steps"][number]["rule"] = "wish"
        rejected(new, "no such rule")


@pytest.mark.parametrize(
    "number",
    [0.1, "0,1", "1e999999999", "1_000", " 1", "0x1", "NaN", "Infinity", "1/0", "1" * 5000, "１"],
)
def test_what_is_no_plain_number_is_rejected(number: object) -> None:
    data = example()
    data["steps"][1]["parameters"]["variance"] = number
    assert checker.check(data).status == "rejected"


def test_a_float_anywhere_is_rejected_even_where_nobody_reads_it() -> None:
    data = example()
    data["steps"][-1]["parameters"]["epsilon"] = 1.1
    rejected(data, "floating point")
    kept = written(prove("public-draw", [], {"neighbours": AR, "law": {"bias": "1/2"}}))
    kept["steps"][0]["parameters"]["law"]["bias"] = 0.5
    rejected(kept, "floating point")


def test_numbers_left_to_the_kernel_are_said_and_the_rest_is_still_checked() -> None:
    theorem = prove(
        "pair-to-approx",
        [pairs({**LAPLACE, "count": 100})],
        {
            "method": "laplace",
            "epsilon": "4.7",
            "delta": "1e-6",
            "hints": {"remove": {"bits": 128}},
        },
    )
    data = written(theorem)
    found = checker.check(data)
    assert found.status == "kernel only" and "laplace" in found.reasons[0]
    assert found.guarantee
    data["steps"][-1]["conclusion"]["guarantee"]["delta"] = "1e-7"
    rejected(data, "concludes otherwise")


def test_work_is_bounded() -> None:
    one = approx("1/1000000", "1e-30")
    data = written(prove("optimal-homogeneous", [one], {"count": 100, "drop": 0, "delta": "1e-27"}))
    data["steps"][-1]["parameters"] = {"count": 10**9, "drop": 10**8, "delta": "1/2"}
    last = data["steps"][-1]["conclusion"]["guarantee"]
    last.update(epsilon="800", delta="1/2")
    assert checker.check(data).status == "kernel only"
    huge = written(approx("1e900"))
    huge["steps"].append(
        {
            "rule": "pure-to-zcdp-tight",
            "premises": [0],
            "parameters": {"rho": "1"},
            "conclusion": {
                **huge["steps"][0]["conclusion"],
                "guarantee": {"kind": "zcdp", "rho": "1"},
            },
        }
    )
    assert checker.check(huge).status == "kernel only"


def test_the_meter_stops_a_derivation_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "WORK", 10)
    found = checker.check(example())
    assert found.status == "kernel only" and not found.guarantee


CLAIMS = [
    (zcdp, "1/2", "rho=0.5", True),
    (zcdp, "1/2", "rho=0.49", False),
    (zcdp, "1/2", "epsilon=9, delta=0.1", False),
    (approx, "1", "epsilon=1", True),
    (approx, "1", "epsilon = 2 , delta = 1e-6", True),
    (approx, "1", "epsilon=0.9", False),
    (lambda mu: stated(kind="gdp", mu=mu), "1", "mu=1", True),
    (lambda mu: stated(kind="gdp", mu=mu), "1", "mu=1, mu=2", False),
    (lambda _: renyi(), "", "alpha=3, rdp=1.5", True),
    (lambda _: renyi(), "", "alpha=5, rdp=1.5", False),
]


@pytest.mark.parametrize(("make", "number", "claim", "holds"), CLAIMS)
def test_a_certificate_is_checked_to_show_its_claim(
    make: Callable[[str], Theorem], number: str, claim: str, holds: bool
) -> None:
    unit = {"name": "record", "max_records": 1}
    data = {
        "claim": claim,
        "neighbours": "add-remove",
        "unit": unit,
        "confidence": 0.95,
        "proof": {"derivation": written(make(number))},
    }
    assert checker.check(data).status == ("checked" if holds else "rejected")
    assert checker.check({**data, "neighbours": "replace-one"}).status == "rejected"
    person = {"name": "person", "max_records": 1}
    assert checker.check({**data, "unit": person}).status == "rejected"


def test_a_false_alternative_makes_a_certificate_false() -> None:
    good, bad = example(), example()
    bad["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    assert (
        checker.check({"proof": {"derivation": good, "alternatives": [good]}}).status == "checked"
    )
    assert (
        checker.check({"proof": {"derivation": good, "alternatives": [bad]}}).status == "rejected"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "an object"),
        (b"{}", "neither"),
        (b'{"schema": 1, "schema": 2}', "twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 100_000, "nested"),
        (b"[" * 5_000_000, "lists"),
    ],
)
def test_malformed_files_are_refused_cleanly(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "proof.json"
    path.write_bytes(content)
    found = checker.check_file(str(path))
    assert found.status == "malformed" and words in found.reasons[0], found.reasons
    assert checker.main([str(path)]) == 2


def test_nested_parameters_are_no_trouble() -> None:
    data = written(prove("public-draw", [], {"neighbours": AR, "law": {"law": "coin"}}))
    deep: Any = "1"
    for _ in range(100_000):
        deep = [deep]
    data["steps"][0]["parameters"]["law"] = {"law": deep}
    assert checker.check(data).status == "malformed"


def test_a_file_of_a_hundred_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert checker.main([str(path)]) == 2
    assert checker.main([str(tmp_path / "absent.json")]) == 2
    assert checker.main([str(tmp_path)]) == 2
    assert checker.main([]) == 2


def alone(tmp_path: Path, data: Any) -> subprocess.CompletedProcess[str]:
    """The checker run by itself: no site packages, nothing of ours to import."""
    copied = shutil.copy(str(checker.__file__), tmp_path / "checker.py")
    path = tmp_path / "proof.json"
    path.write_text(json.dumps(data))
    command = [sys.executable, "-I", "-S", str(copied), str(path)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
    )


def test_it_runs_alone_and_says_what_is_proved(tmp_path: Path) -> None:
    data = example()
    done = alone(tmp_path, data)
    assert done.returncode == 0 and not done.stderr, done.stderr
    for words in ("CHECKED", "epsilon=11/10", "add-remove of one record", "out-of-scope: ", "2 x "):
        assert words in done.stdout
    data["steps"][-1]["conclusion"]["guarantee"]["epsilon"] = "1"
    assert alone(tmp_path, data).returncode == 1


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(Path(str(checker.__file__)).read_text(encoding="utf-8"))
    found = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in found} <= sys.stdlib_module_names


def test_what_is_printed_is_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "proof.json"
    box = {
        "neighbours": AR,
        "mechanism": "\x1b[31m\n√ box",
        "guarantee": {"kind": "zcdp", "rho": "1"},
    }
    path.write_text(json.dumps(written(prove("stated-guarantee", [], box))))
    assert checker.main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.isascii() and "\x1b" not in printed
