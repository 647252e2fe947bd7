"""Certified composition beside Google's dp-accounting: bracket widths and seconds, in one run.

Ours prints both ends of ε at δ = 1e-6, their distance, and the seconds to find and certify them.
dp-accounting (the extra ``peers``) prints the distance of its pessimistic ε from our lower end,
negative if it fell below the truth, at two grids, and its seconds.

    python benchmarks/accounting.py                 # closed forms and lattice
    python benchmarks/accounting.py --sampled       # and 10,000 Poisson-sampled Gaussians
    python benchmarks/accounting.py --small-delta   # the same at delta = 1e-30
    python benchmarks/accounting.py --few           # 1 to 50 sampled Gaussians: widths and seconds
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from stopwatch import peak_gigabytes, seconds

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
from proofs.search.ends import Bracket, enclose_epsilon

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


FEW_COUNTS = (1, 2, 5, 10, 50)
FEW_BESIDE: dict[str, Losses] = {
    "discrete Laplace 1/2": ((1, DiscreteLaplaceLoss(F(1, 2), 1)),),
    "5 discrete Laplace 1/10 of shift 3": ((5, DiscreteLaplaceLoss(F(1, 10), 3)),),
    "response 1": ((1, ResponseLoss(F(1))),),
    "Laplace 1/2": ((1, LaplaceLoss(F(1, 2))),),
    "Gaussian 1/4": ((1, GaussianLoss(F(1, 4))),),
}


def print_few() -> None:
    """A line for each composition of few sampled Gaussians: ε, width, seconds of the processor."""
    for delta in (F(1, 10**5), F(1, 10**10)):
        for rate in (F(1, 100), F(1, 10)):
            cases: dict[str, Losses] = {}
            for squared in (F(1), F(1, 4), F(4)):
                one = SampledGaussianLoss(rate, squared)
                cases |= {f"{n} of mu² {squared}": ((n, one),) for n in FEW_COUNTS}
            one = SampledGaussianLoss(rate, F(1))
            for name, beside in FEW_BESIDE.items():
                cases |= {f"{n} of mu² 1 + {name}": ((n, one), *beside) for n in (1, 5)}
            print(f"\nq {rate}, delta {float(delta):g}: epsilon, width, seconds, method")
            for name, losses in cases.items():
                start = time.process_time()
                ends = enclose_epsilon(join([losses], [1]), delta)
                taken, width = time.process_time() - start, float(ends.upper - ends.lower)
                print(
                    f"  {name:42}{float(ends.upper):17.13g}{width:9.1e}{taken:7.2f}  {ends.method}"
                )


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
    parser.add_argument("--few", action="store_true")
    flags = parser.parse_args()
    if flags.few:
        print_few()
        return
    delta = F(1, 10**30) if flags.small_delta else F(1, 10**6)
    cases = {**CASES, **SAMPLED} if flags.sampled else CASES
    for name, losses in cases.items():
        found: list[Bracket] = []
        work = partial(enclose_epsilon, join([losses], [1]), delta)
        taken = seconds(_kept(found, work))
        ends = found[0]
        print(f"\n{name}, delta {float(delta):g}")
        print(f"  ours ({ends.method})  [{float(ends.lower):.15g}, {float(ends.upper):.15g}]")
        print(f"    width {float(ends.upper - ends.lower):.1e}  {taken:.2f} s")
        for grid in GRIDS:
            _print_peer(losses, grid, float(delta), ends, taken)
    print(f"\nlargest process {peak_gigabytes():.2f} GB")


def _print_peer(losses: Losses, grid: float, delta: float, ends: Bracket, taken: float) -> None:
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
