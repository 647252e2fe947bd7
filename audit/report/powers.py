"""Powers of ten as people write them."""

from __future__ import annotations

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def raise_digits(power: int) -> str:
    """A whole number as an exponent is written: ``⁻¹²``."""
    return str(power).translate(_RAISED)


def spell_power(text: str) -> str:
    """A number in the notation of computers as people write it: ``2.5e-7`` as ``2.5 × 10⁻⁷``."""
    mantissa, e, power = text.partition("e")
    if not e:
        return text
    sign = "-" if mantissa.startswith("-") else ""
    factor = "" if mantissa.lstrip("-") == "1" else f"{mantissa.lstrip('-')} × "
    return f"{sign}{factor}10{raise_digits(int(power))}"
