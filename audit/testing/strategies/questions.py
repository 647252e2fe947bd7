"""Questions: noises, laws, and the events made of them and of queries."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import strategies as st

from audit.testing.strategies.bounds import require_between
from audit.testing.strategies.claims import amounts
from audit.testing.strategies.queries import queries, scores
from synthesizers.domain import Domain
from synthesizers.events import Draw, Event, Measure, Sanitize, Select
from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.cell_keys import CellKey, PerturbationTable
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity, ladder_of, number_groups
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.public_laws import Multinomial, PublicLaw, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.suppression import CellSuppression
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.laws.table_laws import TableLaw
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace
from synthesizers.selection import Exponential


def noises(
    *, min_amount: Fraction | int = Fraction(1, 4), max_amount: Fraction | int = 4
) -> st.SearchStrategy[Noise]:
    """Every declared noise; ``amount``: its scale or variance. They shrink to Laplace of scale 1.

    Raises InputError for impossible bounds.
    """
    return st.one_of(
        list(noise_kinds(amounts(min_amount=min_amount, max_amount=max_amount)).values())
    )


def noise_kinds(
    found: st.SearchStrategy[Fraction],
) -> dict[type, st.SearchStrategy[Noise]]:
    """The declared noises, class by class."""
    return {
        DiscreteLaplace: st.builds(DiscreteLaplace, found),
        RoundedLaplace: st.builds(RoundedLaplace, found),
        DiscreteGaussian: st.builds(DiscreteGaussian, found),
    }


def selections(
    *, min_rate: Fraction | int = Fraction(1, 4), max_rate: Fraction | int = 4
) -> st.SearchStrategy[Exponential]:
    """Exponential mechanisms; InputError for impossible bounds."""
    return st.builds(Exponential, amounts(min_amount=min_rate, max_amount=max_rate))


@st.composite
def measurements(draw: st.DrawFn, domain: Domain, *, max_width: int = 200) -> Measure:
    """Noisy queries of at most ``max_width`` answers in all, so that they can be enumerated."""
    require_between(2, max_width, "possible answers", 2)
    query = draw(queries(domain, max_answers=max_width.bit_length() - 1))
    options = max(math.floor(max_width ** (1 / query.size(domain))), 2)
    low = draw(st.integers(-2, 2))
    return Measure(query, draw(noises()), low, low + draw(st.integers(1, options - 1)))


def events(domain: Domain, *, max_width: int = 200) -> st.SearchStrategy[Event]:
    """Questions of every kind, measurements of at most ``max_width`` answers.

    They shrink to whatever takes the fewest choices. Raises InputError for impossible bounds.
    """
    return st.one_of(list(event_kinds(domain, max_width).values()))


def event_kinds(domain: Domain, max_width: int = 200) -> dict[type, st.SearchStrategy[Event]]:
    """Questions, class by class."""
    return {
        Measure: measurements(domain, max_width=max_width),
        Select: st.builds(Select, scores(domain), selections()),
        Sanitize: table_laws(domain).map(Sanitize),
        Draw: public_laws().map(Draw),
    }


def public_laws(*, max_records: int = 4, max_options: int = 4) -> st.SearchStrategy[PublicLaw]:
    """Laws of public randomness; they shrink to a choice of one option."""
    return st.one_of(list(public_law_kinds(max_records, max_options).values()))


def public_law_kinds(
    max_records: int = 4, max_options: int = 4
) -> dict[type, st.SearchStrategy[PublicLaw]]:
    """The declared laws of public randomness, class by class."""
    require_between(0, max_records, "records")
    require_between(1, max_options, "options", 1)
    weights = st.lists(st.integers(0, 3), min_size=1, max_size=max_options).filter(any)
    return {
        UniformChoice: st.builds(UniformChoice, st.integers(1, max_options)),
        Multinomial: st.builds(Multinomial, st.integers(0, max_records), weights.map(tuple)),
    }


def table_laws(domain: Domain) -> st.SearchStrategy[TableLaw]:
    """Every declared law of whole tables over a domain; they shrink to randomized response."""
    return st.one_of(list(table_law_kinds(domain).values()))


def table_law_kinds(domain: Domain) -> dict[type, st.SearchStrategy[TableLaw]]:
    """The declared laws of whole tables that a domain has, class by class."""
    size, shape = domain.size, domain.shape
    shares = st.fractions(Fraction(1, 4), 1, max_denominator=4)
    priors = st.one_of(
        amounts().map(lambda alpha: (alpha,)),
        st.lists(amounts(), min_size=size, max_size=size).map(tuple),
    )
    few = st.integers(0, 3)
    ladders = tuple(ladder_of(domain, name) for name in domain.names)
    found: dict[type, st.SearchStrategy[TableLaw]] = {
        RandomizedResponse: st.builds(RandomizedResponse, amounts()),
        DirichletMultinomial: st.builds(DirichletMultinomial, priors, few),
        PlugInMultinomial: st.builds(PlugInMultinomial, priors, few),
        Bootstrap: st.builds(Bootstrap, few),
        Subsample: st.builds(Subsample, shares),
        RandomRounding: st.builds(RandomRounding, st.integers(2, 5)),
        CellSuppression: st.builds(
            CellSuppression, st.just(shape), st.integers(1, 4), st.booleans()
        ),
        CellKey: st.builds(CellKey, _perturbations()),
        GlobalRecoding: st.tuples(*map(_groupings, shape)).map(GlobalRecoding),
        KAnonymity: st.builds(KAnonymity, st.just(ladders), st.integers(1, 4), few),
        PostRandomisation: _matrices(domain),
    }
    swapped = [place for place in range(len(shape)) if _can_swap(shape, place)]
    if swapped:
        places = st.sampled_from(swapped)
        found[RecordSwapping] = st.builds(
            RecordSwapping, st.just(shape), places, st.just(()), shares
        )
    return found


def _can_swap(shape: tuple[int, ...], place: int) -> bool:
    return shape[place] > 1 and math.prod(shape) > shape[place]


def _groupings(size: int) -> st.SearchStrategy[tuple[int, ...]]:
    groups = st.lists(st.integers(0, size - 1), min_size=size, max_size=size)
    return groups.map(number_groups)


@st.composite
def _matrices(draw: st.DrawFn, domain: Domain) -> PostRandomisation:
    """Of the whole record, or of one attribute."""
    place = draw(st.sampled_from([None, *range(len(domain.shape))]))
    if place is None:
        size, before, after = domain.size, 1, 1
    else:
        size = domain.shape[place]
        before, after = math.prod(domain.shape[:place]), math.prod(domain.shape[place + 1 :])
    off, most = draw(st.integers(0, 2)), 2 * (size - 1)
    kept = most - off * (size - 1) + draw(st.integers(1, 4))
    rows = tuple(tuple(kept if i == j else off for j in range(size)) for i in range(size))
    return PostRandomisation(rows, before, after)


@st.composite
def _perturbations(draw: st.DrawFn) -> PerturbationTable:
    """Rows for counts of 1, 2, …, each of up to three changes."""
    rows = []
    for count in range(1, draw(st.integers(1, 3)) + 1):
        changes = sorted(draw(st.sets(st.integers(-count, 2), min_size=1, max_size=3)))
        weights = [draw(st.integers(1, 3)) for _ in changes]
        chances = [Fraction(weight, sum(weights)) for weight in weights]
        rows.append(tuple(zip(changes, chances, strict=True)))
    return PerturbationTable(tuple(rows))
