"""The attributes that a model predicts from."""

from __future__ import annotations

from synthesizers.domain import Domain
from synthesizers.errors import InputError


def predictors_of(
    domain: Domain, predicted: str, named: tuple[str, ...] | None, metric: str
) -> tuple[str, ...]:
    """The attributes ``named``, or for None all but the ``predicted`` one.

    Raises ``InputError`` for none, an unknown one, one named twice, and the predicted one.
    """
    if named is None:
        named = tuple(name for name in domain.names if name != predicted)
    for name in named:
        domain.position(name)
    if not named or predicted in named or len(set(named)) < len(named):
        raise InputError(
            f"{metric}: predictors must be attributes other than {predicted!r}, which they "
            "predict, each named once, and at least one"
        )
    return named
