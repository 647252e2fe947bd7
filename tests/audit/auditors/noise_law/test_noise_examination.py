"""The whole examination: liars of every class are found, and honest noise is not accused."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.auditors.noise_law import StatedMechanism, StatedNoise, examine, examine_mechanism
from audit.statements.finding import Finding, violations
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace

Sample = Callable[[np.random.Generator, int], Any]
RUNS = 6_000
"""Runs of a mechanism in tests."""


def _geometric(rng: np.random.Generator, size: int) -> Any:
    a = 1 - np.exp(-0.5)
    return rng.geometric(a, size) - rng.geometric(a, size)


def _naive_inverse(rng: np.random.Generator, size: int) -> Any:
    uniform = rng.random(size) - 0.5
    return -np.sign(uniform) * np.log1p(-2 * abs(uniform))


HONEST: dict[str, tuple[Sample, str]] = {
    "laplace": (lambda rng, size: rng.laplace(0, 3, size), "laplace(scale=3)"),
    "normal": (lambda rng, size: rng.normal(0, 2, size), "gaussian(sigma=2)"),
    "geometric": (_geometric, "discrete_laplace(scale=2)"),
    "inverse": (_naive_inverse, "laplace(epsilon=1)"),
    "uniform": (lambda rng, size: rng.uniform(-1, 3, size), "uniform(low=-1, high=3)"),
    "rounded": (lambda rng, size: np.rint(rng.normal(0, 2, size)), "rounded_gaussian(sigma=2)"),
    "decimals": (lambda rng, size: rng.laplace(0, 1, size).round(1), "laplace(scale=1)"),
    "truncated decimals": (
        lambda rng, size: np.floor(rng.laplace(0, 1, size) * 100) / 100,
        "laplace(scale=1)",
    ),
    "single": (lambda rng, size: rng.laplace(0, 1, size).astype(np.float32), "laplace(scale=1)"),
    "half": (lambda rng, size: rng.laplace(0, 1, size).astype(np.float16), "laplace(scale=1)"),
    "snapped": (lambda rng, size: 2 * np.rint(rng.laplace(0, 1, size) / 2), "laplace(scale=1)"),
    "whole": (lambda rng, size: np.rint(rng.laplace(0, 1, size)), "laplace(scale=1)"),
}

OURS = [
    DiscreteLaplace(Fraction(2)),
    pytest.param(DiscreteLaplace(Fraction(1, 3)), marks=pytest.mark.slow),
    pytest.param(RoundedLaplace(Fraction(3, 2)), marks=pytest.mark.slow),
    pytest.param(DiscreteGaussian(Fraction(4)), marks=pytest.mark.slow),
    DiscreteGaussian(Fraction(1, 5)),
]


QUICK = ("laplace", "geometric", "decimals", "half")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in HONEST]
)
def test_honest_samplers_are_not_accused(name: str) -> None:
    # At the default error an accusation of any of them has probability < 1e-6 over the seed.
    sample, declared = HONEST[name]
    findings = examine(StatedNoise(name, sample, declared), seed=1)
    assert violations(findings) == ()
    assert {finding.auditor for finding in findings} == {"noise law"}


@pytest.mark.parametrize("noise", OURS, ids=str)
def test_our_own_noises_are_not_accused(noise: Noise) -> None:
    assert violations(examine(StatedNoise.of(noise), seed=2, draws=50_000)) == ()


def _of(findings: tuple[Finding, ...], about: str) -> Finding:
    return next(finding for finding in findings if about in finding.about)


@pytest.mark.parametrize(
    ("found", "sample", "declared"),
    [
        # 5 % of scale, both ways and both families.
        (0.95, lambda rng, size: rng.laplace(0, 0.95, size), "laplace(scale=1)"),
        (2.1, lambda rng, size: rng.normal(0, 2.1, size), "gaussian(sigma=2)"),
        (2.1, lambda rng, size: np.rint(rng.laplace(0, 2.1, size)), "rounded_laplace(scale=2)"),
        # The standard deviation as the scale, a square root forgotten, an inverted scale.
        (3 / 2**0.5, lambda rng, size: rng.laplace(0, 3 / 2**0.5, size), "laplace(scale=3)"),
        (3.0, lambda rng, size: rng.normal(0, 9**0.5, size), "gaussian(sigma=9)"),
        (0.1, lambda rng, size: rng.laplace(0, 0.1, size), "laplace(epsilon=0.1)"),
        (0.001, lambda rng, size: rng.laplace(0, 0.001, size), "laplace(scale=1)"),
    ],
)
def test_a_wrong_scale_is_found_with_its_value(found: float, sample: Sample, declared: str) -> None:
    finding = _of(examine(StatedNoise("liar", sample, declared), seed=3), "scale")
    assert finding.violated
    words = finding.found.replace(",", "").split()
    low, high = float(words[2]), float(words[4])
    # The interval holds the true scale but for 1e-6; rounded to four digits, hence the margin.
    assert low * 0.999 < found < high * 1.001
    assert high / low < 1.05


@pytest.mark.parametrize(
    ("sample", "declared"),
    [
        # Families of the same variance.
        (lambda rng, size: rng.normal(0, 2**0.5, size), "laplace(scale=1)"),
        (lambda rng, size: rng.laplace(0, 1, size), "gaussian(sigma_squared=2)"),
        (lambda rng, size: rng.logistic(0, 6**0.5 / math.pi, size), "laplace(scale=1)"),
        (lambda rng, size: rng.uniform(-3, 3, size), "gaussian(sigma_squared=3)"),
        # Tails cut off, and tails of another index in one draw of 2000.
        (lambda rng, size: np.clip(rng.laplace(0, 1, size), -8, 8), "laplace(scale=1)"),
        (
            lambda rng, size: np.where(
                rng.random(size) < 1 / 2000, 20 * rng.standard_cauchy(size), rng.laplace(size=size)
            ),
            "laplace(scale=1)",
        ),
        # A point of no noise, a centre that is off, one side alone.
        (
            lambda rng, size: np.where(rng.random(size) < 0.01, 0, rng.laplace(size=size)),
            "laplace(scale=1)",
        ),
        (lambda rng, size: rng.laplace(0.03, 1, size), "laplace(scale=1)"),
        (lambda rng, size: rng.exponential(1, size), "laplace(scale=1)"),
        # Zero counted twice, and rounding that is stated to be another.
        (
            lambda rng, size: (
                (rng.geometric(1 - np.exp(-0.5), size) - 1) * rng.choice([-1, 1], size)
            ),
            "discrete_laplace(scale=2)",
        ),
        (lambda rng, size: np.trunc(rng.laplace(0, 2, size)), "rounded_laplace(scale=2)"),
    ],
)
def test_a_wrong_law_is_found(sample: Sample, declared: str) -> None:
    assert _of(examine(StatedNoise("liar", sample, declared), seed=4), "law of").violated


def _cached(rng: np.random.Generator, size: int) -> Any:
    return np.resize(rng.laplace(0, 1, 1000), size)


def _reseeding(size: int) -> Any:
    np.random.seed(7)
    return np.random.laplace(0, 1, size)


@pytest.mark.parametrize(
    ("about", "sample", "declared"),
    [
        ("fresh", lambda size: np.random.default_rng(1).laplace(0, 1, size), "laplace(scale=1)"),
        ("fresh", _reseeding, "laplace(scale=1)"),
        ("global", _reseeding, "laplace(scale=1)"),
        ("independence", _cached, "laplace(scale=1)"),
        (
            "independence",
            lambda rng, size: np.repeat(rng.laplace(0, 1, size), 2)[:size],
            "laplace(scale=1)",
        ),
        (
            "entropy",
            lambda rng, size: np.random.default_rng(rng.integers(2**16)).laplace(0, 1, size),
            "laplace(scale=1)",
        ),
        (
            "entropy",
            lambda rng, size: _geometric(np.random.default_rng(rng.integers(2**12)), size),
            "discrete_laplace(scale=2)",
        ),
        # A uniform number of 24 bits.
        (
            "entropy",
            lambda rng, size: (
                np.log(rng.integers(1, 2**24, size) / 2**24) * rng.choice([-1, 1], size)
            ),
            "laplace(scale=1)",
        ),
        ("support", lambda rng, size: rng.laplace(0, 2, size), "discrete_laplace(scale=2)"),
        (
            "support",
            lambda rng, size: np.where(rng.random(size) < 0.001, np.nan, rng.laplace(size=size)),
            "laplace(scale=1)",
        ),
        ("support", lambda rng, size: np.full(size, np.inf), "laplace(scale=1)"),
    ],
)
def test_noise_that_is_not_new_is_found(
    about: str, sample: Callable[..., Any], declared: str
) -> None:
    findings = examine(StatedNoise("liar", sample, declared), seed=5)
    assert _of(findings, about).violated


def test_scalar_samplers_are_examined_too() -> None:
    generator = np.random.default_rng(3)
    for stated in (
        StatedNoise("scalar", lambda: generator.laplace(), "laplace(scale=1)"),
        StatedNoise("scalar with rng", lambda rng: rng.laplace(), "laplace(scale=1)"),
    ):
        assert violations(examine(stated, draws=10_000)) == ()
    fixed = StatedNoise("fixed", lambda: 0.25, "laplace(scale=1)")
    found = {finding.about for finding in violations(examine(fixed, draws=1_000))}
    assert "fresh noise" in found


@pytest.mark.slow
def test_a_seed_set_at_import_is_found_where_the_sampler_has_a_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    name = "stated_noise:seeded_at_import"
    finding = _of(examine(StatedNoise(name, name, "laplace(scale=1)"), draws=1_000), "fresh")
    assert finding.violated
    assert "interpreters" in finding.found
    honest = "stated_noise:honest"
    assert not violations(examine(StatedNoise(honest, honest, "laplace(scale=1)"), draws=1_000))


def test_findings_repeat_from_their_seed_and_say_how() -> None:
    stated = StatedNoise("laplace", HONEST["laplace"][0], "laplace(scale=3)")
    first, second = (examine(stated, seed=9, draws=2_000) for _ in range(2))
    assert first == second
    assert first != examine(stated, seed=10, draws=2_000)
    assert "seed=9, draws=2000" in first[0].again
    assert sum(finding.error or 0 for finding in first) <= 1e-6


@pytest.mark.parametrize(
    "wrong", [{"draws": 0}, {"draws": 1.5}, {"seed": -1}, {"error": 0.0}, {"error": 1}]
)
def test_parameters_that_do_not_fit_are_refused(wrong: dict[str, Any]) -> None:
    stated = StatedNoise("laplace", HONEST["laplace"][0], "laplace(scale=3)")
    with pytest.raises(InputError):
        examine(stated, **wrong)


@pytest.mark.parametrize("draws", [1, 3])
def test_few_draws_accuse_nobody(draws: int) -> None:
    for sample, declared in HONEST.values():
        assert violations(examine(StatedNoise("few", sample, declared), draws=draws)) == ()


E2 = 1 - math.exp(-2)
MECHANISMS: dict[str, tuple[Callable[..., Any], str, Any]] = {
    "snapped": (
        lambda value, rng: round((value + rng.laplace()) * 1024) / 1024,
        "laplace(scale=1)",
        None,
    ),
    # The value is rounded to even numbers, 1 to 2, and noise is drawn on them.
    "coarse": (
        lambda value, rng: 2.0 * (math.floor(value / 2 + 0.5) + np.diff(rng.geometric(E2, 2))[0]),
        "laplace(scale=1)",
        (0.0, 1.0),
    ),
    "decimals": (lambda value, rng: round(value + rng.laplace(), 2), "laplace(scale=1)", (0, 0.3)),
    "integers": (
        lambda value, rng: int(value + _geometric(rng, 1)[0]),
        "discrete_laplace(scale=2)",
        None,
    ),
    "table": (
        lambda values, rng: [
            round((v + z) * 64) / 64 for v, z in zip(values, rng.normal(0, 2, 3), strict=True)
        ],
        "gaussian(sigma=2)",
        ([0.0, 0.0, 5.0], [1.0, 0.0, 5.0]),
    ),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_honest_mechanisms_are_not_accused(name: str) -> None:
    mechanism, declared, values = MECHANISMS[name]
    stated = StatedMechanism(name, mechanism, declared, values)
    assert violations(examine_mechanism(stated, seed=1, draws=RUNS)) == ()


def test_a_lattice_so_coarse_that_outputs_are_constant_is_no_fixed_noise() -> None:
    def coarse(value: float, rng: np.random.Generator) -> float:
        return 100.0 * round((value + rng.laplace()) / 100)

    for values in ((0.0, 1.0), (0.0, 300.0)):
        stated = StatedMechanism("coarse", coarse, "laplace(scale=1)", values)
        assert violations(examine_mechanism(stated, draws=500)) == ()


def _fixed_by_value(value: float) -> float:
    return value + float(np.random.default_rng(int(value * 8) + 5).laplace())


def _same_for_all(values: list[float], rng: np.random.Generator) -> Any:
    return np.asarray(values) + np.rint(rng.laplace() * 64) / 64


class _Reused:
    """The draw of every other release is the one before."""

    def __init__(self) -> None:
        self.kept: float | None = None

    def __call__(self, value: float, rng: np.random.Generator) -> float:
        noise = rng.laplace() if self.kept is None else self.kept
        self.kept = noise if self.kept is None else None
        return float(round((value + noise) * 4096) / 4096)


@pytest.mark.parametrize(
    ("about", "mechanism", "values"),
    [
        ("tell", lambda value, rng: value + rng.laplace(), None),
        ("tell", lambda value, rng: value + _naive_inverse(rng, 1)[0], (0.0, 1.0)),
        ("tell", lambda value, rng: value + round(rng.laplace() * 2) / 2, (0.0, 0.3)),
        ("fresh", _fixed_by_value, (0.0, 1.0)),
        ("fresh", lambda value: value, (0.0, 1.0)),
        ("independence", _same_for_all, ([0.0, 0.0], [1.0, 0.0])),
        ("independence", _Reused(), (0.0, 0.5)),
        ("scale", lambda value, rng: value + rng.laplace(0, 1 if value == 0 else 0.8), (0.0, 1.0)),
        ("support", lambda value, rng: math.nan, (0.0, 1.0)),
        ("global", lambda value: value + (np.random.seed(3), np.random.laplace())[1], (0.0, 1.0)),
    ],
)
def test_liars_are_found_by_what_they_do(about: str, mechanism: Any, values: Any) -> None:
    stated = StatedMechanism("liar", mechanism, "laplace(scale=1)", values)
    finding = _of(violations(examine_mechanism(stated, seed=2, draws=RUNS)), about)
    assert finding.violated
    if about == "tell":
        assert finding.pair is not None
        assert finding.responsible is not None


@pytest.mark.slow
def test_a_seed_taken_from_the_data_is_found_in_fresh_interpreters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    name = "stated_noise:seeded_mechanism"
    stated = StatedMechanism(name, name, "laplace(scale=1)")
    assert _of(examine_mechanism(stated, draws=200), "fresh").violated


@pytest.mark.slow
@pytest.mark.parametrize("name", ["laplace", "normal", "geometric", "decimals", "single"])
def test_honest_samplers_are_accused_less_often_than_stated(name: str) -> None:
    # 100 examinations at an error of 1/10: more than 32 accusations have probability
    # binom.sf(32, 100, 1/10) < 1e-9 where the error is kept.
    sample, declared = HONEST[name]
    stated = StatedNoise(name, sample, declared)
    accused = sum(
        bool(violations(examine(stated, seed=seed, draws=3_000, error=0.1))) for seed in range(100)
    )
    assert accused <= 32


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_honest_mechanisms_are_accused_less_often_than_stated(name: str) -> None:
    # 50 examinations at an error of 1/10: more than 22 have probability
    # binom.sf(22, 50, 1/10) < 1e-9.
    mechanism, declared, values = MECHANISMS[name]
    stated = StatedMechanism(name, mechanism, declared, values)
    accused = sum(
        bool(violations(examine_mechanism(stated, seed=seed, draws=1_000, error=0.1)))
        for seed in range(50)
    )
    assert accused <= 22
