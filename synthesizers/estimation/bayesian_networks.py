"""Bayesian networks: conditionals from noisy joints, and records drawn from parents to children."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, rounded_table
from synthesizers.estimation.systematic import systematic_choices

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Conditional:
    """The law of a child given its parents: ``chances``, one axis a parent, the child's last."""

    child: str
    parents: tuple[str, ...]
    chances: FloatArray


Network = Sequence[Conditional]
"""Conditionals of all attributes of a domain, each after those of its parents."""


def conditional(child: str, parents: tuple[str, ...], joint: FloatArray) -> Conditional:
    """The law that a noisy joint, one axis a parent and the child's last, has of its child.

    Negative counts are taken as 0. Where no count of a combination of parents is positive, the
    child follows the whole joint; where none at all is, it is uniform.
    """
    counts = np.maximum(joint, 0.0)
    overall = counts.sum(axis=tuple(range(counts.ndim - 1)))
    if not overall.sum() > 0:
        overall = np.ones_like(overall)
    totals = counts.sum(axis=-1, keepdims=True)
    spread = np.broadcast_to(overall / overall.sum(), counts.shape)
    chances = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), spread)
    return Conditional(child, parents, chances)


def network_table(domain: Domain, network: Network) -> FloatArray:
    """The chance of every cell of a small domain, [cells]: the product of the conditionals."""
    _require_order(domain, network)
    chances = np.ones(domain.shape)
    for part in network:
        axes = [domain.position(name) for name in (*part.parents, part.child)]
        sizes = [size if axis in axes else 1 for axis, size in enumerate(domain.shape)]
        chances = chances * part.chances.transpose(np.argsort(axes)).reshape(sizes)
    return chances.ravel()


def network_records(
    domain: Domain, network: Network, rows: int, random: np.random.Generator
) -> Dataset:
    """``rows`` records, each attribute drawn given its parents.

    Records of the same parents share one systematic draw (`systematic_choices`).
    """
    _require_order(domain, network)
    codes = np.zeros((rows, len(domain.attributes)), np.int64)
    for part in network:
        given = np.zeros(rows, np.int64)
        for name in part.parents:
            place = domain.position(name)
            given = given * domain.shape[place] + codes[:, place]
        laws = part.chances.reshape(-1, part.chances.shape[-1])
        codes[:, domain.position(part.child)] = systematic_choices(laws, given, random)
    return Dataset(domain, codes)


def generated(curator: Curator, network: Network, rows: int) -> Dataset:
    """What a program releases of its network: the rounded table of a small domain, else records."""
    domain = curator.domain
    if domain.size <= SMALL_DOMAIN:
        return rounded_table(domain, network_table(domain, network), rows)
    return network_records(domain, network, rows, public_generator(curator))


def _require_order(domain: Domain, network: Network) -> None:
    drawn: list[str] = []
    for part in network:
        if not set(part.parents) <= set(drawn):
            raise InputError("a network lists parents before their children")
        drawn.append(part.child)
    if sorted(drawn) != sorted(domain.names):
        raise InputError("a network has one conditional for each attribute of its domain")
