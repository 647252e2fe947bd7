"""Benchmark tables: a public random process with a hidden seed.

Whoever tunes a synthesizer to a real table tunes it to what he knows of that
table. Here the process is public and its seed is not, so that the distributions
and correlations of a table are unknown to all (Li, Zhang & Wang 2021, section 6,
ask for this). The process, which is a design of this project:

1. Each attribute has 2 to V values, log-uniformly many; every second is ordinal.
2. In a random order, each attribute gets up to `MOST_PARENTS` parents among those before it.
   What its value depends on is one of at most `MOST_CLASSES` classes of the parents' values.
3. A categorical attribute has, for each class, weights of its own on its values (log-normal, on
   top of common ones of Zipf's kind), some of them exactly 0. An ordinal one is a normal variable
   whose mean moves with its parents' ranks, cut at random thresholds.
4. Records are independent. With persons, each person has 1 to m records, over which the first half
   of the attributes, in that order, keep one value.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

MOST_PARENTS = 3
MOST_CLASSES = 24
"""Enough for a child to depend on all of its parents at once, few enough that each class has many
records (choices of this project, as are the numbers below)."""

SPREAD = 1.2
"""Standard deviation of the logarithms of a class's own weights."""

ZERO_CHANCE = 0.15
"""The chance that a class rules a value out."""

PULL = 1.5
"""How far parents move an ordinal attribute, in standard deviations of its own noise."""

BLOCK = 2**17
"""Records that are drawn together; each block has a stream of its own."""

PERSON = "person"
MOST = {"attributes": 1000, "values": 10_000, "records": 100_000_000, "records a person": 1000}


@dataclass(frozen=True)
class Size:
    """How large a benchmark table is, all of it public.

    ``values``: the most values of an attribute. ``max_records``: the most records of one person;
    None for a table without persons. Raises InputError outside 2 … `MOST`.
    """

    attributes: int
    values: int
    records: int
    max_records: int | None = None

    def __post_init__(self) -> None:
        given = [
            ("attributes", self.attributes, 1),
            ("values", self.values, 2),
            ("records", self.records, 1),
            ("records a person", 1 if self.max_records is None else self.max_records, 1),
        ]
        for name, value, least in given:
            if not least <= value <= MOST[name]:
                raise InputError(
                    f"a benchmark table has {least} to {MOST[name]} {name}, not {value}"
                )


def benchmark_table(size: Size, seed: str) -> Dataset:
    """The table of a size and a seed, [records, attributes]; the same on every machine.

    ``seed``: any text; nothing but doubles made of the bits of Philox streams is drawn, whose
    keys are hashes of the seed.
    """
    domain = _domain(size, seed)
    columns = _columns(domain, seed)
    persons = None if size.max_records is None else _persons(size, seed)
    codes = np.empty((size.records, size.attributes), np.int64, order="F")
    for start in range(0, size.records, BLOCK):
        stop = min(start + BLOCK, size.records)
        owners = None if persons is None else persons[start:stop]
        codes[start:stop] = _records(columns, seed, start, stop, owners)
    return Dataset(domain, codes, persons)


def commitment(seed: str) -> str:
    """What may be published beforehand, so that the seed can't be chosen afterwards."""
    return hashlib.sha256(f"dp-audit benchmark seed {seed}".encode()).hexdigest()


@dataclass(frozen=True)
class _Column:
    """One attribute: who its parents are, and its chances or thresholds.

    ``weight``: for each parent the class numbers [values of the parent] of a categorical
    attribute, or the moves of the mean of an ordinal one. ``table``: running sums of chances
    [classes, values], or thresholds [values - 1]. ``owned``: one value a person.
    """

    place: int
    ordinal: bool
    parents: tuple[int, ...]
    weight: tuple[FloatArray, ...]
    table: FloatArray
    owned: bool


def _domain(size: Size, seed: str) -> Domain:
    uniform = _stream(seed, "domain").random(size.attributes)
    counts = np.floor(2 * (size.values / 2 + 0.4999) ** uniform).astype(int).clip(2, size.values)
    width = len(str(size.attributes))
    attributes = tuple(
        Attribute(
            f"a{place + 1:0{width}}",
            tuple(str(value) for value in range(count)),
            ordinal=place % 2 == 1,
        )
        for place, count in enumerate(counts.tolist())
    )
    return Domain("benchmark", attributes, individual=PERSON if size.max_records else None)


def _columns(domain: Domain, seed: str) -> list[_Column]:
    """The attributes in an order in which parents come first."""
    order = np.argsort(_stream(seed, "order").random(len(domain.attributes)))
    columns = []
    for number, place in enumerate(order.tolist()):
        stream = _stream(seed, f"attribute {place}")
        most = min(number, MOST_PARENTS)
        wanted = min(most, int(stream.random() * (most + 1)) + (most > 0))
        parents = order[np.argsort(stream.random(number))[:wanted]].tolist()
        attribute = domain.attributes[place]
        sizes = [domain.shape[parent] for parent in parents]
        make = _ordinal if attribute.ordinal else _categorical
        weight, table = make(attribute.size, sizes, stream)
        # The first half of the order depends on itself alone, so that it can be a person's own.
        owned = 2 * number < len(domain.attributes)
        columns.append(_Column(place, attribute.ordinal, tuple(parents), weight, table, owned))
    return columns


def _categorical(
    values: int, sizes: list[int], stream: np.random.Generator
) -> tuple[tuple[FloatArray, ...], FloatArray]:
    # Classes of the parents' values multiply, so each parent gets its share of them.
    each = 1 if not sizes else max(2, math.floor(MOST_CLASSES ** (1 / len(sizes))))
    weight = tuple(np.floor(stream.random(size) * min(each, size)) for size in sizes)
    classes = math.prod(min(each, size) for size in sizes)
    common = np.arange(1, values + 1) ** -(0.5 + stream.random())
    common = common[np.argsort(stream.random(values))]
    chances = common * np.exp(SPREAD * _normal(stream, (classes, values)))
    ruled_out = stream.random((classes, values)) < ZERO_CHANCE
    # A class that would rule out all values rules out none.
    ruled_out[ruled_out.all(axis=1)] = False
    chances[ruled_out] = 0
    sums = np.cumsum(chances, axis=1)
    return weight, sums / sums[:, -1:]


def _ordinal(
    values: int, sizes: list[int], stream: np.random.Generator
) -> tuple[tuple[FloatArray, ...], FloatArray]:
    weight = tuple(
        PULL * float(_normal(stream, ())) * (np.arange(size) / (size - 1) - 0.5) for size in sizes
    )
    reach = 1.5 * math.sqrt(1 + len(sizes) / 2)
    return weight, np.sort(_normal(stream, (values - 1,)) * reach)


def _records(
    columns: list[_Column], seed: str, start: int, stop: int, owners: IntArray | None
) -> IntArray:
    stream = _stream(seed, f"records {start}")
    codes = np.empty((stop - start, len(columns)), np.int64)
    for column in columns:
        uniform = stream.random(stop - start)
        if owners is not None and column.owned:
            uniform = _of_persons(seed, column.place, owners)
        parts = [w[codes[:, p]] for p, w in zip(column.parents, column.weight, strict=True)]
        if column.ordinal:
            level = np.sum(parts, axis=0) if parts else 0.0
            found = np.searchsorted(column.table, ndtri(uniform) + level)
        else:
            classes = np.zeros(stop - start, np.int64)
            for part, weight in zip(parts, column.weight, strict=True):
                classes = classes * (int(weight.max()) + 1) + part.astype(np.int64)
            # Searching every row of the table at once: the rows lie one after another.
            flat = (column.table + np.arange(len(column.table))[:, None]).ravel()
            found = np.searchsorted(flat, classes + uniform, side="right")
            found -= classes * column.table.shape[1]
        codes[:, column.place] = found
    return codes


def _persons(size: Size, seed: str) -> IntArray:
    """Whose record each is, [records]: persons one after another, of 1 to m records."""
    assert size.max_records is not None
    draws = _stream(seed, "persons").random(size.records)
    counts = 1 + np.floor(draws * size.max_records).astype(np.int64)
    return np.repeat(np.arange(size.records, dtype=np.int64), counts)[: size.records]


def _of_persons(seed: str, place: int, owners: IntArray) -> FloatArray:
    """One uniform number a person, whichever block his records lie in."""
    first = int(owners[0])
    stream = np.random.Philox(key=_key(seed, f"persons of {place}"))
    # Each draw takes one of the four numbers of a counter's block.
    stream.advance(first // 4)
    numbers = np.random.Generator(stream).random(int(owners[-1]) - first // 4 * 4 + 1)
    return np.asarray(numbers[owners - first // 4 * 4])


def _normal(stream: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
    # Halfway between two doubles of the generator: 0 would be infinite.
    return np.asarray(ndtri(np.asarray(stream.random(shape)) + 2.0**-54))


def _stream(seed: str, purpose: str) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=_key(seed, purpose)))


def _key(seed: str, purpose: str) -> int:
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode()).digest()
    return int.from_bytes(digest[:16], "little")
