"""All built-in programs by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from synthesizers.errors import InputError
from synthesizers.registry import Registry

if TYPE_CHECKING:
    from synthesizers.budget import Budget
    from synthesizers.curator import Curator, Output, Setting


class BuiltIn(Protocol):
    """A program that knows its nominal guarantee."""

    def __call__(self, curator: Curator) -> Output:
        """The output."""

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee, with which a release opens its curator."""


PROGRAMS: Registry[type[BuiltIn]] = Registry(
    "synthesizers.programs",
    {
        "adagrid": "adagrid:AdaGrid",
        "aim": "aim:Aim",
        "archetypes": "archetypes:Archetypes",
        "bootstrap": "bootstrap:Bootstrap",
        "cell-key": "cell_key:CellKey",
        "coarsen": "coarsen:Coarsen",
        "dp-field-groups": "dp_field_groups:DPFieldGroups",
        "dp-wgan": "dp_wgan:DPWGAN",
        "dpsyn": "dpsyn:DPSyn",
        "dpsyn-2020": "dpsyn_2020:DPSyn2020",
        "fourier": "fourier:Fourier",
        "gem": "gem:GEM",
        "geometric-sanitizer": "geometric_sanitizer:GeometricSanitizer",
        "histograms": "histograms:Histograms",
        "independent-marginals": "independent_marginals:IndependentMarginals",
        "k-anonymity": "k_anonymity:KAnonymous",
        "laplace-sanitizer": "laplace_sanitizer:LaplaceSanitizer",
        "mst": "mst:Mst",
        "multinomial-dirichlet": "multinomial_dirichlet:MultinomialDirichlet",
        "mwem": "mwem:Mwem",
        "mwem-pgm": "mwem_pgm:MwemPgm",
        "nist-mst": "nist_mst:NistMst",
        "pfr-style": "pfr_style:PfrStyle",
        "pram": "pram:Pram",
        "privbasis": "privbasis:PrivBasis",
        "privbayes": "privbayes:PrivBayes",
        "privbayes-gauss": "privbayes_gauss:PrivBayesGauss",
        "priview": "priview:PriView",
        "privmrf": "privmrf:PrivMRF",
        "privsyn": "privsyn:PrivSyn",
        "random-round": "random_round:RandomRound",
        "subsample": "subsample:Subsample",
        "suppress": "suppress:Suppress",
        "swap": "swap:Swap",
        "two-way-marginals": "two_way_marginals:TwoWayMarginals",
    },
)


def build(name: str, values: Mapping[str, str]) -> BuiltIn:
    """The built-in program of a name and its parameters as text; raises InputError."""
    from synthesizers.programs.parameters import from_text

    if name not in PROGRAMS:
        raise InputError(f"no built-in program {name!r}; there are: {', '.join(PROGRAMS)}")
    built: BuiltIn = from_text(PROGRAMS[name], name, values)
    return built


def card(name: str) -> str:
    """A built-in program's card: the docstring of its module."""
    return PROGRAMS.module_docstring(name)
