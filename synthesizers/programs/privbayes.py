"""PrivBayes: a Bayesian network chosen by the exponential mechanism, with noisy conditionals.

Purpose: records of a domain with many attributes under pure differential privacy; the classic
baseline of graphical synthesizers.

Source: Zhang, Cormode, Procopiuc, Srivastava & Xiao 2017, "PrivBayes: private data release via
Bayesian networks", ACM TODS 42(4) (SIGMOD 2014): GreedyBayes, NoisyConditionals and the scores I, F
and R.

Inputs: epsilon; score: I (mutual information), F (maximal correlation, all attributes of two
values) or R (distance from independence), auto for F where all attributes have two values and R
elsewhere; beta, the share of epsilon for the structure (default 0.3); theta, the usefulness of a
joint (default 4); parents, the most of one child (default: no limit); negatives, norm-sub (default)
or clip, the paper's; slack of the noisy counts.

Budget: a share beta of epsilon for d - 1 choices of a child with its parents by the exponential
mechanism, equal parts; the rest in equal parts for the joint counts of children with their parents,
discrete Laplace noise each. Sensitivities under replace-one: a joint 2 (L1); n·I in bits n·log2 n -
(n-1)·log2(n-1) where one side has two values, else (n+1)·log2((n+1)/2) - (n-1)·log2((n-1)/2); 2n·F
2; 2n·R 6, or 4 where one side has two values. The scores move both ways, so the factor 1/2 stays.
The first attribute is a public coin's. If all attributes have two values, all children but the
first k have k parents, where k is the largest with n·ε₂/((d-k)·2^(k+2)) >= theta, and d - k joints
are noised: the first k conditionals follow from the next one's. Otherwise a child with its parents
has at most n·ε₂/(2d·theta) cells, parents are sets to which no attribute can be added, and d joints
are noised. Where no child can have a parent nothing is chosen, and all of epsilon goes to the
joints. Accountant: sums of epsilon.

Post-processing: negative counts become 0, and by norm-sub all others fall by one amount, so that
the joint keeps its total; each conditional is normalised (without a positive count it is the
child's law in the whole joint); records are drawn from parents to children, by systematic sampling.
On a small domain the network's whole table is rounded instead.

Assumes public: the domain; n (replace-one of records; other neighbours are refused).

Known weaknesses: at small epsilon the structure is close to chance, and few children have parents;
joints of children with many parents are noisy; what no family holds is lost.

Departures: noise on counts, discrete; R is charged 3/n, which we prove, where the paper has 3/n +
2/n²; scores are in whole units; an attribute that fits no parent joins the network without a
choice, after all that do; norm-sub, without which many small counts keep their noise's positive
part; no generalisation of parents; systematic sampling.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import laplace_scale, require_epsilon
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import Block, conditional, release_blocks
from synthesizers.estimation.negatives import norm_sub
from synthesizers.laws.public_laws import UniformChoice
from synthesizers.noise import DiscreteLaplace, require_positive
from synthesizers.programs.asking import bounds_of_counts, require_share
from synthesizers.programs.marginal_questions import choose
from synthesizers.programs.parameters import one_of, parameter, rational, whole
from synthesizers.queries import (
    IndependenceDistance,
    Marginal,
    MaximalCorrelation,
    MutualInformation,
    Query,
)

UNITS = 64
"""Whole units in a bit or record of a score, so that rounding is small beside the noise."""

MAX_CANDIDATES = 100_000
"""The most children with parents that one choice is made among."""

Family = tuple[str, tuple[str, ...]]
"""A child and its parents."""


@dataclass(frozen=True, slots=True)
class _Shares:
    """What is public before anything is asked.

    ``degree``: how many parents a child has where all attributes have two values, otherwise None.
    ``cells``: the most cells of a child with its parents. ``choosing``, ``measuring``: epsilons.
    """

    degree: int | None
    cells: Fraction
    choosing: Fraction
    measuring: Fraction


@dataclass(frozen=True, slots=True)
class PrivBayes:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    score: str = parameter(one_of("auto", "I", "F", "R"), "auto")
    beta: Fraction = parameter(rational, Fraction(3, 10))
    theta: Fraction = parameter(rational, Fraction(4))
    parents: int | None = parameter(whole, None)
    negatives: str = parameter(one_of("norm-sub", "clip"), "norm-sub")
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_positive(self.theta, "theta")
        require_share(self.beta, "beta, the share of epsilon for the structure,")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        domain, records = curator.domain, curator.records
        if records is None:
            raise InputError("privbayes needs a public number of records: replace-one of records")
        if self.score == "F" and set(domain.shape) != {2}:
            raise InputError("the score F is of attributes of two values; take R or I")
        shares = self._shares(domain, records)
        families = self._families(curator, records, shares)
        first = 0 if shares.degree is None else shares.degree
        each = shares.measuring / (len(families) - first)
        network: list[Block] = []
        for place in range(first, len(families)):
            child, parents = families[place]
            joint = self._joint(curator, Marginal((*parents, child)), each)
            if place == first:
                network += _first_conditionals(families[:first], parents, joint)
            network.append(conditional(child, parents, joint))
        rows = records if curator.setting.rows is None else curator.setting.rows
        return release_blocks(curator, network, rows)

    def _shares(self, domain: Domain, records: int) -> _Shares:
        """The shares of epsilon, and how large joints may be."""
        left = (1 - self.beta) * self.epsilon
        joints, sizes = len(domain.names), sorted(domain.shape)
        limit = joints if self.parents is None else self.parents
        useful = records * left / self.theta
        if sizes[-1] == 2 == sizes[0]:
            fitting = [k for k in range(1, joints) if useful >= (joints - k) * 2 ** (k + 2)]
            degree = min(max(fitting, default=0), limit)
            cells, linked = Fraction(2 ** (degree + 1)), degree > 0
            return _Shares(degree, cells, *self._split_budget(linked))
        cells = useful / (2 * joints)
        linked = joints > 1 and sizes[0] * sizes[1] <= cells and limit > 0
        return _Shares(None, cells, *self._split_budget(linked))

    def _split_budget(self, linked: bool) -> tuple[Fraction, Fraction]:
        choosing = self.beta * self.epsilon if linked else Fraction(0)
        return choosing, self.epsilon - choosing

    def _families(self, curator: Curator, records: int, shares: _Shares) -> list[Family]:
        """The children with their parents, in the order in which they were chosen."""
        names = curator.domain.names
        root = names[int(curator.draw(UniformChoice(len(names)))[0])]
        families: list[Family] = [(root, ())]
        while len(families) < len(names):
            used = [child for child, _ in families]
            free = [name for name in names if name not in used]
            candidates = self._candidates(curator.domain, used, free, shares)
            if candidates:
                scores = self._scores(curator.domain, tuple(candidates), records)
                place = choose(curator, scores, shares.choosing / (len(names) - 1))
                families.append(candidates[place])
            else:
                families.append((free[0], ()))
        return families

    def _candidates(
        self, domain: Domain, used: Sequence[str], free: Sequence[str], shares: _Shares
    ) -> list[Family]:
        """Every free attribute with each set of parents that it may have, sets of none aside."""
        found: list[Family] = []
        for child in free:
            for parents in self._parent_sets(domain, used, child, shares):
                found.append((child, parents))
                if len(found) > MAX_CANDIDATES:
                    raise InputError(
                        f"a choice would be among more than {MAX_CANDIDATES} sets of parents; "
                        "limit them with --set parents=K"
                    )
        return found

    def _parent_sets(
        self, domain: Domain, used: Sequence[str], child: str, shares: _Shares
    ) -> Iterator[tuple[str, ...]]:
        if shares.degree is not None:
            number = min(shares.degree, len(used))
            return combinations(used, number) if number else iter(())
        sizes = {name: domain.attribute(name).size for name in used}
        most = len(used) if self.parents is None else self.parents
        return maximal_sets(sizes, shares.cells / domain.attribute(child).size, most)

    def _scores(self, domain: Domain, candidates: tuple[Family, ...], records: int) -> Query:
        score = self.score
        if score == "auto":
            score = "F" if set(domain.shape) == {2} else "R"
        if score == "I":
            return MutualInformation(candidates, records, UNITS)
        if score == "F":
            return MaximalCorrelation(candidates)
        return IndependenceDistance(tuple(((c,), parents) for c, parents in candidates), UNITS)

    def _joint(self, curator: Curator, query: Marginal, epsilon: Fraction) -> NDArray[np.float64]:
        """Noisy counts without negatives, one axis an attribute."""
        sensitivity = query.sensitivity(curator.domain, curator.neighbours)
        # The one cell of attributes of one value holds all n records: any noise is free.
        scale = laplace_scale(epsilon, sensitivity) or Fraction(1)
        low, high = bounds_of_counts(curator.setting, self.slack)
        counts = curator.measure(query, DiscreteLaplace(scale), low=low, high=high)
        shape = [curator.domain.attribute(name).size for name in query.attributes]
        noisy = counts.astype(np.float64).reshape(shape)
        return norm_sub(noisy) if self.negatives == "norm-sub" else np.maximum(noisy, 0.0)


def maximal_sets(sizes: Mapping[str, int], cells: Fraction, most: int) -> Iterator[tuple[str, ...]]:
    """The sets of one to ``most`` attributes, of ``cells`` cells at most, that cannot grow.

    The maximal parent sets of Zhang et al. 2017, Algorithm 5, by size and then by place.
    """
    ordered = sorted(sizes, key=lambda name: sizes[name])
    counts = [sizes[name] for name in ordered]

    def grown(chosen: tuple[int, ...], start: int, product: int) -> Iterator[tuple[str, ...]]:
        left = range(start, len(ordered))
        spare = next((place for place in range(len(ordered)) if place not in chosen), None)
        room = len(chosen) + len(left) < most
        below = product * math.prod(counts[start:])
        if room and spare is not None and spare < start and below * counts[spare] <= cells:
            return  # whatever is taken of those left, the spare one fits beside it
        full = len(chosen) == most or spare is None or product * counts[spare] > cells
        if full and chosen:
            yield tuple(ordered[place] for place in chosen)
        for place in left:
            if product * counts[place] > cells or len(chosen) == most:
                return
            yield from grown((*chosen, place), place + 1, product * counts[place])

    return grown((), 0, 1)


def _first_conditionals(
    families: Sequence[Family], parents: tuple[str, ...], joint: NDArray[np.float64]
) -> list[Block]:
    """Of the children that are parents of a joint's child: what the joint says of them."""
    found = []
    counts = joint.sum(axis=-1)
    for child, own in families:
        names = (*own, child)
        gone = tuple(axis for axis, name in enumerate(parents) if name not in names)
        left = [name for name in parents if name in names]
        kept = counts.sum(axis=gone).transpose([left.index(name) for name in names])
        found.append(conditional(child, own, kept))
    return found
