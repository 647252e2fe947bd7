"""Certified composition beside Google's dp-accounting: bracket widths and seconds, in one run.

Ours prints both ends of ε at δ = 1e-6, their distance, and the seconds to find and certify them.
dp-accounting (the extra ``peers``) prints the distance of its pessimistic ε from our lower end,
negative if it fell below the truth, at two grids, and its seconds.

    python benchmarks/accounting.py                 # closed forms and lattice
    python benchmarks/accounting.py --sampled       # and 10,000 Poisson-sampled Gaussians
    python benchmarks/accounting.py --small-delta   # the same at delta = 1e-30
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from stopwatch import peak_gigabytes, seconds

from proofs import accountants
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    join,
)

F = Fraction
GRIDS = (1e-3, 1e-4)
CASES: dict[str, Losses] = {
    "1000 Gaussians, sigma 30": ((1000, GaussianLoss(F(1, 900))),),
    "100 Laplace, epsilon 0.1": ((100, LaplaceLoss(F(1, 10))),),
    "100 responses, epsilon 0.1": ((100, ResponseLoss(F(1, 10))),),
    "100 discrete Laplace, scale 10, shift 3": ((100, DiscreteLaplaceLoss(F(1, 10), 3)),),
    "200 discrete Gaussians, variance 100": ((200, DiscreteGaussianLoss(F(100), 1)),),
    "30 Laplace 0.1 + 20 responses 0.05": (
        (30, LaplaceLoss(F(1, 10))),
        (20, ResponseLoss(F(1, 20))),
    ),
    "30 Laplace 0.1 + 10 Gaussians, sigma 10": (
        (30, LaplaceLoss(F(1, 10))),
        (10, GaussianLoss(F(1, 100))),
    ),
}
SAMPLED: dict[str, Losses] = {
    "10000 sampled Gaussians, q 0.01, sigma 1": ((10_000, SampledGaussianLoss(F(1, 100), F(1))),),
}


def peer(losses: Losses, grid: float) -> Any:
    """The same composition in dp-accounting, or None where it has no such mechanism."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    total = None
    for count, loss in losses:
        options = {"value_discretization_interval": grid}
        match loss:
            case GaussianLoss(mu_squared):
                one = pld.from_gaussian_mechanism(1 / math.sqrt(mu_squared), **options)
            case LaplaceLoss(epsilon):
                one = pld.from_laplace_mechanism(1 / float(epsilon), **options)
            case ResponseLoss(epsilon):
                noise = 2 / (1 + math.exp(epsilon))
                one = pld.from_randomized_response(noise, 2, **options)
            case DiscreteLaplaceLoss(rate, shift):
                one = pld.from_discrete_laplace_mechanism(float(rate), shift, **options)
            case DiscreteGaussianLoss(variance, shift):
                one = pld.from_discrete_gaussian_mechanism(math.sqrt(variance), shift, **options)
            case SampledGaussianLoss(fraction, mu_squared):
                one = pld.from_gaussian_mechanism(
                    1 / math.sqrt(mu_squared), sampling_prob=float(fraction), **options
                )
        one = one.self_compose(count) if count > 1 else one
        total = one if total is None else total.compose(one)
    return total


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sampled", action="store_true")
    parser.add_argument("--small-delta", action="store_true")
    flags = parser.parse_args()
    delta = F(1, 10**30) if flags.small_delta else F(1, 10**6)
    cases = {**CASES, **SAMPLED} if flags.sampled else CASES
    for name, losses in cases.items():
        found: list[accountants.Bracket] = []
        work = partial(accountants.epsilon, join([losses], [1]), delta)
        taken = seconds(_kept(found, work))
        ends = found[0]
        print(f"\n{name}, delta {float(delta):g}")
        print(f"  ours ({ends.method})  [{float(ends.lower):.15g}, {float(ends.upper):.15g}]")
        print(f"    width {float(ends.upper - ends.lower):.1e}  {taken:.2f} s")
        for grid in GRIDS:
            _print_peer(losses, grid, float(delta), ends, taken)
    print(f"\nlargest process {peak_gigabytes():.2f} GB")


def _print_peer(
    losses: Losses, grid: float, delta: float, ends: accountants.Bracket, taken: float
) -> None:
    try:
        found: list[float] = []
        work = _kept(found, lambda: peer(losses, grid).get_epsilon_for_delta(delta))
        theirs = seconds(work)
    except ImportError:
        print("  dp-accounting is not installed (extra peers)")
        return
    apart = found[0] - float(ends.lower)
    print(
        f"  dp-accounting, grid {grid:g}: {apart:+.1e} from our lower end, {theirs:.2f} s, "
        f"{theirs / taken:.2g} of our time"
    )


def _kept(results: list[Any], work: Callable[[], Any]) -> Callable[[], None]:
    return lambda: results.append(work())


if __name__ == "__main__":
    main()
