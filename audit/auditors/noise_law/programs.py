"""The noise-law auditor on a program: the sampler of each noise that it asks for."""

from __future__ import annotations

from collections.abc import Iterator

from audit.auditors.effort import Effort
from audit.auditors.noise_law.examination import DRAWS
from audit.auditors.noise_law.examination import examine as examine_noise
from audit.auditors.noise_law.subjects import StatedNoise
from audit.auditors.questions import questions_of
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.subject import ProgramSubject
from synthesizers.events import Measure, MeasureBest


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """Draws of each noise that a program's questions name, beside the law that it states.

    The draws are those of the curator's own sampler, which a release would use. Nothing where the
    program asks for no noise on counts. Raises TooLargeError where its questions can't be listed.
    """
    asked = questions_of(subject, claim, effort)
    noises = dict.fromkeys(
        event.noise for event in asked if isinstance(event, Measure | MeasureBest)
    )
    draws = DRAWS if effort.runs is None else effort.runs
    for noise in noises:
        stated = StatedNoise.of(noise)
        yield from examine_noise(
            stated, seed=effort.seed, draws=draws, error=effort.alarm / len(noises)
        )
