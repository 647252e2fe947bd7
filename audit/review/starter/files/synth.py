"""A synthetic table by noisy counts of every combination of values.

python synth.py INPUT OUTPUT DOMAIN EPSILON MAX_RECORDS
"""

import csv
import itertools
import json
import random
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

RANDOM = random.SystemRandom()  # A generator with a seed would not be private.


def coin(chance: Fraction) -> bool:
    """True with exactly this chance."""
    return RANDOM.randrange(chance.denominator) < chance.numerator


def exponential_coin(rate: Fraction) -> bool:
    """True with chance exp(-rate), exactly: an alternating series, a coin for each of its terms."""
    while rate > 1:
        if not exponential_coin(Fraction(1)):
            return False
        rate -= 1
    term = 1
    while coin(rate / term):
        term += 1
    return term % 2 == 1


def geometric(rate: Fraction) -> int:
    """A number k with chance proportional to exp(-rate * k)."""
    number = 0
    while exponential_coin(rate):
        number += 1
    return number


def value_of(attribute: dict[str, Any], text: str) -> str:
    """The value, or the label of the bin of a number; what the domain does not know as it is."""
    if attribute["edges"] is None or text in attribute["values"]:
        return text
    edges = [Fraction(edge) for edge in attribute["edges"]]
    number = Fraction(text)
    for label, low, high in zip(attribute["values"], edges, edges[1:], strict=False):
        if low <= number < high or number == high == edges[-1]:
            return str(label)
    return text


def main() -> None:
    """Read, count, add noise, and write."""
    source, target, domain_file, epsilon, most = sys.argv[1:6]
    with open(domain_file, encoding="utf-8") as file:
        domain = json.load(file)
    attributes = domain["attributes"]
    cells = list(itertools.product(*(attribute["values"] for attribute in attributes)))
    counts = count_cells(source, domain, int(most))
    rate = Fraction(epsilon) / int(most)
    noisy = {cell: counts[cell] + geometric(rate) - geometric(rate) for cell in cells}
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(attribute["name"] for attribute in attributes)
        for cell, count in noisy.items():
            writer.writerows([cell] * max(count, 0))


def count_cells(source: str, domain: dict[str, Any], most: int) -> Counter[tuple[str, ...]]:
    """How many records of each cell there are, of each person the first ``most``."""
    owned: Counter[str] = Counter()
    counts: Counter[tuple[str, ...]] = Counter()
    with open(source, encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            person = record[domain["individual"]]
            owned[person] += 1
            if owned[person] <= most:
                cell = (value_of(one, record[one["name"]]) for one in domain["attributes"])
                counts[tuple(cell)] += 1
    return counts


if __name__ == "__main__":
    main()
