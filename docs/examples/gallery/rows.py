"""The rows of the gallery: mechanisms, claims, pairs of neighbours, and what is known of them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Row:
    """A mechanism and a claim.

    ``module``, ``attribute``: where it is, in this folder; without a module, a program of ours.
    ``ceiling``: what its library or a proof states, and who. ``beside``: what has to be known to
    read the row fairly.
    """

    name: str
    library: str
    module: str
    attribute: str
    claim: str
    neighbours: str
    pair: tuple[Any, Any] | None
    ceiling: str
    beside: str = ""
    runs: int = 10_000
    more: Mapping[str, Any] = field(default_factory=dict)

    def load(self) -> Any:
        """The subject."""
        if not self.module:
            return self.attribute
        return getattr(importlib.import_module(self.module), self.attribute)


def records(*values: Any) -> list[dict[str, Any]]:
    """Records of one value each."""
    return [{"value": value} for value in values]


ADD, REPLACE = "add-remove", "replace-one"
ONE_MORE = (records(3, 1), records(3, 1, 10))
TWO_TO_THREE = (records(0, 1), records(0, 1, 1))
EXCHANGED = (records(0, 5, 5), records(10, 5, 5))

OPENDP, DIFFPRIVLIB, PYDP, OURS = "OpenDP", "diffprivlib", "python-dp", "dp-audit"
DATASYNTHESIZER = "DataSynthesizer"

NO_RELATION = (
    "its documentation names no relation of neighbours; the sensitivity that it takes is that of "
    "the relation here"
)
BOUNDS = "without bounds the library warns (`PrivacyLeakWarning`) that more leaks than is said"
LISTED = (
    "its description lists the values that occur; a user may give the domain instead "
    "(`categorical_attribute_domain_file`)"
)
FLOATS = (
    "in doubles: the sampler is made against reconstruction from their limited precision "
    "(Holohan & Braghin 2021, named in its documentation), and the low bits of value plus noise "
    "tell the value"
)


def _opendp(
    name: str,
    attribute: str,
    claim: str,
    neighbours: str,
    pair: Any,
    ceiling: str,
    beside: str = "",
    runs: int = 10_000,
) -> Row:
    return Row(name, OPENDP, "in_opendp", attribute, claim, neighbours, pair, ceiling, beside, runs)


def _diffprivlib(
    name: str,
    attribute: str,
    claim: str,
    neighbours: str,
    pair: Any,
    ceiling: str,
    beside: str = NO_RELATION,
    runs: int = 10_000,
) -> Row:
    return Row(
        name,
        DIFFPRIVLIB,
        "in_diffprivlib",
        attribute,
        claim,
        neighbours,
        pair,
        ceiling,
        beside,
        runs,
    )


def _pydp(
    name: str,
    attribute: str,
    claim: str,
    neighbours: str,
    pair: Any,
    ceiling: str,
    beside: str = "",
    runs: int = 10_000,
) -> Row:
    return Row(name, PYDP, "in_pydp", attribute, claim, neighbours, pair, ceiling, beside, runs)


def _table(first: str) -> list[dict[str, Any]]:
    rest = [("0", "0"), ("1", "1")] * 4
    return [{"a": one, "b": other} for one, other in ((first, first), *rest)]


ROWS: tuple[Row, ...] = (
    _opendp(
        "OpenDP: Laplace noise on a clipped sum",
        "laplace_sum",
        "epsilon=1",
        ADD,
        (records(3, 1), records(3, 1, 10)),
        "ε = 1, by its map",
    ),
    _opendp(
        "OpenDP: Laplace noise on a sum of floats",
        "float_sum",
        "epsilon=1",
        ADD,
        (records(3.0, 1.0), records(3.0, 1.0, 10.0)),
        "ε = 0.991, by its map, rounding included",
    ),
    _opendp(
        "OpenDP: Gaussian noise on a clipped sum",
        "gaussian_sum",
        "rho=0.5",
        ADD,
        ONE_MORE,
        "ρ = 0.5, by its map",
    ),
    _opendp(
        "OpenDP: the same, as (ε, δ)",
        "approximate_sum",
        "epsilon=2.76, delta=0.01",
        ADD,
        ONE_MORE,
        "ε = 2.754 at δ = 0.01, by its map",
    ),
    _opendp(
        "OpenDP: geometric noise on a count",
        "geometric_count",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its map",
    ),
    _opendp(
        "OpenDP: Laplace noise on a histogram",
        "histogram",
        "epsilon=1",
        ADD,
        (records("0", "1"), records("0", "1", "1")),
        "ε = 1, by its map",
    ),
    _opendp(
        "OpenDP: the same histogram under another relation",
        "histogram",
        "epsilon=1",
        REPLACE,
        (records("0", "1"), records("0", "2")),
        "ε = 2, by its map at distance 2",
        "the claim is not OpenDP's: its map says 2 for a record that is exchanged",
    ),
    _opendp(
        "OpenDP: randomized response",
        "response",
        "epsilon=1.0987",
        REPLACE,
        (True, False),
        "ε = 1.0987, by its map",
    ),
    _opendp(
        "OpenDP: a sum and a count, composed",
        "composition",
        "epsilon=2",
        ADD,
        ONE_MORE,
        "ε = 2, by its map",
    ),
    _opendp(
        "OpenDP: a map that a user stated too small",
        "stated_too_small",
        "epsilon=1",
        ADD,
        ONE_MORE,
        "ε = 1, by the user's map",
        "the user's error, planted here: OpenDP asks for the feature `honest-but-curious` "
        "before it takes a user's map on trust",
    ),
    _diffprivlib(
        "diffprivlib: Geometric on a count",
        "geometric",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: GeometricTruncated on a count",
        "truncated",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: GeometricFolded on a count",
        "folded",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: GaussianDiscrete on a count",
        "discrete_gaussian",
        "epsilon=1, delta=0.01",
        ADD,
        TWO_TO_THREE,
        "ε = 1 at δ = 0.01, by its law",
    ),
    _diffprivlib(
        "diffprivlib: Laplace on a count",
        "laplace",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
        f"{NO_RELATION}; {FLOATS}",
    ),
    _diffprivlib(
        "diffprivlib: Binary",
        "binary",
        "epsilon=1",
        REPLACE,
        (records(0), records(1)),
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: Exponential",
        "exponential",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: PermuteAndFlip",
        "permute_and_flip",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _diffprivlib(
        "diffprivlib: mean with bounds",
        "mean",
        "epsilon=1",
        REPLACE,
        EXCHANGED,
        "ε = 1, by its law",
        f"{NO_RELATION}; {FLOATS}",
    ),
    _diffprivlib(
        "diffprivlib: mean with bounds, n private",
        "mean",
        "epsilon=1",
        ADD,
        (records(0, 0), records(0, 0, 10)),
        "–",
        "its noise is scaled by the number of records: a mean is one for public n",
    ),
    _diffprivlib(
        "diffprivlib: mean without bounds",
        "mean_bounds_from_data",
        "epsilon=1",
        REPLACE,
        (records(0, 5, 5), records(100, 5, 5)),
        "–",
        BOUNDS,
    ),
    _diffprivlib(
        "diffprivlib: sum with bounds",
        "total",
        "epsilon=1",
        REPLACE,
        EXCHANGED,
        "ε = 1, by its law",
        f"{NO_RELATION}; {FLOATS}",
    ),
    _diffprivlib(
        "diffprivlib: histogram", "histogram", "epsilon=1", ADD, TWO_TO_THREE, "ε = 1, by its law"
    ),
    _diffprivlib(
        "diffprivlib: histogram, a record exchanged",
        "histogram",
        "epsilon=1",
        REPLACE,
        (records(0, 1), records(0, 2)),
        "ε = 2, by its law",
        "its documentation names no relation of neighbours: means and sums keep ε where a "
        "record is exchanged, histograms where one is added; under one relation for all, "
        "this is what a histogram spends",
    ),
    _pydp("python-dp: Count", "count", "epsilon=1", ADD, TWO_TO_THREE, "ε = 1, by its law"),
    _pydp("python-dp: BoundedSum", "bounded_sum", "epsilon=1", ADD, ONE_MORE, "ε = 1, by its law"),
    _pydp(
        "python-dp: BoundedMean",
        "bounded_mean",
        "epsilon=1",
        ADD,
        (records(0, 0), records(0, 0, 10)),
        "ε = 1, by its law",
    ),
    _pydp(
        "python-dp: LaplaceMechanism on a count",
        "laplace",
        "epsilon=1",
        ADD,
        TWO_TO_THREE,
        "ε = 1, by its law",
    ),
    _pydp(
        "python-dp: GaussianMechanism on a count",
        "gaussian",
        "epsilon=1, delta=0.01",
        ADD,
        TWO_TO_THREE,
        "ε = 1 at δ = 0.01, by its law",
        "its deviation, 1.88, is what the analytic Gaussian mechanism needs here; of a double it "
        "makes a double, and the last bits of small answers tell 2 from 3",
    ),
    Row(
        "DataSynthesizer: independent mode, one column",
        DATASYNTHESIZER,
        "in_datasynthesizer",
        "independent",
        "epsilon=1",
        REPLACE,
        (_table("0"), _table("1")),
        "–",
        "the noisy shares of one of two columns, each of which has half of the budget",
        1000,
    ),
    Row(
        "DataSynthesizer: the values that are listed",
        DATASYNTHESIZER,
        "in_datasynthesizer",
        "categories",
        "epsilon=1",
        REPLACE,
        (_table("0"), _table("2")),
        "–",
        LISTED,
        300,
    ),
    Row(
        "DataSynthesizer: correlated mode, conditional chances",
        DATASYNTHESIZER,
        "in_datasynthesizer",
        "correlated",
        "epsilon=1",
        REPLACE,
        (_table("0"), _table("1")),
        "–",
        "one pair, few runs: says little of other pairs",
        500,
    ),
    Row(
        "dp-audit: geometric-sanitizer",
        OURS,
        "",
        "geometric-sanitizer",
        "epsilon=1",
        REPLACE,
        None,
        "ε = 1, by our proof",
        "attacked as a black box; `dp-audit certify` proves the claim",
        10_000,
        {"cells": 2, "records": 3, "parameters": {"epsilon": 1}},
    ),
)
"""Each is attacked on its one pair, so that NOT REFUTED speaks of that pair alone."""
