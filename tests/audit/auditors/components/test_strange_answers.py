"""What a subject's process sends is read strictly."""

from __future__ import annotations

import json

import pytest

from audit.auditors.components.reading import read_recordings
from audit.auditors.components.recording.hearing import listen_to
from audit.auditors.components.recording.inside import encode
from audit.auditors.components.recording.running import Listened, run
from audit.auditors.components.recording.tape import Tape
from synthesizers.errors import ProtocolError
from tests.audit.auditors.components.honest_functions import two_rounds

LISTENED = Listened(two_rounds, two_rounds.__code__.co_filename)


def recorded():
    with listen_to(()):
        return run(LISTENED, [{"cell": "1"}, {"cell": "2"}], 1, Tape())


def test_what_was_recorded_is_read_as_it_was():
    one = recorded()
    (found,) = read_recordings(json.dumps({"runs": [encode(one, True)]}), 1)
    assert found == one


def test_why_nothing_was_recorded_is_told():
    with pytest.raises(ProtocolError, match="too often"):
        read_recordings(json.dumps({"refused": "too often"}), 1)


def changed(path, value):
    document = {"runs": [encode(recorded(), True)]}
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(document)


STRANGE = (
    (("runs",), []),
    (("runs",), "text"),
    (("runs", 0, "steps"), None),
    (("runs", 0, "steps", 0, "place"), "a\nb"),
    (("runs", 0, "steps", 0, "place"), "x" * 1000),
    (("runs", 0, "steps", 0, "answer"), ["1.5; import os"]),
    (("runs", 0, "steps", 0, "value"), [None]),
    (("runs", 0, "steps", 1, "operands"), [[[9999, 0]]]),
    (("runs", 0, "steps", 1, "operands"), [[[0, -1]]]),
    (("runs", 0, "output"), [1, 2]),
    (("runs", 0, "released"), [[10**9, 0]]),
    (("runs", 0, "parted"), [1, 2]),
    (("runs", 0, "lines"), [5]),
    (("runs", 0, "error"), {"a": 1}),
    (("runs", 0, "more"), 1),
)


@pytest.mark.parametrize(("path", "value"), STRANGE)
def test_anything_else_is_refused(path, value):
    with pytest.raises(ProtocolError, match="something else"):
        read_recordings(changed(path, value), 1)


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"runs": NaN}', "[" * 100_000])
def test_no_document_is_refused(text):
    with pytest.raises(ProtocolError, match="something else"):
        read_recordings(text, 1)
