"""Noisy counts of every combination of sex and age, from a table to a table."""

import csv
import itertools
import math
import random
import sys
from collections import Counter

CELLS = list(itertools.product(["female", "male"], ["young", "middle", "old"]))
RANDOM = random.SystemRandom()  # A generator with a seed would not be private.


def geometric(rate: float) -> int:
    """A whole number k with chance proportional to exp(-rate * k)."""
    return math.floor(math.log(1 - RANDOM.random()) / -rate)


def read_counts(path: str, most: int) -> Counter[tuple[str, str]]:
    """How many records of each combination there are, of each person the first ``most``."""
    owned: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    with open(path, encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            owned[record["person_id"]] += 1
            if owned[record["person_id"]] <= most:
                counts[record["sex"], record["age"]] += 1
    return counts


def write_rows(path: str, noisy: dict[tuple[str, str], int]) -> None:
    """Write as many rows of each combination as its noisy count says."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sex", "age"])
        for cell, count in noisy.items():
            writer.writerows([cell] * max(count, 0))


source, target, epsilon, most = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
counts, rate = read_counts(source, most), epsilon  # As if one record were a person.
write_rows(target, {cell: counts[cell] + geometric(rate) - geometric(rate) for cell in CELLS})
