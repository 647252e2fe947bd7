"""Guarantees: what may be claimed, how it is read, how it is written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP, parse_guarantee
from synthesizers.errors import InputError

F = Fraction

amounts = st.one_of(
    st.fractions(0, 10**6),
    st.builds(lambda a, b: F(a, 10**b), st.integers(0, 10**12), st.integers(0, 25)),
    st.sampled_from([F(0), F(1, 3), F(1, 2**40), F(1, 5**35), F(10**30)]),
)
proper = st.one_of(st.fractions(0, 1).filter(lambda value: value < 1), st.just(F(1, 10**9)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("epsilon=1", ApproxDP(F(1))),
        ("epsilon=0", ApproxDP(F(0))),
        ("epsilon=0.1", ApproxDP(F(1, 10))),
        ("epsilon=1/3", ApproxDP(F(1, 3))),
        (" epsilon = 1 , delta = 1e-6 ", ApproxDP(F(1), F(1, 10**6))),
        ("delta=1e-6,epsilon=1", ApproxDP(F(1), F(1, 10**6))),
        ("epsilon=1, delta=0", ApproxDP(F(1))),
        ("rho=0.5", ZCDP(F(1, 2))),
        ("mu=1", GaussianDP(F(1))),
        ("alpha=8, rdp=2", RenyiDP(F(8), F(2))),
        ("rdp=2,alpha=1.5", RenyiDP(F(3, 2), F(2))),
    ],
)
def test_forms(text: str, expected: Guarantee) -> None:
    assert parse_guarantee(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "epsilon",
        "epsilon=",
        "epsilon=1,",
        "epsilon=1 delta=2",
        "epsilon=1, epsilon=1",
        "epsilon=1, rho=1",
        "epsilon=1, delta=0, mu=1",
        "delta=0.1",
        "alpha=8",
        "rdp=2",
        "sigma=1",
        "epsilon=nan",
        "epsilon=inf",
        "epsilon=one",
        "epsilon=1/0",
        "epsilon=1e99999999999",
        "epsilon=-1",
        "epsilon=-1/10",
        "epsilon=1, delta=1",
        "epsilon=1, delta=-0.1",
        "epsilon=1, delta=1.5",
        "rho=-1",
        "mu=-1",
        "alpha=1, rdp=1",
        "alpha=0.5, rdp=1",
        "alpha=2, rdp=-1",
        "epsilon==1",
        "epsilon=1;delta=0",
    ],
)
def test_what_is_no_claim(text: str) -> None:
    with pytest.raises(InputError):
        parse_guarantee(text)


@given(amounts, proper)
def test_written_and_read_back(amount: Fraction, delta: Fraction) -> None:
    made: list[Guarantee] = [
        ApproxDP(amount),
        ApproxDP(amount, delta),
        ZCDP(amount),
        GaussianDP(amount),
        RenyiDP(1 + amount + F(1, 7), amount),
    ]
    for guarantee in made:
        assert parse_guarantee(str(guarantee)) == guarantee


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (F(1), "1"),
        (F(1, 10), "0.1"),
        (F(1, 2), "0.5"),
        (F(1, 3), "1/3"),
        (F(5, 4), "1.25"),
        (F(1, 8), "0.125"),
        (F(100), "100"),
        (F(1, 10**6), "0.000001"),
        (F(41, 20), "2.05"),
        (F(1, 2**31), f"1/{2**31}"),
        (F(1, 6), "1/6"),
    ],
)
def test_shortest_usual_spelling(value: Fraction, text: str) -> None:
    assert str(ApproxDP(value)) == f"epsilon={text}"


def test_delta_is_written_where_it_is_not_zero() -> None:
    assert str(ApproxDP(F(1), F(1, 10**6))) == "epsilon=1, delta=0.000001"
    assert str(RenyiDP(F(8), F(2))) == "alpha=8, rdp=2"
    assert str(ZCDP(F(1, 2))) == "rho=0.5"
    assert str(GaussianDP(F(2))) == "mu=2"


def test_the_message_says_which_forms_there_are() -> None:
    with pytest.raises(InputError, match="epsilon=1, delta=1e-6"):
        parse_guarantee("privacy=1")
