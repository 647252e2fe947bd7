"""True answers of a query on two neighbours, enough of them to find a counterexample."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, groupby, product

from reading import Formal, Query, Vector

from synthesizers.domain import Attribute, Domain
from synthesizers.events import Measure
from synthesizers.neighbours import Neighbours, databases, neighbour_pairs
from synthesizers.queries import answers_of_histograms
from synthesizers.questions_json import question_from_json

LEVELS = (0, 1, 25)
"""The true answers that are combined, up to `MANY` of them; the last is far from the others."""

MANY = 3


def neighbouring_answers(formal: Formal) -> Iterator[tuple[str, Vector, Vector]]:
    """True answers of some neighbours, in words and as vectors, each way round."""
    query = formal.query
    if query.declared is not None:
        yield from _on_databases(query, formal.neighbours)
        return
    signed = {tuple(side * x for x in move) for move in query.moves for side in (1, -1)}
    far = {
        tuple(map(sum, zip(*some, strict=True)))
        for some in combinations_with_replacement(sorted(signed), formal.steps)
    }
    moves = sorted(far, key=lambda move: -sum(map(abs, move)))
    for base in _bases(len(query.moves[0])):
        for move in moves:
            other = tuple(a + b for a, b in zip(base, move, strict=True))
            yield f"answers {_text(base)} and {_text(other)}", base, other


@cache
def _bases(answers: int) -> tuple[Vector, ...]:
    """True answers: all of `LEVELS`, or where there are many all alike but for one."""
    if answers <= MANY:
        levels = product(map(Fraction, LEVELS), repeat=answers)
        return tuple(base for base in levels if min(base) == 0)
    alike = tuple(map(Fraction, (0,) * answers))
    last = [(*alike[1:], Fraction(level)) for level in (-1, 1, 25)]
    first = [(Fraction(level), *alike[1:]) for level in (-25, 25)]
    return (alike, *last, *first)


def _text(answers: Vector) -> str:
    """The answers, equal ones in a row counted."""
    runs = [list(map(str, run)) for _, run in groupby(answers)]
    words = [run if len(run) <= MANY else [f"{len(run)} times {run[0]}"] for run in runs]
    return f"({', '.join(word for run in words for word in run)})"


def _on_databases(query: Query, neighbours: Neighbours) -> Iterator[tuple[str, Vector, Vector]]:
    assert query.shape is not None and query.declared is not None
    attributes = tuple(
        Attribute(name, tuple(map(str, range(size)))) for name, size in query.shape.items()
    )
    domain = Domain("domain", attributes)
    noise = {"law": "discrete-laplace", "scale": "1"}
    asked = {"event": "measure", "query": dict(query.declared), "noise": noise}
    event = question_from_json({**asked, "low": 0, "high": 0}, domain)
    rows = databases(neighbours, domain.size, max(2, neighbours.unit.max_records))
    assert isinstance(event, Measure)
    answers = answers_of_histograms(event.query, domain, rows)
    seen = set()
    for pair in neighbour_pairs(neighbours, rows).tolist():
        for one, other in (pair, pair[::-1]):
            left, right = (tuple(map(Fraction, answers[n].tolist())) for n in (one, other))
            if (left, right) not in seen:
                seen.add((left, right))
                yield f"counts {rows[one].tolist()} and {rows[other].tolist()}", left, right
