"""DP-WGAN: a generative network against a critic that learns by noisy gradients.

Purpose: synthetic records from a trained generator; the baseline of neural
synthesizers, and the subject on which DP-SGD is audited.

Source: the UCLANESL entry to the 2018 NIST challenge (Alzantot & Srivastava 2019,
"Differential privacy synthetic data generation using WGANs"), fourth in its first
match and fifth in its third; Wasserstein GANs with clipped weights are those of
Arjovsky, Chintala & Bottou 2017, the private steps those of Abadi et al. 2016.
The corrections and the defaults named below are ours.

Inputs: epsilon; delta; batch, the expected records of a sample (default 256);
steps of the critic, fixed in advance (default 2000); critic-steps to a step of the
generator (default 10); hidden units of the critic (default 8; 0: a linear critic)
and of the generator (default 128); noise, the width of z (default 64); clip, of
gradients (default 1/20); weight-clip (default 1/100); learning-rate (default
1/1000); grid, steps to a clipped gradient's length (default 2^20); bound, how far
from 0 a noisy sum may lie (default: no bound that matters).

Budget: a fixed number of steps, each a sum over a Poisson sample of rate
batch/rows of the critic's gradients at the sampled records, clipped as a whole to
an L2 norm of C, in steps of C/grid, plus Gaussian noise of deviation sigma·C,
rounded to the grid. Under add-remove of a record a sum moves by at most C.
Sigma is derived: the least, rounded up, at which the moments of all steps give
(epsilon, delta) (Mironov, Talwar & Zhang 2019). Accountant: T-fold composition of
the sampled Gaussian's pair of distributions; the curator refuses the step beyond.
Other neighbours are refused: Poisson sampling hides records that come or go, and
replacing one, or a person's several, is not amplified by it.

Post-processing: what the generator makes, the critic's gradients there and all
updates are functions of the answers; weights before training and all noise z in
it are public constants. Where the domain has at most 4096 cells, the mean of the
generator's product tables over 64 rows of z, rounded to the number of rows by
largest remainder. Otherwise each row draws a z, and each attribute from its head.

Assumes public: the domain, the number of rows (which sets the rate), all
parameters; that noise drawn in doubles stands for real numbers.

Known weaknesses: noise is added to every weight, so that few steps of a small
critic are all that a small epsilon pays for: on tables of categories every method
that measures marginals is far better. The generator starts near uniform tables
and may stay there.

Differs from the source: samples are Poisson samples, not slices of a shuffled
epoch; gradients are clipped as a whole, not each tensor to C; the critic's output
has no bias, whose gradient is the same everywhere; the number of steps is fixed,
and the accountant is one for all epsilon, with no sum of per-step epsilons; the
hidden layers are smaller than the source's 1024.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, SampledGaussianBudget
from synthesizers.calibration import noise_multiplier
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation import critics
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.networks import (
    Generator,
    Heads,
    RMSProp,
    draw_codes,
    public_noise,
    table_of,
)
from synthesizers.gaussian_noise import RoundedGaussian
from synthesizers.neighbours import AddRemove
from synthesizers.programs.asking import WIDE, rows_released
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.queries import CriticGradient
from synthesizers.queries.gradients import Critic, pack, weights_of

TABLE_ROWS = 64
"""Rows of z over which a small domain's table is averaged."""

MOST_UNITS = 2**13
"""The most rows of a batch, hidden units and width of the noise (it
bounds the memory)."""

MOST_RATE = 100
"""The largest clip, weight clip and learning rate."""

DRAWN_AT_ONCE = 4096
"""Rows that the generator makes at once (it bounds the memory)."""


@dataclass(frozen=True, slots=True)
class DPWGAN:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction = parameter(rational)
    batch: int = parameter(whole, 256)
    steps: int = parameter(whole, 2000)
    critic_steps: int = parameter(whole, 10)
    hidden: int = parameter(whole, 8)
    generator_hidden: int = parameter(whole, 128)
    noise: int = parameter(whole, 64)
    clip: Fraction = parameter(rational, Fraction(1, 20))
    weight_clip: Fraction = parameter(rational, Fraction(1, 100))
    learning_rate: Fraction = parameter(rational, Fraction(1, 1000))
    grid: int = parameter(whole, 2**20)
    bound: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        counts = (self.batch, self.steps, self.critic_steps, self.generator_hidden, self.noise)
        if min(counts) < 1:
            raise InputError(
                "batch, steps, critic-steps, generator-hidden and noise are at least 1"
            )
        if max(self.batch, self.hidden, self.generator_hidden, self.noise) > MOST_UNITS:
            raise InputError(f"batch, hidden, generator-hidden and noise are at most {MOST_UNITS}")
        rates = (self.clip, self.weight_clip, self.learning_rate)
        if not 0 < min(rates) <= max(rates) <= MOST_RATE:
            raise InputError(
                f"clip, weight-clip and learning-rate must be above 0 and at most {MOST_RATE}"
            )

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee: that many steps, at the noise derived for epsilon and delta."""
        rate = self._rate(setting)
        multiplier = noise_multiplier(self.epsilon, self.delta, rate, self.steps)
        return SampledGaussianBudget(rate, 1 / multiplier**2, self.steps)

    def _rate(self, setting: Setting) -> Fraction:
        if setting.neighbours != AddRemove():
            raise InputError(
                "dp-wgan holds under add-remove of a record alone: its samples hide records that "
                "come or go; run it with --neighbours add-remove and unit record"
            )
        rows = setting.require_rows()
        if self.batch >= rows:
            raise InputError(f"batch must be below the public number of rows, {rows}")
        return Fraction(self.batch, rows)

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        rate = self._rate(curator.setting)
        multiplier = noise_multiplier(self.epsilon, self.delta, rate, self.steps)
        noise = RoundedGaussian(multiplier * self.grid)
        training = _Training.begin(self, curator)
        for step in range(self.steps):
            noisy = curator.measure_sampled(
                training.question(), rate, noise, low=-self._reach, high=self._reach
            )
            training.teach_critic(noisy, step)
            if (step + 1) % self.critic_steps == 0:
                training.teach_generator(step)
        return self._generate(curator, training.generator)

    @property
    def _reach(self) -> int:
        return WIDE if self.bound is None else self.bound

    def _generate(self, curator: Curator, generator: Generator) -> Dataset:
        domain, rows = curator.domain, rows_released(curator.setting, 0)
        if domain.size <= SMALL_DOMAIN:
            chances = generator.chances(public_noise(TABLE_ROWS, self.noise, 0))
            return round_table(domain, table_of(domain, chances), rows)
        rng = public_generator(curator)
        codes = []
        for start in range(0, rows, DRAWN_AT_ONCE):
            drawn = rng.standard_normal((min(DRAWN_AT_ONCE, rows - start), self.noise), np.float32)
            codes.append(draw_codes(generator.chances(drawn), generator.heads, rng))
        return Dataset(domain, np.concatenate(codes))


class _Training:
    """The critic and the generator as they are after the answers so far."""

    def __init__(
        self,
        program: DPWGAN,
        names: tuple[str, ...],
        generator: Generator,
        flat: NDArray[np.float32],
    ) -> None:
        self._program, self._names = program, names
        self.generator, self._flat = generator, flat
        rate = float(program.learning_rate)
        self._critic_steps = RMSProp.of((flat,), rate)
        self._generator_steps = RMSProp.of(generator.parameters, rate)

    @classmethod
    def begin(cls, program: DPWGAN, curator: Curator) -> _Training:
        """Weights before any answer: public constants within the weight clip."""
        heads = Heads.of(curator.domain.shape)
        generator = Generator.initial(heads, program.noise, program.generator_hidden)
        size, most = weights_of(program.hidden, heads.cells), float(program.weight_clip)
        flat = np.clip(public_noise(1, size, -3)[0] * most, -most, most).astype(np.float32)
        return cls(program, curator.domain.names, generator, flat)

    def question(self) -> CriticGradient:
        """The sum of clipped gradients, at the weights so far."""
        program = self._program
        weights = pack(self._flat)
        return CriticGradient(self._names, program.hidden, weights, program.clip, program.grid)

    def teach_critic(self, noisy: NDArray[np.int64], step: int) -> None:
        """Values up at records and down at made rows; weights back within their clip."""
        program = self._program
        real = noisy * (float(program.clip) / program.grid / program.batch)
        _, rows = self._make_batch(step)
        made = critics.mean_gradient(self._critic, rows.astype(np.float64), float(program.clip))
        downwards = (made - real).astype(np.float32)
        (moved,), self._critic_steps = self._critic_steps.step((self._flat,), (downwards,))
        most = np.float32(program.weight_clip)
        self._flat = np.clip(moved, -most, most)

    def teach_generator(self, step: int) -> None:
        """Made rows towards where the critic gives more."""
        noise, rows = self._make_batch(step)
        upwards = critics.at_rows(self._critic, rows.astype(np.float64)) / len(rows)
        gradient = self.generator.gradient(noise, rows, -upwards.astype(np.float32))
        moved, self._generator_steps = self._generator_steps.step(
            self.generator.parameters, gradient
        )
        self.generator = self.generator.with_parameters(moved)

    def _make_batch(self, step: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        noise = public_noise(self._program.batch, self._program.noise, step + 1)
        return noise, self.generator.chances(noise)

    @property
    def _critic(self) -> Critic:
        weights = self._flat.astype(np.float64)
        return Critic.of(weights, self.generator.heads.cells, self._program.hidden)
