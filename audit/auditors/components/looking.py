"""Pairs of neighbours as they are looked at: recorded on the one, answered on the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.comparing import size_of
from audit.auditors.components.forms import Read, read
from audit.auditors.components.parts import Part
from audit.auditors.components.recording.steps import Call, Recording
from audit.auditors.components.spending import spend
from audit.subjects.pair import Pair

STRETCHES = (1, 1, 4, 64)
"""By how much the noise of each transcript is multiplied: far tails, clamping and branches that
the noise itself seldom reaches show, too."""

AT_ONCE = 12
"""Pairs of one job."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """A run on the first database, and one on the second with the first one's answers."""

    seed: int
    stretch: int
    first: Recording
    second: Recording

    @cached_property
    def read(self) -> Read:
        """Both, side by side."""
        return read(self.first, self.second)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What its noise spends."""
        return spend(self.read)

    @property
    def size(self) -> tuple[bool, float]:
        """What orders pairs: whether anything is beyond theorems, then the losses that add up."""
        losses = [loss for part in self.parts for loss in part.losses or ()]
        beyond = any(part.losses is None or part.leak for part in self.parts)
        return beyond, size_of(losses)

    @property
    def differs(self) -> bool:
        """Whether the second run did something else, though it had all answers of the first."""
        one, other = self.first, self.second
        return other.parted is not None or not _same(one, other)

    @property
    def leaves(self) -> tuple[int, ...]:
        """The places of the output that differ; none where it has another shape."""
        one, other = self.first.output, self.second.output
        if len(one) != len(other) or self.second.parted is not None:
            return ()
        return tuple(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if not _equal(a, b))


def _same(one: Recording, other: Recording) -> bool:
    return (
        one.error == other.error
        and len(one.output) == len(other.output)
        and all(map(_equal, one.output, other.output))
    )


def _equal(one: object, other: object) -> bool:
    return one == other or (one != one and other != other)


@dataclass(frozen=True, eq=False)
class Looked:
    """A pair with its transcripts."""

    pair: Pair
    transcripts: tuple[Transcript, ...]

    @property
    def worst(self) -> Transcript:
        """The transcript that spends most."""
        return max(self.transcripts, key=lambda one: one.size)

    def calls(self) -> Iterator[tuple[Call, Call]]:
        """Each call of noise, as it was made on both databases."""
        for transcript in self.transcripts:
            for one, other in zip(transcript.first.steps, transcript.second.steps, strict=False):
                if isinstance(one, Call) and isinstance(other, Call):
                    yield one, other


def look(ask: Ask, pairs: Sequence[Pair], seed: int) -> tuple[Looked, ...]:
    """All pairs, each with a transcript of every stretch; raises ProtocolError, InputError."""
    found: list[Looked] = []
    for start in range(0, len(pairs), AT_ONCE):
        chunk = pairs[start : start + AT_ONCE]
        databases = [database for pair in chunk for database in (pair.first, pair.second)]
        runs: list[Wanted] = []
        for place in range(len(chunk)):
            for number, stretch in enumerate(STRETCHES):
                # Other coins on each pair: what one of them hides another may show.
                own = seed + number + len(STRETCHES) * (start + place)
                runs.append(Wanted(2 * place, own, stretch))
                runs.append(Wanted(2 * place + 1, own, stretch, len(runs) - 1))
        made = ask(databases, runs)
        each = 2 * len(STRETCHES)
        for place, pair in enumerate(chunk):
            transcripts = [
                Transcript(runs[at].seed, runs[at].stretch, made[at], made[at + 1])
                for at in range(place * each, (place + 1) * each, 2)
            ]
            found.append(Looked(pair, tuple(transcripts)))
    return tuple(found)
