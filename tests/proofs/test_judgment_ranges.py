"""Judgments whose numbers can't be are refused, whoever makes them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.judgments import Odometer, Profile, Stable
from synthesizers.neighbours import AddRemove

F = Fraction
ONE, LESS = F(1), F(-1, 10)


def stable(l0: int | None, l1: Fraction, squared: Fraction, linf: Fraction) -> Stable:
    return Stable(AddRemove(), l0, l1, squared, linf, False, True)


@pytest.mark.parametrize(
    "made",
    [
        lambda: RenyiCurve(()),
        lambda: RenyiCurve(((ONE, ONE),)),
        lambda: RenyiCurve(((F(2), LESS),)),
        lambda: RenyiCurve(((F(3), ONE), (F(2), ONE))),
        lambda: RenyiCurve(((F(2), ONE), (F(2), ONE))),
        lambda: Profile(()),
        lambda: Profile(((LESS, F(0)),)),
        lambda: Profile(((ONE, LESS),)),
        lambda: Profile(((ONE, ONE),)),
        lambda: Profile(((ONE, F(0)), (F(0), F(0)))),
        lambda: Odometer((), F(0)),
        lambda: Odometer(((ONE, ONE), (ONE, F(2))), F(0)),
        lambda: Odometer(((LESS, ONE),), F(0)),
        lambda: Odometer(((ONE, LESS),), F(0)),
        lambda: Odometer(((ONE, ONE),), ONE),
        lambda: Odometer(((ONE, ONE),), LESS),
        lambda: stable(1, LESS, ONE, ONE),
        lambda: stable(-1, ONE, ONE, ONE),
        lambda: stable(None, ONE, ONE, LESS),
        lambda: stable(None, ONE, ONE, F(2)),
        lambda: stable(None, F(3), F(1), F(2)),
        lambda: stable(None, F(2), F(5), F(2)),
    ],
)
def test_numbers_out_of_range_are_refused(made: Callable[[], object]) -> None:
    with pytest.raises(ProofError):
        made()


def test_numbers_at_the_ends_of_their_ranges_are_accepted() -> None:
    Profile(((F(0), F(0)), (ONE, F(99, 100))))
    RenyiCurve(((F(101, 100), F(0)),))
    Odometer(((F(0), F(0)), (ONE, F(0))), F(0))
    stable(0, F(0), F(0), F(0))
    stable(None, F(3), F(9), F(3))
