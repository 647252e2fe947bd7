"""All that is to be seen of the data of several synthetic tables beside the real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audit.utility.data.attribute_counts import AttributeCounts
from audit.utility.data.coverage import Coverage, cover
from audit.utility.data.pair_counts import PairCounts, PairDistances, pair_distances
from audit.utility.data.pooling import Pooling
from audit.utility.data.tally import Tally, labels_of, pairs_to_count, pool_attributes
from synthesizers.domain import Domain

WORST_PAIRS = 5
"""The pairs whose tables are kept."""


@dataclass(frozen=True)
class Data:
    """Real beside synthetic. ``files``: the synthetic tables, in the order of all rows.

    ``attributes`` and ``apart``, the pairs of them that were counted, are in order of what exceeds
    chance in a file, the worst first; ``pairs``: the worst ones with their tables. ``coverage``:
    attribute by attribute in the domain's order, file by file.
    """

    files: tuple[str, ...]
    attributes: tuple[AttributeCounts, ...]
    apart: tuple[PairDistances, ...]
    pairs: tuple[PairCounts, ...]
    coverage: tuple[Coverage, ...]

    def rename(self, names: Mapping[str, str]) -> Data:
        """The same with other names for the files."""
        return replace(
            self,
            files=tuple(names[file] for file in self.files),
            coverage=tuple(replace(each, file=names[each.file]) for each in self.coverage),
        )


def compare(domain: Domain, real: Tally, synthetic: Mapping[str, Tally]) -> Data:
    """Synthetic tables, by name, beside the real one."""
    shape = tuple(map(len, real.counts))
    tallies, files = (real, *synthetic.values()), tuple(synthetic)
    attributes, coverage = [], []
    for place, (name, labels) in enumerate(
        zip(domain.names, labels_of(domain, shape), strict=True)
    ):
        one = AttributeCounts.of(name, labels, [tally.counts[place] for tally in tallies])
        attributes.append(one)
        coverage += [
            cover(
                domain.attribute(name),
                file,
                labels,
                (one.counts[0], counts),
                (real.numbers[place], synthetic[file].numbers[place]),
            )
            for file, counts in zip(files, one.counts[1:], strict=True)
        ]
    attributes.sort(key=lambda one: -one.excess)
    apart = [
        pair_distances(both, *tables)
        for both, *tables in zip(pairs_to_count(domain), *(t.pairs for t in tallies), strict=True)
    ]
    order = sorted(range(len(apart)), key=lambda place: -max(apart[place].excesses))
    poolings = pool_attributes(domain, shape, real.counts)
    worst = [
        _keep(apart[k], poolings, [tally.pairs[k].tolist() for tally in tallies])
        for k in order[:WORST_PAIRS]
    ]
    return Data(
        files,
        tuple(attributes),
        tuple(apart[place] for place in order),
        tuple(worst),
        tuple(coverage),
    )


def _keep(
    apart: PairDistances, poolings: Mapping[str, Pooling], tables: Sequence[list[list[int]]]
) -> PairCounts:
    first, second = (poolings[name].labels for name in apart.attributes)
    return PairCounts(apart, (first, second), tuple(tuple(map(tuple, rows)) for rows in tables))
