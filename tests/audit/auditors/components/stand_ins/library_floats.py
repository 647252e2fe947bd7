"""A sum of floats that overflows (Casacuberta, Shoemate, Vadhan & Wagaman 2022)."""

import numpy as np
from diffprivlib import mechanisms


def overflowing(records, rng):
    total = float(np.sum([record["x"] for record in records]))
    return mechanisms.Laplace(epsilon=1, sensitivity=1e308).randomise(total)  # here
