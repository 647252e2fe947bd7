"""The enumerating reading against loops over every noise vector, and its refusals."""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import random
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from synthesizers import declared, enumeration
from synthesizers.arithmetic import (
    Arithmetic,
    ExactArithmetic,
    FloatArithmetic,
    ScaledArithmetic,
    normalise,
)
from synthesizers.budget import Budget, PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, GenerationBegins, Setting, canonical_output
from synthesizers.domain import Dataset, Domain
from synthesizers.enumeration import (
    MAX_TRANSCRIPTS,
    Leaf,
    Listing,
    blocks,
    leaves,
    output_of,
    transcript_of,
)
from synthesizers.errors import (
    BelowDoublesError,
    BudgetExceeded,
    ProtocolError,
    TooLargeError,
)
from synthesizers.estimation.generation import public_generator
from synthesizers.events import Coordinate, Databases, Measure, is_seed
from synthesizers.exact import Exact, ExpRational, add, compare, enclose, is_zero
from synthesizers.laws.dirichlet import DirichletMultinomial
from synthesizers.laws.public_laws import SEED_BITS, Multinomial, Seed, UniformChoice
from synthesizers.laws.subsample import Subsample as SubsampleLaw
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, clamped_mass
from synthesizers.plan import first_outcomes, opening_question, plan
from synthesizers.playing import Play
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.subsample import Subsample
from synthesizers.queries import CellCounts, Marginal, Total, whole_table
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.selection import Exponential
from tests.synthesizers.brute_force import AnyProgram, close, fraction

HALF = Fraction(1, 2)
Channel = dict[tuple[Any, ...], list[Exact]]


@dataclass(frozen=True)
class Instance:
    """A setting with its listed databases."""

    setting: Setting
    databases: Databases


def instance(neighbours: Neighbours, shape: str, size: int) -> Instance:
    domain = Domain.from_cells(shape)
    rows = databases(neighbours, domain.size, size)
    return Instance(Setting.of(domain, neighbours, size), Databases(domain, rows))


def all_leaves(
    program: AnyProgram,
    on: Instance,
    arithmetic: Arithmetic | None = None,
    first: range | None = None,
) -> list[Leaf]:
    with_numbers = ExactArithmetic() if arithmetic is None else arithmetic
    return list(leaves(Listing(program, on.setting, on.databases, with_numbers, first=first)))


def channel(program: AnyProgram, on: Instance, released: Callable[[Leaf], Any] = output_of
            ) -> Channel:  # fmt: skip
    """Exact chances by output, one a database."""
    found: Channel = {}
    for leaf in all_leaves(program, on):
        chances = list(leaf.chances)
        key = released(leaf)
        found[key] = [add(a, b) for a, b in zip(found[key], chances, strict=True)] if (
            key in found
        ) else chances  # fmt: skip
    return found


def require_rows_sum_to_one(found: Channel) -> None:
    for chances in zip(*found.values(), strict=True):
        assert compare(functools.reduce(add, chances), Fraction(1)) in (0, None)


SMALL = instance(AddRemove(), "2", 2)
PROGRAMS: list[tuple[str, AnyProgram, Neighbours, str, int]] = [
    ("geometric", GeometricSanitizer(Fraction(2)), ReplaceOne(), "2", 3),
    ("geometric", GeometricSanitizer(Fraction(1)), AddRemove(), "3", 2),
    ("geometric", GeometricSanitizer(Fraction(1), rescale=False), ReplaceOne(), "3", 2),
    ("laplace", LaplaceSanitizer(Fraction(2)), ReplaceOne(), "2", 5),
    ("laplace", LaplaceSanitizer(HALF), AddRemove(), "2", 2),
    ("predictive", MultinomialDirichlet(), ReplaceOne(), "3", 3),
    ("mean", MultinomialDirichlet((HALF,), "mean"), ReplaceOne(), "2", 5),
    ("subsample", Subsample(HALF), ReplaceOne(), "3", 4),
    ("subsample", Subsample(HALF), AddRemove(), "2", 4),
]


@pytest.mark.parametrize(("name", "program", "neighbours", "shape", "size"), PROGRAMS)
def test_rows_sum_to_one_and_doubles_agree_with_exact_chances(
    name: str, program: AnyProgram, neighbours: Neighbours, shape: str, size: int
) -> None:
    on = instance(neighbours, shape, size)
    require_rows_sum_to_one(channel(program, on))
    exact, rounded = all_leaves(program, on), all_leaves(program, on, FloatArithmetic())
    assert len(exact) == len(rounded)
    for left, right in zip(exact, rounded, strict=True):
        assert (left.transcript, left.output) == (right.transcript, right.output)
        assert left.operations == 0 < right.operations
        error = gamma(right.operations)
        for chance, found in zip(left.chances, right.chances, strict=True):
            interval = enclose(chance)
            assert (found == 0) == is_zero(chance)
            assert interval.lower * (1 - error) <= Fraction(float(found))
            assert Fraction(float(found)) <= interval.upper * (1 + error)


def gamma(operations: int) -> Fraction:
    unit = Fraction(operations, 2**53)
    return unit / (1 - unit)


def largest_remainder_slowly(counts: tuple[int, ...], total: int) -> tuple[int, ...]:
    shares = counts if any(counts) else (1,) * len(counts)
    quotas = [Fraction(share * total, sum(shares)) for share in shares]
    seats = [int(quota) for quota in quotas]
    order = sorted(range(len(quotas)), key=lambda i: (seats[i] - quotas[i], i))
    for i in order[: total - sum(seats)]:
        seats[i] += 1
    return tuple(seats)


@pytest.mark.parametrize(
    ("cells", "size", "neighbours", "sensitivity"),
    [(2, 2, AddRemove(), 1), (3, 2, AddRemove(), 1), (3, 2, ReplaceOne(), 2)],
)
@pytest.mark.parametrize("rescale", [True, False])
def test_geometric_sanitizer_against_every_noise_vector(
    cells: int, size: int, neighbours: Neighbours, sensitivity: int, rescale: bool
) -> None:
    """All noise vectors with entries up to ±40, where a^40 leaves less than 10^-30 outside."""
    epsilon, reach = Fraction(2) * sensitivity, 40
    on = instance(neighbours, str(cells), size)
    found = channel(GeometricSanitizer(epsilon, rescale), on)
    with mpmath.workdps(50):
        ratio = mpmath.exp(-fraction(epsilon) / sensitivity)
        weights = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-reach, reach + 1)}
        for number, counts in enumerate(on.databases.rows.tolist()):
            # What happens to a cell depends on its own noise, so vectors are built cell by cell.
            partial: dict[tuple[int, ...], mpmath.mpf] = {(): mpmath.mpf(1)}
            for count in counts:
                longer: dict[tuple[int, ...], mpmath.mpf] = collections.defaultdict(mpmath.mpf)
                for start, chance in partial.items():
                    for z, weight in weights.items():
                        longer[(*start, min(max(count + z, 0), size))] += chance * weight
                partial = longer
            wanted: dict[tuple[int, ...], mpmath.mpf] = collections.defaultdict(mpmath.mpf)
            for noisy, chance in partial.items():
                wanted[largest_remainder_slowly(noisy, size) if rescale else noisy] += chance
            assert set(wanted) == set(found)
            for output, chance in wanted.items():
                assert close(found[output][number], chance, 30)


def test_geometric_sanitizer_of_two_cells_by_hand() -> None:
    """One noisy count of three records at ε = 1; the second cell is the rest."""
    found = channel(GeometricSanitizer(Fraction(1)), instance(ReplaceOne(), "2", 3))
    a = ExpRational.exp(-1)
    assert set(found) == {(x, 3 - x) for x in range(4)}
    rows = instance(ReplaceOne(), "2", 3).databases.rows.tolist()
    for number, (first, _) in enumerate(rows):
        ends = [1 / (1 + a) * ExpRational.exp(-first), 1 / (1 + a) * ExpRational.exp(first - 3)]
        middle = [(1 - a) / (1 + a) * ExpRational.exp(-abs(first - y)) for y in (1, 2)]
        wanted = [ends[0], *middle, ends[1]]
        for y, chance in enumerate(wanted):
            assert compare(found[(y, 3 - y)][number], chance) == 0


def test_figure_three_of_abowd_and_vilhuber() -> None:
    found = channel(LaplaceSanitizer(Fraction(2)), instance(ReplaceOne(), "2", 5))
    rows = instance(ReplaceOne(), "2", 5).databases.rows.tolist()
    at = {tuple(row): number for number, row in enumerate(rows)}

    def printed(true: int, drawn: int) -> float:
        interval = enclose(found[(drawn, 5 - drawn)][at[(true, 5 - true)]])
        return round(float(interval.lower), 6)

    assert printed(0, 0) == 0.816060 and printed(0, 5) == 0.000062
    assert printed(2, 2) == 0.632121 and printed(2, 3) == 0.159046


def select_then_measure(curator: Curator) -> list[int]:
    """Chooses a marginal by its counts, then measures one cell of it."""
    chosen = curator.select(Marginal(("cell",)), Exponential(HALF))
    noisy = curator.measure(CellCounts((chosen,)), DiscreteLaplace(Fraction(1)), low=0, high=2)
    return [chosen, int(noisy[0])]


def answer_decides_question(curator: Curator) -> list[int]:
    """A coarse count decides how fine the next question is, and whether there is one."""
    first = int(curator.measure(Total(), DiscreteLaplace(Fraction(1)), low=0, high=2)[0])
    if first == 0:
        return [0]
    if first == 1:
        return [1, *curator.measure(Marginal(("cell",)), DiscreteLaplace(HALF), low=0, high=1)]
    coin = curator.draw(UniformChoice(2))
    return [2, int(coin[0]), *curator.sanitize(SubsampleLaw(HALF))]


def test_select_then_measure_against_the_product_of_its_laws() -> None:
    on = instance(AddRemove(), "3", 3)
    found = channel(select_then_measure, on)
    require_rows_sum_to_one(found)
    assert set(found) == set(itertools.product(range(3), range(3)))
    for number, counts in enumerate(on.databases.rows.tolist()):
        chances = Exponential(HALF).chances(counts)
        for chosen, noisy in found:
            wanted = chances[chosen] * clamped_mass(
                DiscreteLaplace(Fraction(1)), counts[chosen], noisy, 0, 2
            )
            assert compare(found[(chosen, noisy)][number], wanted) == 0


def test_a_question_that_depends_on_an_answer() -> None:
    on = instance(AddRemove(), "2", 2)
    found = channel(answer_decides_question, on)
    require_rows_sum_to_one(found)
    unit, half = DiscreteLaplace(Fraction(1)), DiscreteLaplace(HALF)
    wanted: Channel = {}
    for number, counts in enumerate(on.databases.rows.tolist()):
        first = [clamped_mass(unit, sum(counts), y, 0, 2) for y in range(3)]
        chances: dict[tuple[int, ...], Any] = {(0,): first[0]}
        for pair in itertools.product(range(2), repeat=2):
            product = first[1]
            for count, y in zip(counts, pair, strict=True):
                product = product * clamped_mass(half, count, y, 0, 1)
            chances[(1, *pair)] = product
        law = SubsampleLaw(HALF)
        for coin, table in itertools.product(range(2), law.outcomes(on.databases.rows)):
            chances[(2, coin, *table)] = first[2] * HALF * law.chance(tuple(counts), table)
        for output, chance in chances.items():
            wanted.setdefault(output, [Fraction(0)] * len(on.databases.rows))[number] = chance
    assert set(found) == set(wanted)
    for output, row in wanted.items():
        assert all(compare(a, b) == 0 for a, b in zip(found[output], row, strict=True))
    ledgers = {len(leaf.transcript) for leaf in all_leaves(answer_decides_question, on)}
    assert ledgers == {1, 2, 3}
    assert set(channel(answer_decides_question, on, transcript_of)) == set(wanted)


def test_gaussian_rows_hold_one() -> None:
    def program(curator: Curator) -> Any:
        return curator.measure(
            whole_table(curator.domain), DiscreteGaussian(Fraction(3)), low=-1, high=2
        )

    found = channel(program, SMALL)
    assert len(found) == 16
    for chances in zip(*found.values(), strict=True):
        total = enclose(functools.reduce(add, chances))
        assert total.lower <= 1 <= total.upper and (total.upper - total.lower) * 2**160 < 1


def test_a_program_may_ask_nothing() -> None:
    def constant(curator: Curator) -> list[int]:
        return [1, 1]

    (leaf,) = all_leaves(constant, SMALL)
    assert leaf.output == (1, 1) and leaf.transcript == () and list(leaf.chances) == [1] * 6
    assert first_outcomes(opening_question(constant, SMALL.setting), SMALL.databases) == 1
    job = plan(constant, SMALL.setting, SMALL.databases)
    assert (job.transcripts, job.widest) == (1, "none")


def two_coordinates(curator: Curator) -> Any:
    curator.measure(whole_table(curator.domain), DiscreteLaplace(HALF), low=0, high=2)
    return curator.draw(UniformChoice(2))


@pytest.mark.parametrize(
    "program", [two_coordinates, select_then_measure, answer_decides_question, Subsample(HALF)]
)
@pytest.mark.parametrize("arithmetic", [FloatArithmetic(), ExactArithmetic()])
def test_parts_of_the_first_question_cover_everything_once(
    program: AnyProgram, arithmetic: Arithmetic
) -> None:
    whole = all_leaves(program, SMALL, arithmetic)
    count = first_outcomes(opening_question(program, SMALL.setting), SMALL.databases)
    if program in (two_coordinates, select_then_measure):
        assert count == (3 if program is two_coordinates else 2)
    for cuts in ([1] * count, [count - 1, 1] if count > 1 else [1]):
        starts = itertools.accumulate(cuts, initial=0)
        parts = [
            leaf
            for start, cut in zip(starts, cuts, strict=False)
            for leaf in all_leaves(program, SMALL, arithmetic, range(start, start + cut))
        ]
        assert [p.transcript for p in parts] == [w.transcript for w in whole]
        for part, leaf in zip(parts, whole, strict=True):
            assert (part.chances == leaf.chances).all() and part.operations == leaf.operations


@pytest.fixture(autouse=True)
def laws_of_these_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    declared_laws = declared.TABLE_LAWS | {DirichletOnHalf, ImpossibleLaw}
    monkeypatch.setattr(declared, "TABLE_LAWS", declared_laws)


def test_impossible_outcomes_are_pruned() -> None:
    """A full copy, twice: the second must equal the first, so all other pairs are left out."""
    asked: list[tuple[int, ...]] = []

    def twice(curator: Curator) -> list[int]:
        first = curator.sanitize(SubsampleLaw(Fraction(1)))
        second = curator.sanitize(SubsampleLaw(Fraction(1)))
        asked.append((*first, *second))
        return [*first, *second]

    for arithmetic in (FloatArithmetic(), ExactArithmetic()):
        asked.clear()
        found = all_leaves(twice, SMALL, arithmetic)
        assert len(found) == len(SMALL.databases.rows)
        assert all(output[:2] == output[2:] for output in asked)
    # A part of the first question that no listed database can answer with has no leaves.
    listed = Databases(SMALL.databases.domain, np.array([[1, 0]]))

    def once(curator: Curator) -> Any:
        return curator.sanitize(DirichletOnHalf())

    assert all_leaves(once, Instance(SMALL.setting, listed), None, range(1, 2)) == []
    assert len(all_leaves(once, Instance(SMALL.setting, listed), None, range(0, 1))) == 1


class DirichletOnHalf(SubsampleLaw):
    """Lists an outcome that is impossible beside the possible one."""

    def __init__(self) -> None:
        super().__init__(Fraction(1))

    def outcomes(self, rows: Any) -> list[tuple[int, ...]]:
        return [(1, 0), (0, 1)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DirichletOnHalf)

    def __hash__(self) -> int:
        return 1


def test_a_law_without_a_possible_outcome_is_no_end_of_the_enumeration() -> None:
    listed = Databases(SMALL.databases.domain, np.array([[0, 1], [1, 1]]))

    def program(curator: Curator) -> Any:
        coin = curator.draw(UniformChoice(2))
        return curator.sanitize(ImpossibleLaw()) if coin[0] else [0, 0]

    with pytest.raises(ProtocolError, match="sum to 1"):
        all_leaves(program, Instance(SMALL.setting, listed))


class ImpossibleLaw(DirichletOnHalf):
    """Lists an outcome that no database has."""

    def outcomes(self, rows: Any) -> list[tuple[int, ...]]:
        return [(7, 7)]


def hidden_python(curator: Curator) -> list[int]:
    curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
    return [random.getrandbits(60)]


def hidden_numpy(curator: Curator) -> list[int]:
    curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
    return [int(np.random.default_rng().integers(2**60))]


def hidden_system(curator: Curator) -> list[int]:
    return [secrets.randbits(60)]


def hidden_coin(curator: Curator) -> list[int]:
    curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=1)
    return [random.getrandbits(1)]


def hidden_question(curator: Curator) -> list[int]:
    cell = random.randrange(2)
    noisy = curator.measure(CellCounts((cell,)), DiscreteLaplace(HALF), low=0, high=20)
    return [int(noisy[0])]


class CountsItsRuns:
    """Asks one question more on every second run, and always returns the same."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, curator: Curator) -> list[int]:
        self.runs += 1
        for _ in range(1 + self.runs % 2):
            curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=1)
        return [0]


class Forgets(CountsItsRuns):
    """Asks one question less from the third run on."""

    def __call__(self, curator: Curator) -> list[int]:
        self.runs += 1
        for _ in range(2 if self.runs < 3 else 1):
            curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=1)
        return [0]


class NarrowsItsBounds(CountsItsRuns):
    """Changes the declared bounds between runs."""

    def __call__(self, curator: Curator) -> list[int]:
        self.runs += 1
        curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2 + self.runs)
        return [0]


@pytest.mark.parametrize(
    "program",
    # A draw from 2^60 repeats itself with probability 2^-60, and 22 questions miss the other cell
    # with probability 2^-21; the generator of `random` is seeded below.
    [hidden_python, hidden_numpy, hidden_system, hidden_coin, hidden_question,
     CountsItsRuns, Forgets, NarrowsItsBounds],
)  # fmt: skip
@pytest.mark.parametrize("arithmetic", [FloatArithmetic(), ExactArithmetic()])
def test_what_changes_on_replay_is_refused(program: Any, arithmetic: Arithmetic) -> None:
    random.seed(1)
    if isinstance(program, type):
        program = program()
    with pytest.raises(ProtocolError, match="replay"):
        all_leaves(program, SMALL, arithmetic)


def swallows_replay_errors(curator: Curator) -> list[int]:
    try:
        curator.measure(CellCounts((random.randrange(2),)), DiscreteLaplace(HALF), low=0, high=20)
    except Exception:
        return [0]
    return [0]


def swallows_size_errors(curator: Curator) -> list[int]:
    try:
        curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=10**9)
    except Exception:
        return [0]
    return [1]


def swallows_everything(curator: Curator) -> list[int]:
    try:
        curator.sanitize(DirichletOnHalf())
    except BaseException:
        return [0]
    return [1]


def test_a_program_cannot_talk_its_way_past_a_refusal() -> None:
    random.seed(1)
    with pytest.raises(ProtocolError, match="replay"):
        all_leaves(swallows_replay_errors, SMALL)
    with pytest.raises(TooLargeError, match="too many"):
        all_leaves(swallows_size_errors, SMALL)
    listed = Instance(SMALL.setting, Databases(SMALL.databases.domain, np.array([[1, 0]])))
    assert all_leaves(swallows_everything, listed, None, range(1, 2)) == []


def opens_a_file(path: Path) -> AnyProgram:
    def program(curator: Curator) -> list[int]:
        return [len(path.read_text())]

    return program


def opens_quietly(path: Path) -> AnyProgram:
    def program(curator: Curator) -> list[int]:
        try:
            return [len(path.read_text())]
        except Exception:
            return [0]

    return program


@pytest.mark.parametrize("make", [opens_a_file, opens_quietly])
def test_reading_a_file_is_reaching_past_the_curator(
    make: Callable[[Path], AnyProgram], tmp_path: Path
) -> None:
    secret = tmp_path / "records.csv"
    secret.write_text("8675309")
    with pytest.raises(ProtocolError, match="reached past the curator") as caught:
        all_leaves(make(secret), SMALL)
    assert "records" not in str(caught.value) and "8675309" not in str(caught.value)


def test_the_budget_binds_in_this_reading_too() -> None:
    program = GeometricSanitizer(Fraction(2))
    on = instance(ReplaceOne(), "2", 2)
    listing = Listing(program, on.setting, on.databases, ExactArithmetic(), PureBudget(Fraction(2)))
    assert len(list(leaves(listing))) == 3
    with pytest.raises(BudgetExceeded):
        list(leaves(replace(listing, budget=PureBudget(Fraction(199, 100)))))


def narrow_then_wide(curator: Curator) -> Any:
    curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=3)
    return curator.sanitize(DirichletMultinomial((HALF,), 40))


def test_plans_count_transcripts_and_name_the_widest_event() -> None:
    job = plan(narrow_then_wide, SMALL.setting, SMALL.databases)
    assert (job.databases, job.transcripts, job.products) == (6, 4 * 41, 6 * 4 * 41)
    assert job.widest == "sanitize dirichlet-multinomial" and job.widest_width == 41
    job.require(job.products)
    with pytest.raises(TooLargeError, match="sanitize dirichlet-multinomial, of 41 outcomes"):
        job.require(job.products - 1)
    assert len(all_leaves(narrow_then_wide, SMALL)) == job.transcripts


def test_a_job_beyond_the_cap_on_transcripts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    job = plan(narrow_then_wide, SMALL.setting, SMALL.databases)
    for module in ("enumeration", "plan"):
        monkeypatch.setattr(f"synthesizers.{module}.MAX_TRANSCRIPTS", job.transcripts)
    job.require(10**9)
    assert len(all_leaves(narrow_then_wide, SMALL)) == job.transcripts
    for module in ("enumeration", "plan"):
        monkeypatch.setattr(f"synthesizers.{module}.MAX_TRANSCRIPTS", job.transcripts - 1)
    with pytest.raises(TooLargeError, match="widest event is sanitize"):
        job.require(10**9)
    with pytest.raises(TooLargeError, match="widest event is"):
        all_leaves(narrow_then_wide, SMALL)


def until(times: int, stops: range) -> AnyProgram:
    """Asks so many times at most, and ends at once after some of the answers 0 to 2."""

    def program(curator: Curator) -> list[int]:
        for _ in range(times):
            (answer,) = curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
            if answer in stops:
                break
        return [0]

    return program


@pytest.mark.parametrize(
    ("stops", "transcripts"),
    [
        (range(2), 2 * 13 + 3),  # all but the last answer: the first path is the shortest
        (range(1, 3), 2 * 13 + 3),  # all but the first answer: the first path is the longest
        (range(3), 3),
    ],
)
def test_transcripts_are_counted_where_branches_end_early(stops: range, transcripts: int) -> None:
    program = until(14, stops)
    job = plan(program, SMALL.setting, SMALL.databases)
    assert (job.transcripts, job.estimated) == (transcripts, False)
    job.require(6 * 1000)
    assert len(all_leaves(program, SMALL, FloatArithmetic())) == transcripts


@pytest.mark.parametrize("stops", [range(1), range(2, 3)])
def test_beyond_the_count_there_is_an_estimate(stops: range) -> None:
    job = plan(until(40, stops), SMALL.setting, SMALL.databases)
    # Two of three answers go on: 2^40 transcripts end last.
    assert job.estimated and job.transcripts > MAX_TRANSCRIPTS
    with pytest.raises(TooLargeError, match=r"needs about .* transcripts"):
        job.require(10**18)
    fixed = plan(until(40, range(0)), SMALL.setting, SMALL.databases)
    assert (fixed.transcripts, fixed.estimated) == (3**40, False)


@pytest.mark.parametrize("times", [10, 13])
def test_an_estimate_is_near(times: int) -> None:
    def program(curator: Curator) -> list[int]:
        for step in range(times):
            (answer,) = curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
            if answer == 0:
                break
            curator.draw(UniformChoice(2 + step % 3))
        return [0]

    exact, going = 0, 1
    for step in range(times):
        exact, going = exact + going, 2 * going * (2 + step % 3)
    job = plan(program, SMALL.setting, SMALL.databases)
    assert job.estimated
    whole = min(exact + going, 10 * MAX_TRANSCRIPTS)
    assert whole / 2 <= job.transcripts <= 3 * (exact + going)


def test_a_path_that_breaks_off_is_no_reason_to_refuse() -> None:
    def breaks(curator: Curator) -> list[int]:
        (answer,) = curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
        return [0] if answer == 0 else [None, None, None]  # type: ignore[list-item]

    assert plan(breaks, SMALL.setting, SMALL.databases).transcripts == 3


def test_a_job_larger_than_was_judged_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def grows(curator: Curator) -> Any:
        first = curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=2)
        return curator.draw(UniformChoice(50)) if first[0] else first

    assert plan(grows, SMALL.setting, SMALL.databases).transcripts == 101
    arithmetic = FloatArithmetic()
    monkeypatch.setattr(FloatArithmetic, "cap", 6 * 101)
    assert len(all_leaves(grows, SMALL, arithmetic)) == 101
    monkeypatch.setattr(FloatArithmetic, "cap", 6 * 100)
    with pytest.raises(TooLargeError, match="uniform"):
        all_leaves(grows, SMALL, arithmetic)


def repeated(times: int, scale: Fraction) -> AnyProgram:
    def program(curator: Curator) -> list[int]:
        for _ in range(times):
            curator.measure(Total(), DiscreteLaplace(scale), low=2, high=3)
        return [0]

    return program


def test_chances_below_the_normal_doubles_are_refused_and_not_zero() -> None:
    """Each answer 3 has chance about e^-300 under the empty database: three make e^-900."""
    scale = Fraction(1, 100)
    assert all_leaves(repeated(2, scale), SMALL, FloatArithmetic())
    with pytest.raises(BelowDoublesError, match="outside the normal doubles"):
        all_leaves(repeated(3, scale), SMALL, FloatArithmetic())
    exact = all_leaves(repeated(3, scale), SMALL)
    assert len(exact) == 8 and not any(is_zero(c) for leaf in exact for c in leaf.chances)


def test_long_products_keep_their_counted_error() -> None:
    """Nine questions: the error count covers tables and products, and is not absurdly wide."""
    program = repeated(9, Fraction(7, 3))
    exact = all_leaves(program, SMALL)
    rounded = all_leaves(program, SMALL, FloatArithmetic())
    assert {leaf.operations for leaf in rounded} == {27}
    worst = Fraction(0)
    for left, right in zip(exact, rounded, strict=True):
        for chance, found in zip(left.chances, right.chances, strict=True):
            interval = enclose(chance)
            worst = max(worst, abs(Fraction(float(found)) / interval.lower - 1))
    assert 0 < worst <= gamma(27)


def test_error_counts_cover_the_worst_rounding_of_every_step() -> None:
    """Entries rounded by two units each and every product by one: the bound must still hold."""

    class Worst(Coordinate):
        pass

    unit = Fraction(1, 2**53)
    for count in (1, 2, 5, 40):
        coordinates = [Worst([(0,)], lambda o, t: HALF, np.zeros(1, np.int64))] * count
        operations = FloatArithmetic().operations(coordinates)
        assert (1 + 2 * unit) ** count * (1 + unit) ** (count - 1) <= 1 + gamma(operations)
        assert (1 - 2 * unit) ** count * (1 - unit) ** (count - 1) >= 1 - gamma(operations)


def test_progress_is_told_now_and_then() -> None:
    told: list[int] = []
    count = sum(
        1
        for _ in leaves(
            Listing(repeated(10, HALF), SMALL.setting, SMALL.databases, FloatArithmetic()),
            told.append,
        )
    )
    assert count == 1024 and told == [256, 512, 768, 1024]


def test_multinomial_drawn_from_noisy_weights() -> None:
    """m records from noisy weights are one event; numpy weights do not overflow."""

    def program(curator: Curator) -> Any:
        noisy = curator.measure(whole_table(curator.domain), DiscreteLaplace(HALF), low=1, high=2)
        return curator.draw(Multinomial(2, tuple(10**6 * noisy)))

    found = channel(program, SMALL)
    require_rows_sum_to_one(found)
    assert set(found) == {(2, 0), (1, 1), (0, 2)}
    assert len(all_leaves(program, SMALL)) == 12


def test_datasets_and_counts_are_the_same_output() -> None:
    def as_dataset(curator: Curator) -> Dataset:
        noisy = curator.measure(whole_table(curator.domain), DiscreteLaplace(HALF), low=0, high=1)
        return Dataset.from_histogram(curator.domain, noisy)

    def as_counts(curator: Curator) -> Any:
        return curator.measure(whole_table(curator.domain), DiscreteLaplace(HALF), low=0, high=1)

    left, right = channel(as_dataset, SMALL), channel(as_counts, SMALL)
    assert set(left) == set(right)
    for output, chances in left.items():
        assert all(compare(a, b) == 0 for a, b in zip(chances, right[output], strict=True))


def epsilon_of(found: Channel, pairs: Iterable[tuple[int, int]]) -> Exact:
    largest: Exact = Fraction(1)
    for i, j in pairs:
        for chances in found.values():
            ratio = chances[i] / chances[j]
            largest = ratio if compare(ratio, largest) == 1 else largest
    return largest


@pytest.mark.parametrize("epsilon", [Fraction(2), Fraction(1, 3)])
def test_the_clamped_geometric_loses_exactly_its_epsilon(epsilon: Fraction) -> None:
    on = instance(ReplaceOne(), "2", 5)
    found = channel(GeometricSanitizer(epsilon), on)
    pairs = [(i, i + 1) for i in range(5)] + [(i + 1, i) for i in range(5)]
    loss = epsilon_of(found, pairs)
    assert compare(loss, ExpRational.exp(epsilon)) == 0
    assert compare(loss, ExpRational.exp(epsilon - Fraction(1, 10**30))) == 1


def noisy_total(curator: Curator) -> int:
    return int(curator.measure(Total(), DiscreteLaplace(HALF), low=0, high=3)[0])


def generates(curator: Curator) -> list[int]:
    """A noisy total, a public draw that depends on it, and as many numbers from a seed."""
    rows = noisy_total(curator)
    options = int(curator.draw(UniformChoice(rows + 1))[0]) + 1
    return [int(number) for number in public_generator(curator).integers(0, options, rows)]


def asks(curator: Curator) -> list[int]:
    """The same questions, with an output of none."""
    rows = noisy_total(curator)
    curator.draw(UniformChoice(rows + 1))
    return []


def test_transcripts_of_a_program_that_generates_are_those_before_its_seed() -> None:
    wanted = channel(asks, SMALL, transcript_of)
    found = channel(generates, SMALL, transcript_of)
    assert found.keys() == wanted.keys() and len(found) == 1 + 2 + 3 + 4
    for key, chances in found.items():
        for one, other in zip(chances, wanted[key], strict=True):
            assert compare(one, other) == 0
    for leaf in all_leaves(generates, SMALL):
        assert leaf.output is None
        with pytest.raises(TooLargeError, match="--released transcript"):
            output_of(leaf)
    planned = plan(generates, SMALL.setting, SMALL.databases)
    opening = opening_question(generates, SMALL.setting)
    assert planned.transcripts == 1 + 2 + 3 + 4 and first_outcomes(opening, SMALL.databases) == 4


def test_a_seed_is_sampled_and_what_follows_from_it_can_be_made_again() -> None:
    data = Dataset.from_histogram(SMALL.setting.domain, np.array([1, 1]))
    entropy = InsecureSeededEntropy(5)
    outputs = set()
    for _ in range(20):
        found = run(generates, data, SMALL.setting, UnlimitedBudget(), entropy)
        (_, (rows,)), (_, (option,)), (event, (seed,)) = found.transcript
        assert event.law == Seed() and 0 <= seed < 1 << SEED_BITS
        made = np.random.Generator(np.random.Philox(seed)).integers(0, option + 1, rows)
        assert found.output == tuple(made.tolist())
        outputs.add(seed)
    # 20 draws of 62 bits meet with a chance below 2^-54.
    assert len(outputs) == 20


def catching(then: Callable[[Curator, BaseException], object]) -> AnyProgram:
    """A program that catches the end of a listed transcript and does something else."""

    def program(curator: Curator) -> object:
        noisy_total(curator)
        try:
            return [int(curator.draw(Seed())[0] % 2)]
        except BaseException as end:
            return then(curator, end)

    return program


def again(curator: Curator, end: BaseException) -> object:
    noisy_total(curator)
    raise end


def quietly(curator: Curator, end: BaseException) -> object:
    with contextlib.suppress(BaseException):
        noisy_total(curator)
    return [0]


CAUGHT: dict[str, tuple[Callable[[Curator, BaseException], object], str]] = {
    "an output": (lambda curator, end: [0], "without the seed"),
    "a question": (lambda curator, end: [noisy_total(curator)], "after it had drawn a seed"),
    "a question, then the end": (again, "after it had drawn a seed"),
    "a question whose refusal is caught": (quietly, "without the seed"),
    "another seed": (lambda curator, end: [int(curator.draw(Seed())[0])], "drawn a seed"),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_who_catches_the_end_of_a_transcript_does_not_get_on(name: str) -> None:
    then, words = CAUGHT[name]
    with pytest.raises(ProtocolError, match=words):
        all_leaves(catching(then), SMALL)


def test_who_catches_the_end_and_ends_is_listed_as_if_it_had_not() -> None:
    """What the program may still do is nothing that the transcript shows."""

    def ends(curator: Curator, end: BaseException) -> object:
        with contextlib.suppress(ProtocolError):
            noisy_total(curator)
        raise end

    found = channel(catching(ends), SMALL, transcript_of)
    assert found.keys() == {(total,) for total in range(4)}


def test_who_ends_as_if_a_seed_were_drawn_is_refused() -> None:
    def program(curator: Curator) -> object:
        if noisy_total(curator) == 2:
            raise GenerationBegins
        return [0]

    with pytest.raises(ProtocolError, match="raised GenerationBegins"):
        all_leaves(program, SMALL)


SlowLeaves = dict[Any, tuple[Any, Any]]


def slow_leaves(
    program: AnyProgram, on: Instance, arithmetic: Arithmetic, budget: Budget
) -> SlowLeaves:
    """One run a transcript, one product a coordinate: output and chances by transcript."""
    found: SlowLeaves = {}

    class Ends(BaseException):
        pass

    def follow(outcomes: tuple[Any, ...], chances: Any) -> None:
        asked: list[Any] = []

        def answer(event: Any) -> Any:
            if is_seed(event):
                raise GenerationBegins
            asked.append(event)
            if len(asked) > len(outcomes):
                raise Ends
            return outcomes[len(asked) - 1]

        try:
            output = program(Curator(on.setting, budget, answer))
        except GenerationBegins:
            found[tuple(zip(asked, outcomes, strict=True))] = None, chances
        except Ends:
            coordinates = asked[-1].coordinates(on.databases)
            for places in itertools.product(*(range(len(c.outcomes)) for c in coordinates)):
                product, values = chances, ()
                for place, coordinate in zip(places, coordinates, strict=True):
                    product = arithmetic.times(product, arithmetic.table(coordinate)[place], -1e9)
                    values += coordinate.outcomes[place]
                if not arithmetic.is_nothing(product):
                    follow((*outcomes, values), product)
        else:
            released = canonical_output(output, on.setting.domain)
            found[tuple(zip(asked, outcomes, strict=True))] = released, chances

    follow((), arithmetic.ones(len(on.databases.rows)))
    return found


def as_numbers(chances: Any) -> list[Any]:
    """Chances of any arithmetic as numbers that can be compared."""
    if isinstance(chances, np.ndarray) and chances.ndim == 2:
        mantissas, exponents = normalise(chances)
        return list(zip(mantissas, np.where(mantissas == 0, 0, exponents), strict=True))
    return list(chances)


def catches_refusals(curator: Curator) -> list[int]:
    """Asks three times where the budget is for two, and releases how often it was answered."""
    answers = 0
    for cell in (0, 1, 0):
        with contextlib.suppress(BudgetExceeded):
            curator.measure(CellCounts((cell,)), DiscreteLaplace(Fraction(1)), low=0, high=1)
            answers += 1
    return [answers]


def copies_twice(curator: Curator) -> list[int]:
    """The second answer must be the first: most products are 0."""
    first = curator.sanitize(SubsampleLaw(Fraction(1)))
    return [*first, *curator.sanitize(SubsampleLaw(Fraction(1)))]


def asks_on_in_the_middle(curator: Curator) -> list[int]:
    """The second of four answers leads to a further question, the others to an output."""
    total = noisy_total(curator)
    return [total, noisy_total(curator)] if total == 1 else [total]


GRID: list[tuple[AnyProgram, Budget]] = [
    (asks_on_in_the_middle, UnlimitedBudget()),
    (two_coordinates, UnlimitedBudget()),
    (select_then_measure, UnlimitedBudget()),
    (answer_decides_question, UnlimitedBudget()),
    (GeometricSanitizer(Fraction(1)), PureBudget(Fraction(1))),
    (Subsample(HALF), UnlimitedBudget()),
    (copies_twice, UnlimitedBudget()),
    (catches_refusals, PureBudget(Fraction(2))),
    (generates, UnlimitedBudget()),
    (asks, UnlimitedBudget()),
]


@pytest.mark.parametrize("case", range(len(GRID)))
@pytest.mark.parametrize("arithmetic", [FloatArithmetic(), ScaledArithmetic(), ExactArithmetic()])
@pytest.mark.parametrize(("plays", "held", "block"), [(2048, 2**20, 2**17), (1, 1, 1), (5, 40, 13)])
def test_transcripts_of_every_arithmetic_and_block_against_one_run_each(
    case: int,
    arithmetic: Arithmetic,
    plays: int,
    held: int,
    block: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program, budget = GRID[case]
    for name, value in (("BATCH", plays), ("BATCH_CHANCES", held), ("BLOCK_CHANCES", block)):
        monkeypatch.setattr(enumeration, name, value)
    wanted = slow_leaves(program, SMALL, arithmetic, budget)
    found = list(leaves(Listing(program, SMALL.setting, SMALL.databases, arithmetic, budget)))
    assert len(found) == len(wanted)
    for leaf in found:
        output, chances = wanted[leaf.transcript]
        assert leaf.output == output
        pairs = zip(as_numbers(leaf.chances), as_numbers(chances), strict=True)
        if isinstance(arithmetic, ExactArithmetic):
            assert all(compare(a, b) == 0 for a, b in pairs)
        else:
            assert all(np.all(a == b) for a, b in pairs)
        laws = [event.coordinates(SMALL.databases) for event, _ in leaf.transcript]
        assert leaf.operations == arithmetic.operations(list(itertools.chain.from_iterable(laws)))


def test_blocks_differ_in_the_last_coordinate_alone() -> None:
    found = list(
        blocks(Listing(two_coordinates, SMALL.setting, SMALL.databases, FloatArithmetic()))
    )
    # Of 3 x 3 answers and a coin: the coin's two for each answer.
    assert [len(block.lasts) for block in found] == [2] * 9
    program = GeometricSanitizer(Fraction(1), rescale=False)
    found = list(blocks(Listing(program, SMALL.setting, SMALL.databases, FloatArithmetic())))
    assert [len(block.lasts) for block in found] == [3] * 3
    for block in found:
        assert len({last[:-1] for last in block.lasts if last is not None}) == 1
        assert block.chances.shape == (3, len(SMALL.databases.rows))


class GivesUp:
    """Another process's program, which says of a run that a refusal ended it."""

    starts_processes = False

    def __call__(self, curator: Curator) -> object:
        return noisy_total(curator)

    def player(self, setting: Setting, budget: Budget) -> GivesUp:
        return self

    def play(self, scripts: Any) -> list[Play]:
        return [Play((0,), None, None) if script else Play((), 0, None) for script in scripts]

    def question(self, number: int) -> Any:
        return Measure(Total(), DiscreteLaplace(HALF), 0, 3)

    def afresh(self) -> None:
        return None


def test_a_run_that_is_given_up_unrefused_is_the_programs_fault() -> None:
    with pytest.raises(ProtocolError, match="its last question was answered"):
        all_leaves(GivesUp(), SMALL)
