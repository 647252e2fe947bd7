"""What a program asks on a made-up table, question by question, and where it asks."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType

from audit.review.write_ups.made_up import MadeUp
from audit.subjects.program_process import ProgramProcess
from audit.subjects.subject import ProgramSubject
from synthesizers.asking_lines import find_asking_line
from synthesizers.curator import Curator, Program, Setting, Transcript, ask_program, keep_to
from synthesizers.events import Event, Outcome
from synthesizers.sampling import private_view, sample_answer
from synthesizers.true_answers import TrueAnswers

_PLACE = re.compile(r"(?:(?P<file>.+), )?line (?P<line>[0-9]{1,9})(?:, step .*)?")
_STEP = re.compile(r"(?:(?P<file>.+), )?step .*")


@dataclass(frozen=True)
class PlacedEvent:
    """A question with the file and the line that ask it, None where nothing tells."""

    event: Event
    file: str | None
    line: int | None


def run_on(subject: ProgramSubject, setting: Setting, table: MadeUp) -> tuple[PlacedEvent, ...]:
    """The questions of one run, draws among them, in order.

    Raises ProtocolError where the program breaks the curator's protocol.
    """
    truth = TrueAnswers(private_view(table.dataset, setting))
    program, locate = _placed(subject.program, setting)
    placed: list[PlacedEvent] = []

    def reply(event: Event) -> Outcome:
        placed.append(PlacedEvent(event, *locate()))
        return sample_answer(event, truth, table.entropy)

    declared = subject.ledger(setting)

    def admit(transcript: Transcript, event: Event) -> None:
        if declared is not None:
            keep_to(declared)(transcript, event)

    ask_program(program, Curator(setting, subject.budget(setting), reply, admit))
    return tuple(placed)


Place = tuple[str | None, int | None]


def _placed(program: Program, setting: Setting) -> tuple[Program, Callable[[], Place]]:
    """What runs, and where it asks at the moment: its process's word, or a line of our stack."""
    if isinstance(program, ProgramProcess):
        connection = program.ready(setting)
        return connection.run, lambda: read_place(connection.where)
    own = _find_file(program)
    return program, lambda: _find_line(own)


def read_place(words: str) -> Place:
    """The file and the line of a place in words.

    >>> read_place("paper.tex, line 3, step 2a"), read_place("synth.R"), read_place("")
    (('paper.tex', 3), ('synth.R', None), (None, None))
    """
    found = _PLACE.fullmatch(words)
    if found is not None:
        return found["file"], int(found["line"])
    step = _STEP.fullmatch(words)
    return (step["file"] if step else words) or None, None


def _find_file(program: Program) -> str | None:
    """The file of a program's own code; None where that is none of Python's."""
    try:
        return inspect.getsourcefile(program if inspect.isroutine(program) else type(program))
    except TypeError:
        return None


def _find_line(own: str | None) -> Place:
    """The line of the program's own file that asks; of another file where that one does not."""
    calls = [*_calls(sys._getframe(3))]
    within = [call for call in calls if call[0].f_code.co_filename == own]
    return find_asking_line(within or calls) or (None, None)


def _calls(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    """The frames from one outwards, with their lines."""
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back
