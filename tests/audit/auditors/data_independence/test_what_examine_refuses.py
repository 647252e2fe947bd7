"""Arguments that do not fit are refused in a sentence; numbers of any size can be told."""

from __future__ import annotations

import numpy as np
import pytest

from audit.auditors.data_independence import Effort, examine, wrap_function
from audit.statements.claim import Claim
from audit.statements.finding import violations
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

CLAIM = Claim(ApproxDP(1), AddRemove(), "output", Domain.from_cells("2"), None)


def noisy(records, rng):
    return len(records) + float(rng.laplace())


@pytest.mark.parametrize(
    ("subject", "claim", "given", "says"),
    [
        (noisy, CLAIM, {}, "audited"),
        (wrap_function(noisy), "epsilon=1", {}, "Claim"),
        (wrap_function(noisy), CLAIM, {"seed": -1}, "seed"),
        (wrap_function(noisy), CLAIM, {"seed": "a"}, "seed"),
        (wrap_function(noisy), CLAIM, {"pairs": [1]}, "two databases"),
        (wrap_function(noisy), CLAIM, {"pairs": []}, "no pair"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(subject, claim, given, says):
    with pytest.raises(InputError, match=says):
        examine(subject, claim, **given)


@pytest.mark.parametrize("given", [{"pairs": 0}, {"runs": 0}, {"alarm": 0}, {"alarm": "x"}])
def test_an_effort_of_nothing_is_refused(given):
    with pytest.raises(InputError, match="must"):
        Effort(**given)


@pytest.mark.parametrize("output", [lambda n: n, lambda n: {n: 1}, lambda n: np.array([n])])
def test_a_number_of_any_size_is_told(output):
    subject = wrap_function(lambda records, rng: output(10**5000 + len(records)))
    assert violations(examine(subject, CLAIM, pairs=[([], [{"cell": "0"}])]))
