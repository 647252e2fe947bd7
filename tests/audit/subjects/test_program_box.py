"""Programs of a curator as black boxes: what is released has the law of the other readings."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from audit.channels.enumerate import channel_of
from audit.subjects.databases import records_of_histogram
from audit.subjects.pair import Pair
from audit.subjects.programs import ENOUGH_RUNS, SHOWN_CELLS, ProgramBox
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from synthesizers.budget import PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table
from tests.audit import third_party as theirs

CELLS = Domain.from_cells("2")
SETTING = Setting.of(CELLS, AddRemove(), 2)
PAIR = Pair(records_of_histogram([1, 1], CELLS), records_of_histogram([0, 1], CELLS))
COINS = np.arange(40) % 2 == 0


def box(program, setting: Setting = SETTING, released: str = "output") -> ProgramBox:
    return ProgramBox(ProgramSubject("theirs", program, False), setting, released)


@pytest.mark.parametrize("released", ["output", "transcript"])
@pytest.mark.parametrize(
    ("name", "relation"),
    [("geometric-sanitizer", AddRemove()), ("laplace-sanitizer", ReplaceOne())],
)
def test_outcomes_have_the_chances_of_the_enumerated_channel(name, relation, released):
    # 800 runs a database, at most 64 outputs, 4 cases: by Hoeffding a right box is off by 0.13
    # anywhere with probability at most 4 * 2 * 64 * 2 exp(-2 * 800 * 0.13²) < 1e-8.
    subject = program_subject(name, {"epsilon": "1"})
    setting = Setting.of(CELLS, relation, 2)
    databases = ([2, 0], [1, 1])
    channel = channel_of(subject.program, setting, released=released).channel
    pair = Pair(*(records_of_histogram(counts, CELLS) for counts in databases))
    coins = np.arange(1600) % 2 == 0
    found = ProgramBox(subject, setting, released).draw(pair, coins, 11)
    seen = {tuple(np.asarray(found.blocks[0])[run].astype(int)) for run in range(1600)}
    assert len(found.shapes) == 1
    assert seen <= set(channel.outputs)
    assert len(channel.outputs) <= 64
    for second, counts in enumerate(databases):
        row = channel.databases.tolist().index(counts)
        rows = np.asarray(found.blocks[0])[coins == second].astype(int).tolist()
        counted = Counter(map(tuple, rows))
        for column, output in enumerate(channel.outputs):
            chance = (channel.lower[row, column] + channel.upper[row, column]) / 2
            assert abs(counted[output] / len(rows) - chance) < 0.13


def test_the_same_seed_gives_the_same_outcomes_and_another_one_others():
    whole = box(theirs.Histogram())
    codes = [whole.draw(PAIR, COINS, seed).codes().tolist() for seed in (1, 1, 2)]
    assert codes[0] == codes[1] != codes[2]


def test_runs_do_not_share_their_entropy():
    # Wide noise: 40 runs of two counts agree somewhere with probability below 40² / 4000² = 1e-4.
    def wide(curator: Curator):
        noise = DiscreteLaplace(Fraction(1000))
        return curator.measure(whole_table(curator.domain), noise, low=-(10**6), high=10**6)

    codes = box(wide).draw(PAIR, COINS, 1).codes()
    assert len(set(codes.tolist())) == len(COINS)


def resampled(curator: Curator) -> Dataset:
    """All records of the last cell."""
    size = len(curator.domain.attributes)
    last = [[attribute.size - 1 for attribute in curator.domain.attributes]]
    return Dataset(curator.domain, np.array(last * 3).reshape(3, size))


def test_a_dataset_is_shown_as_counts_where_the_domain_is_small():
    found = box(resampled).draw(PAIR, COINS[:2], 1)
    assert np.asarray(found.blocks[0]).tolist() == [[0, 3], [0, 3]]


def test_a_dataset_of_a_large_domain_is_shown_as_its_table():
    domain = Domain.from_cells(f"2x{SHOWN_CELLS}")
    pair = Pair([{"a1": "0", "a2": "0"}], [])
    found = box(resampled, Setting.of(domain, AddRemove(), 2)).draw(pair, COINS[:2], 1)
    assert [shape.kind for shape in found.shapes] == ["table"]
    assert found.blocks[0][0].to_dict("list") == {"a1": ["1"] * 3, "a2": [str(SHOWN_CELLS - 1)] * 3}


def raises_when_empty(curator: Curator) -> int:
    """Raises on what it was told, which differs between the databases."""
    noise = DiscreteLaplace(Fraction(1, 1000))
    counts = curator.measure(whole_table(curator.domain), noise, low=0, high=5)
    if counts[0] == 0:
        raise KeyError(int(counts[1]))
    return int(counts[0])


def test_an_error_on_one_database_is_an_outcome():
    # Noise of scale 1/1000 is 0 but for a chance of 2 exp(-1000).
    found = box(raises_when_empty).draw(PAIR, COINS, 1)
    shapes = [found.shapes[place] for place in found.of]
    assert [shape.kind for shape in shapes] == ["raised" if coin else "numbers" for coin in COINS]
    assert {shape.detail for shape in shapes if shape.kind == "raised"} == {"KeyError"}


def test_an_error_in_every_run_is_the_audits():
    def broken(curator: Curator) -> int:
        raise KeyError

    with pytest.raises(ProtocolError, match="the program raised KeyError"):
        box(broken).draw(PAIR, COINS, 1)
    with pytest.raises(InputError, match="public constant"):
        box(theirs.Histogram(), Setting.of(CELLS, AddRemove(), None)).draw(PAIR, COINS, 1)


@pytest.mark.parametrize(
    "coins", [np.ones(40, np.bool_), np.zeros(40, np.bool_), COINS[: ENOUGH_RUNS - 1]]
)
def test_errors_in_few_runs_or_on_one_database_alone_are_outcomes(coins):
    def broken(curator: Curator) -> int:
        raise KeyError

    found = box(broken).draw(PAIR, coins, 1)
    assert [shape.detail for shape in found.shapes] == ["KeyError"]


def test_the_declared_budget_holds():
    overspent = theirs.Histogram(Fraction(2), declared=Fraction(1))
    with pytest.raises(BudgetExceeded):
        box(overspent).draw(PAIR, COINS, 1)
    assert overspent.budget(SETTING) == PureBudget(Fraction(1))


def test_databases_that_do_not_fit_the_setting_are_input_errors():
    with pytest.raises(InputError, match="public number of records"):
        box(theirs.Histogram(), Setting.of(CELLS, ReplaceOne(), 2)).draw(PAIR, COINS, 1)
    persons = Setting.of(CELLS, AddRemove(Unit("person", 2)), 2)
    with pytest.raises(InputError, match="whose record"):
        box(theirs.Histogram(), persons).draw(PAIR, COINS, 1)


def test_persons_are_clipped_to_their_most_records():
    domain = Domain("p", CELLS.attributes, individual="who")
    setting = Setting.of(domain, AddRemove(Unit("person", 1)), 9)
    records = [{"cell": "0", "who": 1}, {"cell": "0", "who": 1}, {"cell": "1", "who": 2}]

    def sharp(curator: Curator):
        noise = DiscreteLaplace(Fraction(1, 1000))
        return curator.measure(whole_table(curator.domain), noise, low=0, high=9)

    found = box(sharp, setting).draw(Pair(records, []), np.zeros(2, np.bool_), 1)
    assert np.asarray(found.blocks[0]).tolist() == [[1, 1], [1, 1]]


def test_a_box_pickles_and_says_what_it_is():
    made = ProgramBox(program_subject("bootstrap", {}), SETTING, "transcript")
    again = pickle.loads(pickle.dumps(made))
    assert (again.name, again.released) == ("bootstrap", "transcript")
    with pytest.raises(InputError, match="output or transcript"):
        box(resampled, released="everything")
