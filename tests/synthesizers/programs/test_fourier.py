"""Barak's Fourier marginals: what is asked, at which noise, and what comes out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.events import Event, Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs.fourier import Fourier
from synthesizers.queries import answer
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import RELATIONS, relation_id

THREE = Domain.from_cells("2x2x2")


def asked(program: Fourier, setting: Setting, reply: Any = None) -> tuple[Measure, Any]:
    def zeros(event: Event) -> tuple[int, ...]:
        assert isinstance(event, Measure)
        return (0,) * event.query.size(setting.domain)

    curator = Curator(setting, program.budget(setting), reply or zeros)
    output = program(curator)
    (event,) = curator.ledger
    assert isinstance(event, Measure)
    assert curator.spent.epsilon == program.epsilon
    return event, output


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_scale_counts_coefficients(neighbours: Neighbours) -> None:
    # All pairs of three attributes: |F| = 7; Barak et al. 2007, Theorem 8, in whole numbers.
    event, _ = asked(Fourier(Fraction(1, 2)), Setting.of(THREE, neighbours, 5))
    m = neighbours.unit.max_records
    # Exchanges move every coefficient by 2, but n by 1 for persons, and not at all for records.
    exchanged = 12 if neighbours.unit.is_record else 13
    coefficients = 7 if isinstance(neighbours, AddRemove) else exchanged
    assert event.noise.scale == 2 * m * coefficients
    asked_for = event.query.size(THREE)
    assert asked_for == (6 if neighbours.records_public else 7)


def test_bounds_are_those_of_coefficients() -> None:
    setting = Setting.of(THREE, AddRemove(), 5)
    event, _ = asked(Fourier(Fraction(1), slack=3), setting)
    assert (event.low, event.high) == (-8, 8)
    wide, _ = asked(Fourier(Fraction(1)), setting)
    assert -wide.low == wide.high >= 2**40


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=relation_id)
def test_without_noise_marginals_are_exact(neighbours: Neighbours) -> None:
    counts = np.array([9, 0, 4, 1, 0, 3, 2, 6])
    dataset = Dataset.from_histogram(THREE, counts)
    setting = Setting.of(THREE, neighbours, dataset.records)
    whole = counts.reshape(2, 2, 2)

    def reply(event: Event) -> tuple[int, ...]:
        assert isinstance(event, Measure)
        return tuple(answer(event.query, dataset).tolist())

    marginals = (("a2", "a1"), ("a3",))
    _, output = asked(Fourier(Fraction(1), marginals, "marginals"), setting, reply)
    expected = [*whole.sum(axis=2).ravel(), *whole.sum(axis=(0, 1))]
    assert canonical_output(output, THREE) == tuple(expected)
    _, released = asked(Fourier(Fraction(1), (("a1", "a2", "a3"),)), setting, reply)
    assert canonical_output(released, THREE) == tuple(counts)


def test_rows_are_public_or_noisy() -> None:
    setting = Setting(THREE, AddRemove(), None, None)
    for first, rows in ((12, 12), (-3, 0)):
        answers = (first, *[0] * 6)
        _, output = asked(Fourier(Fraction(1)), setting, lambda event, a=answers: a)
        assert output.records == rows
    _, output = asked(Fourier(Fraction(1)), Setting.of(THREE, AddRemove(), 20))
    assert output.records == 20


def test_what_cannot_be_done_is_refused_before_any_question() -> None:
    def refused(event: Event) -> tuple[int, ...]:
        raise AssertionError("a question was asked")

    def ask(program: Fourier, cells: str) -> None:
        setting = Setting.of(Domain.from_cells(cells), AddRemove(), 5)
        program(Curator(setting, UnlimitedBudget(), refused))

    with pytest.raises(InputError, match="two values"):
        ask(Fourier(Fraction(1)), "2x3")
    with pytest.raises(InputError, match="no attribute 'b'"):
        ask(Fourier(Fraction(1), (("a1", "b"),)), "2x2")
    with pytest.raises(TooLargeError, match="12 attributes"):
        ask(Fourier(Fraction(1)), "x".join(["2"] * 13))
    names = tuple(f"a{k}" for k in range(1, 13))
    with pytest.raises(TooLargeError, match="smaller marginals"):
        ask(Fourier(Fraction(1), (names,)), "x".join(["2"] * 12))


def test_at_the_largest_size_pairs_are_near_the_truth() -> None:
    domain = Domain.from_cells("x".join(["2"] * 12))
    generator = np.random.default_rng(5)
    driver = generator.random((20_000, 1))
    dataset = Dataset(domain, (generator.random((20_000, 12)) < driver).astype(np.int64))
    setting = Setting.of(domain, ReplaceOne(), dataset.records)
    program = Fourier(Fraction(10))
    found = run(program, dataset, setting, program.budget(setting), InsecureSeededEntropy(1))
    assert found.output.records == 20_000
    left, right = (
        table.histogram().reshape((2,) * 12).sum(axis=tuple(range(2, 12)))
        for table in (dataset, found.output)
    )
    assert np.abs(left - right).sum() / 2 / 20_000 < 0.02
