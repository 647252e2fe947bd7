"""The table of methods."""

from __future__ import annotations

from proofs.profiles import contour, gaussian, laplace, lattice, responses, values
from proofs.profiles.method import Method

METHODS: dict[str, Method] = {
    "contour": contour.delta,
    "gaussian": gaussian.delta,
    "laplace": laplace.delta,
    "lattice": lattice.delta,
    "responses": responses.delta,
    "values": values.delta,
}
"""Every method by its name."""
