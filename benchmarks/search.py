"""Does the search find the pair that tells? Leaking subjects and honest ones, seed by seed.

One row a subject: how often the claim of ε = 1 was refuted, the pairs that were tried of how many,
the median floor, the pattern that was certified most often, and the seconds of one core.

    python benchmarks/search.py                       # all subjects, 5 seeds
    python benchmarks/search.py --seeds 20 --only bits
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

import search_subjects as subjects
from search_subjects import AGES, CELLS, LETTERS

import dp_audit as dpa
from synthesizers.domain import Domain


@dataclass(frozen=True)
class Row:
    """A subject with what it claims about; ``leaks``: whether it should be refuted."""

    function: Callable[..., Any]
    domain: Domain
    records: int
    runs: int = 10_000
    leaks: bool = True
    neighbours: str = "add-remove"


ROWS = (
    Row(subjects.low_bits, CELLS, 20),
    Row(subjects.labels_without_noise, AGES, 50, 500),
    Row(subjects.network_of_wrong_sensitivity, LETTERS, 100),
    Row(subjects.network_of_wrong_sensitivity, LETTERS, 100, neighbours="replace-one"),
    Row(subjects.other_form_from_30, CELLS, 100),
    Row(subjects.other_spread_from_30, CELLS, 100),
    Row(subjects.fails_below_two, CELLS, 20),
    Row(subjects.cells_as_they_come, CELLS, 20, 500),
    Row(subjects.starts_from_the_table, LETTERS, 20, 1000),
    Row(subjects.small_counts_exact, CELLS, 50),
    Row(subjects.histogram, CELLS, 50, neighbours="replace-one"),
    Row(subjects.histogram, CELLS, 50, leaks=False),
    Row(subjects.network_of_right_sensitivity, LETTERS, 100, leaks=False),
    Row(subjects.reads_labels_alone, AGES, 50, 2000, leaks=False),
    Row(subjects.reads_numbers_alone, AGES, 50, 2000, leaks=False),
)


def attack(row: Row, seed: int) -> Any:
    """The certificate of one attack."""
    return dpa.certify(
        row.function,
        "epsilon=1",
        neighbours=row.neighbours,
        domain=row.domain,
        records=row.records,
        runs=row.runs,
        seed=seed,
    ).certificate


def line(row: Row, seeds: int) -> str:
    """One line of the table."""
    patterns: Counter[str] = Counter()
    refuted, floors, seconds, told = 0, [], [], ""
    for seed in range(seeds):
        start = process_time()
        certificate = attack(row, seed)
        seconds.append(process_time() - start)
        # What is looked at behind a leak comes after the attack itself.
        evidence = next(one for one in certificate.evidence if one.auditor == "attack")
        refuted += certificate.verdict.value == "REFUTED"
        floors.append(float(evidence.bound.epsilon.lower) if evidence.bound else 0.0)
        patterns[evidence.witness.pair.pattern if evidence.witness else "-"] += 1
        searched = getattr(evidence.replay, "search", None)
        told = "?" if searched is None else f"{searched.tried}/{searched.pairs}"
    name = f"{row.function.__name__} ({row.neighbours}, {row.records} records, {row.runs} runs)"
    wanted = "leaks" if row.leaks else "honest"
    return (
        f"| {name} | {wanted} | {refuted} of {seeds} | {told} | {median(floors):.2f} | "
        f"{patterns.most_common(1)[0][0]} | {median(seconds):.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print("| subject | truth | refuted | pairs tried | median floor | pair | s |")
    print("|---|---|---|---|---|---|---|")
    for row in ROWS:
        if given.only in row.function.__name__:
            print(line(row, given.seeds), flush=True)


if __name__ == "__main__":
    main()
