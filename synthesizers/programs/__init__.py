"""The built-in programs by name: one synthesizer a file, its docstring is its card."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Protocol

from synthesizers.budget import Budget
from synthesizers.curator import Curator, Output, Setting
from synthesizers.errors import InputError
from synthesizers.programs.bootstrap import Bootstrap
from synthesizers.programs.cell_key import CellKey
from synthesizers.programs.coarsen import Coarsen
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.k_anonymity import KAnonymous
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.parameters import from_text
from synthesizers.programs.pram import Pram
from synthesizers.programs.random_round import RandomRound
from synthesizers.programs.subsample import Subsample
from synthesizers.programs.suppress import Suppress
from synthesizers.programs.swap import Swap


class BuiltIn(Protocol):
    """A program that knows its nominal guarantee."""

    def __call__(self, curator: Curator) -> Output:
        """The output."""

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee, with which a release opens its curator."""


PROGRAMS: dict[str, type[BuiltIn]] = {
    "bootstrap": Bootstrap,
    "cell-key": CellKey,
    "coarsen": Coarsen,
    "geometric-sanitizer": GeometricSanitizer,
    "k-anonymity": KAnonymous,
    "laplace-sanitizer": LaplaceSanitizer,
    "multinomial-dirichlet": MultinomialDirichlet,
    "pram": Pram,
    "random-round": RandomRound,
    "subsample": Subsample,
    "suppress": Suppress,
    "swap": Swap,
}


def build(name: str, values: Mapping[str, str]) -> BuiltIn:
    """The built-in program of a name and its parameters as text; raises InputError."""
    if name not in PROGRAMS:
        raise InputError(f"no built-in program {name!r}; there are: {', '.join(PROGRAMS)}")
    built: BuiltIn = from_text(PROGRAMS[name], name, values)
    return built


def card(name: str) -> str:
    """A built-in program's card: the docstring of its module."""
    return (sys.modules[PROGRAMS[name].__module__].__doc__ or "").strip()
