"""mpmath's arithmetic beside FLINT's (the extra ``flint``): the same work, in one run.

Each case runs in processes of both arithmetics by turns; the ends that they find must agree to 20
digits, and the ratio is that of the least processor seconds, imports left out.

    python benchmarks/arithmetic.py                # both ends of ε, and one evaluation of a contour
    python benchmarks/arithmetic.py --instead      # quadrature and theta functions, for transforms
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

F = Fraction
ROUNDS = 2
ARITHMETICS = ("mpmath", "flint")
LEDGERS = {
    "1000 Gaussians": "1000 * gaussian(sigma=30)",
    "2 sampled Gaussians": "2 * poisson(q=0.01, gaussian(sigma=1))",
    "50 sampled Gaussians": "50 * poisson(q=0.01, gaussian(sigma=1))",
    "10000 sampled Gaussians": "10000 * poisson(q=0.01, gaussian(sigma=1))",
    "30 Laplace, 10 Gaussians": "30 * laplace(epsilon=0.1) + 10 * gaussian(sigma=10)",
    "20 discrete Gaussians": "+".join(
        f"discrete_gaussian(sigma_squared={200 + 41 * i})" for i in range(20)
    ),
}


def measure() -> dict[str, Any]:
    """What this process finds of every case, and the seconds of the processor."""
    from proofs.ledger.expressions import parse
    from proofs.ledger.terms import of_terms
    from proofs.losses import SampledGaussianLoss, join
    from proofs.parts import entries_of
    from proofs.profiles import contour
    from proofs.profiles.entry_moments import pairs
    from proofs.search.contour import contour_hint
    from proofs.search.ends import enclose_epsilon
    from proofs.search.ways import compose
    from synthesizers.neighbours import AddRemove

    delta, found = F(1, 10**6), {}

    def add(name: str, work: Callable[[], Any]) -> None:
        start = time.process_time()
        ends = work()
        found[name] = (str(ends.lower), str(ends.upper)), time.process_time() - start

    few = join([((5, SampledGaussianLoss(F(1, 100), F(1))),)], [1])
    hint = contour_hint(few, "remove", F(1, 2), delta)
    add("one evaluation of a contour", lambda: contour.delta(few, "remove", F(1, 2), hint))
    for name, text in LEDGERS.items():
        losses = pairs(entries_of(compose(of_terms(parse(text), AddRemove()))))
        add(f"ε of {name}", lambda losses=losses: enclose_epsilon(losses, delta))
    return found


def near(one: str, other: str) -> bool:
    """Whether two ends agree to 20 digits."""
    return abs(F(one) - F(other)) * 10**20 <= abs(F(one))


def compare() -> None:
    """A line a case: seconds of both, and their ratio."""
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in ARITHMETICS}
    for _ in range(ROUNDS):
        for name in ARITHMETICS:
            done = subprocess.run(
                [sys.executable, __file__, "--one"],
                env=os.environ | {"DP_AUDIT_ARITHMETIC": name},
                stdout=subprocess.PIPE,
                check=True,
            )
            runs[name].append(json.loads(done.stdout))
    for case, (ends, _) in runs["mpmath"][0].items():
        for end, other in ((run[case][0], ends) for found in runs.values() for run in found):
            assert all(near(*both) for both in zip(end, other, strict=True)), case
        own, proved = (min(run[case][1] for run in runs[name]) for name in ARITHMETICS)
        print(f"{case:32} mpmath {own:6.2f} s, flint {proved:6.2f} s, {own / proved:4.1f} times")


def instead() -> None:
    """Milliseconds a node of M(z): by certified quadrature and theta functions, and by our sums."""
    from flint import acb, arb, ctx

    from proofs.losses import DiscreteGaussianLoss, SampledGaussianLoss
    from proofs.profiles.sampled_moments import Grid, sampled_transform
    from proofs.profiles.transforms import Line, Transform, discrete_transform

    def report(name: str, nodes: int, ours: float, other: float) -> None:
        print(f"{name:42} {ours / nodes * 1e3:6.2f} ms, instead {other / nodes * 1e3:6.2f} ms")

    def require_near(values: list[Any], found: Transform) -> None:
        size = float(found.moment) / 2.0**BITS
        rows = zip(values, found.points.real, found.points.imag, strict=True)
        assert all(abs(complex(v) - complex(a, b) * size) < 1e-12 for v, a, b in rows)

    BITS, nodes = 100, 100
    line, sampled = Line(F(3), F(1, 4), nodes - 1, BITS, 1), SampledGaussianLoss(F(1, 100), F(1))
    start = time.process_time()
    found = sampled_transform(sampled, "remove", line, Grid(F(1, 8), 104, 136, F(3, 4), F(1, 2)))
    middle = time.process_time()
    with ctx.workprec(BITS + 20):

        def integral(j: int) -> Any:
            power, q = acb(4, arb(j) / 4), arb(1) / 100

            def value(x: Any, analytic: bool) -> Any:
                ratio = 1 - q + q * (x - arb(1) / 2).exp()
                return (power * ratio.log(analytic=analytic) - x * x / 2).exp()

            tolerance = arb(2) ** -BITS
            whole = acb.integral(value, -13, 17, rel_tol=tolerance, abs_tol=tolerance)
            return whole / (2 * arb.pi()).sqrt()

        values = [integral(j) for j in range(nodes)]
    report("a sampled Gaussian, by quadrature", nodes, middle - start, time.process_time() - middle)
    require_near(values, found)
    for variance in (1, 10):
        start = time.process_time()
        found = discrete_transform(DiscreteGaussianLoss(F(variance), 1), line)
        middle = time.process_time()
        with ctx.workprec(BITS + 20):
            tau, values = acb(0, 2 * arb.pi() * variance), []
            least = acb(0).modular_theta(tau)[2]
            for j in range(nodes):
                z = acb(3, arb(j) / 4)
                gaussian = (z * (z + 1) / (2 * variance)).exp()
                values.append(gaussian * (1 + z).modular_theta(tau)[2] / least)
        spent = time.process_time() - middle
        report(f"a discrete Gaussian of {variance}, by theta", nodes, middle - start, spent)
        if variance > 1:
            require_near(values, found)


def main() -> None:
    """Print a line a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--instead", action="store_true")
    parser.add_argument("--one", action="store_true", help="for the processes of both arithmetics")
    flags = parser.parse_args()
    if flags.one:
        print(json.dumps(measure()))
    elif flags.instead:
        instead()
    else:
        compare()


if __name__ == "__main__":
    main()
