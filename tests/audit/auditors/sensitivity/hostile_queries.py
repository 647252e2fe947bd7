"""Queries as strangers write them. A child imports them by name."""

import os
import sys
import time
from fractions import Fraction


def exact(records):
    return [Fraction(len(records), 3), 2**70, 0.1 + 0.2, float("-inf")]


def size(records):
    print("a line on standard output")
    print("another", file=sys.stderr)
    return len(records)


def squared(records):
    return len(records) ** 2


def raises(records):
    raise ValueError(f"{records} is private")


def hangs(records):
    time.sleep(60)


def hangs_on_two(records):
    if len(records) == 2:
        time.sleep(60)
    return len(records)


def dies(records):
    os._exit(3)


def floats(records):
    return sum(record["x"] for record in records)


LIMIT = 3
