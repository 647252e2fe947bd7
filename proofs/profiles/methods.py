"""The table of methods."""

from __future__ import annotations

from proofs.profiles import gaussian, laplace, moment, responses
from proofs.profiles.method import Method

METHODS: dict[str, Method] = {
    "gaussian": gaussian.delta,
    "laplace": laplace.delta,
    "moment": moment.delta,
    "responses": responses.delta,
}
"""Every method by its name."""
