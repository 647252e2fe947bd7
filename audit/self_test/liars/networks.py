"""Programs that train networks, each with some of its questions replaced."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import Instead, ask, at, every
from audit.self_test.case import BugClass, Detector
from audit.self_test.instead import best_in_truth, quieter, unnoised
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator
from synthesizers.events import Event, Measure, MeasureSampled, Select
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.dp_wgan import DPWGAN
from synthesizers.programs.gem import GEM

IntArray = NDArray[np.int64]

WGAN = ProgramCase(
    "DP-WGAN, one weight",
    DPWGAN(
        Fraction(1),
        Fraction(1, 100),
        batch=1,
        steps=1,
        critic_steps=1,
        hidden=0,
        generator_hidden=2,
        noise=1,
        clip=Fraction(1),
        grid=1,
        bound=3,
    ),
    "epsilon=1, delta=1/100",
    AddRemove(),
    "1",
    1,
    3,
    (Detector.TRANSCRIPT,),
)
ROUND = ProgramCase(
    "GEM, one round",
    GEM(Fraction(2), Fraction(1, 100), degree=1, rounds=1, steps=3, slack=2),
    f"rho={zcdp_rho(Fraction(2), Fraction(1, 100))}",
    ReplaceOne(),
    "2x2",
    1,
    detectors=(Detector.TRANSCRIPT,),
)


def without_sampling(curator: Curator, event: Event) -> IntArray:
    """The same noise on the sum over all records."""
    assert isinstance(event, MeasureSampled)
    return ask(curator, replace(event, rate=Fraction(1)))


def with_noise_of(factor: Fraction) -> Instead:
    """Noise of another deviation."""

    def instead(curator: Curator, event: Event) -> IntArray:
        assert isinstance(event, MeasureSampled)
        return ask(curator, replace(event, noise=RoundedGaussian(event.noise.deviation * factor)))

    return instead


def clipped_apart(curator: Curator, event: Event) -> IntArray:
    """Four tensors clipped to C each have a norm of up to 2C together: twice the move."""
    # Twice the move under the same noise is the move under half of it.
    return with_noise_of(Fraction(1, 2))(curator, event)


def asked_again(curator: Curator, event: Event) -> IntArray:
    """Further steps after the last one, which the number of steps did not count."""
    answer = ask(curator, event)
    for _ in range(3):
        ask(curator, event)
    return answer


LIARS = (
    program_liar(
        WGAN,
        BugClass.GAN,
        "tensors clipped one by one",
        "four tensors are clipped to C each, and accounted as one clip to C",
        every(MeasureSampled),
        clipped_apart,
    ),
    program_liar(
        WGAN,
        BugClass.GAN,
        "amplified without sampling",
        "every record is in every batch, and the accountant is told a sample",
        every(MeasureSampled),
        without_sampling,
    ),
    program_liar(
        WGAN,
        BugClass.GAN,
        "steps beyond the budget",
        "the budget is looked at after the update: the loop goes on beyond it",
        at(0),
        asked_again,
    ),
    program_liar(
        WGAN,
        BugClass.GAN,
        "noise of a batch, not of a sum",
        "the noise is divided by the batch, as the mean gradient's is, but the sum is released",
        every(MeasureSampled),
        with_noise_of(Fraction(1, 3)),
    ),
    program_liar(
        ROUND,
        BugClass.OPTIMISED,
        "query chosen without its half",
        "errors move both ways, and the factor 1/2 of the exponential mechanism is left out",
        every(Select),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        ROUND,
        BugClass.OPTIMISED,
        "worst query by true error",
        "the worst query is found by its true error",
        every(Select),
        best_in_truth,
    ),
    program_liar(
        ROUND,
        BugClass.OPTIMISED,
        "answers without noise",
        "the network is fitted to the true answers",
        every(Measure),
        unnoised,
    ),
)
