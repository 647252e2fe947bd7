"""Columns of numbers among the attributes of a domain, and their groups in tables of counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.utility.pair import Pair
from audit.utility.records import Records, is_measured, label_numbers
from synthesizers.domain import Attribute, Domain

Numbers = NDArray[np.float64]
Grouping = tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]
"""The group of each record of both tables (-1 for one without a number), and what each is."""


def numeric_names(domain: Domain, named: Sequence[str] | None = None) -> tuple[str, ...]:
    """The attributes that are compared as numbers, in the domain's order.

    They are the ``named`` ones or, for None, the binned ones and the ordinal ones
    whose values are all numbers; a nominal code such as 1 and 2 is no number.
    Raises ``InputError`` for a name that is unknown, or whose values are no numbers.
    """
    if named is None:
        return tuple(a.name for a in domain.attributes if is_measured(a))
    for name in named:
        label_numbers(domain.attribute(name))
    return tuple(name for name in domain.names if name in named)


def midpoints_note(pair: Pair, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """A sentence on the numbers of which a table only names the bin; none if all are exact.

    It names those of the attributes ``names``, or for None of all. No names, and nothing is read.
    """
    if names is not None and not names:
        return ()
    real, synthetic = pair.tables
    among = pair.domain.names if names is None else names
    vague = [name for name in among if name in real.midpoints | synthetic.midpoints]
    if not vague:
        return ()
    return (f"the middle of its bin stands for a number of {', '.join(vague)}",)


def quantile_groups(real: Numbers, synthetic: Numbers, groups: int) -> Grouping:
    """Left-closed groups of about equally many records of both tables together.

    A column of no more than ``groups`` distinct numbers has a group each, as in
    ``classIntervals`` of the R package classInt, on which synthpop 1.9-2 builds
    (``group_num``); else the cuts are the distinct quantiles of R's type 7.
    """
    pooled = np.sort(np.concatenate([numbers[~np.isnan(numbers)] for numbers in (real, synthetic)]))
    distinct = np.unique(pooled)
    cuts = distinct[1:] if len(distinct) <= groups else np.unique(_quantiles(pooled, groups))[1:-1]
    return _place(real, cuts), _place(synthetic, cuts), _labels(cuts)


def equal_width_groups(real: Numbers, synthetic: Numbers, groups: int) -> Grouping:
    """Left-closed groups of equal width over the range of the real numbers, the ends open."""
    known = real[~np.isnan(real)]
    cuts = np.histogram_bin_edges(known, bins=groups)[1:-1]
    return _place(real, cuts), _place(synthetic, cuts), _labels(cuts)


def regroup(
    pair: Pair, names: Sequence[str], grouping: Callable[[Numbers, Numbers], Grouping]
) -> Pair:
    """The pair with groups in place of the declared values of some attributes.

    Every grouped attribute may be missing, declared or not; a missing value, and one
    outside the domain without a number, each keep a cell of their own. The numbers
    themselves are left behind.
    """
    tables = pair.tables
    grouped = {name: grouping(*(table.numbers(name) for table in tables)) for name in names}
    domain = Domain(
        pair.domain.name,
        tuple(
            Attribute(attribute.name, grouped[attribute.name][2], missing=True)
            if attribute.name in grouped
            else attribute
            for attribute in pair.domain.attributes
        ),
    )
    real, synthetic = (
        _recode(tables[0], grouped, 0, domain),
        _recode(tables[1], grouped, 1, domain),
    )
    return Pair.of(real, synthetic, domain)


def _quantiles(ascending: Numbers, groups: int) -> Numbers:
    """Quantiles in R's order of operations: a number equal to a cut must not fall beside it."""
    index = 1 + (len(ascending) - 1) * np.linspace(0, 1, groups + 1)
    low = np.floor(index).astype(np.int64)
    high = np.ceil(index).astype(np.int64)
    below, above = ascending[low - 1], ascending[high - 1]
    part = index - low
    between = (part > 0) & (above != below)
    return np.where(between, (1 - part) * below + part * above, below)


def _place(numbers: Numbers, cuts: Numbers) -> NDArray[np.int64]:
    return np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers, side="right"))


def _labels(cuts: Numbers) -> tuple[str, ...]:
    texts = [repr(cut).removesuffix(".0") for cut in cuts.tolist()]
    if not texts:
        return ("any number",)
    inner = (f"{low} to below {high}" for low, high in pairwise(texts))
    return (f"below {texts[0]}", *inner, f"{texts[-1]} or more")


def _recode(
    table: Records, grouped: Mapping[str, Grouping], which: Literal[0, 1], domain: Domain
) -> Records:
    codes = table.codes.copy(order="F")
    for name, found in grouped.items():
        group, size = found[which], len(found[2])
        attribute = table.domain.attribute(name)
        absent = attribute.missing & (table.column(name) == len(attribute.values))
        codes[:, domain.position(name)] = np.where(
            group >= 0, group, np.where(absent, size, size + 1)
        )
    return Records(domain, codes)
