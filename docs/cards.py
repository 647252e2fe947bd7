"""Writes docs/reference/synthesizers.md from the cards of the built-in programs.

    python docs/cards.py            # writes the page
    python docs/cards.py --check    # compares it, and exits 1 if it differs

The words around the cards are in synthesizers.md.j2.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from docs.generated import DOCS, render, write_or_compare
from synthesizers.programs import PROGRAMS, card

PAGE = DOCS / "reference" / "synthesizers.md"

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
    return render("synthesizers.md.j2", families=families, title=title, paragraphs=paragraphs)


if __name__ == "__main__":
    sys.exit(write_or_compare(__doc__, {PAGE: rendered}))
