"""What the values of an attribute are called where a score lists them."""

from __future__ import annotations

from synthesizers.attributes import Attribute
from synthesizers.domain import Domain

OUTSIDE = "outside the domain"
"""The label of a value that the domain does not declare."""

MISSING = "missing"
"""The label of the missing value where the domain gives it none."""


def value_labels(domain: Domain, name: str) -> tuple[str, ...]:
    """The label [size + 1] of each code of an attribute, the last for values outside it.

    The missing value keeps the label that the domain gives it. Raises ``InputError`` for
    an unknown attribute.
    """
    return labels_of(domain.attribute(name))


def labels_of(attribute: Attribute) -> tuple[str, ...]:
    """The label [size + 1] of each code of an attribute, as ``value_labels``."""
    return (*(label or MISSING for label in attribute.labels), OUTSIDE)
