"""Our own classes keep the laws."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.testing.laws import Law, parametrize_with_laws
from audit.utility.catalogue import METRICS
from synthesizers.declared import NOISES, PUBLIC_LAWS, QUERIES, SELECTIONS, TABLE_LAWS
from synthesizers.domain import Domain
from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.cell_keys import CellKey, PerturbationTable
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity, ladder_of
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.public_laws import Multinomial, Seed, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.programs import PROGRAMS, build
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    CellErrors,
    CriticGradient,
    IndependenceDistance,
    ItemsetCounts,
    Layer,
    LinearQueries,
    Marginal,
    MaximalCorrelation,
    ModelError,
    MutualInformation,
    RankDistance,
    RecodedMarginal,
    TableDistances,
    Total,
)
from synthesizers.queries.gradients import pack
from synthesizers.selection import Exponential
from tests.audit.utility.test_catalogue import PEOPLE, metric

F = Fraction
SQUARE = Domain.from_cells("2x2")

NOISE = [
    *(kind(F(*size)) for kind in (DiscreteLaplace, RoundedLaplace) for size in ((1, 2), (7, 3))),
    *(DiscreteGaussian(F(*size)) for size in ((1, 9), (1, 1), (31, 3))),
]
HALF = RecodedMarginal(("a2", "a1"), ((0, 0), (0, -1)))
ASKED = [
    Total(),
    Marginal(("a1",)),
    Marginal(("a2", "a1")),
    CellCounts((2,)),
    CellCounts((3, 0)),
    BoundedSum("a1", (-7, 3), -2, 2),
    BoundedSum("a2", (1, 4), 0, 9),
    ModelError((Marginal(("a1",)), Marginal(("a1", "a2"))), ((1, 1), (0, 2, 1, 0))),
    ModelError((HALF, Marginal(("a1",))), ((1,), (0, 2)), (3, 2), (-7, 0)),
    HALF,
    RecodedMarginal(("a1", "a2"), ((1, 0), (0, 1))),
    LinearQueries(("a1",), (Layer(2, (0, 1)), Layer(-1, (1, 0)))),
    LinearQueries(("a2", "a1"), (Layer(1, (0, 1, 2, 3)), Layer(1, (4, 4, 5, 5)))),
    CellErrors((Marginal(("a1",)), Marginal(("a2", "a1"))), ((1,), (0, 3)), ((1,), (2, 0)), 2),
    IndependenceDistance(((("a1",), ("a2",)),), 3),
    TableDistances((Marginal(("a1",)), Marginal(("a2",))), ((1, 2, 0, 3), (0, 0, 3, 1)), 2),
    CriticGradient(("a2", "a1"), 1, pack([0.5, -1.0, 0.25, 2.0, 0.125, 1.0]), F(1), 8),
    MaximalCorrelation((("a1", ("a2",)),)),
    ItemsetCounts(((("a1", 0),), (("a2", 1), ("a1", 0)))),
    RankDistance((("a1", 0), ("a2", 1)), 2, 3),
]
TABLES = [
    RandomizedResponse(F(1)),
    PostRandomisation(((3, 1), (1, 3)), 1, 2),
    PostRandomisation(tuple(tuple(4 if i == j else 1 for j in range(4)) for i in range(4))),
    DirichletMultinomial((F(1, 2),), 2),
    PlugInMultinomial((F(1), F(2), F(1), F(3)), 2),
    Bootstrap(2),
    Subsample(F(1, 2)),
    RandomRounding(3),
    CellSuppression((2, 2), 2),
    CellKey(PerturbationTable((((-1, F(1, 2)), (1, F(1, 2))),))),
    GlobalRecoding(((0, 0), (0, 1))),
    KAnonymity(tuple(ladder_of(SQUARE, name) for name in SQUARE.names), 2),
    RecordSwapping((2, 2), 0, (), F(1)),
]
PUBLIC = [UniformChoice(3), Multinomial(3, (1, 0, 2))]
SELECTING = [Exponential(F(1, 2)), Exponential(F(3))]
PARAMETERS = {
    "adagrid": {
        "epsilon": "1",
        "delta": "1/100",
        "threshold": "1/4",
        "unit": "2",
        "steps": "2",
        "slack": "0",
    },
    "aim": {
        "epsilon": "2",
        "delta": "1/100",
        "rounds": "3",
        "steps": "2",
        "last-steps": "2",
        "slack": "0",
    },
    "dpsyn": {"epsilon": "2", "delta": "1/100", "rounds": "1", "slack": "0"},
    "dpsyn-2020": {"epsilon": "2", "delta": "1/100", "rounds": "1", "slack": "0"},
    "fourier": {"epsilon": "2", "slack": "0"},
    "mst": {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"},
    "mwem-pgm": {"epsilon": "2", "delta": "1/100", "rounds": "1", "steps": "2", "slack": "0"},
    "nist-mst": {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"},
    "privbasis": {"epsilon": "2", "k": "1", "items": "ones", "slack": "0"},
    "privbayes": {"epsilon": "2", "slack": "0"},
    "privbayes-gauss": {"epsilon": "2", "delta": "1/100", "slack": "0"},
    "priview": {"epsilon": "2", "slack": "0"},
    "privmrf": {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"},
    "privsyn": {"epsilon": "8", "delta": "1/100", "rounds": "1", "slack": "0"},
    "two-way-marginals": {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"},
    "mwem": {"epsilon": "1", "rounds": "1", "slack": "0"},
    "archetypes": {
        "epsilon": "1",
        "noise": "laplace",
        "archetype": "a1",
        "company": "a2",
        "slack": "0",
    },
    "histograms": {"epsilon": "1", "slack": "1"},
    "pfr-style": {"epsilon": "1", "slack": "1"},
    "dp-field-groups": {"epsilon": "1", "slack": "0"},
    "independent-marginals": {"epsilon": "1", "noise": "laplace", "slack": "1"},
    "gem": {"epsilon": "1", "delta": "1/100", "degree": "1", "rounds": "1", "slack": "0"},
    "geometric-sanitizer": {"epsilon": "1"},
    "laplace-sanitizer": {"epsilon": "1/2"},
    "subsample": {"fraction": "1/2"},
    "suppress": {"threshold": "2"},
    "pram": {"retain": "3/4"},
    "random-round": {"base": "3"},
    "cell-key": {"deviation": "2", "variance": "1"},
    "k-anonymity": {"k": "2"},
    "coarsen": {"groups": "0,0"},
}
WITHOUT = ("swap", "dp-wgan", "privbayes")
"""Not of every domain, and not under every relation."""
RUN = [build(name, PARAMETERS.get(name, {})) for name in PROGRAMS if name not in WITHOUT]
FEW_PROGRAMS = ("GeometricSanitizer", "MultinomialDirichlet", "Suppress")
FEW_METRICS = ("total-variation", "k-marginal", "hoc", "pmse-ratio")
"""One of each kind: noise, a table law, a deterministic one; exact counts, drawn marginals, drawn
records, permutations."""


def test_every_declared_class_is_tried() -> None:
    # The laws run under every relation and over every outcome: mutual information is asked where
    # n is public alone, and a seed has too many outcomes. They have tests of their own.
    for kinds, tried in (
        (NOISES, NOISE),
        (QUERIES - {MutualInformation}, ASKED),
        (TABLE_LAWS, TABLES),
        (PUBLIC_LAWS - {Seed}, PUBLIC),
        (SELECTIONS, SELECTING),
    ):
        assert {type(one) for one in tried} == kinds


@parametrize_with_laws([*NOISE, *PUBLIC, *SELECTING])
def test_noises_public_laws_and_selections(law: Law) -> None:
    law()


@parametrize_with_laws(ASKED, domain=SQUARE)
def test_queries(law: Law) -> None:
    law()


@parametrize_with_laws(TABLES, domain=SQUARE, records=2)
def test_laws_of_tables(law: Law) -> None:
    law()


@parametrize_with_laws([one for one in RUN if type(one).__name__ in FEW_PROGRAMS])
def test_some_programs(law: Law) -> None:
    law()


@pytest.mark.slow
@parametrize_with_laws(RUN)
def test_all_programs(law: Law) -> None:
    law()


@pytest.mark.slow
@parametrize_with_laws([build("swap", {"share": "1"})], domain=SQUARE, records=2)
def test_swapping(law: Law) -> None:
    law()


@parametrize_with_laws([metric(name) for name in FEW_METRICS], domain=PEOPLE)
def test_some_metrics(law: Law) -> None:
    law()


@pytest.mark.slow
@parametrize_with_laws([metric(name) for name in METRICS], domain=PEOPLE)
def test_all_metrics(law: Law) -> None:
    law()
