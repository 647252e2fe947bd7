"""Built-in programs: parameters from text and back, cards, budgets, and the questions they ask."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synthesizers.budget import UNBOUNDED, PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure, Sanitize
from synthesizers.laws.bootstrap import Bootstrap as BootstrapLaw
from synthesizers.laws.cell_keys import CellKey as CellKeyLaw
from synthesizers.laws.perturbation_tables import Design, design_table
from synthesizers.laws.pram import PostRandomisation
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace, RoundedLaplace
from synthesizers.programs import PROGRAMS, build, card
from synthesizers.programs.adagrid import AdaGrid
from synthesizers.programs.aim import Aim
from synthesizers.programs.archetypes import Archetypes, PublicTable
from synthesizers.programs.bootstrap import Bootstrap
from synthesizers.programs.cell_key import CellKey
from synthesizers.programs.coarsen import Coarsen
from synthesizers.programs.dp_field_groups import DPFieldGroups
from synthesizers.programs.dp_wgan import DPWGAN
from synthesizers.programs.dpsyn import DPSyn
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from synthesizers.programs.fourier import Fourier
from synthesizers.programs.gem import GEM
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.histograms import Histograms
from synthesizers.programs.independent_marginals import IndependentMarginals
from synthesizers.programs.k_anonymity import KAnonymous
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer
from synthesizers.programs.mst import Mst
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.mwem import Mwem
from synthesizers.programs.mwem_pgm import MwemPgm
from synthesizers.programs.nist_mst import NistMst
from synthesizers.programs.pfr_style import ColumnRule, HistogramQuery, PfrStyle
from synthesizers.programs.pram import Pram
from synthesizers.programs.privbasis import PrivBasis
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.programs.privbayes_gauss import PrivBayesGauss
from synthesizers.programs.priview import PriView
from synthesizers.programs.privmrf import PrivMRF
from synthesizers.programs.privsyn import PrivSyn
from synthesizers.programs.random_round import RandomRound
from synthesizers.programs.subsample import Subsample
from synthesizers.programs.suppress import Suppress
from synthesizers.programs.swap import Swap
from synthesizers.programs.two_way_marginals import TwoWayMarginals
from synthesizers.queries import CellCounts, Marginal
from tests.synthesizers.brute_force import RELATIONS, relation_id

pytestmark = pytest.mark.smoke

HALF = Fraction(1, 2)

BUILT: list[tuple[str, dict[str, str], Any]] = [
    ("geometric-sanitizer", {"epsilon": "2"}, GeometricSanitizer(Fraction(2))),
    (
        "geometric-sanitizer",
        {"epsilon": "1/3", "rescale": "false", "calibrated-for": "replace-one"},
        GeometricSanitizer(Fraction(1, 3), False, ReplaceOne()),
    ),
    (
        "dp-wgan",
        {"epsilon": "1", "delta": "1e-9", "batch": "32", "critic-steps": "5", "clip": "1/10"},
        DPWGAN(Fraction(1), Fraction(1, 10**9), batch=32, critic_steps=5, clip=Fraction(1, 10)),
    ),
    (
        "gem",
        {"epsilon": "1", "delta": "1e-9", "degree": "3", "rounds": "5", "learning-rate": "1/50"},
        GEM(Fraction(1), Fraction(1, 10**9), degree=3, rounds=5, learning_rate=Fraction(1, 50)),
    ),
    ("laplace-sanitizer", {"epsilon": "0.5"}, LaplaceSanitizer(HALF)),
    (
        "laplace-sanitizer",
        {"epsilon": "0.5", "rescale": "Yes", "calibrated_for": "add-remove"},
        LaplaceSanitizer(HALF, True, AddRemove()),
    ),
    (
        "archetypes",
        {"epsilon": "1", "noise": "laplace", "tables": "b=1,2|3,1/2", "trips": "2,3"},
        Archetypes(
            Fraction(1),
            noise="laplace",
            tables=(PublicTable(("b",), ((Fraction(1), Fraction(2)), (Fraction(3), HALF))),),
            trips=(Fraction(2), Fraction(3)),
        ),
    ),
    ("dp-field-groups", {"epsilon": "1"}, DPFieldGroups(Fraction(1))),
    (
        "dp-field-groups",
        {"epsilon": "1", "groups": "a+b;c", "cells": "99", "slack": "2"},
        DPFieldGroups(Fraction(1), (("a", "b"), ("c",)), 99, 2),
    ),
    ("histograms", {"epsilon": "1/2", "groups": "a+b"}, Histograms(Fraction(1, 2), (("a", "b"),))),
    ("mwem", {"epsilon": "1"}, Mwem(Fraction(1))),
    (
        "mwem",
        {
            "epsilon": "1",
            "delta": "1e-6",
            "noise": "gaussian",
            "rounds": "5",
            "variant": "theory",
            "width": "1",
            "cells": "99",
            "blocks": "a;b",
            "slack": "1",
        },
        Mwem(Fraction(1), Fraction(1, 10**6), "gaussian", 5, "theory", 1, 99, (("a",), ("b",)), 1),
    ),
    (
        "pfr-style",
        {"epsilon": "1", "queries": "a+b,b+c@5; d", "rules": "e=d:0,1"},
        PfrStyle(
            Fraction(1),
            (
                (HistogramQuery(("a", "b")), HistogramQuery(("b", "c"), 5)),
                (HistogramQuery(("d",)),),
            ),
            rules=(ColumnRule("e", "d", (0, 1)),),
        ),
    ),
    (
        "independent-marginals",
        {"epsilon": "1", "noise": "laplace"},
        IndependentMarginals(Fraction(1), noise="laplace"),
    ),
    (
        "independent-marginals",
        {"epsilon": "1", "delta": "1e-6", "slack": "2"},
        IndependentMarginals(Fraction(1), Fraction(1, 10**6), slack=2),
    ),
    ("multinomial-dirichlet", {}, MultinomialDirichlet()),
    (
        "multinomial-dirichlet",
        {"alpha": "1/2,2, 0.25", "posterior": "mean"},
        MultinomialDirichlet((HALF, Fraction(2), Fraction(1, 4)), "mean"),
    ),
    ("subsample", {"fraction": "0.1"}, Subsample(Fraction(1, 10))),
    ("bootstrap", {}, Bootstrap()),
    ("bootstrap", {"records": "12"}, Bootstrap(12)),
    ("pram", {"retain": "0.8"}, Pram(Fraction(4, 5))),
    ("pram", {"retain": "1", "attribute": "sex"}, Pram(Fraction(1), attribute="sex")),
    ("privbayes", {"epsilon": "1/2"}, PrivBayes(HALF)),
    (
        "privbayes",
        {"epsilon": "1", "score": "I", "theta": "6", "parents": "3", "negatives": "clip"},
        PrivBayes(Fraction(1), "I", theta=Fraction(6), parents=3, negatives="clip"),
    ),
    (
        "privbayes-gauss",
        {"epsilon": "1", "delta": "1e-9"},
        PrivBayesGauss(Fraction(1), Fraction(1, 10**9)),
    ),
    ("random-round", {"base": "3"}, RandomRound(3)),
    ("cell-key", {"deviation": "2", "variance": "1.0"}, CellKey(2, Fraction(1))),
    (
        "cell-key",
        {"deviation": "5", "variance": "3", "keys": "1000", "smallest": "3"},
        CellKey(5, Fraction(3), 1000, 3),
    ),
    ("swap", {"share": "5/100"}, Swap(Fraction(1, 20))),
    (
        "swap",
        {"share": "1", "attribute": "city", "key": "sex, age group"},
        Swap(Fraction(1), "city", ("sex", "age group")),
    ),
    ("suppress", {"threshold": "5"}, Suppress(5)),
    ("suppress", {"threshold": "3.0", "complementary": "no"}, Suppress(3, False)),
    ("coarsen", {"groups": "0, 0,1,1"}, Coarsen(groups=(0, 0, 1, 1))),
    ("coarsen", {"attribute": "age", "level": "2"}, Coarsen("age", 2)),
    ("k-anonymity", {"k": "3"}, KAnonymous(3)),
    (
        "k-anonymity",
        {"k": "2", "suppressed": "4", "groups": "0,1,1"},
        KAnonymous(2, 4, (0, 1, 1)),
    ),
    ("fourier", {"epsilon": "1"}, Fourier(Fraction(1))),
    ("privbasis", {"epsilon": "1"}, PrivBasis(Fraction(1))),
    (
        "privbasis",
        {"epsilon": "1", "k": "3", "items": "ones", "longest": "2", "output": "records"},
        PrivBasis(Fraction(1), 3, "ones", 2, output="records"),
    ),
    ("priview", {"epsilon": "1"}, PriView(Fraction(1))),
    (
        "priview",
        {"epsilon": "1", "length": "4", "strength": "predicted", "views": "a;b+c", "slack": "0"},
        PriView(Fraction(1), 4, "predicted", views=(("a",), ("b", "c")), slack=0),
    ),
    (
        "fourier",
        {"epsilon": "1", "marginals": "a + b;c", "output": "marginals", "slack": "2"},
        Fourier(Fraction(1), (("a", "b"), ("c",)), "marginals", 2),
    ),
    (
        "adagrid",
        {"epsilon": "1", "delta": "1/1000", "targets": "a1,a2", "threshold": "3", "unit": "64"},
        AdaGrid(Fraction(1), Fraction(1, 1000), ("a1", "a2"), Fraction(3), 64),
    ),
    (
        "privmrf",
        {"epsilon": "1", "delta": "1/1000", "clique-cells": "100", "model-cells": "1e3"},
        PrivMRF(Fraction(1), Fraction(1, 1000), 100, 1000),
    ),
    (
        "two-way-marginals",
        {"epsilon": "1", "delta": "1/1000", "model-cells": "64"},
        TwoWayMarginals(Fraction(1), Fraction(1, 1000), 64),
    ),
    ("mst", {"epsilon": "1", "delta": "1e-9"}, Mst(Fraction(1), Fraction(1, 10**9))),
    (
        "aim",
        {"epsilon": "1", "delta": "1e-9", "cells": "5000", "last-steps": "100"},
        Aim(Fraction(1), Fraction(1, 10**9), cells=5000, last_steps=100),
    ),
    (
        "mwem-pgm",
        {"epsilon": "1/2", "delta": "1e-6", "rounds": "3"},
        MwemPgm(HALF, Fraction(1, 10**6), rounds=3),
    ),
    (
        "nist-mst",
        {
            "epsilon": "1",
            "delta": "1e-6",
            "marginals": "a1+a2; a2+a3+a1",
            "weights": "2,1",
            "exempt": "a1",
        },
        NistMst(
            Fraction(1),
            Fraction(1, 10**6),
            (("a1", "a2"), ("a2", "a3", "a1")),
            (Fraction(2), Fraction(1)),
            exempt=("a1",),
        ),
    ),
    (
        "dpsyn",
        {"epsilon": "1", "delta": "1e-6", "marginals": "a+b;c", "updater": "mcf", "rate": "0.5"},
        DPSyn(Fraction(1), Fraction(1, 10**6), (("a", "b"), ("c",)), updater="mcf", rate=HALF),
    ),
    (
        "dpsyn-2020",
        {"epsilon": "1", "delta": "1e-6", "rounds": "3"},
        DPSyn2020(Fraction(1), Fraction(1, 10**6), rounds=3),
    ),
    (
        "privsyn",
        {"epsilon": "1", "delta": "1e-6", "gamma": "100"},
        PrivSyn(Fraction(1), Fraction(1, 10**6), 100),
    ),
]


@pytest.mark.parametrize(("name", "texts", "program"), BUILT)
def test_parameters_from_text(name: str, texts: dict[str, str], program: Any) -> None:
    built = build(name, texts)
    assert built == program


@pytest.mark.parametrize(
    ("name", "texts", "words"),
    [
        ("gaussian-sanitizer", {}, "geometric-sanitizer"),
        ("geometric-sanitizer", {}, "--set epsilon"),
        ("geometric-sanitizer", {"epsilon": "0"}, "epsilon must be positive"),
        ("geometric-sanitizer", {"epsilon": "-1"}, "epsilon must be positive"),
        ("geometric-sanitizer", {"epsilon": "nan"}, "epsilon must be a finite number"),
        ("laplace-sanitizer", {"epsilon": "inf"}, "epsilon must be a finite number"),
        ("laplace-sanitizer", {"epsilon": "two"}, "epsilon must be a finite number"),
        ("laplace-sanitizer", {"epsilon": "1", "rescale": "maybe"}, "rescale must be true"),
        ("laplace-sanitizer", {"epsilon": "1", "calibrated-for": "both"}, "calibrated-for"),
        ("laplace-sanitizer", {"epsilon": "1", "eps": "1"}, "no parameter 'eps'"),
        ("multinomial-dirichlet", {"alpha": ""}, "alpha"),
        ("multinomial-dirichlet", {"alpha": "1,,2"}, "alpha"),
        ("multinomial-dirichlet", {"alpha": "1,0"}, "alpha must be positive"),
        ("multinomial-dirichlet", {"posterior": "mode"}, "predictive, mean"),
        ("subsample", {}, "--set fraction"),
        ("subsample", {"fraction": "0"}, "fraction"),
        ("subsample", {"fraction": "1.01"}, "at most 1"),
        ("bootstrap", {"records": "-1"}, "records must be a whole number"),
        ("pram", {}, "one of them"),
        ("pram", {"retain": "1.01"}, "retain is a chance from 0 to 1, found 101/100"),
        ("pram", {"retain": "-1/2"}, "retain is a chance from 0 to 1"),
        ("pram", {"matrix": "/nowhere/matrix.csv"}, "matrix.csv cannot be read"),
        ("privbayes", {"epsilon": "0"}, "epsilon must be positive"),
        ("privbayes", {"epsilon": "1", "score": "G"}, "score must be one of"),
        ("privbayes", {"epsilon": "1", "beta": "1"}, "beta"),
        ("privbayes", {"epsilon": "1", "theta": "0"}, "theta must be positive"),
        ("privbayes-gauss", {"epsilon": "1"}, "--set delta"),
        ("privbayes-gauss", {"epsilon": "1", "delta": "0"}, "0 < delta < 1"),
        ("privbayes-gauss", {"epsilon": "1", "delta": "0.1", "share": "0"}, "share"),
        ("random-round", {}, "--set base"),
        ("random-round", {"base": "1"}, "base of a rounding must be from 2"),
        ("cell-key", {}, "deviation=D and --set variance=V, or --set table=FILE"),
        ("cell-key", {"deviation": "3"}, "variance=V"),
        ("cell-key", {"deviation": "2", "variance": "3"}, "from 0 to 2"),
        ("cell-key", {"deviation": "0", "variance": "1"}, "deviation must be from 1"),
        ("cell-key", {"table": "/nowhere/table.csv"}, "table.csv cannot be read"),
        ("swap", {}, "--set share"),
        ("swap", {"share": "0"}, "share"),
        ("swap", {"share": "1", "key": "a1,"}, "key must name an attribute"),
        ("swap", {"share": "1", "attribute": " "}, "attribute must name an attribute"),
        ("suppress", {}, "--set threshold"),
        ("suppress", {"threshold": "1/2"}, "threshold must be a whole number"),
        ("suppress", {"threshold": "-3"}, "threshold must be a whole number"),
        ("suppress", {"threshold": "0"}, "at least 1"),
        ("suppress", {"threshold": "3", "complementary": "both"}, "complementary must be true"),
        ("coarsen", {}, "give one"),
        ("coarsen", {"groups": "0,a"}, "groups must be a finite number"),
        ("coarsen", {"groups": "1,0"}, "write 0,1"),
        ("coarsen", {"level": "one"}, "level must be a finite number"),
        ("k-anonymity", {}, "--set k"),
        ("fourier", {"epsilon": "1", "marginals": "a+;b"}, "marginals must name an attribute"),
        ("fourier", {"epsilon": "0"}, "epsilon must be positive"),
        ("privbasis", {"epsilon": "1", "k": "0"}, "k >= 1"),
        ("privbasis", {"epsilon": "1", "longest": "17"}, "longest from 2 to 16"),
        ("privbasis", {"epsilon": "1", "eta": "0.9"}, "eta >= 1"),
        ("priview", {"epsilon": "1", "length": "0"}, "one attribute and one cell"),
        ("priview", {"epsilon": "1", "strength": "4"}, "2, 3, predicted"),
        ("k-anonymity", {"k": "2", "suppressed": "-1"}, "suppressed must be a whole number"),
    ],
)
def test_parameters_that_do_not_fit(name: str, texts: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        build(name, texts)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_cards_name_what_a_user_must_know(name: str) -> None:
    for heading in ("Purpose:", "Source:", "Inputs:", "Budget:", "Post-processing:",
                    "Assumes public:", "Known weaknesses:"):  # fmt: skip
        assert heading in card(name)


def _run(program: Any, curator: Curator) -> Any:
    return canonical_output(program(curator), curator.domain), curator.ledger, curator.spent


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("cells", ["1", "2", "3", "2x2"])
@pytest.mark.parametrize("kind", [GeometricSanitizer, LaplaceSanitizer])
def test_sanitizers_spend_exactly_their_epsilon(
    kind: Any, cells: str, neighbours: Neighbours
) -> None:
    domain = Domain.from_cells(cells)
    setting = Setting.of(domain, neighbours, 5)
    program = kind(Fraction(2, 3))
    assert program.budget(setting) == PureBudget(Fraction(2, 3))
    curator = Curator(setting, program.budget(setting), _zeros(setting))
    output, questions, spent = _run(program, curator)
    if domain.size == 1 and neighbours == ReplaceOne():
        assert (output, questions) == ((5,), ())
        return
    (question,) = questions
    assert spent.epsilon == Fraction(2, 3)
    m = neighbours.unit.max_records
    public_pair = domain.size == 2 and neighbours == ReplaceOne()
    exchanged = isinstance(neighbours, ReplaceOne) and domain.size > 1 and not public_pair
    assert question.query == (CellCounts((0,)) if public_pair else Marginal(domain.names))
    assert question.noise.scale == (2 * m if exchanged else m) / Fraction(2, 3)
    assert type(question.noise) is {
        GeometricSanitizer: DiscreteLaplace, LaplaceSanitizer: RoundedLaplace
    }[kind]  # fmt: skip
    assert (question.low, question.high) == (0, 5)
    assert sum(output) == 5


def _zeros(setting: Setting) -> Any:
    def reply(event: Any) -> tuple[int, ...]:
        size: int = event.query.size(setting.domain)
        return (0,) * size

    return reply


@pytest.mark.parametrize(
    ("made_for", "analysed", "cost"),
    [(AddRemove(), ReplaceOne(), Fraction(2)), (ReplaceOne(), AddRemove(), HALF)],
)
def test_noise_made_for_another_relation_is_counted_under_it(
    made_for: Any, analysed: Any, cost: Fraction
) -> None:
    program = GeometricSanitizer(Fraction(1), calibrated_for=made_for)
    setting = Setting.of(Domain.from_cells("3"), analysed, 4)
    budget = program.budget(setting)
    assert budget.neighbours == made_for
    curator = Curator(setting, budget, _zeros(setting))
    program(curator)
    assert curator.spent.epsilon == 1
    assert curator.ledger[0].cost(setting.domain, analysed).epsilon == cost


@pytest.mark.parametrize("cells", ["2", "3"])
def test_bounds_follow_the_public_number_of_records_and_outputs_that_of_rows(cells: str) -> None:
    setting = Setting(Domain.from_cells(cells), ReplaceOne(), 5, 8)
    for rescale, total in ((True, 8), (False, 5)):
        program = GeometricSanitizer(Fraction(1), rescale)
        noisy = (4,) if cells == "2" else (4, 1, 0)
        curator = Curator(setting, program.budget(setting), lambda _, noisy=noisy: noisy)
        output = canonical_output(program(curator), setting.domain)
        (question,) = curator.ledger
        assert isinstance(question, Measure) and (question.low, question.high) == (0, 5)
        assert sum(output) == total and output[0] == (6 if rescale else 4)


def test_rescaling_can_be_left_out() -> None:
    setting = Setting.of(Domain.from_cells("3"), AddRemove(), 7)
    noisy = (1, 4, 0)
    for rescale, wanted in ((False, noisy), (True, (1, 6, 0))):
        program = GeometricSanitizer(Fraction(1), rescale)
        curator = Curator(setting, UnlimitedBudget(), lambda event: noisy)
        assert canonical_output(program(curator), setting.domain) == wanted


@pytest.mark.parametrize("name", ["geometric-sanitizer", "laplace-sanitizer",
                                  "multinomial-dirichlet"])  # fmt: skip
def test_the_number_of_rows_must_be_public(name: str) -> None:
    setting = Setting.of(Domain.from_cells("3"), AddRemove(), None)
    program = build(name, {} if name.startswith("multinomial") else {"epsilon": "1"})
    with pytest.raises(InputError, match="--rows"):
        program(Curator(setting, UnlimitedBudget(), lambda event: (0, 0, 0)))


@pytest.mark.parametrize("neighbours", RELATIONS[:4], ids=relation_id)
def test_multinomial_dirichlet_promises_what_its_law_costs(neighbours: Neighbours) -> None:
    setting = Setting.of(Domain.from_cells("3"), neighbours, 5)
    for posterior in ("predictive", "mean"):
        program = MultinomialDirichlet((HALF,), posterior)
        budget = program.budget(setting)
        assert isinstance(budget, PureBudget)
        curator = Curator(setting, budget, lambda event: (5, 0, 0))
        program(curator)
        assert curator.spent.epsilon == budget.epsilon
        (question,) = curator.ledger
        assert isinstance(question, Sanitize) and question.law.name == {
            "predictive": "dirichlet-multinomial", "mean": "plug-in-multinomial"
        }[posterior]  # fmt: skip


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("program", [Pram(Fraction(1)), Pram(Fraction(3, 4), attribute="a1")])
def test_pram_promises_nothing_where_something_stays(program: Pram, neighbours: Neighbours) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), neighbours, 5)
    assert program.budget(setting) == UnlimitedBudget()


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_pram_promises_what_its_matrix_costs(neighbours: Neighbours) -> None:
    setting = Setting.of(Domain.from_cells("3"), neighbours, 5)
    program = Pram(Fraction(3, 4))
    budget = program.budget(setting)
    curator = Curator(setting, budget, lambda event: (5, 0, 0))
    program(curator)
    if neighbours != ReplaceOne():
        assert budget == UnlimitedBudget() and curator.spent == UNBOUNDED
        return
    assert isinstance(budget, PureBudget) and curator.spent.epsilon == budget.epsilon
    assert round(float(budget.epsilon), 6) == 1.791759  # ln(3/4 · 2 / (1/4)) = ln 6


def test_pram_reads_its_matrix_once_and_fits_it_to_the_domain(tmp_path: Path) -> None:
    file = tmp_path / "matrix.csv"
    file.write_text("2/3,1/3\n0.5,0.5\n")
    program = build("pram", {"matrix": str(file), "attribute": "a2"})
    file.unlink()
    setting = Setting.of(Domain.from_cells("3x2x4"), ReplaceOne(), 5)
    curator = Curator(setting, program.budget(setting), lambda event: (0,) * 24)
    program(curator)
    assert curator.ledger == (Sanitize(PostRandomisation(((4, 2), (3, 3)), 3, 4)),)
    for cells, words in (("2x3", "2 lines, but the attribute 'a2' has 3 values"), ("2", "no attr")):
        with pytest.raises(InputError, match=words):
            program.budget(Setting.of(Domain.from_cells(cells), ReplaceOne(), 5))
    whole = Pram(matrix=((4, 2), (3, 3)))
    with pytest.raises(InputError, match="2 lines, but the domain has 6 cells"):
        whole.budget(Setting.of(Domain.from_cells("2x3"), ReplaceOne(), 5))
    with pytest.raises(InputError, match="one of them"):
        Pram(HALF, ((1, 0), (0, 1)))


def test_cell_key_has_256_keys_and_shows_all_counts_unless_told() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 5)
    law = CellKey(2, Fraction(1)).law(setting)
    assert law == CellKey(2, Fraction(1), 256, 1).law(setting)
    assert law != CellKey(2, Fraction(1), 255).law(setting)
    told = CellKey(5, Fraction(4), 1000, 3).law(setting)
    assert told == CellKeyLaw(design_table(Design(5, Fraction(4), 1000, 3)))


def test_cell_key_reads_its_table_once(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("count,change,chance\n1,-1,0.5\n1,1,1/2\n")
    program = build("cell-key", {"table": str(file)})
    setting = Setting.of(Domain.from_cells("2"), AddRemove(), 5)
    with pytest.raises(InputError, match="either a table, or"):
        build("cell-key", {"table": str(file), "keys": "256"})
    file.unlink()
    curator = Curator(setting, program.budget(setting), lambda event: (0, 6))
    program(curator)
    (question,) = curator.ledger
    assert isinstance(question, Sanitize) and isinstance(question.law, CellKeyLaw)
    assert question.law.answers(4) == {3: HALF, 5: HALF}


def test_a_bootstrap_draws_the_public_number_of_rows_unless_told() -> None:
    setting = Setting(Domain.from_cells("2"), ReplaceOne(), 5, 8)
    for records, drawn in ((None, 8), (3, 3)):
        curator = Curator(setting, UnlimitedBudget(), lambda event: (0, 0))
        Bootstrap(records)(curator)
        assert curator.ledger == (Sanitize(BootstrapLaw(drawn)),)
    private = Setting.of(Domain.from_cells("2"), AddRemove(), None)
    with pytest.raises(InputError, match="--rows"):
        Bootstrap()(Curator(private, UnlimitedBudget(), lambda event: (0, 0)))
    Bootstrap(3)(Curator(private, UnlimitedBudget(), lambda event: (0, 0)))


def test_whole_epsilons_are_as_good_as_fractions() -> None:
    setting = Setting.of(Domain.from_cells("3"), AddRemove(Unit("person", 2)), 5)
    spent = []
    for epsilon in (2, Fraction(2)):
        curator = Curator(setting, PureBudget(Fraction(2)), _zeros(setting))
        GeometricSanitizer(epsilon)(curator)
        spent.append(curator.ledger)
    assert spent[0] == spent[1]
