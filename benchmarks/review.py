"""What a review takes: with one and with two workers, and of a challenge that is too large to try.

The example challenge, or some of its submissions, is reviewed twice with one seed. Both reviews
must have the same pieces, verdicts and questions; if not, that is said, and the exit code is 1.
(What draws from the system's entropy may by chance end otherwise, where its leak is at the edge of
what so many runs see.) Printed: wall time with each number of workers, the cost of each kind of
piece, and what 50 submissions at 5 ε with 10 releases each and 10^5 runs a claim take at these
costs, if all are attacked and if all are proved.

    OMP_NUM_THREADS=1 python benchmarks/review.py --stage final
    OMP_NUM_THREADS=1 python benchmarks/review.py --only shell-curator
"""

from __future__ import annotations

import argparse
import math
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stopwatch import seconds

from audit.review.folders import ReviewFolder
from audit.review.pieces.estimate import BESIDE
from audit.review.pieces.piece import REFERENCE
from audit.review.pieces.planning import list_pieces
from dp_audit import review
from dp_audit.results.reviews import ReviewResult

CHALLENGE = Path(__file__).parents[1] / "examples" / "challenge"
SHARED = ("challenge.toml", "clinic.csv", "clinic.toml", "parameters.json")

SUBMISSIONS, EPSILONS, RELEASES, RUNS = 50, 5, 10, 100_000
"""The challenge on paper."""

CORES = (2, 64)


@dataclass(frozen=True)
class Costs:
    """Seconds of one core: of one attacked run, and of one piece of each other kind."""

    run: float
    proof: float
    release: float
    utility: float

    def attack_all(self) -> float:
        """The challenge on paper, if nothing asks a curator."""
        claims = SUBMISSIONS * EPSILONS
        return claims * (RUNS * self.run + RELEASES * self.release + self.utility)

    def prove_all(self) -> float:
        """The same, if everything asks a curator and is proved."""
        claims = SUBMISSIONS * EPSILONS
        return claims * (self.proof + RELEASES * self.release + self.utility)


def copy_some(folder: Path, names: Sequence[str]) -> Path:
    """The challenge with these submissions alone, with all if none is named."""
    if not names:
        return CHALLENGE
    folder.mkdir()
    for name in (*SHARED, *names):
        source = CHALLENGE / name
        if not source.exists():
            raise SystemExit(f"the example challenge has no {name!r}")
        copy = shutil.copytree if source.is_dir() else shutil.copyfile
        copy(source, folder / name)
    return folder


def measure(result: ReviewResult) -> Costs:
    """The medians of what the pieces of a review took; nan where there is none of a kind."""
    order, read = result.review.order, ReviewFolder(result.folder).reader()
    asks = {one.submission.name: one.asks for one in order.prepared}
    took: dict[str, list[float]] = {"run": [], "proof": [], "release": [], "utility": []}
    for piece in list_pieces(order, read):
        outcome = read(piece)
        if outcome is None or piece.submission == REFERENCE:
            continue
        if piece.alarm:
            took["run"].append(outcome.seconds / (piece.runs + BESIDE))
        elif piece.kind == "certify" and asks[piece.submission]:
            took["proof"].append(outcome.seconds)
        elif piece.kind in took:
            took[piece.kind].append(outcome.seconds)
    return Costs(**{kind: statistics.median(all_ or [float("nan")]) for kind, all_ in took.items()})


def list_differences(first: ReviewResult, second: ReviewResult) -> list[str]:
    """The submissions whose pieces, verdicts or questions differ."""
    found = []
    for one, other in zip(first.review.submissions, second.review.submissions, strict=True):
        mine = [(c.epsilon, c.level, c.verdict, c.certificates) for c in one.claims]
        theirs = [(c.epsilon, c.level, c.verdict, c.certificates) for c in other.claims]
        if (mine, one.questions) != (theirs, other.questions):
            found.append(one.name)
    return found


def spell(amount: float, cores: int) -> str:
    """Core-seconds as hours on so many cores."""
    return f"{amount / 3600 / cores:11,.1f} hours on {cores} cores"


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description="Time a review with one and with two workers.")
    options.add_argument("--only", action="append", default=[], metavar="SUBMISSION")
    options.add_argument("--stage", default="prescreen")
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args()
    results: list[ReviewResult] = []
    with tempfile.TemporaryDirectory() as place:
        source = copy_some(Path(place, "challenge"), chosen.only)
        for jobs in (1, 2):
            out = Path(place, f"review-{jobs}")

            def work(out: Path = out, jobs: int = jobs) -> None:
                results.append(
                    review(source, out=out, stage=chosen.stage, seed=chosen.seed, jobs=jobs)
                )

            print(f"{chosen.stage}, {jobs} worker{'s' * (jobs > 1)}: {seconds(work):8.1f} s")
        costs = measure(results[0])
    differences = list_differences(*results)
    print(f"results: {'OTHERS of ' + ', '.join(differences) if differences else 'the same'}")
    for name, value in vars(costs).items():
        print(f"one {name:<8} " + ("not measured" if math.isnan(value) else f"{value:9.3f} s"))
    size = f"{SUBMISSIONS} submissions, {EPSILONS} ε, {RELEASES} releases, {RUNS:,} runs a claim"
    print(f"on paper, {size}")
    for how, amount in (("attacked", costs.attack_all()), ("proved", costs.prove_all())):
        # What was not reviewed has no cost.
        if not math.isnan(amount):
            print(f"  all {how:<9}", *(spell(amount, cores) for cores in CORES))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
