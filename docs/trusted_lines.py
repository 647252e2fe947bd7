"""How many lines of code a proof rests on: prints the tables that DESIGN.md shows.

    python docs/trusted_lines.py            # the tables
    python docs/trusted_lines.py --check    # exit code 1 where DESIGN.md shows others

A line counts where it holds code: no blank line, no comment, no docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent

CHECKER = "proofs/checker.py"

PARTS: dict[str, tuple[str, ...]] = {
    "checker: one file, the standard library": (CHECKER,),
    "kernel: theorems, judgments, parameters": (
        "proofs/entries.py",
        "proofs/errors.py",
        "proofs/hypotheses.py",
        "proofs/judgments.py",
        "proofs/kernel.py",
        "proofs/losses.py",
        "proofs/parameters.py",
    ),
    "kernel: rules": ("proofs/rules/*.py",),
    "kernel: profiles in closed form, and moments": (
        "proofs/profiles/allocated_moments.py",
        "proofs/profiles/entry_moments.py",
        "proofs/profiles/fixed_size_moments.py",
        "proofs/profiles/gaussian.py",
        "proofs/profiles/laplace.py",
        "proofs/profiles/method*.py",
        "proofs/profiles/moment*.py",
        "proofs/profiles/responses.py",
        "proofs/profiles/values.py",
    ),
    "kernel: profiles by contour and lattice": (
        "proofs/profiles/allocated_grid.py",
        "proofs/profiles/bulk.py",
        "proofs/profiles/contour.py",
        "proofs/profiles/convex_order.py",
        "proofs/profiles/fixed_size_grid.py",
        "proofs/profiles/fourier.py",
        "proofs/profiles/grid.py",
        "proofs/profiles/lattice.py",
        "proofs/profiles/lognormal.py",
        "proofs/profiles/payoff.py",
        "proofs/profiles/sampled_moments.py",
        "proofs/profiles/sieve.py",
        "proofs/profiles/transforms.py",
    ),
}
"""What is trusted, each part with its files."""

FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "discrete Gaussians of many lattices": (
        ("falls_of", "far_sum"),
        ("proofs/profiles/sieve.py",),
    ),
    "few sampled Gaussians": (
        ("law_of", "sampled_delta", "valued_delta", "zero_delta"),
        ("proofs/profiles/bulk.py", "proofs/profiles/values.py"),
    ),
    "selection: one of a random number of runs": (
        ("Runs", "run_law", "repeat", "repeat-renyi", "repeat-zcdp"),
        ("proofs/rules/repetition.py",),
    ),
    "random allocation": (
        (
            "_added_moment",
            "_allocated_moment",
            "_log_steps",
            "_power_above",
            "_series",
            "allocated-gaussian",
        ),
        (
            "proofs/profiles/allocated_grid.py",
            "proofs/profiles/allocated_moments.py",
            "proofs/profiles/convex_order.py",
            "proofs/profiles/lognormal.py",
        ),
    ),
    "samples of a fixed size": (
        ("_fixed_size_moment", "fixed-size-gaussian"),
        ("proofs/profiles/fixed_size_grid.py", "proofs/profiles/fixed_size_moments.py"),
    ),
}
"""Kinds of ledgers: what the checker has for each of them alone, and the kernel's files."""

_SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """The lines of a module that hold code."""
    texts: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        # A text that is a statement of its own is a docstring.
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                texts |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SILENT:
            held |= set(range(token.start[0], token.end[0] + 1))
    return len(held - texts)


def files_of(patterns: Iterable[str]) -> list[Path]:
    """The files of some patterns, sorted."""
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def pieces_of(source: str) -> dict[str, str]:
    """The functions and classes of a module by their names, a rule by the rule's."""
    lines, found = source.splitlines(), dict[str, str]()
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(
                name="_", decorator_list=[ast.Call(args=[ast.Constant(value=str(name)), *_])]
            ):
                pass
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case _:
                continue
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        found[name] = "\n".join(lines[first - 1 : node.end_lineno])
    return found


def table_of_families() -> str:
    """The lines of each family in Markdown."""
    pieces = pieces_of((ROOT / CHECKER).read_text(encoding="utf-8"))
    lines = ["| kind of ledger | lines in the checker | in the kernel |", "|---|---|---|"]
    for name, (own, patterns) in FAMILIES.items():
        checked = sum(code_lines(pieces[piece]) for piece in own)
        kernel = sum(code_lines(path.read_text(encoding="utf-8")) for path in files_of(patterns))
        lines.append(f"| {name} | {checked} | {kernel} |")
    return "\n".join(lines)


def table() -> str:
    """The table of parts in Markdown."""
    lines = ["| part | files | lines of code |", "|---|---|---|"]
    for name, patterns in PARTS.items():
        files = files_of(patterns)
        total = sum(code_lines(path.read_text(encoding="utf-8")) for path in files)
        lines.append(f"| {name} | {len(files)} | {total} |")
    return "\n".join(lines)


def main() -> int:
    """Print the tables, or compare them with the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    flags = parser.parse_args()
    tables = table(), table_of_families()
    if not flags.check:
        print("\n\n".join(tables))
        return 0
    page = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    return 0 if all(one in page for one in tables) else 1


if __name__ == "__main__":
    sys.exit(main())
