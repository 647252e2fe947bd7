"""The sampling reading: what data it takes, and what it keeps of a run."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.queries import Total, whole_table
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import private_view, run

DOMAIN = Domain.from_cells("3")
DATA = Dataset.from_histogram(DOMAIN, np.array([3, 0, 2]))
NARROW = DiscreteLaplace(Fraction(1, 10**4))


def test_with_hardly_any_noise_the_truth_comes_out_clamped() -> None:
    """A scale of 10^-4 differs from 0 with probability below e^-9999."""

    def program(curator: Curator) -> Any:
        assert curator.records == 5
        total = curator.measure(Total(), NARROW, low=0, high=9)
        table = curator.measure(whole_table(DOMAIN), NARROW, low=1, high=2)
        return [*total, *table]

    setting = Setting.of(DOMAIN, ReplaceOne(), 5)
    done = run(program, DATA, setting, UnlimitedBudget(), InsecureSeededEntropy(1))
    assert done.output == (5, 2, 1, 2)
    assert [outcome for _, outcome in done.transcript] == [(5,), (2, 1, 2)]
    assert done.ledger == tuple(event for event, _ in done.transcript)
    assert done.spent.epsilon == 2 * 10**4


def test_persons_are_clipped_before_anything_is_asked() -> None:
    domain = Domain("persons", DOMAIN.attributes, individual="id")
    data = Dataset(domain, DATA.codes, np.array([7, 7, 7, 7, 8]))

    def program(curator: Curator) -> Any:
        return curator.measure(Total(), NARROW, low=0, high=9)

    for m, wanted in ((1, 2), (2, 3), (4, 5)):
        setting = Setting.of(domain, AddRemove(Unit("person", m)), 9)
        done = run(program, data, setting, UnlimitedBudget(), InsecureSeededEntropy(1))
        assert list(done.output) == [wanted]
    setting = Setting.of(domain, AddRemove(Unit("person", 2)), 9)
    with pytest.raises(InputError, match="whose record"):
        private_view(Dataset(domain, DATA.codes), setting)


def test_data_that_do_not_fit_the_setting_are_refused_without_a_count() -> None:
    with pytest.raises(InputError, match="public number of records") as caught:
        private_view(DATA, Setting.of(DOMAIN, ReplaceOne(), 6))
    assert "5" not in str(caught.value)
    other = Domain.from_cells("4")
    with pytest.raises(InputError, match="declared domain"):
        private_view(DATA, Setting.of(other, AddRemove(), 6))


def test_the_budget_binds() -> None:
    program = GeometricSanitizer(Fraction(2))
    setting = Setting.of(DOMAIN, AddRemove(), 5)
    assert run(program, DATA, setting, PureBudget(Fraction(2))).spent.epsilon == 2
    with pytest.raises(BudgetExceeded):
        run(program, DATA, setting, PureBudget(Fraction(1)))


def test_reaching_past_the_curator_is_refused_even_when_swallowed(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("x")

    def program(curator: Curator) -> Any:
        try:
            return [len(path.read_text())]
        except Exception:
            return [0]

    with pytest.raises(ProtocolError, match="past the curator"):
        run(program, DATA, Setting.of(DOMAIN, AddRemove(), 5), UnlimitedBudget())


def test_the_order_of_records_and_the_kind_of_container_say_nothing() -> None:
    setting = Setting.of(DOMAIN, ReplaceOne(), 5)
    forward = run(lambda curator: DATA, DATA, setting, UnlimitedBudget()).output
    turned = Dataset(DOMAIN, DATA.codes[::-1])
    backward = run(lambda curator: turned, DATA, setting, UnlimitedBudget()).output
    assert np.array_equal(forward.codes, backward.codes)
    assert np.array_equal(forward.histogram(), DATA.histogram())
    shapes: list[Any] = [[1, 2, 3], (1, 2, 3), np.array([1, 2, 3])]
    outputs = [run(lambda c, s=s: s, DATA, setting, UnlimitedBudget()).output for s in shapes]
    assert outputs == [(1, 2, 3)] * 3 and {type(output) for output in outputs} == {tuple}


@pytest.mark.parametrize("output", [True, [True, 1, 1], np.bool_(True), 1.5, object()])
def test_outputs_that_compare_equal_and_look_different_are_refused(output: Any) -> None:
    setting = Setting.of(DOMAIN, ReplaceOne(), 5)
    with pytest.raises(ProtocolError, match="the program returned"):
        run(lambda curator: output, DATA, setting, UnlimitedBudget())
