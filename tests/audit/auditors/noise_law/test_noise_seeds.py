"""Fixed seeds and reseeded generators."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from audit.auditors.noise_law.laws import declared_law
from audit.auditors.noise_law.seeds import count_draws, equal_afresh, reseeds
from audit.subjects.isolated import IsolatedBox
from synthesizers.errors import ProtocolError

HERE = str(Path(__file__).parent)


def _box(kind: str, subject: str) -> IsolatedBox:
    wrapper = {"sampler": "SamplerAfresh", "mechanism": "MechanismAfresh"}[kind]
    return IsolatedBox(
        subject, f"audit.auditors.noise_law.seeds:{wrapper}", "batch", {kind: subject}, HERE
    )


def test_a_seed_set_at_import_shows_in_fresh_interpreters() -> None:
    assert equal_afresh(_box("sampler", "stated_noise:seeded_at_import"), None, 40, (1, 2))


@pytest.mark.slow
def test_only_what_is_equal_in_fresh_interpreters_is_said_to_be() -> None:
    assert not equal_afresh(_box("sampler", "stated_noise:honest"), None, 40, (1, 2))
    assert equal_afresh(_box("mechanism", "stated_noise:seeded_mechanism"), 0.0, 40, (1, 2))


@pytest.mark.slow
def test_a_sampler_that_fails_in_a_fresh_interpreter_is_not_called_equal() -> None:
    with pytest.raises(ProtocolError, match="fresh interpreter"):
        equal_afresh(_box("sampler", "stated_noise:only_here"), None, 40, (1, 2))


def test_setting_a_global_generator_is_seen_and_undone() -> None:
    np.random.seed(5)
    random.seed(5)
    expected = np.random.random(), random.random()
    np.random.seed(5)
    random.seed(5)
    assert reseeds(lambda: np.random.seed(0)) == "numpy.random"
    assert reseeds(lambda: random.seed("a value")) == "random"
    assert reseeds(lambda: (np.random.random(3), random.random())) is None
    assert reseeds(lambda: np.random.default_rng(0).random()) is None
    assert (np.random.random(), random.random()) == expected


def test_as_many_draws_are_compared_as_make_equal_runs_improbable() -> None:
    for text in ("discrete_laplace(scale=2)", "discrete_laplace(scale=1/5)", "laplace(scale=1)"):
        law = declared_law(text)
        count = count_draws(law, 1e-9)
        assert count is not None
        if law.discrete:
            # Two runs are equal with chance (Σ p²)^count, which is at most (max p)^count.
            assert law.peak**count <= 1e-9
    assert count_draws(declared_law("discrete_laplace(scale=1/100)"), 1e-9) is None
