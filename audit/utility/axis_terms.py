"""Attributes as standardised numbers, their terms: what principal axes are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.labels import labels_of
from synthesizers.attributes import Attribute

Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms [k] of an attribute, by the kinds of its codes: codes of one kind have them alike.

    ``kinds`` [size + 1]: of each code. ``values`` [kinds, k]: of mean 0, and of variance 1 together
    over the records, of which ``shares`` [kinds] are of each kind. There is no term of an attribute
    that does not vary.
    """

    names: tuple[str, ...]
    kinds: NDArray[np.int64]
    values: NDArray[np.float64]
    shares: Shares


def terms_of(attribute: Attribute, shares: Shares, most: int) -> Terms:
    """The terms of an attribute, with ``shares`` [size + 1] of the records in its codes.

    The position of a value among the ordered ones is one number, beside which stands whether there
    is none; each value of another attribute is an indicator, at ``most`` so many: the rare ones
    are taken together.
    """
    if attribute.edges is not None or attribute.ordinal:
        return _scale(*_order(attribute, shares), np.arange(len(shares)), shares)
    occurring = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)]
    kept = np.sort(occurring if len(occurring) <= most else occurring[: most - 1])
    kinds = np.full(len(shares), len(kept))
    kinds[kept] = np.arange(len(kept))
    labels = labels_of(attribute)
    names = [f"{attribute.name} = {labels[code]}" for code in kept]
    if len(kept) < len(occurring):
        names.append(f"{attribute.name} = any other value")
    if len(names) < 2:
        names = []
    of_kinds = np.bincount(kinds, shares, minlength=len(kept) + 1).astype(np.float64)
    indicators = np.eye(len(kept) + 1)[:, : len(names)]
    return _scale(tuple(names), indicators - of_kinds[: len(names)], kinds, of_kinds)


def _scale(
    names: tuple[str, ...], values: NDArray[np.float64], kinds: NDArray[np.int64], shares: Shares
) -> Terms:
    variance = float((shares @ values**2).sum())
    return Terms(names, kinds, values / np.sqrt(variance) if names else values, shares)


def _order(attribute: Attribute, shares: Shares) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """The position of a value, and whether there is none.

    A record without a value stands at the mean position, and the variance of the second term is
    the share of those.
    """
    size = len(attribute.values)
    positions = np.arange(size)
    known, lacking = shares[:size], float(shares[size:].sum())
    names, columns = [], []
    if np.count_nonzero(known) > 1:
        centred = positions - float(positions @ known) / (1 - lacking)
        spread = np.sqrt(float(known @ centred**2) / (1 - lacking))
        names.append(attribute.name)
        columns.append(np.concatenate((centred / spread, np.zeros(len(shares) - size))))
    if lacking > 0 and known.any():
        names.append(f"{attribute.name} unknown")
        columns.append(((np.arange(len(shares)) >= size) - lacking) / np.sqrt(1 - lacking))
    return tuple(names), np.array(columns).reshape(len(names), len(shares)).T
