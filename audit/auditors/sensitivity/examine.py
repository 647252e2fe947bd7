"""Examining a query's sensitivity: the methods that apply, and what each of them found."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from audit.auditors.sensitivity.answers import Answering, InProcess, Noted, Record, Seen
from audit.auditors.sensitivity.certificate import Certified, certifiable, certify_change
from audit.auditors.sensitivity.declaration import Declared, Norm, Size, of_query
from audit.auditors.sensitivity.described import Described
from audit.auditors.sensitivity.exactly import OnExactNumbers, keeps_exactly
from audit.auditors.sensitivity.extremes import Extremes, exhaust, merge, require_same_answers
from audit.auditors.sensitivity.isolated import IsolatedFunction
from audit.auditors.sensitivity.orders import try_orders
from audit.auditors.sensitivity.piecewise import PiecewiseLinear
from audit.auditors.sensitivity.records import DomainRecords, FloatColumn, Records
from audit.auditors.sensitivity.rounding import DEAREST, excess_of, units_beyond
from audit.auditors.sensitivity.search import EXAMPLES, Sought, search
from audit.auditors.sensitivity.small import affordable, small
from audit.auditors.sensitivity.tolerance import Tolerance
from audit.statements.evidence import Decision
from audit.statements.finding import Excess, Finding, Rigour, Shown
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import Neighbours
from synthesizers.queries import Query

LARGEST_EXHAUSTED = 6
"""The most records of databases that are exhausted where no number is given (what a small database
does not show, a slightly larger one seldom does)."""

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

    @property
    def exactly(self) -> Answering | None:
        """What answers on exact numbers, where that can be asked."""
        match self.answering:
            case InProcess() as asked:
                return OnExactNumbers(asked)
            case IsolatedFunction() as asked:
                return replace(asked, exact=True)
        return None


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
    tolerance: Tolerance | None = None,
) -> tuple[Finding, ...]:
    """What each method that applies found of each declared norm.

    ``records``: the databases have so many records, each number one instance (0 to so many where
    n is private); None for any number. ``examples``, ``seed``: of the search. ``tolerance``: what
    is forgiven beyond a bound; by default what rounding does.

    Described queries get a certificate. What it leaves open, and functions, are exhausted where
    databases are few enough; functions are looked at in every order of small lists, and searched
    for what was not exceeded by then. Of each method and norm: the largest change. What exceeds has
    one finding for all of them, with the smallest pair that does; so has what rounding does, which
    exceeds nothing.

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
    allowed = replace(tolerance or Tolerance(), exactly=query.exactly)
    case = _Case(query, answering, neighbours, records, examples, seed, allowed)
    found: list[_Found] = []
    for method in (_certificates, _exhaustion, _in_any_order, _search):
        settled = {one.norm for one in found if one.settles}
        left = [bound for bound in query.declared if bound[0] not in settled]
        if left:
            found += method(case, _declare(left))
    unread = answering.reasons and not answering.answered
    if not found or (unread and all(one.decision is Decision.KEPT for one in found)):
        raise _nothing(answering)
    return tuple(_finding(case, told) for told in _one_a_bug(found))


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
    tolerance: Tolerance


@dataclass(frozen=True)
class _Found:
    """The largest change of one norm that a method saw, and the pair that is shown of it.

    ``orders``: it depends on the order of records. ``on_pair``: the change of the pair that is
    shown, which is the smallest beyond the bound. ``settles``: other methods need look no further.
    """

    norm: Norm
    bound: Fraction
    about: str
    size: Size
    rigour: Rigour
    covers: str
    shown: Shown | None
    responsible: str | None
    decision: Decision
    on_pair: Size
    settles: bool
    orders: bool = False
    excess: Excess | None = None

    @property
    def weight(self) -> tuple[int, list[str]]:
        """What is less is easier to read."""
        if self.shown is None:
            return 0, []
        texts = [spell(database) for database in (self.shown.first, self.shown.second)]
        return sum(map(len, texts)), texts


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
            yield _of_certificate(case, bound, one, exact)


def _of_certificate(case: _Case, bound: Fraction, found: Certified, exact: bool) -> _Found:
    share = case.tolerance.share or Fraction(0)
    forgiven = bound < found.size <= bound * found.norm.measure(1 + share)
    exceeded = found.size > bound and not forgiven
    return _Found(
        found.norm,
        bound,
        "sensitivity",
        found.size,
        found.rigour,
        found.covers,
        found.shown,
        found.responsible,
        Decision.of_declaration(exceeded, rounded=forgiven),
        found.size,
        exact or exceeded,
        excess=excess_of(found.norm, bound, Fraction(found.size), TOLERATED) if forgiven else None,
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
    found = merge(exhaust(case.answering, one, declared, case.tolerance) for one in instances)
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
        found = try_orders(
            case.answering, query.space, case.neighbours, size, declared, case.tolerance
        )
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
        found = search(case.answering, sought, declared, case.tolerance)
        scope = "databases of any size" if size is None else f"databases of {size} records"
        if size is not None and not case.neighbours.records_public:
            scope = f"databases of at most {size} records"
        covers = f"a search among {scope}: chains and families of them, {case.examples} made up"
        yield from _conclude(case, declared, found, "sensitivity", Rigour.FLOOR, covers)


def _conclude(
    case: _Case, declared: Declared, extremes: Extremes, about: str, rigour: Rigour, covers: str
) -> Iterator[_Found]:
    """The largest change of each norm, shown by the smallest pair beyond the bound, if any is."""
    for norm, bound in declared:
        if norm not in extremes:
            continue
        largest, exceeding = extremes[norm].largest, extremes[norm].exceeding
        size = largest.size(norm)
        exceeded, because = _judge(case, norm, bound, largest, exceeding is None)
        shown = largest if exceeding is None else exceeding
        for pair in {id(pair): pair for pair in (largest, shown)}.values():
            require_same_answers(case.answering, pair)
        yield _Found(
            norm,
            bound,
            about,
            size,
            rigour,
            covers,
            Shown(list(shown.first), list(shown.second)),
            shown.responsible,
            Decision.of_declaration(exceeded, rounded=size > bound),
            shown.size(norm),
            exceeded,
            about != "sensitivity",
            None if because is None else excess_of(norm, bound, Fraction(size), because),
        )


TOLERATED = "within the tolerance that was given"
OF_SUMS = "no more than the rounding of floats can do to sums of so many records"
OF_FLOATS = "rounding: on exact numbers the same pair keeps to what is declared"
NO_ROUNDING = "it is no rounding: on exact numbers the same pair shows it too"


def _judge(
    case: _Case, norm: Norm, bound: Fraction, largest: Seen, forgiven: bool
) -> tuple[bool, str | None]:
    """Whether the largest change violates its bound, and why an excess is forgiven or is not.

    ``forgiven``: no pair exceeds the bound by more than is tolerated. The reason is None where
    there is no excess, or where it is far beyond any rounding.
    """
    size, share = largest.size(norm), case.tolerance.share
    if size <= bound:
        return False, None
    if share is not None:
        return not forgiven, TOLERATED if forgiven else None
    if isinstance(size, float) or bound == 0 or size > bound * norm.measure(1 + DEAREST):
        return True, None
    exactly = case.tolerance.exactly
    kept = None if exactly is None else keeps_exactly(exactly, norm, bound, largest)
    if kept is False:
        return True, NO_ROUNDING
    if forgiven:
        return False, OF_FLOATS if kept else OF_SUMS
    units = units_beyond(norm, bound, size, largest)
    if units is None:
        return True, None
    accepted = excess_of(norm, bound, size, "").relative
    return True, (
        f"it is as small as rounding, {units} in the last place of the largest answer, and nothing "
        f"here can tell whether it is more: --tolerance {accepted} accepts it"
    )


def _one_a_bug(found: Sequence[_Found]) -> Iterator[list[_Found]]:
    """What is told together: violations, and what rounding does, each once for all norms.

    What depends on the order of records is a bug of its own. Where a norm is exceeded, nothing is
    said of its rounding.
    """
    exceeded = {one.norm for one in found if one.decision is Decision.EXCEEDED}
    groups: dict[Any, list[_Found]] = {}
    for place, one in enumerate(found):
        if one.decision is Decision.ROUNDED and one.norm in exceeded:
            continue
        exceeds = one.decision is Decision.EXCEEDED
        own = place if one.decision is Decision.KEPT else (exceeds, exceeds and one.orders)
        groups.setdefault(own, []).append(one)
    yield from groups.values()


def _finding(case: _Case, told: Sequence[_Found]) -> Finding:
    """One finding of what has one cause: each norm's largest change, and the smallest pair."""
    of_norm = {
        norm: max((one for one in told if one.norm is norm), key=lambda one: one.size)
        for norm in Norm
        if any(one.norm is norm for one in told)
    }
    pair = min(told, key=lambda one: one.weight)
    widest = of_norm[pair.norm]
    about = next((one.about for one in told if not one.orders), widest.about)
    responsible = pair.responsible
    if pair.on_pair < widest.size:
        among = "" if len(of_norm) == 1 else f" in {pair.norm.title}"
        responsible = (
            f"{responsible}; this smallest pair changes by "
            f"{pair.norm.text(pair.on_pair)}{among}, larger ones by more"
        )
    most = max(of_norm.values(), key=lambda one: one.size / one.norm.measure(one.bound or ONE))
    return Finding(
        auditor="sensitivity",
        about=f"{' and '.join(norm.title for norm in of_norm)} {about}",
        decision=pair.decision,
        declared=_each(of_norm, lambda one: one.bound),
        found=_each(of_norm, lambda one: one.size),
        rigour=widest.rigour,
        covers=f"{widest.covers} ({relation_words(case.neighbours)})",
        again=_replay(case.query, pair.shown),
        pair=pair.shown,
        responsible=responsible,
        excess=most.excess,
    )


ONE = Fraction(1)


def _each(of_norm: dict[Norm, _Found], value: Callable[[_Found], Size]) -> str:
    if len(of_norm) == 1:
        return "".join(norm.text(value(one)) for norm, one in of_norm.items())
    return ", ".join(f"{norm.title} {norm.text(value(one))}" for norm, one in of_norm.items())


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
    """A database as an expression of Python; equal records in a row are counted: ``[r] * 999``.

    Without any single quote, so that a shell takes it between two of them as it is.
    """
    runs = [(text, len(list(same))) for text, same in itertools.groupby(map(_literal, database))]
    if all(count == 1 for _, count in runs):
        return f"[{', '.join(text for text, _ in runs)}]"
    return " + ".join(f"[{text}]" + (f" * {count}" if count > 1 else "") for text, count in runs)


def _literal(value: Any) -> str:
    """A record, or a value in it, as Python reads it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str):
        # repr takes double quotes where there is a single one, and no double one, within.
        inner = repr(value + "\"'")[1:-4].replace("\\'", "\\x27").replace("'", "\\x27")
        return '"' + inner.replace('"', '\\"') + '"'
    return repr(value)
