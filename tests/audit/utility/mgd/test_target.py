from __future__ import annotations

from fractions import Fraction

import pytest

from audit.utility.mgd.target import Target
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

DOMAIN = Domain(
    "d",
    (
        Attribute("month", tuple("abc"), ordinal=True),
        Attribute("area", tuple("abcd")),
        Attribute("age", tuple("ab"), ordinal=True),
        Attribute("kind", tuple("ab")),
    ),
)
HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("attributes", "weights", "expected"),
    [
        (("area", "kind"), {}, {"area": "infinite", "kind": "infinite"}),
        (("area", "month"), {}, {"month": 1, "area": "infinite"}),
        (("age", "month"), {}, {"month": HALF, "age": HALF}),
        (("area", "month"), {"area": 1, "month": "infinite"}, {"month": "infinite", "area": 1}),
        (("area", "month"), {"area": HALF}, {"month": HALF, "area": HALF}),
        (("age", "month"), {"age": "infinite"}, {"month": 1, "age": "infinite"}),
        (("age", "month"), {"age": 0}, {"month": 1, "age": 0}),
        (("age", "month", "area"), {"area": HALF}, {"month": 0.25, "area": HALF, "age": 0.25}),
    ],
)
def test_weights_not_given_are_infinite_or_equal_shares(
    attributes: tuple[str, ...], weights: dict[str, object], expected: dict[str, object]
) -> None:
    found = Target(attributes, weights).resolve(DOMAIN)
    assert found == expected and list(found) == list(expected)


@pytest.mark.parametrize(
    ("attributes", "weights"),
    [
        (("area", "kind"), {"area": HALF}),
        (("area", "kind"), {"area": HALF, "kind": Fraction(2, 3)}),
        (("area", "month"), {"area": 1}),
        (("month",), {"month": HALF}),
    ],
)
def test_finite_weights_that_do_not_sum_to_one_are_refused(
    attributes: tuple[str, ...], weights: dict[str, object]
) -> None:
    target = Target(attributes, weights)
    with pytest.raises(InputError, match=f"{' × '.join(attributes)}.*sum to 1"):
        target.resolve(DOMAIN)


@pytest.mark.parametrize(
    "fields",
    [
        {"weights": {"month": 0.5}},
        {"weights": {"month": True}},
        {"weights": {"month": Fraction(3, 2)}},
        {"weights": {"month": -1}},
        {"weights": {"month": "inf"}},
        {"weights": {"age": 1}},
        {"tolerance": 1.5},
        {"tolerance": -1},
        {"importance": 0},
        {"importance": 0.1},
        {"attributes": ()},
        {"attributes": "month"},
    ],
)
def test_what_is_not_exact_or_out_of_range_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match="marginal"):
        Target(**{"attributes": ("month",), **fields})


def test_a_target_can_be_compared_and_hashed() -> None:
    assert hash(Target(("month",))) == hash(Target(("month",), {"month": 1}))
    assert Target(("month",), tolerance=Fraction(2)) == Target(("month",))


def test_an_attribute_that_is_not_in_the_domain_is_refused() -> None:
    with pytest.raises(InputError, match="no attribute 'year'"):
        Target(("year",)).resolve(DOMAIN)
