"""Which strategy stands for which class, so that ``st.from_type`` and ``@given(...)`` know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument

from audit.statements.claim import Claim
from audit.testing.strategies.claims import (
    amounts,
    budget_kinds,
    claims,
    guarantee_kinds,
    run_settings,
)
from audit.testing.strategies.databases import attributes, datasets, domains
from audit.testing.strategies.neighbouring import relations, units
from audit.testing.strategies.programs import Pipeline, pipelines
from audit.testing.strategies.queries import queries, query_kinds
from audit.testing.strategies.questions import (
    event_kinds,
    noise_kinds,
    noises,
    public_law_kinds,
    public_laws,
    selections,
    table_law_kinds,
    table_laws,
)
from synthesizers.curator import Setting
from synthesizers.declared import QUERIES, TABLE_LAWS
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.events import Draw, Measure, Sanitize, Select
from synthesizers.laws.public_laws import PublicLaw
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import Noise
from synthesizers.queries import Query
from synthesizers.selection import Exponential

Strategy = st.SearchStrategy[Any]


def register() -> None:
    """Register all of them; once is enough, and more often does no harm."""
    each: dict[type, Strategy] = {
        Domain: domains(),
        Attribute: st.integers(1, 4).flatmap(lambda size: attributes("a1", size)),
        Dataset: domains().flatmap(datasets),
        Unit: units(),
        AddRemove: units().map(AddRemove),
        ReplaceOne: units().map(ReplaceOne),
        Claim: claims(),
        Setting: st.tuples(domains(), relations()).flatmap(lambda both: run_settings(*both)),
        Pipeline: _small().flatmap(pipelines),
        Exponential: selections(),
        Noise: noises(),
        Query: domains().flatmap(queries),
        TableLaw: _large().flatmap(table_laws),
        PublicLaw: public_laws(),
        **guarantee_kinds(amounts()),
        **budget_kinds(),
        **noise_kinds(amounts()),
        **public_law_kinds(),
    }
    each |= {kind: _of(_small(), event_kinds, kind) for kind in (Measure, Select, Sanitize, Draw)}
    each |= {kind: _of(domains(), query_kinds, kind) for kind in QUERIES}
    each |= {kind: _of(_large(), table_law_kinds, kind) for kind in TABLE_LAWS}
    for kind, strategy in each.items():
        st.register_type_strategy(kind, strategy)


def register_profile() -> None:
    """Hypothesis' profile ``ci`` where its version or the user has none: derandomised, no deadline.

    A slow machine is not to decide about privacy, nor is chance.
    """
    try:
        settings.get_profile("ci")
    except InvalidArgument:
        settings.register_profile("ci", derandomize=True, deadline=None, database=None)


def _of(
    over: st.SearchStrategy[Domain], kinds: Callable[[Domain], Mapping[type, Strategy]], kind: type
) -> Strategy:
    return over.flatmap(lambda domain: kinds(domain)[kind])


def _small() -> st.SearchStrategy[Domain]:
    return domains(max_attributes=2, max_values=3, max_cells=6)


def _large() -> st.SearchStrategy[Domain]:
    """Domains of two attributes, for a record to be swapped in."""
    return domains(min_attributes=2, max_attributes=2, min_values=2, max_values=3)
