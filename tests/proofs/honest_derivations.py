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


def gaussians(at: dict[str, Any] = RO) -> Theorem:
    one = noisy("gaussian", 900, at)
    return prove("compose", [one], {"counts": [1000]})


def noisy(law: str, amount: Any, at: dict[str, Any] = AR) -> Theorem:
    return prove("additive-noise", [marginal(at)], {"law": law, "amount": amount})


def renyi() -> Theorem:
    return stated(kind="renyi", points=[["2", "1/2"], ["4", "3/2"], ["9", "5"]])


def losses(*entries: dict[str, Any]) -> Theorem:
    return stated(kind="losses", losses=list(entries))


def as_losses(theorem: Theorem) -> Theorem:
    return prove("as-losses", [theorem])


def read(theorem: Theorem, method: str, epsilon: Any, delta: Any, **hints: Any) -> Theorem:
    given = {"method": method, "epsilon": epsilon, "delta": delta, "hints": hints}
    return prove("to-approx", [theorem], given)


def asked(rule: str, at: dict[str, Any], **query: Any) -> Theorem:
    return prove(rule, [], {"neighbours": at, "shape": SHAPE, "query": {"kind": rule, **query}})


def scores(monotone: bool = False) -> Theorem:
    norms = {"l0": None, "l1": 3, "l2_squared": 3, "linf": 1}
    own = {"neighbours": AR, "query": "scores", "monotone": monotone, "integers": True}
    return prove("stated-sensitivity", [], {**norms, **own})


def measured(rule: str, query: Theorem, **given: Any) -> Theorem:
    return prove(rule, [query], given)


def noise_loss(law: str, amount: str, count: int, move: int = 1) -> dict[str, Any]:
    norms = {"l0": 1, "l1": str(move), "l2_squared": str(move**2), "linf": str(move)}
    return {"loss": "noise", "count": count, "law": law, "amount": amount, **norms}


LAPLACE = noise_loss("laplace", "10", 3)
DISCRETE = noise_loss("discrete-laplace", "3", 2, 2)
DGAUSS = noise_loss("discrete-gaussian", "25", 5)
VECTOR = {
    **noise_loss("discrete-gaussian", "25", 2),
    **{"l0": None, "l1": "7", "l2_squared": "9", "linf": "5/2"},
}
RESPONSE = {"loss": "response", "count": 40, "epsilon": "1/10", "delta": "0"}
LEAKY = {"loss": "response", "count": 4, "epsilon": "1/2", "delta": "1/1000000"}
RANGE = {"loss": "bounded-range", "count": 3, "epsilon": "1/5"}
GAUSS = {"loss": "gaussian", "count": 1, "mu_squared": "3/7"}
SAMPLED = {"loss": "sampled-gaussian", "count": 100, "fraction": "1/100", "mu_squared": "1"}
TIGHT = {"loss": "concentrated", "count": 2, "xi": "1/8", "rho": "1/20", "delta": "1/1000000000"}
CURVE = {"loss": "curve", "count": 2, "points": [["2", "1/2"], ["4", "3/2"], ["9", "5"]]}
COINS = {
    "neighbours": RO,
    "databases": [[1, 0], [0, 1]],
    "rows": [["3/4", "1/4"], ["1/4", "3/4"]],
    "epsilon": "1.0986122886681099",
    "delta": 0,
}

LOGARITHMIC = {"law": "truncated-negative-binomial", "eta": 0, "gamma": "1/10"}
GEOMETRIC = {"law": "truncated-negative-binomial", "eta": 1, "gamma": "1/10"}
BINOMIAL = {"law": "truncated-negative-binomial", "eta": "-1/2", "gamma": "1/50"}
POISSON = {"law": "poisson", "mean": 10}
ACCEPTED = {"law": "until-accepted", "gamma": "1/20"}

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
    "table-distances": [
        lambda at=at, scale=scale: asked(
            "table-distances",
            at,
            marginals=[["sex"], ["sex", "age"]],
            models=[[1, 2, 3, 0, 0, 0, 0, 0], [0, -9, 1, 1, 1, 1, 1, 1]],
            scale=scale,
        )
        for at in (AR, AR3, RO, RO2)
        for scale in (1, 3)
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
    "additive-noise": [
        lambda law=law, at=at: noisy(law, "7/2", at)
        for law in (
            "laplace",
            "rounded-laplace",
            "discrete-laplace",
            "gaussian",
            "discrete-gaussian",
        )
        for at in (AR3, RO, RO2)
    ]
    + [lambda: prove("additive-noise", [asked("total", RO)], {"law": "gaussian", "amount": 1})],
    "stated-guarantee": [
        renyi,
        lambda: stated(RO2, kind="gdp", mu="2"),
        lambda: stated(AR3, kind="zcdp", rho="1/3"),
        lambda: losses(
            RANGE, TIGHT, CURVE, GAUSS, VECTOR, DGAUSS, DISCRETE, LAPLACE, RESPONSE, SAMPLED
        ),
    ],
    "public-draw": [lambda: prove("public-draw", [], {"neighbours": AR, "law": {"law": "coin"}})],
    "exponential": [
        lambda monotone=monotone: measured("exponential", scores(monotone), rate="1/4")
        for monotone in (False, True)
    ],
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
    "response": [lambda: measured("response", asked("total", AR), epsilon="1/3")],
    "local-randomizer": [
        lambda own=own: prove("local-randomizer", [], {"neighbours": RO, **own})
        for own in (
            {"values": 4, "epsilon": "1/2"},
            {"matrix": COINS["rows"], "epsilon": COINS["epsilon"]},
        )
    ],
    "posterior-draws": [
        lambda at=at, law=law, epsilon=epsilon: prove(
            "posterior-draws",
            [],
            {"neighbours": at, "law": law, "alpha_min": "1/2", "records": 5, "epsilon": epsilon},
        )
        for at, law, epsilon in (
            (AR3, "dirichlet-multinomial", "7.1937"),
            (RO, "dirichlet-multinomial", "7.1937"),
            (RO, "plug-in-multinomial", "5.4930615"),
        )
    ],
    "finite-channel": [lambda: prove("finite-channel", [], COINS)],
    "weaken": [
        lambda one=one, weaker=weaker: prove("weaken", [one], {"guarantee": weaker})
        for one, weaker in [
            (approx("1"), {"kind": "approx", "epsilon": "2", "delta": "1e-9"}),
            (zcdp("1"), {"kind": "zcdp", "rho": "1"}),
            (renyi(), {"kind": "renyi", "points": [["3", "2"], ["4", "3/2"]]}),
            (approx("1", "1e-9"), {"kind": "profile", "points": [["1", "1e-9"], ["2", "1e-9"]]}),
            (
                prove(
                    "weaken", [approx("1")], {"guarantee": {"kind": "profile", "points": [[1, 0]]}}
                ),
                {"kind": "approx", "epsilon": "2", "delta": "1e-9"},
            ),
        ]
    ],
    "as-losses": [
        lambda one=one: as_losses(one())
        for one in (
            renyi,
            lambda: approx("1/3", "1e-9"),
            lambda: zcdp("1/2"),
            lambda: stated(kind="gdp", mu="2"),
            lambda: stated(kind="gdp", mu="0"),
        )
    ],
    "to-approx": [
        lambda: read(gaussians(), "gaussian", 8, "1e-6"),
        lambda: read(losses(RESPONSE), "responses", "5/2", "1e-3", remove={"bits": 128}),
        lambda: read(losses(LEAKY), "responses", 2, "4e-6", remove={"bits": 128}),
        lambda: read(losses(RANGE), "responses", "1/2", "1e-1", remove={"bits": 128}),
        lambda: read(
            losses({**RESPONSE, "count": 5}, {**LEAKY, "count": 2}),
            "responses",
            "1",
            "1e-1",
            remove={"bits": 128, "grid": 4},
        ),
        lambda: read(losses(DISCRETE, LAPLACE, RESPONSE), "sum", "6", 0),
        lambda: read(losses(RANGE, LAPLACE, LEAKY), "sum", "3", "4e-6"),
        *[
            lambda entries=entries, more=more: read(
                losses(*entries), "moment", 12, "1e-3", remove={"order": "2"}, **more
            )
            for entries, more in (
                ([DISCRETE, LAPLACE, LEAKY], {}),
                ([GAUSS, VECTOR, DGAUSS], {}),
                ([SAMPLED], {"add": {"order": "5/2"}}),
                ([RANGE, TIGHT, CURVE], {}),
            )
        ],
    ],
    "to-profile": [
        lambda: prove(
            "to-profile",
            [gaussians()],
            {"method": "gaussian", "points": [[4, "1e-2"], [8, "1e-6"]], "hints": [{}, {}]},
        )
    ],
    "to-zcdp": [
        lambda: prove("to-zcdp", [losses(RANGE, GAUSS, DGAUSS, DISCRETE, LAPLACE)], {"rho": "1.2"}),
        lambda: prove("to-zcdp", [losses(VECTOR)], {"rho": "9/25"}),
        lambda: prove("to-zcdp", [as_losses(approx("1"))], {"rho": "0.4622"}),
        lambda: prove("to-zcdp", [as_losses(zcdp("1/3"))], {"rho": "1/3"}),
    ],
    "to-gdp": [
        lambda: prove("to-gdp", [losses(GAUSS)], {"mu": "0.655", "shares": []}),
        lambda: prove("to-gdp", [as_losses(approx("1"))], {"mu": "1.2327", "shares": ["1.2327"]}),
        lambda: prove("to-gdp", [as_losses(approx("0"))], {"mu": 0, "shares": [0]}),
        lambda: prove("to-gdp", [losses(GAUSS, RESPONSE)], {"mu": "2", "shares": ["0.126"]}),
    ],
    "to-renyi": [
        lambda: prove(
            "to-renyi",
            [losses(RANGE, CURVE, GAUSS, VECTOR, DGAUSS, DISCRETE, LAPLACE, RESPONSE)],
            {"orders": [2, 6], "epsilons": ["6", "25"]},
        ),
        lambda: prove(
            "to-renyi", [losses(SAMPLED)], {"orders": [2, "5/2"], "epsilons": ["0.02", "0.03"]}
        ),
    ],
    "compose": [
        lambda: prove(
            "compose", [as_losses(approx("1/3", "1e-9")), noisy("laplace", 2)], {"counts": [3, 2]}
        ),
        lambda: prove("compose", [losses(GAUSS, LAPLACE), gaussians(AR), losses(LAPLACE)]),
        lambda: prove("compose", [as_losses(renyi()), as_losses(renyi())], {"counts": [2, 3]}),
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
        lambda budget=budget: prove(
            "filter",
            [],
            {"neighbours": AR, "budget": budget, "program": {}, "setting": SETTING},
        )
        for budget in (
            {"loss": "response", "count": 1, "epsilon": "2", "delta": "0"},
            {"loss": "concentrated", "count": 1, "xi": "0", "rho": "2", "delta": "0"},
            {"loss": "curve", "count": 1, "points": [["8", "2"]]},
            {**SAMPLED, "count": 3},
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
    "subsample": [
        lambda: prove("subsample", [approx("1", "1e-9")], {"fraction": "1/10", "epsilon": "0.159"}),
        lambda: prove("subsample", [approx("1", "1e-9")], {"fraction": 1, "epsilon": 1}),
        lambda: prove(
            "subsample",
            [approx("1", "1e-9", RO)],
            {"sample": 10, "records": 100, "epsilon": "0.159"},
        ),
    ],
    "sampled-gaussian": [
        lambda: measured("sampled-gaussian", marginal(), fraction="1/100", sigma_squared=4)
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
            (losses(GAUSS), RO2, {}),
            (losses(RANGE, VECTOR, DGAUSS, DISCRETE, RESPONSE), RO2, {}),
            (as_losses(zcdp("1/3")), RO, {}),
            (renyi(), AR, {}),
        ]
    ],
    "mixture": [
        lambda: prove(
            "mixture",
            [approx("1", "1e-9"), approx("2", "1e-8")],
            {"weights": ["1/3", "2/3"]},
        ),
        lambda: prove("mixture", [zcdp("1"), zcdp("2")]),
    ],
    "repeat": [
        lambda runs=runs, one=one, epsilon=epsilon: prove(
            "repeat", [one()], {"runs": runs, "epsilon": epsilon, "delta": "1e-7"}
        )
        for runs, one, epsilon in (
            (LOGARITHMIC, lambda: approx("4.99"), "9.98"),
            (LOGARITHMIC, lambda: approx("1", "1e-9"), "1.9145"),
            (GEOMETRIC, lambda: approx("1", "1e-9"), "2.6"),
            (BINOMIAL, lambda: approx("1", "1e-9"), "1.484"),
            (POISSON, lambda: approx("1", "1e-9"), "5.621172"),
            (ACCEPTED, lambda: approx("1", "1e-9"), "1.892"),
        )
    ]
    + [
        lambda runs=runs, epsilon=epsilon: prove(
            "repeat",
            [profile()],
            {"runs": runs, "epsilon": epsilon, "delta": "1e-4", "at": 8, "auxiliary": 4},
        )
        for runs, epsilon in ((LOGARITHMIC, "12"), (POISSON, "18"), (ACCEPTED, "12"))
    ],
    "repeat-renyi": [
        lambda runs=runs: prove(
            "repeat-renyi",
            [renyi()],
            {"runs": runs, "orders": [2, 4], "auxiliary": [9, 4], "epsilons": ["16", "17"]},
        )
        for runs in (LOGARITHMIC, GEOMETRIC, BINOMIAL, ACCEPTED)
    ]
    + [
        lambda: prove(
            "repeat-renyi",
            [stated(kind="renyi", points=[["2", "1/20"], ["40", "1/4"]])],
            {"runs": POISSON, "orders": [2], "auxiliary": [40], "epsilons": ["2.36"]},
        )
    ],
    "repeat-zcdp": [
        lambda runs=runs: prove(
            "repeat-zcdp",
            [zcdp("1/32")],
            {"runs": runs, "order": 9, "auxiliary": 9, "rho": "2"},
        )
        for runs in (LOGARITHMIC, GEOMETRIC, BINOMIAL, ACCEPTED)
    ],
}


def profile() -> Theorem:
    given = {"method": "gaussian", "points": [[4, "1e-2"], [8, "1e-6"]], "hints": [{}, {}]}
    return prove("to-profile", [gaussians()], given)


def written(theorem: Theorem) -> Any:
    return json.loads(json.dumps(derivation(theorem)))
