"""Prints as JSON the numbers that proofs are made of, as the process's arithmetic finds them.

Each is a list of two ends as fractions; ``derivations`` are proofs to be made again elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.losses import (
    SIDES,
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    join,
)
from proofs.profiles.methods import METHODS
from proofs.profiles.moments import log_moment
from proofs.search.account import account_delta, account_epsilon
from proofs.search.ends import hint_for, methods_for
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove
from synthesizers.reals import ARITHMETIC

F = Fraction
EPSILON = F(2)
LOSSES = {
    "gaussian": GaussianLoss(F(1, 3)),
    "laplace": LaplaceLoss(F(1, 2)),
    "response": ResponseLoss(F(1, 2)),
    "discrete laplace": DiscreteLaplaceLoss(F(1, 3), 3),
    "discrete gaussian": DiscreteGaussianLoss(F(3, 2), 1),
    "sampled gaussian": SampledGaussianLoss(F(1, 50), F(1)),
    "allocation": AllocationLoss(10, F(1, 4)),
    "fixed size": FixedSizeLoss(F(1, 50), F(1, 4)),
}
ORDERS = (F(1), F(5, 2), F(16))
ONE = {name: ((3, loss),) for name, loss in LOSSES.items() if name != "fixed size"}
COMPOSITIONS: dict[str, Losses] = ONE | {
    "two lattices": ((3, LaplaceLoss(F(1, 5))), (4, ResponseLoss(F(71, 1000)))),
    "gaussian and discrete": ((2, GaussianLoss(F(1, 9))), (5, DiscreteGaussianLoss(F(3), 1))),
    "sampled and laplace": ((20, SampledGaussianLoss(F(1, 10), F(1))), (1, LaplaceLoss(F(1, 4)))),
    "one sampled": ((1, SampledGaussianLoss(F(1, 10), F(1, 2))),),
    "few sampled": ((4, SampledGaussianLoss(F(1, 100), F(1))),),
    "wide lattices": tuple((1, DiscreteGaussianLoss(F(v), 1)) for v in (200, 311, 457)),
}
LEDGERS = (
    "1000 * gaussian(sigma=30)",
    "100 * laplace(epsilon=0.1)",
    "10 * discrete_gaussian(sigma_squared=5) + randomized_response(epsilon=0.3)",
    "1000 * poisson(q=0.01, gaussian(sigma=1))",
    "best_of(laplace(scale=1), expected=10) + gaussian(sigma=30)",
    "zcdp(rho=0.5) + pure(epsilon=1)",
)


def profiles() -> Iterator[tuple[str, Interval]]:
    """δ at an ε by each method that applies, with a hint of that ε."""
    for name, losses in COMPOSITIONS.items():
        joined = join([losses], [1])
        for method in methods_for(joined):
            for side in SIDES:
                with suppress(ProofError):
                    hint = hint_for(method, joined, side, EPSILON, F(1, 10**6))
                    found = METHODS[method](joined, side, EPSILON, hint)
                    yield f"profile {method}, {name}, {side}", found


def moments() -> Iterator[tuple[str, Interval]]:
    """The logarithms of moments."""
    for name, loss in LOSSES.items():
        for order in ORDERS:
            for side in SIDES:
                yield f"moment, {name}, {side}, {order}", log_moment(loss, order, side)


def main() -> None:
    """Print all of them."""
    found: dict[str, Any] = {name: (str(e.lower), str(e.upper)) for name, e in profiles()}
    found |= {name: (str(e.lower), str(e.upper)) for name, e in moments()}
    derivations = {}
    for text in LEDGERS:
        parts = of_terms(parse(text), AddRemove())
        for wanted, account in (
            ("epsilon", account_epsilon(parts, F(1, 10**6))),
            ("delta", account_delta(parts, F(7))),
        ):
            found[f"{wanted} of {text}"] = str(account.lower), str(account.best.value)
            for offer in account.found:
                derivations[f"{wanted} of {text}, {offer.rule}"] = derivation(offer.theorem)
    print(json.dumps({"arithmetic": ARITHMETIC, "numbers": found, "derivations": derivations}))


if __name__ == "__main__":
    main()
