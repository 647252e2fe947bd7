"""DP-WGAN on small domains: the mixture over samples is exact; proved, attacked, refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.dp_wgan import DPWGAN
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)

ONE = Fraction(1)
TINY = DPWGAN(ONE, Fraction(1, 100), batch=1, steps=1, hidden=0, generator_hidden=2, noise=1,
              critic_steps=1, clip=ONE, grid=1, bound=3)  # fmt: skip
CLAIM = "epsilon=1, delta=1/100"
# One weight: the critic of an attribute of a single value, whose gradient is C at every record.
SCALAR, TWO = Domain.from_cells("1"), Domain.from_cells("2")


def test_a_critic_of_one_weight_is_proved_and_nearly_as_private_as_its_pair() -> None:
    instance = Instance(replace(TINY, steps=2), CLAIM, AddRemove(), SCALAR, 2)
    exact, proof = require_proved_and_exact(instance)
    assert exact.bound is not None and proof.bound is not None
    assert proof.proof is not None and "real-numbers" in str(proof.proof)
    # The pair of the samples' law is at ε = 0.74; clamping to ±3 takes some of it away.
    assert 0.6 < float(exact.bound.epsilon.upper) < 0.75


@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps", "bound", "released"),
    [(1, 3, "transcript"), (2, 2, "transcript"), (2, 2, "output")],
)
def test_a_critic_of_two_weights(steps: int, bound: int, released: str) -> None:
    program = replace(TINY, steps=steps, bound=bound)
    require_proved_and_exact(Instance(program, CLAIM, AddRemove(), TWO, 2, released=released))


@pytest.mark.slow
def test_a_critic_with_a_hidden_layer() -> None:
    program = replace(TINY, hidden=1, bound=1, clip=Fraction(1, 100))
    require_proved_and_exact(Instance(program, CLAIM, AddRemove(), TWO, 2))


def test_replace_one_is_refused() -> None:
    with pytest.raises(InputError, match="add-remove"):
        require_proved_and_exact(Instance(TINY, CLAIM, ReplaceOne(), TWO, 2))


def test_an_attack_does_not_refute_it() -> None:
    instance = Instance(replace(TINY, steps=3), CLAIM, AddRemove(), TWO, 4)
    require_not_refuted(instance, runs=300)
