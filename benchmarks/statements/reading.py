"""Statements about privacy as data: what is claimed of which mechanism under which neighbours.

A file of `data` is an area, a record of it a statement: what a textbook would say, where it says
so, whether it is true, and the same in a few fields that a program can decide:

    mechanism = "3 * laplace(scale=2) + poisson(gaussian(sigma=1), q=1/100)"
    moves = [[1, -1]]                        how the answers may move between two neighbours, or
    domain = {sex = 2}  query = {kind = …}   a declared query, whose moves follow from the domain
    neighbours = "replace-one"  persons = 2  of records, or of persons with at most two
    given = "add-remove"                     where moves and guarantees are of another relation
    claim = "epsilon=1, delta=1e-6"          or "l1=2" of the query alone

Numbers are exact, in TOML as text unless they are whole.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, neighbours_from

DATA = Path(__file__).parent / "data"

PARAMETERS: dict[str, set[str]] = {
    "gaussian": {"sigma", "sigma_squared", "mu"},
    "laplace": {"scale"},
    "discrete_laplace": {"scale"},
    "discrete_gaussian": {"sigma_squared"},
    "exponential": {"rate"},
    "permute_and_flip": {"rate"},
    "noisy_max": {"noise", "scale"},
    "sparse_vector": {"threshold_scale", "query_scale", "count", "releases"},
    "randomized_response": {"epsilon", "values"},
    "local": {"matrix"},
    "pure": {"epsilon", "delta"},
    "zcdp": {"rho"},
    "gdp": {"mu"},
    "renyi": {"alpha", "rdp"},
    "post": set(),
    "parallel": set(),
    "poisson": {"q"},
    "without_replacement": {"sample", "records"},
}
"""The mechanisms, and what each may be given; the last four wrap others."""

NORMS = ("l0", "l1", "l2_squared", "linf")
"""What may be claimed of a query alone."""

Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Mechanism:
    """A named mechanism with its parameters, and the mechanisms that it wraps, if any."""

    name: str
    given: Mapping[str, Any]
    inner: tuple[Term, ...] = ()

    def number(self, name: str) -> Fraction:
        """A parameter; raises InputError where it is missing or no number."""
        value = self.given.get(name)
        if not isinstance(value, Fraction):
            raise InputError(f"{self.name} needs a number {name}")
        return value

    def whole(self, name: str) -> int:
        """A parameter that is an integer; raises InputError."""
        value = self.number(name)
        if value.denominator != 1:
            raise InputError(f"{self.name} needs {name} to be an integer, found {value}")
        return int(value)

    def word(self, name: str, default: str) -> str:
        """A parameter that is a word."""
        return str(self.given.get(name, default))


Term = tuple[int, Mechanism]
"""How often a mechanism runs, and the mechanism."""


@dataclass(frozen=True)
class Norm:
    """A claim about a query: that one of `NORMS` of its move is at most a number."""

    name: str
    value: Fraction


@dataclass(frozen=True)
class Query:
    """How answers move: by one of some vectors, or as a declared query on a domain implies.

    ``moves``: [moves, answers]; each may go either way. ``shape``: attributes with their numbers
    of values, of a declared query ``declared``.
    """

    moves: tuple[Vector, ...] = ()
    shape: Mapping[str, int] | None = None
    declared: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Formal:
    """What is decided; nothing in it says whether it is true.

    ``given``: between which neighbours the moves of the query, and guarantees that a mechanism is
    known by, hold; ``neighbours``: of the claim.
    """

    mechanism: tuple[Term, ...]
    query: Query
    given: Neighbours
    neighbours: Neighbours
    claim: Guarantee | Norm

    @property
    def steps(self) -> int:
        """How many neighbours of the first kind lead from one of the second to the other."""
        if self.given == self.neighbours:
            return 1
        exchanged = isinstance(self.neighbours, ReplaceOne) and isinstance(self.given, AddRemove)
        return self.neighbours.unit.max_records * (2 if exchanged else 1)


@dataclass(frozen=True)
class Statement:
    """A statement as a reader meets it, its label, and its formal version."""

    area: str
    name: str
    text: str
    source: str
    truth: bool
    formal: Formal


def read_statements(folder: Path = DATA) -> list[Statement]:
    """All statements of a folder, area by area; raises InputError that names the one at fault."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        try:
            records = tomllib.loads(path.read_text(encoding="utf-8"))["statement"]
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise InputError(f"{path.name} holds no list of statements: {error}") from None
        found += [read_statement(path.stem, record) for record in records]
    names = [statement.name for statement in found]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two statements have the id {twice}")
    return found


_FIELDS = {"id", "text", "source", "truth", "claim", "neighbours"}
_MAY = {"mechanism", "moves", "domain", "query", "persons", "given"}


def read_statement(area: str, record: Mapping[str, Any]) -> Statement:
    """The statement of a record; raises InputError that names it."""
    name = str(record.get("id", "without an id"))
    if not set(record) >= _FIELDS or set(record) - _FIELDS - _MAY:
        raise InputError(
            f"statement {name} has the fields {', '.join(record)}; they are explained in reading.py"
        )
    if type(record["truth"]) is not bool or not record["text"] or not record["source"]:
        raise InputError(f"statement {name} needs a text, a source and a truth of true or false")
    try:
        formal = _read_formal(record)
    except (InputError, ValueError) as error:
        raise InputError(f"statement {name}: {error}") from None
    return Statement(area, name, record["text"], record["source"], record["truth"], formal)


def _read_formal(record: Mapping[str, Any]) -> Formal:
    persons = record.get("persons")
    unit = "record" if persons is None else "person"
    neighbours = neighbours_from(record["neighbours"], unit, persons)
    mechanism = read_mechanism(record["mechanism"]) if "mechanism" in record else ()
    key, _, value = record["claim"].partition("=")
    claim: Guarantee | Norm
    if key in NORMS:
        claim = Norm(key, parse_rational(value, key))
    else:
        claim = parse_guarantee(record["claim"])
    if isinstance(claim, Norm) == bool(mechanism):
        raise InputError("a guarantee is claimed of a mechanism, a norm of a query alone")
    given = neighbours_from(record.get("given", record["neighbours"]))
    if "query" in record:
        query = Query(shape=record["domain"], declared=record["query"])
        given = neighbours
    else:
        query = Query(tuple(map(_vector, record.get("moves", [[1]]))))
    return Formal(mechanism, query, given, neighbours, claim)


def _vector(entries: list[int | str]) -> Vector:
    return tuple(parse_rational(entry, "a move") for entry in entries)


def read_mechanism(text: str) -> tuple[Term, ...]:
    """The terms of a sum ``3 * name(inner(…), parameter=1/2, word=…) + …``; raises InputError."""
    try:
        body = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise InputError(f"a mechanism reads '3 * laplace(scale=2)'; found {text!r}") from None
    return _terms(body, text)


def _terms(node: ast.expr, text: str) -> tuple[Term, ...]:
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return (*_terms(left, text), *_terms(right, text))
        case ast.BinOp(ast.Constant(int(count)), ast.Mult(), ast.Call() as call) if count > 0:
            return ((count, _mechanism(call, text)),)
        case ast.Call():
            return ((1, _mechanism(node, text)),)
    raise InputError(f"a mechanism reads '3 * laplace(scale=2)'; found {text!r}")


def _mechanism(call: ast.Call, text: str) -> Mechanism:
    if not isinstance(call.func, ast.Name):
        raise InputError(f"a mechanism has a name; found {text!r}")
    name, given = call.func.id, {str(one.arg): _value(one.value, text) for one in call.keywords}
    if name not in PARAMETERS or set(given) - PARAMETERS[name]:
        raise InputError(f"there is no mechanism {name}({', '.join(given)})")
    inner = tuple(term for argument in call.args for term in _terms(argument, text))
    return Mechanism(name, given, inner)


def _value(node: ast.expr, text: str) -> Any:
    """A number as written, a word, or a list of them."""
    if isinstance(node, ast.List):
        return [_value(entry, text) for entry in node.elts]
    if isinstance(node, ast.Name):
        return node.id
    # What is written, not what Python makes of it: 0.1 is 1/10.
    return parse_rational(ast.get_source_segment(text, node), "a parameter")
