"""All built-in programs by name."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Protocol

from synthesizers.budget import Budget
from synthesizers.curator import Curator, Output, Setting
from synthesizers.errors import InputError
from synthesizers.programs.adagrid import AdaGrid
from synthesizers.programs.aim import Aim
from synthesizers.programs.archetypes import Archetypes
from synthesizers.programs.bootstrap import Bootstrap
from synthesizers.programs.cell_key import CellKey
from synthesizers.programs.coarsen import Coarsen
from synthesizers.programs.dp_field_groups import DPFieldGroups
from synthesizers.programs.dp_wgan import DPWGAN
from synthesizers.programs.dpsyn import DPSyn
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from synthesizers.programs.fourier import Fourier
from synthesizers.programs.gem import GEM
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.histograms import Histograms
from synthesizers.programs.independent_marginals import IndependentMarginals
from synthesizers.programs.k_anonymity import KAnonymous
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer
from synthesizers.programs.mst import Mst
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.mwem import Mwem
from synthesizers.programs.mwem_pgm import MwemPgm
from synthesizers.programs.nist_mst import NistMst
from synthesizers.programs.parameters import from_text
from synthesizers.programs.pfr_style import PfrStyle
from synthesizers.programs.pram import Pram
from synthesizers.programs.privbasis import PrivBasis
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.programs.privbayes_gauss import PrivBayesGauss
from synthesizers.programs.priview import PriView
from synthesizers.programs.privmrf import PrivMRF
from synthesizers.programs.privsyn import PrivSyn
from synthesizers.programs.random_round import RandomRound
from synthesizers.programs.subsample import Subsample
from synthesizers.programs.suppress import Suppress
from synthesizers.programs.swap import Swap
from synthesizers.programs.two_way_marginals import TwoWayMarginals


class BuiltIn(Protocol):
    """A program that knows its nominal guarantee."""

    def __call__(self, curator: Curator) -> Output:
        """The output."""

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee, with which a release opens its curator."""


PROGRAMS: dict[str, type[BuiltIn]] = {
    "adagrid": AdaGrid,
    "aim": Aim,
    "archetypes": Archetypes,
    "bootstrap": Bootstrap,
    "cell-key": CellKey,
    "coarsen": Coarsen,
    "dp-field-groups": DPFieldGroups,
    "dp-wgan": DPWGAN,
    "dpsyn": DPSyn,
    "dpsyn-2020": DPSyn2020,
    "fourier": Fourier,
    "gem": GEM,
    "geometric-sanitizer": GeometricSanitizer,
    "histograms": Histograms,
    "independent-marginals": IndependentMarginals,
    "k-anonymity": KAnonymous,
    "laplace-sanitizer": LaplaceSanitizer,
    "mst": Mst,
    "multinomial-dirichlet": MultinomialDirichlet,
    "mwem": Mwem,
    "mwem-pgm": MwemPgm,
    "nist-mst": NistMst,
    "pfr-style": PfrStyle,
    "pram": Pram,
    "privbasis": PrivBasis,
    "privbayes": PrivBayes,
    "privbayes-gauss": PrivBayesGauss,
    "priview": PriView,
    "privmrf": PrivMRF,
    "privsyn": PrivSyn,
    "random-round": RandomRound,
    "subsample": Subsample,
    "suppress": Suppress,
    "swap": Swap,
    "two-way-marginals": TwoWayMarginals,
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
