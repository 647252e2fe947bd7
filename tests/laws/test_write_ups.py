"""Every built-in program's write-up is confirmed by its own list, and stays within its budget."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import pytest

import dp_audit
from audit.review.submissions.sections import Section
from audit.review.submissions.stated_write_ups import read_write_up
from audit.review.write_ups.comparing import compare_write_up
from synthesizers.programs import PROGRAMS
from tests.laws.test_readings_agree import CASES

FIRST = {name: case for name, *case in reversed(CASES) if name in PROGRAMS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_written_up_as_it_asks(name: str) -> None:
    parameters, neighbours, cells, counts = FIRST[name]
    assert isinstance(parameters, dict)
    found = dp_audit.writeup(
        name,
        "epsilon=1",
        neighbours=neighbours,
        cells=cells,
        records=sum(counts),
        parameters=parameters,
    )
    asked = found.write_up.asked
    section = Section(tomllib.loads(found.toml())["write-up"], "[write-up]", [])
    stated = read_write_up(section).queries
    assert asked and compare_write_up(stated, asked) == ()
    assert all(one.place and one.definition for one in asked)
    shares = [one.share for one in asked]
    assert None in shares or sum((one for one in shares if one), Fraction(0)) <= 1
    # Each row is missed if it is left out, and is found if it stands alone.
    for place in range(len(stated)):
        left = [*stated[:place], *stated[place + 1 :]]
        assert {one.kind for one in compare_write_up(left, asked)} & {"missing", "share"}
