"""Losses on many different lattices: both ends of ε, and what the independent checker confirms.

One line a composition and δ: the ends and their distance, the method, processor seconds to find and
certify them; then the ε rounded up by at most 1e-6 at which the checker follows, and its seconds.

    python benchmarks/lattices.py
"""

from __future__ import annotations

import time
from fractions import Fraction

from proofs.checker import check
from proofs.derivation import derivation
from proofs.kernel import Theorem
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.parts import entries_of
from proofs.profiles.entry_moments import pairs
from proofs.search.decimals import rounded_up
from proofs.search.ends import enclose_epsilon
from proofs.search.ways import compose, read_off
from synthesizers.neighbours import AddRemove

DELTAS = ("1e-6", "1e-10", "1e-30")

CASES: dict[str, str] = {
    "88 discrete Gaussians, variances 200 to 8000": " + ".join(
        f"discrete_gaussian(sigma_squared={200 + round(7800 * i / 87)})" for i in range(88)
    ),
    "8 discrete Gaussians, variances 200 to 8000": " + ".join(
        f"discrete_gaussian(sigma_squared={200 + round(7800 * i / 7)})" for i in range(8)
    ),
    "4 discrete Gaussians, 10 Laplace 0.1, 10 responses 0.0712345": (
        "discrete_gaussian(sigma_squared=200) + discrete_gaussian(sigma_squared=290) + "
        "discrete_gaussian(sigma_squared=1234) + discrete_gaussian(sigma_squared=4567) + "
        "10 * laplace(epsilon=0.1) + 10 * randomized_response(epsilon=0.0712345)"
    ),
    "30 Laplace 0.1, 20 responses 0.05": (
        "30 * laplace(epsilon=0.1) + 20 * randomized_response(epsilon=0.05)"
    ),
}


def main() -> None:
    """Print a line a composition and δ, and what the checker says of it."""
    for name, text in CASES.items():
        print(f"\n{name}")
        theorem = compose(of_terms(parse(text), AddRemove()))
        for delta in DELTAS:
            _print(theorem, Fraction(delta))


def _print(theorem: Theorem, delta: Fraction) -> None:
    start = time.process_time()
    ends = enclose_epsilon(pairs(entries_of(theorem)), delta)
    taken = time.process_time() - start
    print(
        f"  delta {float(delta):g}  [{float(ends.lower):.13g}, {float(ends.upper):.13g}]  "
        f"width {float(ends.upper - ends.lower):.1e}  {ends.method}  {taken:.1f} s"
    )
    start = time.process_time()
    stated = rounded_up(ends.upper + Fraction(1, 10**7), 8)
    proved = read_off(theorem, ends.method, stated, delta, ends.hints)
    status = check(derivation(proved)).status
    print(f"    epsilon {float(stated):.8g}: {status} in {time.process_time() - start:.1f} s")


if __name__ == "__main__":
    main()
