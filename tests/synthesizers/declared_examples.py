"""An example of every declared class, over attributes ``a1`` and ``a2`` of two values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.cell_keys import CellKey, PerturbationTable
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.public_laws import Multinomial, Seed, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
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
from synthesizers.runs import GeometricRuns, LogarithmicRuns
from synthesizers.selection import Exponential

HALF = Fraction(1, 2)
A, B = Marginal(("a1",)), Marginal(("a2", "a1"))
HALVES = RecodedMarginal(("a2", "a1"), ((0, -1), (0, 0)))
STEP = Layer(2, (0, 0, 1, -1))
TABLE = PerturbationTable((((-1, HALF), (1, HALF)),))
DECLARED: list[Any] = [
    B,
    CellCounts((0, 3)),
    Total(),
    BoundedSum("a1", (-3, 2), -2, 2),
    ModelError((A, B), ((1, 2), (0, 1, 2, 3))),
    ModelError((A, HALVES), ((1, 2), (3,)), (2, 0), (-5, 7)),
    HALVES,
    LinearQueries(("a1", "a2"), (STEP, Layer(-1, (-1, -1, 1, 0)))),
    CellErrors((A, B), ((1,), (0, 3)), ((-4,), (5, 6)), 3),
    CriticGradient(("a1",), 0, pack([0.5, -1.0]), HALF, 4),
    IndependenceDistance(((("a1",), ("a2",)),), 3),
    MaximalCorrelation((("a1", ("a2",)),)),
    MutualInformation((("a1", ("a2",)),), 3, 2),
    ItemsetCounts(((("a1", 0),), (("a2", 1), ("a1", 0)))),
    RankDistance((("a1", 0), ("a2", 1)), 2, 3),
    TableDistances((A, B), ((1, 2, 0, 1, 2, 3), (-5, 6, 7, 8, 9, 0)), 3),
    DiscreteLaplace(HALF),
    RoundedLaplace(HALF),
    DiscreteGaussian(HALF),
    Exponential(HALF),
    GeometricRuns(HALF),
    LogarithmicRuns(HALF),
    Bootstrap(3),
    CellKey(TABLE),
    CellSuppression((2, 2), 3, True),
    DirichletMultinomial((HALF, Fraction(2)), 3),
    GlobalRecoding(((0, 0), (0, 1))),
    KAnonymity((((0, 1), (0, 0)), ((0, 0),)), 2, 1),
    PlugInMultinomial((HALF, Fraction(2)), 3),
    PostRandomisation(((3, 1), (1, 3)), 2, 1),
    RandomRounding(3),
    RandomizedResponse(HALF),
    RecordSwapping((2, 2, 2), 1, (0,), HALF),
    Subsample(HALF),
    Multinomial(3, (1, 2)),
    Seed(),
    UniformChoice(3),
]
