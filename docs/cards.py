"""Writes docs/reference/synthesizers.md from the cards of the built-in programs.

    python docs/cards.py            # writes the page
    python docs/cards.py --check    # compares it, and exits 1 if it differs

The words around the cards are in synthesizers.md.j2.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from synthesizers.programs import PROGRAMS, card

PAGE = Path(__file__).parent / "reference" / "synthesizers.md"

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "The 2018 challenge": (
        "dpsyn",
        "dp-field-groups",
        "pfr-style",
        "privbayes",
        "privbayes-gauss",
        "nist-mst",
        "dp-wgan",
    ),
    "The 2020 challenge": ("adagrid", "dpsyn-2020", "privmrf", "histograms", "archetypes"),
    "What they build on": ("priview", "privbasis", "fourier", "mwem", "privsyn"),
    "What one would take today": ("mst", "aim", "mwem-pgm", "gem"),
    "Baselines": (
        "independent-marginals",
        "two-way-marginals",
        "geometric-sanitizer",
        "laplace-sanitizer",
        "multinomial-dirichlet",
        "subsample",
        "bootstrap",
    ),
    "Agencies' methods, which promise no finite epsilon": (
        "cell-key",
        "coarsen",
        "k-anonymity",
        "pram",
        "random-round",
        "suppress",
        "swap",
    ),
}
"""Every built-in program, by where it comes from."""

_LABEL = re.compile(r"^([A-Z][A-Za-z ,'-]{2,40}):(?=\s)", re.MULTILINE)


def paragraphs(name: str) -> str:
    """A card without its title, the label of each paragraph in bold."""
    _, _, body = card(name).partition("\n")
    return _LABEL.sub(r"**\1.**", body.strip())


def title(name: str) -> str:
    """The first sentence of a card."""
    return card(name).splitlines()[0].rstrip(".")


def rendered() -> str:
    """The page."""
    families = {
        family: [name for name in names if name in PROGRAMS] for family, names in FAMILIES.items()
    }
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # The page is Markdown.
    )
    page = environment.get_template("synthesizers.md.j2")
    return page.render(families=families, title=title, paragraphs=paragraphs)


def main() -> int:
    """Write the page, or compare it; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare the page, and write nothing")
    flags = parser.parse_args()
    text = rendered()
    if flags.check:
        same = PAGE.exists() and PAGE.read_text() == text
        print("the page is current" if same else f"run python {Path(__file__).name} to renew it")
        return 0 if same else 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
