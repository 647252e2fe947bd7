"""Values put together: nothing is lost, neighbours stay neighbours, and the rest is named."""

from __future__ import annotations

import numpy as np
import pytest

from audit.utility.data.pooling import (
    balanced_starts,
    even_starts,
    is_ordered,
    largest,
    pool_neighbours,
    pool_rare,
)
from audit.utility.labels import value_labels
from synthesizers.attributes import Attribute
from tests.audit.utility.data import kinds_of_tables as kinds

ATTRIBUTES = [each for domain in kinds.DOMAINS.values() for each in domain.attributes]


def labels_of(attribute: Attribute) -> tuple[str, ...]:
    from synthesizers.domain import Domain

    return value_labels(Domain("d", (attribute,)), attribute.name)


@pytest.mark.parametrize("attribute", ATTRIBUTES, ids=lambda each: each.name)
@pytest.mark.parametrize("most", [1, 3, 10, 25])
def test_neighbours_are_put_together_without_loss(attribute: Attribute, most: int) -> None:
    values = len(attribute.values)
    labels = labels_of(attribute)
    counts = np.random.default_rng(1).integers(0, 50, (3, len(labels)))
    for starts in (even_starts(values, most), balanced_starts(counts[0, :values], most)):
        assert len(starts) <= most and starts[0] == 0
        pooling = pool_neighbours(attribute, labels, starts)
        sums = pooling.sums(counts)
        assert (sums.sum(axis=1) == counts.sum(axis=1)).all()
        ends = (*starts[1:], values)
        for group, (first, end) in enumerate(zip(starts, ends, strict=True)):
            assert (sums[:, group] == counts[:, first:end].sum(axis=1)).all()
        # A missing value and one outside the domain stay by themselves.
        assert pooling.labels[len(starts) :] == labels[values:]
        assert (sums[:, len(starts) :] == counts[:, values:]).all()


def test_labels_of_merged_neighbours_say_from_where_to_where() -> None:
    bins = Attribute.binned("b", [0, 1, 5, 10], missing=True)
    assert pool_neighbours(bins, labels_of(bins), (0, 1)).labels == (
        "[0, 1)",
        "[1, 10]",
        "missing",
        "outside the domain",
    )
    assert pool_neighbours(bins, labels_of(bins), (0, 2)).labels[0] == "[0, 5)"
    ages = Attribute("a", ("7", "8", "9"), ordinal=True)
    assert pool_neighbours(ages, labels_of(ages), (0, 2)).labels[:2] == ("7 to 8", "9")
    assert pool_neighbours(kinds.DATES, labels_of(kinds.DATES), (0, 3)).labels[0] == (
        "[1970-01-01, 1970-04-01)"
    )


def test_balanced_groups_are_nearly_alike() -> None:
    """No group is off its share by more than its largest value on either side."""
    random = np.random.default_rng(3)
    for _ in range(50):
        counts = random.geometric(0.01, 80)
        starts = balanced_starts(counts, 8)
        sums = np.add.reduceat(counts, starts)
        assert (np.abs(sums - counts.sum() / 8) <= counts.max()).all()
    assert balanced_starts(np.zeros(40, dtype=np.int64), 8) == tuple(range(0, 40, 5))
    assert balanced_starts(np.array([0, 0, 100, 0, 0]), 2)[0] == 0


def test_rare_values_stand_together_with_all_their_records() -> None:
    labels = ("a", "b", "c", "d", "missing", "outside the domain")
    counts = np.array([[5, 1, 7, 2, 3, 4], [0, 9, 0, 1, 0, 0]])
    pooling = pool_rare(labels, 4, [2, 0])
    assert pooling.labels == ("c", "a", "2 other values", "missing", "outside the domain")
    assert pooling.sums(counts).tolist() == [[7, 5, 3, 3, 4], [0, 0, 10, 0, 0]]
    assert pool_rare(labels, 4, [2, 0, 1]).labels[3] == "1 other value"
    assert pool_rare(labels, 4, range(4)).labels == labels


def test_the_largest_come_first_and_of_equal_ones_the_first() -> None:
    assert largest(np.array([3, 5, 5, 1]), 3) == [1, 2, 0]


def test_bins_and_ordinal_values_have_neighbours() -> None:
    ordered = {each.name for each in ATTRIBUTES if is_ordered(each)}
    assert ordered == {each.name for each in ATTRIBUTES} - {
        "colour",
        "sex",
        "type",
        "street",
        "only",
    }
