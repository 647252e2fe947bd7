"""How many marginals it takes until Gaussian noise is the smaller: DPSyn's recommendation.

For k marginals asked at once under add-remove, the standard deviation of the noise of one cell:
discrete Laplace noise of scale k/ε, against discrete Gaussian noise of the ρ that (ε, δ) allows.
Both are the exact deviations of the laws as they are drawn.

    python benchmarks/laplace_or_gaussian.py
"""

from __future__ import annotations

import math
from fractions import Fraction

from synthesizers.calibration import gaussian_variance, laplace_scale, zcdp_rho
from synthesizers.queries import Sensitivity

EPSILONS = tuple(map(Fraction, ("0.1", "0.3", "1", "3", "10")))
DELTAS = (Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 662_000**2))
"""The last is that of the 2018 challenge's contestants: 1/n² for its 662,000 records."""
MARGINALS = (1, 2, 5, 10, 20, 50, 100, 300)


def laplace(marginals: int, epsilon: Fraction) -> float:
    """Standard deviation of discrete Laplace noise: √(2a)/(1 - a) with a = exp(-1/scale)."""
    whole = Sensitivity(marginals, marginals, 1, True)
    ratio = math.exp(-1 / laplace_scale(epsilon, whole))
    return math.sqrt(2 * ratio) / (1 - ratio)


def gaussian(marginals: int, epsilon: Fraction, delta: Fraction) -> float:
    """Standard deviation of discrete Gaussian noise, by its own sum where the variance is small."""
    whole = Sensitivity(marginals, marginals, 1, True)
    variance = float(gaussian_variance(zcdp_rho(epsilon, delta), whole))
    reach = math.ceil(12 * math.sqrt(variance)) + 2
    weights = [math.exp(-z * z / (2 * variance)) for z in range(-reach, reach + 1)]
    squares = sum(z * z * w for z, w in zip(range(-reach, reach + 1), weights, strict=True))
    return math.sqrt(squares / sum(weights))


def main() -> None:
    """Print, for each δ and ε, the fewest marginals for which Gaussian noise is the smaller."""
    for delta in DELTAS:
        print(f"delta = {float(delta):.3g}: standard deviation, Laplace / Gaussian")
        print("  epsilon " + "".join(f"{k:>17}" for k in MARGINALS) + "   Gaussian from")
        for epsilon in EPSILONS:
            pairs = [(laplace(k, epsilon), gaussian(k, epsilon, delta)) for k in MARGINALS]
            cells = "".join(f"{left:9.4g}/{right:<7.4g}" for left, right in pairs)
            first = next(
                k for k in range(1, 2000) if gaussian(k, epsilon, delta) < laplace(k, epsilon)
            )
            print(f"  {float(epsilon):7g} {cells}   {first} marginals")


if __name__ == "__main__":
    main()
