"""Examining a query's sensitivity: the methods that apply, and what each of them found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from audit.auditors.sensitivity.answers import Answering, InProcess, Noted, Record
from audit.auditors.sensitivity.certificate import Certified, certifiable, certify_change
from audit.auditors.sensitivity.declaration import Declared, Norm, Size, of_query
from audit.auditors.sensitivity.described import Described
from audit.auditors.sensitivity.extremes import Extremes, exhaust, merge, require_same_answers
from audit.auditors.sensitivity.orders import try_orders
from audit.auditors.sensitivity.piecewise import PiecewiseLinear
from audit.auditors.sensitivity.records import DomainRecords, FloatColumn, Records
from audit.auditors.sensitivity.search import EXAMPLES, Sought, search
from audit.auditors.sensitivity.small import affordable, small
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import Neighbours
from synthesizers.queries import Query

LARGEST_EXHAUSTED = 6
"""The most records of databases that are exhausted where no number is given (what a small database
does not show, a slightly larger one seldom does)."""

ROUNDING = Fraction(1, 2**30)
"""An excess of this share of what was declared is called one of rounding (far above the 2^-52 of
one operation, far below what a wrong formula does)."""

MOST_WRITTEN = 300
"""The longest database, in characters of Python, that a replay line spells out."""


@dataclass(frozen=True)
class StatedQuery:
    """A query with its sensitivity as its developer states it.

    ``function``: f(records) -> a number or numbers, where records is a list of mappings from
    attribute to value (labels; numbers for bins; None for a missing value; with the id column
    where the domain has one). Or a query of `synthesizers.queries`, a `PiecewiseLinear` one, or
    whatever has ``answer``, as `audit.auditors.sensitivity.answers.Answering`. ``domain``: what
    records may be: a domain, or a column of floats. ``replay``: how a report says to see a pair's
    change again; by default as a call of the function by its name.
    """

    name: str
    function: Callable[[list[Record]], object] | Query | PiecewiseLinear | Answering
    domain: Domain | FloatColumn
    declared: Declared
    replay: Callable[[Shown], str] | None = field(default=None, compare=False)

    @property
    def space(self) -> Records:
        """The records that databases are made of."""
        known = self.described
        if known is not None:
            return DomainRecords(known.domain)
        return self.domain if isinstance(self.domain, FloatColumn) else DomainRecords(self.domain)

    @property
    def described(self) -> Described | None:
        """The query as one of known form; None for a function."""
        known: Any = self.function
        if not isinstance(known, PiecewiseLinear) and not hasattr(known, "answers"):
            return None
        if isinstance(self.domain, FloatColumn):
            raise InputError("a query over cells needs a domain with cells, not a column of floats")
        return Described(known, self.domain)

    @property
    def answering(self) -> Answering:
        """What answers a database."""
        function: Any = self.function
        known = self.described
        if known is not None:
            return known
        return function if hasattr(function, "answer") else InProcess(function)


def state_query(name: str, query: Query, domain: Domain, neighbours: Neighbours) -> StatedQuery:
    """A declared query with the sensitivity that it states of itself."""
    return StatedQuery(name, query, domain, of_query(query.sensitivity(domain, neighbours)))


def examine(
    query: StatedQuery,
    neighbours: Neighbours,
    records: Sequence[int] | None = None,
    *,
    examples: int = EXAMPLES,
    seed: int = 0,
) -> tuple[Finding, ...]:
    """What each method that applies found of each declared norm.

    ``records``: the databases have so many records, each number one instance (0 to so many where
    n is private); None for any number. ``examples``, ``seed``: of the search.

    Described queries get a certificate. What it leaves open, and functions, are exhausted where
    databases are few enough; functions are looked at in every order of small lists, and searched
    for what was not exceeded by then. Of
    each method and norm: the largest change, and the smallest pair beyond what was declared where
    that is another one.

    Raises InputError for numbers of records that make no sense; ProtocolError for a function that
    never gives a number, or not the same one when asked again.

    Guarantee
    ---------
    The answers on every pair shown were asked for twice, and the change is theirs, exactly: no
    function is accused of a change that its pair does not show. Backed by
    ``tests/audit/auditors/sensitivity/test_examine.py``.
    """
    if records is not None and (not records or any(size < 1 for size in records)):
        raise InputError("databases need at least one record to have neighbours")
    answering = Noted(query.answering)
    case = _Case(query, answering, neighbours, records, examples, seed)
    found: list[_Found] = []
    for method in (_certificates, _exhaustion, _in_any_order, _search):
        settled = {one.norm for one in found if one.settles}
        left = [bound for bound in query.declared if bound[0] not in settled]
        if left:
            found += method(case, _declare(left))
    unread = answering.reasons and not answering.answered
    if not found or (unread and not any(one.finding.violated for one in found)):
        raise _nothing(answering)
    return tuple(one.finding for one in found)


def _nothing(answering: Noted) -> InputError | ProtocolError:
    """Why nothing was found at all."""
    if answering.answered or not answering.reasons:
        return InputError("no two of these databases are neighbours; take more cells or records")
    return ProtocolError(
        f"the function gave no number on any database ({', '.join([*answering.reasons][:3])}); "
        "expected f(records) -> a number or numbers, where records is a list of mappings from "
        "attribute to value"
    )


@dataclass(frozen=True)
class _Case:
    """What is examined, and how long."""

    query: StatedQuery
    answering: Noted
    neighbours: Neighbours
    records: Sequence[int] | None
    examples: int
    seed: int


@dataclass(frozen=True)
class _Found:
    """A finding of a norm, and whether other methods need not look any further."""

    norm: Norm
    finding: Finding
    settles: bool


def _declare(bounds: Sequence[tuple[Norm, Fraction]]) -> Declared:
    of = dict(bounds)
    return Declared(of.get(Norm.L1), of.get(Norm.L2), of.get(Norm.LINF))


def _certificates(case: _Case, declared: Declared) -> Iterator[_Found]:
    known = case.query.described
    if known is None:
        return
    for norm, bound in declared:
        instances = (None,) if case.records is None else case.records
        found = [certify_change(known, case.neighbours, size, norm) for size in instances]
        kept = [one for one in found if one is not None]
        exact = len(kept) == len(found) and all(one.rigour is Rigour.EXACT for one in kept)
        for one in kept:
            yield _Found(norm, _of_certificate(case, bound, one), exact or one.size > bound)


def _of_certificate(case: _Case, bound: Fraction, found: Certified) -> Finding:
    return Finding(
        auditor="sensitivity",
        about=f"{found.norm.title} sensitivity",
        decision=Decision.of_declaration(found.size > bound),
        declared=found.norm.text(bound),
        found=found.norm.text(found.size),
        rigour=found.rigour,
        covers=f"{found.covers} ({relation_words(case.neighbours)})",
        again=_replay(case.query, found.shown),
        pair=found.shown,
        responsible=found.responsible,
    )


def _exhaustion(case: _Case, declared: Declared) -> Iterator[_Found]:
    space = case.query.space
    listed = space.list_records()
    sizes = [] if listed is None else _exhaustible(case, len(listed))
    if listed is None or not sizes:
        return
    instances = [
        small(listed, case.neighbours, size, space.individual, space.words()) for size in sizes
    ]
    found = merge(exhaust(case.answering, one, declared) for one in instances)
    words = instances[-1].words
    if len(sizes) > 1:
        words = words.replace(f"of {sizes[-1]} ", f"of {_list_sizes(sizes)} ", 1)
    rigour = Rigour.EXACT if space.complete else Rigour.FLOOR
    yield from _conclude(case, declared, found, "sensitivity", rigour, words)


def _exhaustible(case: _Case, kinds: int) -> list[int]:
    """The numbers of records whose databases are few enough."""
    whose = case.query.space.individual
    sizes = range(1, LARGEST_EXHAUSTED + 1) if case.records is None else sorted({*case.records})
    found = [size for size in sizes if affordable(kinds, case.neighbours, size, whose)]
    # Databases of 0 to N records hold those of fewer.
    return found if case.neighbours.records_public else found[-1:]


def _list_sizes(sizes: Sequence[int]) -> str:
    if len(sizes) > 2 and sizes[-1] - sizes[0] == len(sizes) - 1:
        return f"{sizes[0]} to {sizes[-1]}"
    return " or ".join(map(str, sizes))


def _in_any_order(case: _Case, declared: Declared) -> Iterator[_Found]:
    query = case.query
    if query.described is not None:
        return
    for size in (None,) if case.records is None else case.records:
        found = try_orders(case.answering, query.space, case.neighbours, size, declared)
        moved = "change where records only change places"
        covers = f"{found.covers}, and orders of larger ones"
        yield from _conclude(case, declared, found.reordered, moved, Rigour.FLOOR, covers)
        about = "sensitivity, records in any order"
        yield from _conclude(case, declared, found.neighbours, about, Rigour.FLOOR, found.covers)


def _search(case: _Case, declared: Declared) -> Iterator[_Found]:
    query = case.query
    if query.described is not None and certifiable(query.described):
        return
    for size in (None,) if case.records is None else case.records:
        sought = Sought(query.space, case.neighbours, size, case.examples, case.seed)
        found = search(case.answering, sought, declared)
        scope = "databases of any size" if size is None else f"databases of {size} records"
        if size is not None and not case.neighbours.records_public:
            scope = f"databases of at most {size} records"
        covers = f"a search among {scope}: chains and families of them, {case.examples} made up"
        yield from _conclude(case, declared, found, "sensitivity", Rigour.FLOOR, covers)


def _conclude(
    case: _Case, declared: Declared, extremes: Extremes, about: str, rigour: Rigour, covers: str
) -> Iterator[_Found]:
    """The largest change of each norm, and before it the smallest pair beyond the bound."""
    for norm, bound in declared:
        if norm not in extremes:
            continue
        largest, exceeding = extremes[norm].largest, extremes[norm].exceeding
        shown = [(largest, rigour)]
        if exceeding is not None and exceeding.size(norm) == largest.size(norm):
            shown = [(exceeding, rigour)]
        elif exceeding is not None:
            shown = [(exceeding, Rigour.FLOOR), (largest, rigour)]
        for pair, how in shown:
            require_same_answers(case.answering, pair)
            size = pair.size(norm)
            both = Shown(list(pair.first), list(pair.second))
            finding = Finding(
                auditor="sensitivity",
                about=f"{norm.title} {about}",
                decision=Decision.of_declaration(size > bound),
                declared=norm.text(bound),
                found=norm.text(size),
                rigour=how,
                covers=f"{covers} ({relation_words(case.neighbours)})",
                again=_replay(case.query, both),
                pair=both,
                responsible=pair.responsible + _rounding(size, bound),
            )
            yield _Found(norm, finding, size > bound)


def _rounding(size: Size, bound: Fraction) -> str:
    """What to say of an excess that only rounding can explain."""
    if isinstance(size, float) or not bound < size <= bound * (1 + ROUNDING):
        return ""
    return f" (beyond what was declared by {float(size / bound - 1):.2g} of it: rounding)"


def relation_words(neighbours: Neighbours) -> str:
    """The relation in a few words, as ``replace-one of persons with at most 3 records``."""
    if neighbours.unit.is_record:
        return neighbours.name
    return f"{neighbours.name} of persons with at most {neighbours.unit.max_records} records"


def _replay(query: StatedQuery, shown: Shown | None) -> str:
    if shown is None:
        return "no two databases are neighbours"
    if query.replay is not None:
        return query.replay(shown)
    known = query.described
    if known is not None:
        call = f"Described({known.query!r}, domain).answer"
    else:
        call = getattr(query.function, "__name__", query.name)
    texts = [spell(database) for database in (shown.first, shown.second)]
    if isinstance(shown.first, tuple) or max(map(len, texts)) > MOST_WRITTEN:
        texts = ["pair.first", "pair.second"]
    return f"{call}({texts[0]}), {call}({texts[1]})"


def spell(database: Sequence[Any]) -> str:
    """A database as an expression of Python; equal records in a row are counted: ``[r] * 999``."""
    runs = [(text, len(list(same))) for text, same in itertools.groupby(map(repr, database))]
    if all(count == 1 for _, count in runs):
        return f"[{', '.join(text for text, _ in runs)}]"
    return " + ".join(f"[{text}]" + (f" * {count}" if count > 1 else "") for text, count in runs)
