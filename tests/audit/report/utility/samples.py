"""Made-up scores of synthetic files, shared by the tests of utility reports."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from audit.utility.data.compare import Data
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Breakdown, Direction, Entry, Score, standard_error
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from tests.audit.report.samples import HOSTILE
from tests.audit.utility.data.kinds_of_tables import draw, lay

INF = math.inf
DOMAIN = Domain(
    "patients",
    (
        Attribute("sex", ("female", "male")),
        Attribute("age", tuple(str(10 * k) for k in range(9)), ordinal=True),
        Attribute("neighbourhood", tuple(f"N{k}" for k in range(30))),
        Attribute("smoker", ("no", "yes"), missing=True),
        Attribute("income", tuple(str(k) for k in range(12)), ordinal=True),
        Attribute("schooling", ("1", "2", "3"), ordinal=True),
    ),
)
FILES = ("synthetic/marginals_eps1.csv", "synthetic/bayes_net_eps1.csv", "uniform.csv")
NAMES = DOMAIN.names
PAIRS = tuple((a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :])


def score(
    value: float | None,
    metric: str = "total-variation",
    ends: tuple[float, float] = (0.0, 1.0),
    direction: Direction = "lower",
    **fields: object,
) -> Score:
    """A score of a made-up metric."""
    undefined = None if value is not None else "nothing to compare"
    made = Score(metric, value, *ends, direction, undefined=undefined)
    return replace(made, **fields)


def drawing(mean: float, spread: float, seed: int, **fields: object) -> Score:
    """A score over 300 draws that any two files share."""
    shared = np.random.default_rng(1).normal(0, 90, 300)
    own = np.random.default_rng(seed).normal(0, spread, 300)
    parts = tuple(float(part) for part in np.clip(mean + shared + own, 0, 1000))
    return score(
        float(np.mean(parts)),
        "k-marginal",
        (0.0, 1000.0),
        "higher",
        seed=0,
        drawn=tuple([NAMES[k % 6], NAMES[(k + 1 + k // 6) % 6]] for k in range(300)),
        parts=parts,
        standard_error=standard_error(parts),
        **fields,
    )


def groups(level: float, seed: int, count: int = 60) -> Breakdown:
    """Scores of groups, worst first."""
    random = np.random.default_rng(seed)
    values = np.sort(np.clip(random.normal(level, 120, count), 0, 1000))
    rows = tuple(
        (f"N{k}, 201{k % 8}", float(value), 1000 - 7 * k, 990 - 6 * k)
        for k, value in enumerate(values)
    )
    columns = ("group", "score", "real records", "synthetic records")
    return Breakdown("groups", columns, rows, "12 better groups are left out")


def subsamples() -> Breakdown:
    """Scores of samples of the real table."""
    means = {1: 610, 5: 790, 10: 842, 20: 889, 30: 911, 40: 926, 50: 938, 70: 957, 90: 977}
    rows = tuple((percent, float(mean), 90.0 / percent**0.7, 5) for percent, mean in means.items())
    return Breakdown("subsamples", ("percent", "mean score", "sd", "replicates"), rows)


def pairs(scale: float, seed: int) -> Breakdown:
    """Total variation of every two attributes."""
    random = np.random.default_rng(seed)
    rows = sorted(((*p, float(scale * random.random())) for p in PAIRS), key=lambda row: -row[2])
    columns = ("first attribute", "second attribute", "total variation")
    return Breakdown("pairs", columns, tuple(rows[:-2]), "2 pairs are left out")


def densities(shift: float) -> Breakdown:
    """Propensities of both tables."""
    places = (np.arange(50) + 0.5) / 50
    shapes = [np.exp(-(((places - c) / 0.12) ** 2)) for c in (0.5 - shift, 0.5 + shift)]
    shares = [shape / shape.sum() for shape in shapes]
    rows = tuple(
        (k / 50, (k + 1) / 50, float(shares[0][k]), float(shares[1][k])) for k in range(50)
    )
    return Breakdown("densities", ("low", "high", "real share", "synthetic share"), rows)


def marginals(scale: float) -> Breakdown:
    """Total variation of one-way marginals, worst first."""
    rows = tuple((name, scale / (k + 1)) for k, name in enumerate(NAMES))
    return Breakdown("marginals", ("attribute", "total variation"), rows)


def cells() -> Breakdown:
    """Cells with a surplus or a deficit."""
    rows: tuple[tuple[Entry, ...], ...] = tuple(
        ("sex × neighbourhood", f"sex = female, neighbourhood = N{k}", 40, 3 * k, 3 * k - 40, 2)
        for k in range(13)
    )
    columns = ("marginal", "cell", "real", "synthetic", "beyond the tolerance", "to be removed")
    return Breakdown("cells", columns, rows, "7 further cells are beyond the tolerance")


def terms() -> Breakdown:
    """Something that has no picture."""
    return Breakdown("scores", ("term", "score"), (("k-marginal", 880.5), ("hoc", INF)))


def data(domain: Domain, files: tuple[str, ...]) -> Data:
    """Random tables beside each other, some values of the real one outside the domain."""
    tables = {file: draw(domain, 400, seed) for seed, file in enumerate(files, 1)}
    return lay(draw(domain, 500, 0, outside=True), **tables)


def results() -> UtilityResults:
    """Three files by metrics of every kind, some of them undefined, one refused."""
    scored = []
    for place, file in enumerate(FILES):
        bad = (0.0, 0.06, 0.55)[place]
        found = [
            score(
                0.03 + bad,
                exact=Fraction(3 + round(100 * bad), 100),
                details=(marginals(0.1 + bad),),
            ),
            drawing(
                (905.0, 902.0, 560.0)[place],
                40.0,
                place + 2,
                details=(groups((870.0, 850.0, 480.0)[place], place),),
                stated=("sets of 3 distinct attributes", "a group empty on one side scores 0"),
            ),
            score(0.05 + bad, "workload-error", details=(pairs(0.2 + bad, place),)),
            score(
                (1.9, 1.2, INF)[place],
                "pmse-ratio",
                (0.0, INF),
                replicates=((1.8, 2.1, 2.0), (1.3, 1.1, 1.2), ())[place],
                seed=0,
                details=(densities(bad / 2 + 0.02),),
                stated=("null: drawn from the fitted original",),
            ),
            score(
                (0.31, 0.28, 1.71)[place],
                "mgd",
                (0.0, INF),
                bracket=(Fraction(27, 100), Fraction(32, 100)) if place == 0 else None,
                details=(cells(), terms()),
            ),
            score(
                (19.0, 20.0, 1.0)[place],
                "subsample-equivalent",
                (0.0, 100.0),
                "higher",
                seed=0,
                standard_error=1.1,
                bracket=(Fraction(0), Fraction(1)) if place == 2 else None,
                stated=(
                    (
                        "as good as a 19 % sample, by k-marginal (886.289)",
                        "as good as a 20 % sample, by k-marginal (888.705)",
                        "below the 1 % sample: the value is an upper bound",
                    )[place],
                    "5 subsamples of each size without replacement",
                ),
                details=(subsamples(),),
            ),
            score(
                None if place == 2 else 480_000.0 + 90_000 * place,
                "pay-gap",
                (0.0, 1e6),
                "higher",
                mode="nist-2018",
                **({"undefined": "no city has wages of both sexes"} if place == 2 else {}),
            ),
        ]
        nulls = (0.62, 505.0, 0.7, 44.0, 1.8, 1.0, None)
        for each, null in zip(found, nulls, strict=True):
            plain = replace(
                each, replicates=(), details=(), exact=None, bracket=None, parts=(), drawn=()
            )
            other = replace(
                plain,
                value=null,
                standard_error=None,
                undefined="no wages" if null is None else None,
            )
            scored.append(Scored(file, each, other, 0.25))
    records = {"confidential.csv": 10_000, FILES[0]: 10_000, FILES[1]: 9_612, FILES[2]: 10_000}
    refused = (("longitudinal", "the domain declares no person; add [individual] to it"),)
    return UtilityResults(
        "confidential.csv", DOMAIN, records, tuple(scored), refused, data=data(DOMAIN, FILES)
    )


def single() -> UtilityResults:
    """One file by one metric, without a baseline."""
    return UtilityResults(
        "real.csv", DOMAIN, {"real.csv": 10, "s.csv": 7}, (Scored("s.csv", score(0.25), None, 0.1),)
    )


def hostile() -> UtilityResults:
    """Every text is hostile."""
    detail = [
        Breakdown(name, (HOSTILE, "score"), ((HOSTILE, 0.5), (HOSTILE + "2", INF)), HOSTILE)
        for name in ("marginals", "groups", HOSTILE)
    ]
    own = Breakdown(
        "pairs",
        (HOSTILE, "second", "difference"),
        tuple((HOSTILE, f"{HOSTILE}{k}", 0.1 * k) for k in range(5)),
    )
    scored = tuple(
        Scored(
            file,
            score(0.5, HOSTILE, details=(*detail, own), stated=(HOSTILE,), mode=HOSTILE),
            score(None, HOSTILE, undefined=HOSTILE, mode=HOSTILE),
            0.1,
        )
        for file in (HOSTILE, HOSTILE + "b")
    )
    domain = Domain(
        "d",
        (
            Attribute("<script>x</script>\u202e", ("0", "<script>1</script>\u202e")),
            Attribute("<b>", tuple(f"<i>{k}\u202e" for k in range(30)), ordinal=True, missing=True),
        ),
    )
    records = {"r": 1, HOSTILE: 1, HOSTILE + "b": 1}
    files = (HOSTILE, HOSTILE + "b")
    found = data(domain, files)
    return UtilityResults("r", domain, records, scored, ((HOSTILE, HOSTILE),), data=found)


CONTRACT = {
    "metric",
    "synthetic",
    "mode",
    "value",
    "range",
    "direction",
    "standard_error",
    "draws",
    "seed",
    "undefined",
}
"""What the contract promises of every score in JSON."""
