"""What a propensity score is made of: densities, attributes, folds, permutations."""

from __future__ import annotations

from collections.abc import Sequence

from audit.utility.propensity.discriminator import Permuted
from audit.utility.propensity.estimators import Estimates
from audit.utility.propensity.statistics import Propensities
from audit.utility.score import Breakdown

BINS = 100
"""Bins of the probability, as in the report of SDNist 2.x."""


def densities(propensities: Propensities) -> Breakdown:
    """The shares of either table's scored records in equal bins of the probability."""
    real, synthetic = propensities.densities(BINS)
    return Breakdown(
        "densities",
        ("bin low", "bin high", "real share", "synthetic share"),
        tuple(
            (place / BINS, (place + 1) / BINS, float(real[place]), float(synthetic[place]))
            for place in range(BINS)
        ),
        "records by their probability of being synthetic, in the order of the bins",
    )


def importances(estimates: Estimates, note: str) -> Breakdown:
    """The attributes that give the synthetic table away, worst first."""
    ordered = sorted(estimates.importances.items(), key=lambda item: -item[1])
    return Breakdown("importances", ("attribute", "importance"), tuple(ordered), note)


def statistics(propensities: Propensities) -> Breakdown:
    """Everything that is read off the same probabilities."""
    real, synthetic = propensities.records
    u = propensities.u()
    return Breakdown(
        "statistics",
        ("statistic", "value"),
        (
            ("pMSE", propensities.pmse()),
            ("SPECKS", float(propensities.specks())),
            ("PO50", float(propensities.po50())),
            ("U", float(u)),
            ("U by pairs of records", float(u / (real * synthetic))),
        ),
    )


def folds(estimates: Estimates) -> Breakdown:
    """The sizes, c and pMSE of each fold, pMSE around the c of all records; worst first."""
    rows = []
    for number, fold in enumerate(estimates.folds):
        own = Propensities.of(fold.fit.probabilities, fold.labels, estimates.share).pmse()
        trained, scored = sum(fold.training), sum(fold.scored)
        shares = fold.training[1] / trained, fold.scored[1] / scored
        rows.append((-own, (number + 1, trained, scored, *shares, own)))
    return Breakdown(
        "folds",
        ("fold", "training records", "scored records", "c in training", "c scored", "pMSE"),
        tuple(row for _, row in sorted(rows)),
    )


def permutations(found: Sequence[Permuted], what: str) -> Breakdown:
    """pMSE under each permutation of the labels; ``what`` its size counts, as "splits"."""
    return Breakdown(
        "permutations",
        ("permutation", "pMSE", what),
        tuple((number + 1, one.pmse, one.size) for number, one in enumerate(found)),
        "in the order of the draws",
    )
