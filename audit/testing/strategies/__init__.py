"""Hypothesis strategies for everything that an audit speaks of.

Plural names, bounds by keyword, and InputError at once for bounds that nothing keeps. What is
drawn shrinks towards few records, few cells, small counts and zero, so that a failing test ends
with the smallest example. Importing this package, and nothing else, also registers the classes
for ``hypothesis.strategies.from_type``.
"""

from audit.testing.strategies.claims import amounts, budgets, claims, guarantees, run_settings
from audit.testing.strategies.databases import (
    Histogram,
    Record,
    attributes,
    databases,
    datasets,
    domains,
    histograms,
    records,
)
from audit.testing.strategies.neighbouring import (
    neighbouring_datasets,
    neighbouring_histograms,
    neighbouring_pairs,
    relations,
    units,
)
from audit.testing.strategies.programs import Ending, Pipeline, pipelines
from audit.testing.strategies.queries import marginals, queries, scores
from audit.testing.strategies.questions import (
    events,
    measurements,
    noises,
    public_laws,
    selections,
    table_laws,
)
from audit.testing.strategies.registered import register, register_profile

register()
register_profile()

__all__ = [
    "Ending",
    "Histogram",
    "Pipeline",
    "Record",
    "amounts",
    "attributes",
    "budgets",
    "claims",
    "databases",
    "datasets",
    "domains",
    "events",
    "guarantees",
    "histograms",
    "marginals",
    "measurements",
    "neighbouring_datasets",
    "neighbouring_histograms",
    "neighbouring_pairs",
    "noises",
    "pipelines",
    "public_laws",
    "queries",
    "records",
    "relations",
    "run_settings",
    "scores",
    "selections",
    "table_laws",
    "units",
]
