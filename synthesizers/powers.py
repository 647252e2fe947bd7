"""Exact numbers as doubles of any size: a mantissa and an exponent each."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.exact import Exact, ExpRational, is_zero, mantissa_and_exponent

FloatArray = NDArray[np.float64]


def powers(values: Iterable[Exact], shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Mantissas in [1/2, 1] and exponents, of that shape; a mantissa of 0 for 0.

    Guarantee
    ---------
    Within relative error ``TABLE_ERROR``·2^-53, and 0 exactly for 0: see
    `mantissa_and_exponent`. Backed by ``tests/synthesizers/test_powers.py``.
    """
    numbers = np.fromiter(itertools.chain.from_iterable(map(_to_powers, values)), np.float64)
    pairs = numbers.reshape(*shape, 2)
    return pairs[..., 0], pairs[..., 1]


def doubles(mantissas: FloatArray, exponents: FloatArray) -> FloatArray:
    """The numbers themselves; not-a-number for one that is no normal double.

    Guarantee
    ---------
    No rounding, and 0 for a mantissa of 0 alone. Backed by
    ``tests/synthesizers/test_powers.py``.
    """
    with np.errstate(over="ignore", under="ignore"):
        numbers = np.ldexp(mantissas, exponents.astype(np.int32))
    normal = (np.abs(numbers) >= sys.float_info.min) & np.isfinite(numbers)
    return np.where((mantissas == 0) | normal, numbers, np.nan)


def _to_powers(value: Exact) -> tuple[float, int]:
    if is_zero(value):
        return 0.0, 0
    if not isinstance(value, ExpRational):
        return mantissa_and_exponent(value)
    # The same few chances fill a whole table, so each form is evaluated once.
    return _form_to_powers(tuple(value.numerator.items()), tuple(value.denominator.items()))


@lru_cache(maxsize=65536)
def _form_to_powers(numerator: tuple[Any, ...], denominator: tuple[Any, ...]) -> tuple[float, int]:
    return mantissa_and_exponent(ExpRational(dict(numerator), dict(denominator)))
