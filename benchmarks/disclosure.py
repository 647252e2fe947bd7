"""How often disclosure checks find a risk where there is none, what they find of copies, and time.

python benchmarks/disclosure.py              # 1,000 releases of no record, and of some
python benchmarks/disclosure.py --seconds    # CPU seconds of each check, 10,000 records, 20 columns

Releases are of 300 records beside a real table and a holdout of 300, over five columns: a label,
two numbers, a count and a code. A release holds copies of so many real records, and independent
ones of the same law.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from audit.disclosure.checks import Attackers, Disclosure, check_release
from audit.disclosure.tables import Tables
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain

ROWS = 300
COPIES = (0, 15, 75)
RELEASES = 1000
ERROR = 0.05

SMALL = Domain(
    "five",
    (
        Attribute("a", ("x", "y", "z")),
        Attribute.binned("n", [0, 50, 100]),
        Attribute.binned("m", [0, 50, 100]),
        Attribute("o", tuple(map(str, range(9))), ordinal=True),
        Attribute("k", tuple(map(str, range(20)))),
    ),
)
LARGE = Domain(
    "twenty",
    tuple(
        Attribute.binned(f"n{k}", [0, 25, 50, 75, 100])
        if k % 4 == 0
        else Attribute(f"c{k}", tuple(map(str, range(2 + k))), ordinal=k % 4 == 1)
        for k in range(20)
    ),
)


def draw(domain: Domain, random: np.random.Generator, size: int) -> Records:
    """Independent records: normal numbers in bins, codes of a binomial law."""
    codes, numbers = [], {}
    for attribute in domain.attributes:
        if attribute.edges is None:
            codes.append(random.binomial(attribute.size - 1, 0.4, size))
        else:
            own = random.normal(50, 15, size).clip(0, 99.9).round(1)
            numbers[attribute.name] = own
            width = 100 / attribute.size
            codes.append((own // width).astype(np.int64))
    return Records(domain, np.stack(codes, axis=1), numbers)


def join(first: Records, second: Records) -> Records:
    """The records of both."""
    numbers = {n: np.concatenate([first.binned[n], second.binned[n]]) for n in first.binned}
    return Records(first.domain, np.concatenate([first.codes, second.codes]), numbers)


def look(seed: int, copies: int) -> Disclosure:
    """All checks of one release."""
    random = np.random.default_rng((seed, copies))
    real, holdout = (draw(SMALL, random, ROWS) for _ in range(2))
    others = draw(SMALL, random, ROWS - copies)
    made = join(real.take(np.arange(copies)), others) if copies else others
    attackers = Attackers(("a", "n", "o"), ("m", "k"), (("a", "n"), ("m", "o", "k")))
    return check_release(Tables(real, holdout, made), attackers, ERROR, seed)


def count_findings(releases: int) -> None:
    """A row a check: of how many releases its interval, or its bound, lies above 0."""
    above: dict[str, Counter[int]] = {}
    for copies in COPIES:
        for seed in range(releases):
            found = look(seed, copies)
            lows = {risk.attack: risk.interval[0] for risk in found.risks}
            lows["membership"] = found.membership.advantage
            for name, low in lows.items():
                above.setdefault(name, Counter())[copies] += low > 0
    heads = " | ".join(f"{copies} copies" for copies in COPIES)
    print(f"| check | {heads} |\n|---|" + "---|" * len(COPIES))
    for name, counts in above.items():
        cells = " | ".join(f"{counts[copies] / releases:.1%}" for copies in COPIES)
        print(f"| {name} | {cells} |")


def time_checks() -> None:
    """CPU seconds of each check."""
    random = np.random.default_rng(0)
    made = Tables(*(draw(LARGE, random, 10_000) for _ in range(3)))
    names = LARGE.names
    attackers = Attackers(None, names, (names[:10], names[10:]))
    last, began = "", time.process_time()

    def tell(done: int, total: int, name: str) -> None:
        nonlocal last, began
        now = time.process_time()
        if last:
            print(f"{last:<14}{now - began:6.1f} s")
        last, began = name, now

    start = time.process_time()
    check_release(made, attackers, ERROR, 0, progress=tell)
    print(f"{'all':<14}{time.process_time() - start:6.1f} s")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--seconds", action="store_true", help="time the checks")
    parser.add_argument("--releases", type=int, default=RELEASES, help="of each kind")
    flags = parser.parse_args()
    if flags.seconds:
        time_checks()
    else:
        count_findings(flags.releases)


if __name__ == "__main__":
    main()
