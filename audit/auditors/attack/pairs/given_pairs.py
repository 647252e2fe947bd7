"""Given pairs: two databases read from JSON, and the check that they are neighbours.

A database of records is a list that holds anything but numbers alone: objects, rows, texts, …
Such lists are compared as multisets. A record differs from another where its JSON does: 1, 1.0,
true and "1" are four values, -0.0 is not 0.0, NaN equals NaN, and the order of an object's keys
says nothing. A list of numbers alone may be records or a histogram, and nothing in it tells which:
it is taken on the user's word, with a domain or without, as is everything that is no list. A table
of counts as a list of rows would be read as records: in an object it is not.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from audit.statements.strict_json import MAX_DEPTH, read_input, read_text
from audit.subjects.pair import Pair
from synthesizers.domain import Domain
from synthesizers.encoding import encode_texts
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, describe

REORDERED = "given; what both databases hold stands in another order"
"""The pattern of a pair that a reader who heeds the order of records finds further apart."""

_LONGEST_INTEGER = 1300
"""In bits: 400 digits, the longest decimal that an attribute reads (numerals.py), have 1329."""


def read_database(path: str) -> Any:
    """The database of a JSON file, as Python's own values; ``-`` is standard input.

    NaN and the infinities are read, since mechanisms meet them. Raises InputError for a file that
    can't be read, is larger than 64 MiB, is no JSON, gives a key twice or is nested too deeply.
    """
    text = read_input() if path == "-" else read_text(path)
    spoken = "the database on standard input" if path == "-" else path
    try:
        database = json.loads(text, object_pairs_hook=_object)
        _require_plain(database)
    except InputError as error:
        raise InputError(f"{spoken}: {error}") from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{spoken} is not JSON; expected one database: a list of records, or whatever else the "
            "function takes"
        ) from None
    return database


def given_pair(
    first: Any,
    second: Any,
    neighbours: Neighbours,
    domain: Domain | None = None,
    individual: str | None = None,
    records: int | None = None,
) -> Pair:
    """The pair of two databases that a user gives, verified where they are lists of records.

    ``domain``: where given, records lie in it: mappings from attribute to value, rows in the
    attributes' order or, for a single attribute, values. ``individual``: the key of a record that
    says whose it is, by default the domain's. ``records``: the claim's, as in
    `audit.statements.claim.Claim`.

    The pair is ``verified`` as `chain_pair` says it. It is not where the databases are no lists of
    records, nor where the unit is a person, whose records can't be told from others' for want of
    an id column: that one person could own all that differs is checked, the rest is the user's
    word.

    Raises InputError, which quotes no value, for equal databases, for lists of records that are
    no neighbours or not of the domain, and for a list of records beside anything else.
    """
    _require_plain(first)
    _require_plain(second)
    if _text(first) == _text(second):
        raise InputError("the two databases are equal; give two that are neighbours")
    kinds = {_kind(first), _kind(second)}
    if not kinds & {"records", "values"}:
        return Pair(first, second)
    # Numbers beside texts or nulls are values as these are; beside objects they may be counts.
    if "other" in kinds or kinds == {"records", "numbers"}:
        raise InputError("one database is a list of records and the other is none; give two alike")
    chain_pair((first, second), neighbours, domain, "given", individual, records)
    pattern = "given" if _in_place(first, second) else REORDERED
    told = neighbours.unit.is_record or _id_column(domain, individual) is not None
    return Pair(first, second, 1, pattern, told or domain is not None)


def chain_pair(
    chain: Sequence[list[Any]],
    neighbours: Neighbours,
    domain: Domain | None,
    pattern: str,
    individual: str | None = None,
    records: int | None = None,
) -> Pair:
    """The pair of the ends of a chain of lists of records, each a neighbour of the next.

    Arguments and errors are `given_pair`'s; two databases are a chain of one step.

    Guarantee
    ---------
    Of the pair returned, neighbours under the relation lead from one end to the other in
    ``distance`` steps, each through databases of the domain with the claim's number of records.
    Records: the histograms over all records that occur are neighbours by `neighbours.py`. Persons
    with an id column: each owns at most m records in either database, and but for one person's,
    or one's exchanged for another's, all records are the same. Persons without ids: of the records
    that differ, one could own all. Backed by
    ``tests/audit/auditors/attack/pairs/test_given_pairs.py``, on all pairs of small multisets.
    """
    key = _id_column(domain, individual)
    for database in chain:
        if neighbours.records_public and records is not None and len(database) != records:
            raise InputError(f"a database of the claim has {records} records; one has another size")
        if records is not None and len(database) > records:
            raise InputError(f"a database of the claim has at most {records} records; one has more")
    # A record that stands in several databases of a chain is looked at once.
    held = {id(record): record for database in chain for record in database}
    text_of = {identity: _text(record) for identity, record in held.items()}
    texts = [[text_of[id(record)] for record in database] for database in chain]
    if domain is not None:
        distinct = {text_of[identity]: record for identity, record in held.items()}
        _require_in_domain(distinct.values(), domain, key)
    if key is None or neighbours.unit.is_record:
        for before, after in pairwise(map(Counter, texts)):
            _require_histograms(before, after, neighbours)
    else:
        _require_ids(held.values(), key)
        persons = [_persons(*one, key, neighbours) for one in zip(chain, texts, strict=True)]
        for earlier, later in pairwise(persons):
            _require_one_person(earlier, later, neighbours)
    return Pair(chain[0], chain[-1], len(chain) - 1, pattern, True)


def _require_histograms(before: Counter[str], after: Counter[str], neighbours: Neighbours) -> None:
    """Raise InputError unless the histograms over what occurs are neighbours."""
    cells = before.keys() | after.keys()
    if not neighbours.are_neighbours([before[c] for c in cells], [after[c] for c in cells]):
        lost, gained = (before - after).total(), (after - before).total()
        raise InputError(
            f"the two databases differ by {lost + gained} records, {lost} of the first and "
            f"{gained} of the second, so that they are no neighbours under {describe(neighbours)}"
        )


def _persons(
    database: list[Any], texts: list[str], key: str, neighbours: Neighbours
) -> dict[str, Counter[str]]:
    """The records of each person; InputError where one owns more than the claim says."""
    found: dict[str, Counter[str]] = {}
    for record, text in zip(database, texts, strict=True):
        found.setdefault(_text(record[key]), Counter())[text] += 1
    most = neighbours.unit.max_records
    if any(owned.total() > most for owned in found.values()):
        raise InputError(f"a person has more than {most} records, the most that the claim allows")
    return found


def _require_ids(records: Iterable[Any], key: str) -> None:
    """Raise InputError unless every record says whose it is, in one type: 1 may be read as "1"."""
    types = set()
    for record in records:
        if not isinstance(record, dict) or key not in record:
            raise InputError(
                f"a record has no {key!r}, which says whose it is; give it to each one"
            )
        types.add(type(record[key]))
    if len(types) > 1 or not types <= {str, int}:
        raise InputError(f"{key!r} must be a text in every record, or a whole number in every one")


def _require_one_person(
    before: dict[str, Counter[str]], after: dict[str, Counter[str]], neighbours: Neighbours
) -> None:
    """Raise InputError unless a single person came or went, or was exchanged for another."""
    changed = [p for p in before.keys() | after.keys() if before.get(p) != after.get(p)]
    gone = sum(person not in after for person in changed)
    come = sum(person not in before for person in changed)
    if isinstance(neighbours, AddRemove):
        legal = len(changed) == 1 == gone + come
    else:
        # The records of one person became others, or another's, or none.
        legal = len(changed) == 1 or (len(changed) == 2 and gone == come == 1)
    if not legal:
        raise InputError(
            f"the two databases differ in the records of {len(changed)} persons, of whom {gone} "
            f"are only in the first and {come} only in the second, so that they are no neighbours "
            f"under {describe(neighbours)}"
        )


def _require_in_domain(records: Iterable[Any], domain: Domain, key: str | None) -> None:
    """Raise InputError for a record that is no record of the domain."""
    rows = [_row(record, domain, key) for record in records]
    for place, attribute in enumerate(domain.attributes):
        encode_texts(attribute, [_value_text(row[place], attribute.name) for row in rows])


def _row(record: Any, domain: Domain, key: str | None) -> list[Any]:
    """The values of a record in the attributes' order."""
    if len(domain.names) == 1 and not isinstance(record, list | dict):
        return [record]
    if isinstance(record, list) and len(record) == len(domain.names):
        return record
    if isinstance(record, dict) and record.keys() - {key} == set(domain.names):
        return [record[name] for name in domain.names]
    raise InputError(
        f"a record is not one of the domain, whose attributes are {', '.join(domain.names)}; give "
        "each of them a value and nothing else"
    )


def _value_text(value: Any, name: str) -> str:
    """A value as a table would spell it; null is the empty field."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if type(value) is int and value.bit_length() <= _LONGEST_INTEGER:
        return str(value)
    if type(value) is float and math.isfinite(value):
        return repr(value)
    raise InputError(
        f"attribute {name!r}: a record has a value that is neither a text nor a finite number nor "
        "null; the claim speaks of databases of the domain"
    )


def _in_place(first: list[Any], second: list[Any]) -> bool:
    """Whether a reader who heeds the order of records sees no more of a difference.

    Where as many records stand on both sides, no further place differs; elsewhere, what both hold
    stands in the same order.
    """
    left, right = ([_text(record) for record in database] for database in (first, second))
    lost, gained = Counter(left) - Counter(right), Counter(right) - Counter(left)
    if len(left) == len(right):
        return sum(a != b for a, b in zip(left, right, strict=True)) == lost.total()
    moved = lost | gained
    return [text for text in left if text not in moved] == [t for t in right if t not in moved]


def _id_column(domain: Domain | None, individual: str | None) -> str | None:
    return individual if individual is not None or domain is None else domain.individual


def _kind(database: Any) -> str:
    """What a database is: of records, or of bare values; numbers alone, empty or no list at all."""
    if not isinstance(database, list):
        return "other"
    if not database:
        return "empty"
    if all(type(item) in (int, float) for item in database):
        return "numbers"
    return "records" if any(isinstance(item, dict | list) for item in database) else "values"


def _text(value: Any) -> str:
    """The canonical JSON of a plain value: equal for equal values alone."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except ValueError:
        raise InputError("a whole number of a database has too many digits to be written") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InputError("an object gives a key twice; readers differ in what they make of it")
    return found


def _require_plain(database: Any, depth: int = 0) -> None:
    """Raise InputError unless JSON can say it: other values could be equal in JSON alone."""
    if depth > MAX_DEPTH:
        raise InputError(f"a database has more than {MAX_DEPTH} lists and objects in one another")
    if type(database) is dict:
        if not all(type(key) is str for key in database):
            raise InputError("a database is plain data, in which the keys of mappings are texts")
        for value in database.values():
            _require_plain(value, depth + 1)
    elif type(database) is list:
        for value in database:
            _require_plain(value, depth + 1)
    elif not (database is None or type(database) in (str, int, float, bool)):
        raise InputError(
            "a database is plain data, as in JSON: lists, mappings, texts, numbers, true, false "
            f"and null; found {type(database).__name__}"
        )
