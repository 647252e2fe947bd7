"""A program's channel against listing its law by hand, and doubles against exact chances."""

from __future__ import annotations

import pickle
import tempfile
from collections import defaultdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import audit.channels.enumerate as enumerating
from audit import parallel
from audit.channels.channel import BLOCK, Channel
from audit.channels.enumerate import Collected, channel_of, instance
from audit.channels.measures.epsilon import epsilon
from synthesizers.arithmetic import (
    Arithmetic,
    ExactArithmetic,
    FloatArithmetic,
    ScaledArithmetic,
)
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.enumeration import Listing, leaves
from synthesizers.errors import TooLargeError
from synthesizers.events import Databases
from synthesizers.exact import Exact, add, compare, enclose, is_zero, multiply
from synthesizers.laws.public_laws import Multinomial
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, clamped_mass
from synthesizers.programs import build
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.queries import CellCounts, whole_table
from tests.synthesizers.brute_force import AnyProgram

F = Fraction


def setting_of(cells: int, size: int, relation: Neighbours | None = None) -> Setting:
    return Setting.of(Domain.from_cells(str(cells)), relation or ReplaceOne(), size)


def adaptive(curator: Curator) -> Any:
    """Asks on only after a positive answer, then draws a record: other questions a path."""
    first = int(curator.measure(CellCounts((0,)), DiscreteLaplace(F(1)), low=-1, high=2)[0])
    second = 0
    if first > 0:
        noise = DiscreteLaplace(F(1, 2) * first)
        second = int(curator.measure(CellCounts((1,)), noise, low=0, high=2)[0])
    drawn = curator.draw(Multinomial(1, (1 + max(first, 0), 1 + second)))
    return np.array(drawn)


def gaussian(curator: Curator) -> Any:
    """A law without a closed form: chances are intervals."""
    noisy = curator.measure(
        whole_table(curator.domain), DiscreteGaussian(F(2)), low=0, high=2
    ).tolist()
    return f"total {sum(noisy)}"


CASES: list[tuple[str, AnyProgram, Setting]] = [
    ("geometric", build("geometric-sanitizer", {"epsilon": "1/2"}), setting_of(2, 3)),
    ("geometric-3", build("geometric-sanitizer", {"epsilon": "3"}), setting_of(3, 2)),
    ("geometric-ar", build("geometric-sanitizer", {"epsilon": "1"}), setting_of(2, 2, AddRemove())),
    ("laplace", build("laplace-sanitizer", {"epsilon": "2"}), setting_of(2, 3)),
    ("dirichlet", build("multinomial-dirichlet", {"alpha": "1/3"}), setting_of(3, 3)),
    ("plug-in", build("multinomial-dirichlet", {"posterior": "mean"}), setting_of(2, 5)),
    ("subsample", build("subsample", {"fraction": "1/2"}), setting_of(3, 4)),
    ("adaptive", adaptive, setting_of(2, 2)),
    ("gaussian", gaussian, setting_of(2, 2)),
]
NAMES = [case[0] for case in CASES]


def sums_to_one(row: list[Exact]) -> bool:
    total: Exact = F(0)
    for value in row:
        total = add(total, value)
    order = compare(total, F(1))
    ends = enclose(total)
    return order == 0 or (order is None and ends.lower <= 1 <= ends.upper)


@pytest.mark.parametrize(("name", "program", "setting"), CASES, ids=NAMES)
@pytest.mark.parametrize("released", ["output", "transcript"])
def test_doubles_enclose_the_exact_chances(
    name: str, program: AnyProgram, setting: Setting, released: str
) -> None:
    exact = channel_of(program, setting, released=released, exact=True)
    found = channel_of(program, setting, released=released)
    assert found.channel.exact is None
    assert exact.channel.released == found.channel.released == released
    assert found.channel.outputs == exact.channel.outputs
    assert found.channel.databases.tolist() == exact.channel.databases.tolist()
    assert (found.transcripts, found.ledgers) == (exact.transcripts, exact.ledgers)
    assert exact.channel.exact is not None
    for place, value in np.ndenumerate(exact.channel.exact):
        low, high = found.channel.lower[place], found.channel.upper[place]
        ends = enclose(value)
        assert F(float(low)) <= ends.upper
        assert ends.lower <= F(float(high))
        if ends.upper - ends.lower <= ends.upper / 10**40:
            assert F(float(low)) <= ends.lower
            assert ends.upper <= F(float(high))
        assert (high == 0) == (low == 0) == is_zero(value)
        assert high - low <= 1e-12 * high
    for row in exact.channel.exact.tolist():
        assert sums_to_one(row)


def histogram_by_hand(
    epsilon: Fraction, counts: tuple[int, ...], size: int
) -> dict[tuple[int, ...], Exact]:
    """Geometric sanitizer over three cells, n public: every noisy table, clamped and rescaled."""
    law: dict[tuple[int, ...], Exact] = defaultdict(lambda: F(0))
    noise = DiscreteLaplace(2 / epsilon)
    for noisy in product(range(size + 1), repeat=len(counts)):
        chance: Exact = F(1)
        for truth, answer in zip(counts, noisy, strict=True):
            chance = multiply(chance, clamped_mass(noise, truth, answer, 0, size))
        weights = noisy if any(noisy) else (1,) * len(counts)
        total = sum(weights)
        shares = [F(size * weight, total) for weight in weights]
        floors = [int(share) for share in shares]
        order = sorted(range(len(shares)), key=lambda i: (floors[i] - shares[i], i))
        for place in order[: size - sum(floors)]:
            floors[place] += 1
        law[tuple(floors)] = add(law[tuple(floors)], chance)
    return law


def test_the_geometric_sanitizer_by_hand() -> None:
    setting = setting_of(3, 2)
    program = build("geometric-sanitizer", {"epsilon": "3/2"})
    channel = channel_of(program, setting, exact=True).channel
    for row in range(len(channel.databases)):
        law = histogram_by_hand(F(3, 2), channel.counts(row), 2)
        assert set(law) == set(channel.outputs)
        for column, output in enumerate(channel.outputs):
            chance = channel.chance(row, column)
            assert chance is not None
            assert compare(chance, law[output]) == 0


def test_the_output_is_never_worse_than_the_transcript() -> None:
    for _, program, setting in CASES[:-1]:
        output = epsilon(channel_of(program, setting, exact=True).channel).enclosure
        full = channel_of(program, setting, exact=True, released="transcript").channel
        assert output.lower <= epsilon(full).enclosure.upper


def test_transcripts_are_all_outcomes_in_order() -> None:
    setting = setting_of(2, 2)
    found = channel_of(adaptive, setting, released="transcript", exact=True)
    # -1 and 0 end the questions (2 draws each); 1 and 2 ask 3 more answers, then draw.
    assert len(found.channel.outputs) == found.transcripts == 2 * 2 + 2 * 3 * 2
    assert all(len(output) in (3, 4) for output in found.channel.outputs)
    assert list(found.channel.outputs) == sorted(found.channel.outputs)
    # The noise of the second question follows the first answer, so there are four ledgers or more.
    assert len({len(ledger) for ledger in found.ledgers}) == 2
    assert found.complete


@pytest.mark.parametrize(("name", "program", "setting"), CASES, ids=NAMES)
@pytest.mark.parametrize("released", ["output", "transcript"])
@pytest.mark.parametrize("parallel_from", [1, 10**9])
def test_the_error_count_covers_every_rounding(
    name: str,
    program: AnyProgram,
    setting: Setting,
    released: str,
    parallel_from: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counted again: the worst leaf's own count, and one addition for every further leaf."""
    monkeypatch.setattr(enumerating, "PARALLEL_FROM", parallel_from)
    stated: list[int] = []
    original = Channel.of_floats

    def recorded(*arguments: Any) -> Channel:
        stated.append(arguments[5])
        return original(*arguments)

    monkeypatch.setattr(Channel, "of_floats", recorded)
    channel_of(program, setting, released=released)
    size = setting.records if setting.records is not None else setting.require_rows()
    databases = instance(setting, size)
    terms: dict[tuple[Any, ...], int] = defaultdict(int)
    worst = 0
    for leaf in leaves(Listing(program, setting, databases, FloatArithmetic())):
        answers = sum(len(event.coordinates(databases)) for event, _ in leaf.transcript)
        # Every table entry is wrong by 2 units, every product adds one.
        assert leaf.operations >= 3 * answers
        worst = max(worst, leaf.operations)
        values = tuple(value for _, outcome in leaf.transcript for value in outcome)
        terms[leaf.output if released == "output" else values] += 1
    assert stated[0] >= worst + max(terms.values()) - 1


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Further processes take part in the smallest work."""
    monkeypatch.setattr(enumerating, "PARALLEL_FROM", 1)
    monkeypatch.setattr(parallel, "WORTH_SECONDS", 0.0)


@pytest.mark.parametrize("released", ["output", "transcript"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.usefixtures("sharing")
def test_more_processes_find_what_one_does_to_the_last_bit(
    released: str, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = build("geometric-sanitizer", {"epsilon": "2/3"})
    setting = setting_of(3, 3)
    one, two, three = (
        channel_of(program, setting, released=released, exact=exact, jobs=jobs)
        for jobs in (1, 2, 3)
    )
    for other in (two, three):
        assert one.channel.outputs == other.channel.outputs
        assert np.array_equal(one.channel.lower, other.channel.lower)
        assert np.array_equal(one.channel.upper, other.channel.upper)
        assert (one.transcripts, one.ledgers) == (other.transcripts, other.ledgers)
    monkeypatch.setattr(enumerating, "PARALLEL_FROM", 10**9)
    whole = channel_of(program, setting, released=released, exact=True).channel
    assert whole.exact is not None
    assert whole.outputs == one.channel.outputs
    for place, value in np.ndenumerate(whole.exact):
        ends = enclose(value)
        assert F(float(one.channel.lower[place])) <= ends.lower
        assert ends.upper <= F(float(one.channel.upper[place]))
        chance = one.channel.chance(*place)
        assert (chance is not None) == exact
        assert chance is None or compare(chance, value) == 0


@pytest.mark.usefixtures("sharing")
def test_more_processes_find_what_one_does_below_the_doubles() -> None:
    program = MultinomialDirichlet((F(1, 10**200),))
    one, two = (channel_of(program, setting_of(3, 3), jobs=jobs).channel for jobs in (1, 2))
    assert one.powers is not None and two.powers is not None
    assert np.array_equal(one.powers.mantissa, two.powers.mantissa)
    assert np.array_equal(one.powers.exponent, two.powers.exponent)
    assert one.powers.error == two.powers.error
    exact = channel_of(program, setting_of(3, 3), exact=True).channel
    assert exact.powers is not None
    assert exact.outputs == one.outputs
    found, wanted = (np.log2(p.mantissa) + p.exponent for p in (one.powers, exact.powers))
    assert np.allclose(found, wanted, rtol=0, atol=1e-12)


def collected(arithmetic: Arithmetic, outputs: list[Any], chances: Any) -> Collected:
    part = Collected(arithmetic)
    part.add(outputs, chances)
    return part


@pytest.mark.parametrize("shape", [(7,), (2, 7)])
def test_columns_go_through_a_file_as_they_are(
    shape: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    arithmetic = FloatArithmetic() if len(shape) == 1 else ScaledArithmetic()
    chances = np.random.default_rng(1).random((5, *shape))
    part, same = (collected(arithmetic, [(n,) for n in range(5)], chances) for _ in range(2))
    part.write_columns()
    assert [file.stat().st_size for file in tmp_path.iterdir()] == [chances.nbytes]
    sent = pickle.loads(pickle.dumps(part))
    whole, wanted = Collected(arithmetic), Collected(arithmetic)
    for _ in range(2):
        whole.merge(sent if sent.file else same)
        wanted.merge(collected(arithmetic, [(n,) for n in range(5)], chances))
    assert list(tmp_path.iterdir()) == []
    assert whole.terms == wanted.terms and np.array_equal(whole.matrix(), wanted.matrix())
    exact = collected(ExactArithmetic(), [(0,)], np.array([[F(1, 3)] * 7]))
    exact.write_columns()
    assert exact.file is None and exact.columns[(0,)][0] == F(1, 3)


@pytest.mark.parametrize("count", [1, BLOCK - 1, BLOCK, 2 * BLOCK + 3])
@pytest.mark.parametrize("shape", [(4,), (2, 4)])
def test_outputs_are_summed_and_stand_side_by_side(count: int, shape: tuple[int, ...]) -> None:
    arithmetic = FloatArithmetic() if len(shape) == 1 else ScaledArithmetic()
    chances = np.random.default_rng(2).random((2 * count, *shape))
    outputs = [(number % count,) for number in range(2 * count)]
    part = collected(arithmetic, outputs, chances)
    slow = []
    for number in range(count):
        total = chances[number].copy()
        arithmetic.add_to(total, chances[number + count])
        slow.append(total)
    assert part.outputs == tuple((number,) for number in range(count))
    assert np.array_equal(part.matrix(), np.stack(slow, axis=-1))
    assert set(part.terms.values()) == {2} and part.roundings == 2


def test_parts_are_cut_alike_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    program = build("subsample", {"fraction": "1/2"})
    setting = setting_of(3, 4)
    monkeypatch.setattr(enumerating, "PARALLEL_FROM", 1)
    seen = []
    for parts in (1, 2, 5, 10**6):
        monkeypatch.setattr(enumerating, "PARTS", parts)
        seen.append(channel_of(program, setting))
    for found in seen[1:]:
        assert found.channel.outputs == seen[0].channel.outputs
        assert found.transcripts == seen[0].transcripts
        assert np.allclose(found.channel.lower, seen[0].channel.lower, rtol=1e-14)
    for count in (1, 2, 15, 16, 17, 1000):
        stretches = enumerating.parts_of(count)
        assert [place for part in stretches for place in part] == list(range(count))
        assert all(stretches)


def test_chosen_databases_alone_are_enumerated() -> None:
    setting = setting_of(2, 4)
    program = build("geometric-sanitizer", {"epsilon": "1"})
    rows = np.array([[3, 1], [1, 3]])
    part = channel_of(program, setting, databases=Databases(setting.domain, rows), exact=True)
    whole = channel_of(program, setting, exact=True).channel
    assert part.channel.databases.tolist() == [[3, 1], [1, 3]]
    assert whole.exact is not None
    assert part.channel.exact is not None
    for number, counts in enumerate(((3, 1), (1, 3))):
        place = whole.databases.tolist().index(list(counts))
        for column in range(len(whole.outputs)):
            a, b = part.channel.chance(number, column), whole.chance(place, column)
            assert a is not None
            assert b is not None
            assert compare(a, b) == 0


def test_private_sizes_list_all_smaller_databases() -> None:
    setting = setting_of(2, 3, AddRemove())
    program = build("geometric-sanitizer", {"epsilon": "1"})
    assert len(channel_of(program, setting).channel.databases) == 1 + 2 + 3 + 4
    assert len(channel_of(program, setting, size=2).channel.databases) == 1 + 2 + 3


def test_progress_ends_with_everything_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumerating, "PARALLEL_FROM", 1)
    told: list[tuple[int, int]] = []
    program = build("geometric-sanitizer", {"epsilon": "1"})
    channel_of(program, setting_of(3, 2), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (27, 27)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_job_beyond_the_cap_names_its_widest_event() -> None:
    program = build("geometric-sanitizer", {"epsilon": "1"})
    with pytest.raises(TooLargeError, match="widest event is measure"):
        channel_of(program, setting_of(6, 20))


def test_a_program_without_questions_has_one_output() -> None:
    found = channel_of(lambda curator: np.array([1, 1]), setting_of(2, 2), exact=True)
    assert found.channel.outputs == ((1, 1),)
    assert epsilon(found.channel).value == 1
    assert found.transcripts == 1


def test_suppressed_counts_sort_first_and_text_last() -> None:
    mixed = [("b",), ("a",), (2,), (None,), (0,)]
    assert sorted(mixed, key=enumerating._order) == [(None,), (0,), (2,), ("a",), ("b",)]


@pytest.mark.slow
def test_many_outcomes_of_one_question_are_cut_into_few_parts() -> None:
    program = build("multinomial-dirichlet", {})
    setting = Setting(Domain.from_cells("4"), ReplaceOne(), 3, 49)
    one = channel_of(program, setting, size=3)
    two = channel_of(program, setting, size=3, jobs=2)
    assert one.transcripts == 22_100 >= enumerating.PARALLEL_FROM
    assert np.array_equal(one.channel.lower, two.channel.lower)
