"""Both ends of ε for random allocation, beside Poisson samples of the same rate, and the seconds.

A record takes part in k of t steps, drawn evenly; or in each of them by a coin of chance k/t. Then
samples of a fixed size: the upper end is that of their pairs, the lower one of Poisson samples.

    python benchmarks/allocation.py             # delta 1e-6
    python benchmarks/allocation.py --delta 1e-9
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

from proofs.errors import ProofError
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.search.account import account_epsilon
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

ALLOCATED = (
    ("allocated(steps=10, gaussian(sigma=2))", "10 * poisson(q=1/10, gaussian(sigma=2))"),
    ("allocated(steps=100, gaussian(sigma=4))", "100 * poisson(q=1/100, gaussian(sigma=4))"),
    ("10 * allocated(steps=100, gaussian(sigma=4))", "1000 * poisson(q=1/100, gaussian(sigma=4))"),
    ("100 * allocated(steps=100, gaussian(sigma=4))", "10000*poisson(q=1/100, gaussian(sigma=4))"),
    ("allocated(steps=100, gaussian(sigma=1))", "100 * poisson(q=1/100, gaussian(sigma=1))"),
    ("allocated(steps=1000, gaussian(sigma=1))", "1000 * poisson(q=1/1000, gaussian(sigma=1))"),
    ("allocated(steps=1000, gaussian(sigma=2))", "1000 * poisson(q=1/1000, gaussian(sigma=2))"),
    (
        "allocated(steps=100, times=3, gaussian(sigma=4))",
        "100 * poisson(q=3/100, gaussian(sigma=4))",
    ),
)
FIXED = (
    "fixed_size(sample=100, records=10000, gaussian(sigma=1))",
    "1000 * fixed_size(sample=100, records=10000, gaussian(sigma=1))",
    "1000 * fixed_size(sample=100, records=10000, gaussian(sigma=4))",
)


def line(text: str, neighbours: Neighbours, delta: Fraction) -> str:
    """Both ends, the distance, the rule and the seconds of processor time."""
    start = time.process_time()
    found = account_epsilon(of_terms(parse(text), neighbours), delta)
    taken = time.process_time() - start
    low, best = float(found.lower), found.best
    recheckable = found.recheckable
    checked = "" if recheckable is None else f", re-checkable {float(recheckable.value):.6g}"
    apart = float(best.value) - low
    return (
        f"  {text}\n    [{low:.12g}, {float(best.value):.12g}]  width {apart:.1e}  {taken:.1f} s"
        f"  {best.rule}{checked}"
    )


def main() -> None:
    """Print two lines a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delta", type=Fraction, default=Fraction(1, 10**6))
    delta = parser.parse_args().delta
    cases: list[tuple[str, Neighbours]] = [(t, AddRemove()) for pair in ALLOCATED for t in pair]
    cases += [(text, ReplaceOne()) for text in FIXED]
    for text, neighbours in cases:
        try:
            print(line(text, neighbours, delta), flush=True)
        except ProofError as error:
            print(f"  {text}\n    {error}", flush=True)


if __name__ == "__main__":
    main()
