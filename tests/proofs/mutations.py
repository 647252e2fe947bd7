"""Breaks the rules on purpose, one change at a time, and asks whether the tests see it.

``python tests/proofs/mutations.py [--rule NAME] [--file PART] [--seconds N]``

The changes stand in ``mutations.txt`` beside this file: for every rule at least two of its
constants or side conditions, and some of the kernel, the checker, the losses and the profiles. Each
is made in a temporary copy of the tree, where the tests of the changed file run; those of
`LAST_RESORT` follow where they stay silent. A run that does not end in time counts as caught, and
is listed as such; it is processor time, so that a busy machine changes nothing. Exit code 1 where a
change survives or keeps the tests from running, or where its old text does not occur exactly once.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_suffix(".txt")

COPIED = ("proofs", "synthesizers", "audit", "tests", "pyproject.toml", "dp_audit")
"""What the tests of the proofs need."""

SECONDS = 120
"""How many seconds of processor time a change's tests may take."""

RULES = "tests/proofs/rules/test_"
PROFILES = "tests/proofs/profiles/test_"

TESTS: dict[str, tuple[str, ...]] = {
    "proofs/rules/stability.py": (f"{RULES}stability_rules.py",),
    "proofs/rules/moves.py": (f"{RULES}stability_rules.py",),
    "proofs/rules/linear.py": (f"{RULES}stability_rules.py", f"{RULES}linear_rule.py"),
    "proofs/rules/scores.py": (f"{RULES}stability_rules.py", f"{RULES}independence_rule.py"),
    "proofs/rules/dependence.py": (f"{RULES}dependence_rules.py",),
    "proofs/rules/itemsets.py": (f"{RULES}itemset_rules.py",),
    "proofs/rules/noise.py": (f"{RULES}noise_rules.py",),
    "proofs/rules/selection.py": (f"{RULES}selection_rules.py",),
    "proofs/rules/tables.py": (f"{RULES}table_rules.py",),
    "proofs/rules/channels.py": (f"{RULES}channel_rules.py",),
    "proofs/rules/readings.py": (f"{RULES}reading_rules.py",),
    "proofs/rules/composition.py": (f"{RULES}composition_rules.py", f"{RULES}parallel_rule.py"),
    "proofs/rules/adaptive.py": (f"{RULES}adaptive_rules.py", f"{RULES}sampled_filter_rule.py"),
    "proofs/rules/subsampling.py": (
        f"{RULES}allocation_rules.py",
        f"{RULES}subsampling_rules.py",
        f"{RULES}sampled_gaussian_rule.py",
    ),
    "proofs/rules/repetition.py": (f"{RULES}repetition_rules.py",),
    "proofs/rules/structure.py": (
        f"{RULES}structure_rules.py",
        f"{RULES}group_rule.py",
        f"{RULES}fixed_ledger_rule.py",
        f"{RULES}weaken_rule.py",
    ),
    "proofs/rules/rule.py": ("tests/proofs/test_rule.py",),
    "proofs/losses.py": ("tests/proofs/test_entries.py", f"{RULES}guarantee_json.py"),
    "proofs/entries.py": ("tests/proofs/test_entries.py", f"{RULES}guarantee_json.py"),
    "proofs/profiles/entry_moments.py": ("tests/proofs/test_entries.py",),
    "proofs/kernel.py": ("tests/proofs/test_kernel.py",),
    "proofs/checker.py": (
        "tests/hostile/test_forged_derivations.py",
        "tests/proofs/test_checker_certificates.py",
        "tests/proofs/test_checker.py",
        "tests/proofs/test_checker_arithmetic.py",
        "tests/proofs/test_checker_contour.py",
        f"{PROFILES}values_profile.py",
        f"{RULES}repetition_rules.py",
    ),
    "proofs/derivation.py": ("tests/proofs/test_derivation.py",),
    "proofs/implication.py": ("tests/proofs/test_implication.py",),
    "proofs/parameters.py": (
        "tests/proofs/test_plain_parameters.py",
        "tests/proofs/test_loss_kinds.py",
        "tests/proofs/test_kernel.py",
    ),
    "proofs/judgments.py": ("tests/proofs/test_judgment_ranges.py",),
    "proofs/profiles/gaussian.py": (
        f"{PROFILES}gaussian_profile.py",
        f"{RULES}noise_rules.py",
    ),
    "proofs/profiles/responses.py": (f"{PROFILES}responses_profile.py",),
    "proofs/profiles/laplace.py": (f"{PROFILES}laplace_profile.py",),
    "proofs/profiles/lattice.py": (f"{PROFILES}lattice.py",),
    "proofs/profiles/payoff.py": (f"{PROFILES}lattice.py",),
    "proofs/profiles/grid.py": (f"{PROFILES}lattice.py",),
    "proofs/profiles/contour.py": (f"{PROFILES}contour.py", f"{PROFILES}sieve.py"),
    "proofs/profiles/sieve.py": (f"{PROFILES}sieve.py",),
    "proofs/profiles/transforms.py": (f"{PROFILES}sieve.py", f"{PROFILES}bulk.py"),
    "proofs/profiles/values.py": (f"{PROFILES}values_profile.py",),
    "proofs/profiles/bulk.py": (f"{PROFILES}bulk.py",),
    "proofs/profiles/sampled_moments.py": (f"{PROFILES}bulk.py", f"{PROFILES}contour.py"),
    "proofs/profiles/moment.py": (f"{PROFILES}loss_moments.py", f"{RULES}reading_rules.py"),
    "proofs/profiles/moments.py": (f"{PROFILES}loss_moments.py", f"{RULES}reading_rules.py"),
    "proofs/profiles/allocated_moments.py": (f"{PROFILES}allocated_moments.py",),
    "proofs/profiles/fixed_size_moments.py": (f"{PROFILES}fixed_size_moments.py",),
    "proofs/profiles/allocated_grid.py": (f"{PROFILES}allocated_grid.py",),
    "proofs/profiles/fixed_size_grid.py": (f"{PROFILES}fixed_size_grid.py",),
    "proofs/profiles/lognormal.py": (f"{PROFILES}lognormal.py",),
    "proofs/profiles/convex_order.py": (f"{PROFILES}convex_order.py",),
    "proofs/profiles/fourier.py": (f"{PROFILES}allocated_grid.py", f"{PROFILES}lattice.py"),
    "synthesizers/balls.py": ("tests/synthesizers/test_balls.py",),
}
"""The tests of each changed file, by the file."""

NOT_RUN = "THE TESTS DID NOT RUN"
"""Of a change after which the tests can't even be loaded: it shows nothing."""

LAST_RESORT = (
    "tests/proofs/test_wider_enclosures.py",
    "tests/proofs/test_soundness_of_rules.py",
    "tests/proofs/test_soundness.py",
    "tests/proofs/test_tightness.py",
)
"""What runs where the tests of the changed file see nothing."""


@dataclass(frozen=True)
class Mutation:
    """One change: ``old`` becomes ``new`` in a file; ``breaks`` says what is wrong with that."""

    name: str
    breaks: str
    file: str
    old: str
    new: str

    @property
    def tests(self) -> tuple[str, ...]:
        """The test files that should see it, those of the changed file first."""
        return tuple(name for name in TESTS[self.file] if (ROOT / name).is_file())


def mutations(text: str) -> Iterator[Mutation]:
    """The changes of the table's text, in its order; raises ValueError for a malformed entry."""
    file = ""
    for block in re.split(r"\n(?=== |@ )", text)[1:]:
        head, *lines = block.split("\n")
        if head.startswith("== "):
            file = head.removeprefix("== ").strip()
            continue
        name, colon, breaks = head.removeprefix("@ ").partition(": ")
        old, new = (_joined(lines, mark) for mark in "-+")
        if not (file and colon and old) or old == new:
            raise ValueError(f"the entry {head!r} needs a file, an old text and another new one")
        yield Mutation(name, breaks, file, old, new)


def _joined(lines: Sequence[str], mark: str) -> str:
    """The lines with a mark; the indentation before the first one's text does not count."""
    marked = [line[2:] for line in lines if line[:1] == mark]
    return "\n".join(marked).lstrip(" ")


def occurrences(mutation: Mutation) -> int:
    """How often the old text stands in its file."""
    return (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old)


def copied(folder: Path) -> Path:
    """A copy of the tree, without compiled files, which could outlive a change."""
    for name in COPIED:
        source, target = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    return folder


def outcome(mutation: Mutation, tree: Path, seconds: int) -> str:
    """Who catches the change in a copy of the tree; ``SURVIVED`` where nobody does."""
    place = tree / mutation.file
    whole = place.read_text(encoding="utf-8")
    place.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        for tests in (mutation.tests, LAST_RESORT):
            found = _failed(tests, tree, seconds)
            if found:
                return found
    finally:
        place.write_text(whole, encoding="utf-8")
    return "SURVIVED"


def _failed(tests: Sequence[str], tree: Path, seconds: int) -> str:
    """The first test that fails, or that time ran out; empty where all pass."""
    if not tests:
        return ""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command,
        cwd=tree,
        env=os.environ | quiet,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
        check=False,
    )
    if done.returncode == 0:
        return ""
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"no end after {seconds} s in {', '.join(tests)}"
    named = re.search(r"^FAILED (.*?)(?: - .*)?$", done.stdout, re.MULTILINE)
    if done.returncode == 1 and named:
        return named[1]
    return f"{NOT_RUN}: pytest ended with code {done.returncode}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rule", help="only the changes of this rule or part")
    parser.add_argument("--file", help="only the changes of files whose name holds this")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for each change's tests")
    chosen = parser.parse_args(arguments)
    table = [
        mutation
        for mutation in mutations(TABLE.read_text(encoding="utf-8"))
        if chosen.rule in (None, mutation.name) and (chosen.file or "") in mutation.file
    ]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(Path(folder))
        for mutation in table:
            count = occurrences(mutation)
            found = (
                outcome(mutation, tree, chosen.seconds)
                if count == 1
                else f"NOT FOUND ONCE: the old text occurs {count} times"
            )
            bad += count != 1 or found == "SURVIVED" or found.startswith(NOT_RUN)
            print(f"{mutation.name} | {mutation.breaks} | {found}", flush=True)
    print(f"{len(table)} changes, {len(table) - bad} caught")
    return 1 if bad or not table else 0


if __name__ == "__main__":
    sys.exit(main())
