"""Poisoned databases tell who reads them outside a measurement, and are read as they are inside."""

from __future__ import annotations

import gc
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from audit.auditors.data_independence import (
    Effort,
    Poisoned,
    Touched,
    examine,
    examine_program,
    permit_reading,
    touches,
    wrap_function,
)
from audit.statements.claim import Claim
from audit.statements.finding import violations
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Total
from synthesizers.true_answers import TrueAnswers

RECORDS = [{"cell": "0"}, {"cell": "1"}, {"cell": "1"}]
DOMAIN = Domain.from_cells("2")
ADDED = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, None)

FEW = Effort(pairs=2)

READERS = {
    "len": len,
    "iteration": list,
    "item": lambda d: d[0],
    "repr": repr,
    "sort": lambda d: sorted(d, key=str),
    "frame": lambda d: pd.DataFrame(d),
    "array": lambda d: np.array([r["cell"] for r in d]),
    "membership": lambda d: {"cell": "0"} in d,
    "sum": lambda d: d.copy(),
}


@pytest.mark.parametrize("how", READERS)
def test_every_way_of_reading_records_is_seen_outside_a_measurement(how):
    poisoned = Poisoned(RECORDS)
    READERS[how](poisoned.database)
    assert poisoned.touches
    assert all(touch.file == __file__ for touch in poisoned.touches)


@pytest.mark.parametrize("how", READERS)
def test_inside_a_measurement_nothing_is_seen_and_the_data_are_as_they_were(how):
    poisoned = Poisoned(RECORDS)
    with poisoned.measured():
        mine, plain = READERS[how](poisoned.database), READERS[how](RECORDS)
        assert np.all(mine == plain)
    assert not poisoned.touches
    assert poisoned.has_boundary


FRAME = pd.DataFrame(RECORDS)
FRAME_READERS = {
    "len": len,
    "column": lambda f: f["cell"],
    "attribute": lambda f: f.cell,
    "shape": lambda f: f.shape,
    "values": lambda f: f.to_numpy(),
    "array": np.asarray,
    "counts": lambda f: f.value_counts(),
    "iteration": list,
}


@pytest.mark.parametrize("how", FRAME_READERS)
def test_every_way_of_reading_a_frame_is_seen(how):
    poisoned = Poisoned(FRAME)
    FRAME_READERS[how](poisoned.database)
    assert poisoned.touches
    inside = Poisoned(FRAME)
    with inside.measured():
        mine = FRAME_READERS[how](inside.database)
    assert not inside.touches
    assert np.array_equal(mine, FRAME_READERS[how](FRAME))


def test_lists_and_records_look_like_pythons_own():
    poisoned = Poisoned(RECORDS)
    assert isinstance(poisoned.database, list)
    with poisoned.measured():
        assert all(isinstance(record, dict) for record in poisoned.database)
        assert poisoned.database[1:] == RECORDS[1:]


def test_a_line_is_named():
    poisoned = Poisoned(RECORDS)
    len(poisoned.database)
    (touch,) = poisoned.touches
    assert touch.what == "len"
    assert touch.code == "len(poisoned.database)"


def test_functions_that_measure_are_named_and_all_below_them_may_read():
    def count(database):
        return sum(1 for _ in database)

    poisoned = Poisoned(RECORDS, measures=[count])
    assert count(poisoned.database) == 3
    assert not poisoned.touches
    len(poisoned.database)
    assert len(poisoned.touches) == 1


def test_a_database_may_refuse():
    poisoned = Poisoned(RECORDS, refuses=True)
    with pytest.raises(Touched, match="len"):
        len(poisoned.database)
    with pytest.raises(InputError):
        Poisoned(3)


def test_measured_is_nothing_to_a_plain_database():
    with permit_reading(RECORDS) as nothing:
        assert nothing is None


class Curator:
    def __init__(self, database, rng):
        self.database, self.rng = database, rng

    def count(self, value):
        with permit_reading(self.database):
            return sum(r["cell"] == value for r in self.database) + self.rng.laplace()


def behaves(database, rng):
    curator = Curator(database, rng)
    return curator.count("0"), curator.count("1")


def peeks(database, rng):
    curator = Curator(database, rng)
    noisy = curator.count("0")
    return noisy if len(curator.database) > -1 else 0.0


def test_an_examination_names_who_reads_past_the_measurements():
    assert not violations(examine(wrap_function(behaves), ADDED))
    (finding,) = violations(examine(wrap_function(peeks), ADDED))
    assert finding.about == "data read outside measurements"
    assert "len read in test_poisoned_data.py" in str(finding.responsible)
    (finding,) = violations(examine(wrap_function(peeks), ADDED, measures=[Curator.count]))
    assert "len(curator.database)" in finding.found


def test_reading_is_no_matter_where_no_measurements_are_named():
    def plain(database, rng):
        return len(database) + rng.laplace()

    assert not [f for f in examine(wrap_function(plain), ADDED) if "measurements" in f.about]
    found, inside = touches(wrap_function(plain), RECORDS, 0)
    assert [touch.what for touch in found] == ["len"]
    assert not inside


def asks(curator):
    return int(curator.measure(Total(), DiscreteLaplace(Fraction(1)), low=0, high=3)[0])


def digs_in_memory(curator):
    noisy = asks(curator)
    held = [len(found.codes) for found in gc.get_objects() if type(found).__mro__[-2] is Dataset]
    return noisy + 0 * len(held)


def digs_in_frames(curator):
    noisy, frame = asks(curator), sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, TrueAnswers):
                noisy += 0 * value.dataset.records
        frame = frame.f_back
    return noisy


@pytest.mark.parametrize("thief", [digs_in_memory, digs_in_frames])
def test_a_program_that_digs_for_the_data_is_found(thief):
    claim = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, 3)
    subject = ProgramSubject("thief", thief, False)
    (finding,) = violations(examine_program(subject, claim, FEW))
    assert finding.about == "data read outside measurements"
    assert "codes read in test_poisoned_data.py" in str(finding.responsible)
    honest = ProgramSubject("asks", asks, False)
    assert not violations(examine_program(honest, claim, FEW))
