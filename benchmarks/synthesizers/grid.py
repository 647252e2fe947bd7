"""What is measured: tables, programs, ε, metrics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from audit.utility.associations import Associations
from audit.utility.metric import Metric
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.propensity.distances import Specks
from audit.utility.propensity.ratios import PMSERatio
from audit.utility.workload_error import WorkloadError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs import PROGRAMS

TABLES = {
    "adult": "adult_coded",
    "adult-6": "adult_coded",
    "sf-fire": "sf_fire_coded",
    "acs": "acs_national2019",
}
"""The tables by the names of their files."""

PROJECTED = {
    "adult-6": ("education-num", "marital-status", "relationship", "race", "sex", "income>50K")
}
"""Tables of which some attributes are taken: 13,440 cells, which a full histogram can hold."""

TARGETS = {"adult": "income>50K", "adult-6": "income>50K"}
EPSILONS = ("0.1", "0.3", "1", "3", "10")
DELTA = "1/1000000000"
"""δ = 1e-9, as in the figures that these are compared with: below 1/n for all tables."""

SAMPLES = {"sample of 1 %": 0.01, "sample of 10 %": 0.1, "sample of 50 %": 0.5}
"""The yardstick of Li et al. (table 1) and SDNist (table 3): not private, as good as so much of
the data."""

BOOTSTRAP = "bootstrap"

METRICS: Mapping[str, Metric] = {
    "pairs": WorkloadError(k=2),
    "k-marginal": KMarginal(),
    "associations": Associations(),
    "specks": Specks(),
    "pmse-ratio": PMSERatio(),
}
"""Total variation of all pairs, and of triples (of 1000); correlations; how well a tree tells real
from synthetic, and by how much better than two halves of one table."""

SKIPPED = {"sf-fire": ("pmse-ratio",)}
"""Metrics that are not taken of a table: the trees of 305,000 permuted rows grow for most of a
minute a release."""

DIRECTIONS = {name: metric.direction for name, metric in METRICS.items()} | {"models": "lower"}


def programs() -> list[str]:
    """The programs that take an ε: those that promise differential privacy of any table."""
    return [
        name
        for name, program in PROGRAMS.items()
        if "epsilon" in {field.name for field in dataclasses.fields(program)}
    ]


def relation(name: str) -> Neighbours:
    """Add-remove, where the program takes it: n is private then."""
    return ReplaceOne() if name in ONLY_REPLACE_ONE else AddRemove()


ONLY_REPLACE_ONE = {"gem", "mwem", "privbayes"}
"""Programs whose sources take n as public."""


EITHER_NOISE = {"independent-marginals", "mwem"}
"""Programs that have a δ with Gaussian noise alone."""


def settings(name: str, epsilon: str) -> dict[str, str]:
    """The parameters of a program: its defaults, with ε and, where it has one, δ."""
    fields = {field.name for field in dataclasses.fields(PROGRAMS[name])}
    given = {"epsilon": epsilon} | ({"delta": DELTA} if "delta" in fields else {})
    return given | ({"noise": "gaussian"} if name in EITHER_NOISE else {})
