"""Counterexamples: two neighbours whose exact laws are further apart than a statement says.

What is searched is small: a few true answers and every stated move, or all databases of a few
records of the declared domain. Of a mechanism that is known by a guarantee alone some mechanisms
are tried that have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from examples import examples, premise_of
from exceeding import exceed
from laws import (
    ADDITIVE,
    CHOICES,
    Pair,
    RowPair,
    additive,
    responses,
    sample,
    sample_openly,
    sampling_rate,
    together,
    turn,
)
from neighbouring import neighbouring_answers
from reading import Formal, Mechanism, Norm, Term, Vector

from synthesizers.neighbours import AddRemove, ReplaceOne

ZERO = Fraction(0)


@dataclass(frozen=True)
class Counterexample:
    """Two neighbours, and by how much their laws break the claim, in words."""

    words: str


def refute(formal: Formal) -> Counterexample | None:
    """A certified counterexample; None where none was found.

    Guarantee
    ---------
    The neighbours are neighbours, and what is stated of them exceeds the claim. Backed by
    ``tests/benchmarks/test_statements.py``.
    """
    if isinstance(formal.claim, Norm):
        return _longer_move(formal)
    for words, pair in pairs_of(formal):
        found = exceed(pair, formal.claim, formal.neighbours)
        if found is not None:
            return Counterexample(f"{words}: {found}")
    return None


def _longer_move(formal: Formal) -> Counterexample | None:
    claim = formal.claim
    assert isinstance(claim, Norm)
    for words, left, right in neighbouring_answers(formal):
        move = [abs(a - b) for a, b in zip(left, right, strict=True)]
        norms = {
            "l0": Fraction(sum(x > 0 for x in move)),
            "l1": sum(move, ZERO),
            "l2_squared": sum((x * x for x in move), ZERO),
            "linf": max(move),
        }
        if norms[claim.name] > claim.value:
            return Counterexample(f"{words}: {claim.name} is {norms[claim.name]}")
    return None


def pairs_of(formal: Formal) -> Iterator[tuple[str, Pair]]:
    """The laws of some neighbours, each with the neighbours in words."""
    terms = formal.mechanism
    if not any(_looks_at_answers(mechanism) for _, mechanism in terms):
        yield from _of_terms(terms, formal, "one record", (ZERO,), (Fraction(1),))
        return
    shifts = all(mechanism.name in ADDITIVE for _, mechanism in terms)
    seen: set[Vector] = set()
    for words, left, right in neighbouring_answers(formal):
        move = tuple(sorted(abs(a - b) for a, b in zip(left, right, strict=True)))
        if not (shifts and move in seen):
            seen.add(move)
            yield from _of_terms(terms, formal, words, left, right)


def _looks_at_answers(mechanism: Mechanism) -> bool:
    inside = any(_looks_at_answers(inner) for _, inner in mechanism.inner)
    return inside or mechanism.name in ADDITIVE or mechanism.name in CHOICES


def _of_terms(
    terms: tuple[Term, ...], formal: Formal, words: str, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """Every combination of the terms' pairs: independent runs on the same two neighbours."""
    each = [list(_of_mechanism(mechanism, formal, left, right)) for _, mechanism in terms]
    for chosen in product(*each):
        counted = [(count, pair) for (count, _), (_, pair) in zip(terms, chosen, strict=True)]
        pair = together(counted)
        if pair is not None:
            names = " and ".join(name for name, _ in chosen if name)
            yield " on ".join(part for part in (names, words) if part), pair


def _of_mechanism(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    match mechanism.name:
        case name if name in ADDITIVE:
            yield "", additive(mechanism, left, right)
        case name if name in CHOICES:
            law = CHOICES[name]
            yield "", RowPair(law(mechanism, left), law(mechanism, right))
        case "randomized_response" | "local" if formal.steps == 1:
            # A bit may be any query's; of more values it is a record's that is exchanged.
            if isinstance(formal.given, ReplaceOne) or set(mechanism.given) == {"epsilon"}:
                yield from (("", pair) for pair in responses(mechanism))
        case "pure" | "zcdp" | "gdp" | "renyi":
            yield from examples(premise_of(mechanism), formal.steps)
        case "post":
            yield from _of_terms(mechanism.inner, formal, "", left, right)
        case "poisson" | "without_replacement":
            yield from _sampled(mechanism, formal, left, right)
        case "parallel":
            yield from _parallel(mechanism, formal, left, right)


def _sampled(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """The record in question is sampled or not; without it the answers are right's.

    So it is where it is the only record, or of a sample of fixed size where all others are alike
    and it is exchanged for one of them. On Poisson samples under replace-one it is either of two
    records, and without either the output is a third, which shows that. On databases of a declared
    query the other records would be sampled, too: no pair is known there.
    """
    fixed = mechanism.name == "without_replacement"
    rate = sampling_rate(mechanism)
    exchanged = isinstance(formal.neighbours, ReplaceOne)
    if (fixed and not exchanged) or formal.query.declared is not None:
        return
    for words, inner in _of_terms(mechanism.inner, formal, "", left, right):
        if fixed or not exchanged:
            found = sample(inner, rate)
        elif mechanism.inner[0][1].name == "pure":
            found = sample_openly(inner, rate)
        else:
            return
        if found is not None:
            yield words, found


def _parallel(
    mechanism: Mechanism, formal: Formal, left: Vector, right: Vector
) -> Iterator[tuple[str, Pair]]:
    """A record in one of the parts; under replace-one, two in one part or one in each of two."""
    terms: list[tuple[Term, ...]] = [((1, part),) for _, part in mechanism.inner]
    parts = [list(_of_terms(term, formal, "", left, right)) for term in terms]
    if isinstance(formal.neighbours, AddRemove):
        yield from (entry for part in parts for entry in part)
        return
    if formal.query.declared is not None:
        # Its pairs exchange a record inside a part.
        return
    for term in terms:
        if not _looks_at_answers(term[0][1]):
            yield from _of_terms(term, replace(formal, given=AddRemove()), "", left, right)
    for (words, here), (more, there) in product(parts[0], parts[-1]):
        back = turn(there)
        pair = None if back is None else together([(1, here), (1, back)])
        if pair is not None:
            yield f"{words or more}, the record exchanged across parts", pair
