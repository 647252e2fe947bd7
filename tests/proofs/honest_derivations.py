"""Honest derivations: one or more that end with each rule of the kernel, made when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from proofs.derivation import derivation
from proofs.kernel import Theorem, prove

AR = {"neighbours": "add-remove", "unit": "record", "max_records": 1}
AR3 = {"neighbours": "add-remove", "unit": "person", "max_records": 3}
RO = {"neighbours": "replace-one", "unit": "record", "max_records": 1}
RO2 = {"neighbours": "replace-one", "unit": "person", "max_records": 2}
SHAPE = {"sex": 2, "age": 3}
SETTING = {"attributes": SHAPE, "records": None}
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
            {
                "neighbours": AR,
                "measure": measure,
                "budget": "2",
                "program": {},
                "setting": SETTING,
                **more,
            },
        )
        for measure, more in (("epsilon", {}), ("rho", {}), ("renyi", {"order": 8}))
    ],
    "sampled-filter": [
        lambda: prove(
            "sampled-filter",
            [],
            {
                "neighbours": AR,
                "fraction": "1/4",
                "mu_squared": "2",
                "steps": 3,
                "program": {},
                "setting": SETTING,
            },
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
                "setting": SETTING,
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
    "allocated-gaussian": [
        lambda steps=steps, times=times: measured(
            "allocated-gaussian", marginal(), steps=steps, times=times, sigma_squared=4
        )
        for steps, times in ((10, 1), (10, 3), (3, 2), (4, 4))
    ],
    "fixed-size-gaussian": [
        lambda: measured(
            "fixed-size-gaussian", marginal(RO), sample=10, records=100, sigma_squared=4
        )
    ],
    "post-processing": [
        lambda: prove("post-processing", [zcdp("1")], {"map": "round", "released": "output"})
    ],
    "fixed-ledger": [
        lambda seen=seen: prove(
            "fixed-ledger", [zcdp("1")], {"program": {}, "setting": SETTING, "seen": seen}
        )
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
