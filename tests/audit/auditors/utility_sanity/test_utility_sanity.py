"""Error against ε: honest families pass, and each way to fail is found."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from audit.auditors.utility_sanity import Family, examine
from audit.auditors.utility_sanity.examination import exceeds
from audit.auditors.utility_sanity.family import as_table
from audit.statements.finding import violations
from audit.utility.workload_error import WorkloadError
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build

DOMAIN = Domain.from_cells("4x3")
CELLS = DOMAIN.size


def _table(records: int = 300, seed: int = 5) -> Dataset:
    rng = np.random.default_rng(seed)
    first = rng.choice(4, records, p=[0.6, 0.2, 0.15, 0.05])
    return Dataset(DOMAIN, np.stack([first, rng.choice(3, records, p=[0.7, 0.2, 0.1])], axis=1))


TABLE = _table()
COARSE = tuple(map(Fraction, ("1/100", "1/10", "1", "10", "100")))


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    positive = np.maximum(counts, 0)
    total = positive.sum()
    return positive / total if total > 0 else np.full(len(counts), 1 / len(counts))


def _noised(scale: Callable[[float], float]) -> Callable[..., Any]:
    """Counts of as many records as the table, drawn from its noised histogram."""

    def run(database: Dataset, rng: np.random.Generator, epsilon: float) -> NDArray[np.int64]:
        noisy = database.histogram() + rng.laplace(0, scale(epsilon), CELLS)
        return rng.multinomial(database.records, _shares(noisy))

    return run


def _uniform(database: Dataset, rng: np.random.Generator, epsilon: float) -> NDArray[np.int64]:
    return rng.multinomial(database.records, np.full(CELLS, 1 / CELLS))


def _resampled(database: Dataset, rng: np.random.Generator, epsilon: float) -> NDArray[np.int64]:
    return rng.multinomial(database.records, _shares(database.histogram()))


def _found(subject: Any, **options: Any) -> set[str]:
    family = Family("family", subject)
    findings = examine(family, TABLE, grid=COARSE, **options)
    assert {finding.auditor for finding in findings} == {"utility sanity"}
    assert sum(finding.error or 0 for finding in findings) <= 1e-6
    return {finding.about for finding in violations(findings)}


@pytest.mark.parametrize(
    "family",
    [
        Family("built in", "geometric-sanitizer"),
        Family("built in", "laplace-sanitizer", {"rescale": "false"}, ReplaceOne()),
        Family("factory", lambda epsilon: build("geometric-sanitizer", {"epsilon": str(epsilon)})),
        Family("function", _noised(lambda epsilon: 1 / epsilon)),
    ],
)
@pytest.mark.parametrize("metric", ["total-variation", WorkloadError(k=2)])
def test_honest_families_are_not_accused(family: Family, metric: Any) -> None:
    # At the default error an accusation of any of them has probability < 1e-6 over the seed.
    assert violations(examine(family, TABLE, metric=metric, replicates=30)) == ()


def test_an_error_that_is_at_its_floor_from_the_start_is_no_fault() -> None:
    # With 100,000 records noise of scale 100 is lost in what resampling does.
    family = Family("function", _noised(lambda epsilon: 1 / epsilon))
    table = _table(100_000)
    assert violations(examine(family, table, grid=COARSE, replicates=30)) == ()


def test_data_that_look_like_nothing_accuse_nobody() -> None:
    codes = np.tile(DOMAIN.codes(), (20, 1))
    table = Dataset(DOMAIN, codes)
    for subject in (_uniform, _noised(lambda epsilon: 1 / epsilon)):
        assert violations(examine(Family("f", subject), table, grid=COARSE, replicates=30)) == ()


def test_a_family_that_ignores_epsilon_is_found() -> None:
    assert _found(_uniform) == {"error in the limit"}
    # The limit can be declared: then so far from the data is where it should be.
    assert _found(_uniform, limit=0.38) == set()


def test_an_error_that_grows_is_found() -> None:
    assert "error as epsilon grows" in _found(_noised(lambda epsilon: epsilon))
    assert "error as epsilon grows" in _found(_noised(lambda epsilon: 100 if epsilon == 1 else 1))


def test_data_that_are_used_without_noise_are_found() -> None:
    assert _found(_resampled) == {"error at epsilon 1/600"}
    assert "error at epsilon 1/600" in _found(_noised(lambda epsilon: 1))
    # Only where epsilon is tiny: a path for debugging.
    assert "error at epsilon 1/600" in _found(
        _noised(lambda epsilon: 1e-9 if epsilon < 1e-2 else 1 / epsilon)
    )


def test_findings_repeat_from_their_seed() -> None:
    family = Family("f", _noised(lambda epsilon: 1 / epsilon))
    first, second = (examine(family, TABLE, grid=COARSE, replicates=5, seed=3) for _ in range(2))
    assert first == second
    assert "seed=3" in first[0].again


def test_the_rank_test_is_the_share_of_all_splits() -> None:
    values = np.array([0.3, 1.2, 0.7, 2.0, 5.0, 0.1, 4.0])
    first, second = values[[1, 4, 6]], values[[0, 2, 3, 5]]

    def above(one: NDArray[np.float64], two: NDArray[np.float64]) -> int:
        return int(np.sum(one[:, None] > two))

    splits = list(itertools.combinations(range(7), 3))
    beyond = [
        above(values[list(split)], np.delete(values, split)) >= above(first, second)
        for split in splits
    ]
    expected = sum(beyond) / len(splits)
    assert exceeds(first, second, np.random.default_rng(0)) == pytest.approx(expected)


def test_ties_make_no_p_value_small() -> None:
    # 2000 tests of equal samples at 1/20: more than 160 have probability < 1e-7.
    rng = np.random.default_rng(1)
    small = sum(exceeds(np.zeros(8), np.zeros(8), rng) <= 1 / 20 for _ in range(2000))
    assert 40 <= small <= 160


@pytest.mark.parametrize(
    "output",
    [
        TABLE,
        TABLE.histogram(),
        TABLE.histogram().tolist(),
        tuple(TABLE.histogram().tolist()),
        pd.DataFrame({"a1": ["0", "3"], "a2": ["1", "2"]}),
        [{"a1": "0", "a2": "1"}],
    ],
)
def test_outputs_of_every_form_are_read(output: object) -> None:
    as_table(output, DOMAIN)


@pytest.mark.parametrize(
    "output", [None, 3, "rows", [1, 2], np.full(CELLS, -1), np.full(CELLS, 0.5), [{"a1": "9"}], []]
)
def test_what_is_no_table_breaks_the_protocol(output: object) -> None:
    with pytest.raises(ProtocolError, match="synthetic records"):
        as_table(output, DOMAIN)


def test_an_empty_table_is_the_worst() -> None:
    def nothing(database: Dataset, rng: np.random.Generator, epsilon: float) -> list[int]:
        return [0] * CELLS if epsilon < 1 else database.histogram().tolist()

    assert "error as epsilon grows" not in _found(nothing, replicates=30)


def test_a_family_that_raises_is_named_without_its_message() -> None:
    def raising(database: Dataset, rng: np.random.Generator, epsilon: float) -> None:
        raise ValueError("secret")

    with pytest.raises(ProtocolError, match="ValueError") as caught:
        examine(Family("raising", raising), TABLE)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"grid": (Fraction(1),)},
        {"grid": (Fraction(1), Fraction(1))},
        {"grid": (Fraction(0), Fraction(1))},
        {"grid": (Fraction(1), Fraction(10_000))},
        {"grid": (0.1, 1.0)},
        {"replicates": 1},
        {"seed": -1},
        {"error": 0},
        {"metric": "no such"},
    ],
)
def test_parameters_that_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        examine(Family("f", _uniform), TABLE, **options)
    with pytest.raises(InputError, match="record"):
        examine(Family("f", _uniform), Dataset(DOMAIN, np.empty((0, 2), np.int64)))


@pytest.mark.parametrize(
    ("subject", "parameters"),
    [("no such", {}), (lambda a, b: 0, {}), (3, {}), (_uniform, {"epsilon": "1"})],
)
def test_subjects_of_unknown_form_are_refused(subject: Any, parameters: dict[str, str]) -> None:
    with pytest.raises(InputError):
        Family("f", subject, parameters)


def test_a_program_without_epsilon_is_refused() -> None:
    with pytest.raises(InputError, match="epsilon"):
        examine(Family("f", "multinomial-dirichlet"), TABLE)


@pytest.mark.slow
def test_honest_families_are_accused_less_often_than_stated() -> None:
    # 150 honest families at an error of 1/10: more than 38 accusations have probability < 1e-7.
    accused = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        domain = Domain.from_cells("3x2")
        shares = rng.dirichlet(np.full(6, 0.5))
        table = Dataset(domain, domain.codes_of(rng.choice(6, int(rng.integers(5, 80)), p=shares)))
        family = Family("geometric", "geometric-sanitizer")
        found = examine(family, table, grid=COARSE, replicates=12, seed=seed, error=0.1)
        accused += bool(violations(found))
    assert accused <= 38
