"""Guarantees: the statements of privacy that a claim may make.

All parameters are rationals; epsilon and rho are in nats, mu has no unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.exact import parse_rational


@dataclass(frozen=True, slots=True)
class ApproxDP:
    """(ε, δ)-differential privacy (Dwork et al. 2006); pure DP is δ = 0."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise InputError(f"a claim needs epsilon >= 0, found {self.epsilon}")
        if not 0 <= self.delta < 1:
            raise InputError(f"a claim needs 0 <= delta < 1, found {self.delta}")

    def __str__(self) -> str:
        if self.delta == 0:
            return f"epsilon={_text(self.epsilon)}"
        return f"epsilon={_text(self.epsilon)}, delta={_text(self.delta)}"


@dataclass(frozen=True, slots=True)
class ZCDP:
    """ρ-zero-concentrated differential privacy (Bun & Steinke 2016)."""

    rho: Fraction

    def __post_init__(self) -> None:
        if self.rho < 0:
            raise InputError(f"a claim needs rho >= 0, found {self.rho}")

    def __str__(self) -> str:
        return f"rho={_text(self.rho)}"


@dataclass(frozen=True, slots=True)
class GaussianDP:
    """μ-Gaussian differential privacy (Dong, Roth & Su 2022)."""

    mu: Fraction

    def __post_init__(self) -> None:
        if self.mu < 0:
            raise InputError(f"a claim needs mu >= 0, found {self.mu}")

    def __str__(self) -> str:
        return f"mu={_text(self.mu)}"


@dataclass(frozen=True, slots=True)
class RenyiDP:
    """(α, ε)-Rényi differential privacy (Mironov 2017)."""

    alpha: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.alpha <= 1:
            raise InputError(f"a Rényi claim needs alpha > 1, found {self.alpha}")
        if self.epsilon < 0:
            raise InputError(f"a Rényi claim needs rdp >= 0, found {self.epsilon}")

    def __str__(self) -> str:
        return f"alpha={_text(self.alpha)}, rdp={_text(self.epsilon)}"


Guarantee = ApproxDP | ZCDP | GaussianDP | RenyiDP

_FORMS = "'epsilon=1', 'epsilon=1, delta=1e-6', 'rho=0.5', 'mu=1' or 'alpha=8, rdp=2'"


def _text(value: Fraction) -> str:
    """The shortest usual spelling: an integer, a terminating decimal, or a fraction."""
    bottom = value.denominator
    twos = (bottom & -bottom).bit_length() - 1
    fives = 0
    odd = bottom >> twos
    while odd % 5 == 0:
        odd //= 5
        fives += 1
    if odd != 1 or max(twos, fives) > 30:
        return str(value)
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // bottom).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return sign + (digits[:-places] + "." + digits[-places:] if places else digits)


def parse_guarantee(text: str) -> Guarantee:
    """The guarantee of a claim's text; raises InputError saying which forms there are."""
    given: dict[str, Fraction] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(\S+)\s*", part)
        if match is None or match[1] in given:
            raise InputError(f"a claim reads {_FORMS}; found {text[:80]!r}")
        given[match[1]] = parse_rational(match[2], match[1])
    match tuple(sorted(given)):
        case ("epsilon",):
            return ApproxDP(given["epsilon"])
        case ("delta", "epsilon"):
            return ApproxDP(given["epsilon"], given["delta"])
        case ("rho",):
            return ZCDP(given["rho"])
        case ("mu",):
            return GaussianDP(given["mu"])
        case ("alpha", "rdp"):
            return RenyiDP(given["alpha"], given["rdp"])
        case _:
            raise InputError(f"a claim reads {_FORMS}; found {text[:80]!r}")
