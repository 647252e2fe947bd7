"""A suite: many metrics of several tables over counts that are taken once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from audit.utility.baselines import uniform_table
from audit.utility.catalogue import METRICS as CATALOGUE
from audit.utility.catalogue import metric_named
from audit.utility.metric import Metric, generator
from audit.utility.models.train_on_synthetic import TrainOnSynthetic
from audit.utility.nist_2020.hoc import HigherOrderConjunction
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import Pair
from audit.utility.parts import Parts
from audit.utility.propensity.distances import PMSE
from audit.utility.records import NumbersTooLarge, Records
from audit.utility.score import Score
from audit.utility.suite import BASELINE_SEED, LONG_SECONDS, applicable, measure_utility
from audit.utility.total_variation import TotalVariation
from audit.utility.workload_error import WorkloadError
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import write_table
from tests.audit.utility.data.kinds_of_tables import lay
from tests.audit.utility.slow_counts import Watched, drawn, nominal

DOMAIN = nominal((3, 4, 5, 6))
REAL, FIRST, SECOND = (drawn(DOMAIN, count, seed) for seed, count in enumerate((200, 150, 200)))
TABLES = {"first.csv": FIRST, "second.csv": SECOND}
METRICS = (TotalVariation(), WorkloadError(k=2), KMarginal(k=3, draws=3))


@dataclass(frozen=True, kw_only=True)
class Coin(Metric):
    """A number that depends on nothing but the seed."""

    name = "coin"
    lowest, highest, direction = 0.0, 1.0, "lower"

    seed: int = 0
    given: tuple[float, ...] | None = None

    def score(self, pair: Pair) -> Score:
        value = float(generator("coin", self.seed).random()) if self.given is None else 0.5
        return self.scored(value, seed=self.seed, drawn=(value,), parts=(value,))


@dataclass(frozen=True, kw_only=True)
class Patient(Metric):
    """A metric that says that it takes long."""

    name = "patient"
    lowest, highest, direction = 0.0, 1.0, "lower"

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        return 100.0 * LONG_SECONDS

    def score(self, pair: Pair) -> Score:
        return self.scored(pair.records[1] / 1000)


@dataclass(frozen=True, kw_only=True)
class Overflowing(Metric):
    """A metric that cannot reckon with the numbers of a table."""

    name = "overflowing"
    lowest, highest, direction = 0.0, 1.0, "lower"

    def score(self, pair: Pair) -> Score:
        raise NumbersTooLarge("attribute 'a0': a number is too large")


def test_every_score_is_that_of_the_metric_by_itself() -> None:
    results = measure_utility(("real.csv", REAL), TABLES, METRICS)
    null = uniform_table(REAL, REAL.records, BASELINE_SEED)
    assert results.metrics == tuple(metric.name for metric in METRICS)
    assert results.synthetics == tuple(TABLES)
    assert results.records == {"real.csv": 200, "first.csv": 150, "second.csv": 200}
    for name, table in TABLES.items():
        for metric in METRICS:
            found = results.at(metric.name, name)
            assert found is not None and found.seconds >= 0
            assert found.score == metric(REAL, table, DOMAIN)
            assert found.baseline == metric(REAL, null, DOMAIN)


@pytest.mark.parametrize("baseline", [True, False])
def test_every_marginal_is_counted_once_a_table_and_the_real_one_once_for_all(
    baseline: bool,
) -> None:
    real, first, second = Watched(REAL), Watched(FIRST), Watched(SECOND)
    measure_utility(("r", real), {"f": first, "s": second}, METRICS, baseline=baseline)
    wanted = {names for metric in METRICS for names in metric.marginals_read(DOMAIN)}
    for table in (real, first, second):
        times = Counter(names for sets in table.passes for names in sets)
        assert set(times) == wanted and set(times.values()) == {1}
        # In one pass over the table: further ones ask for nothing.
        assert sum(bool(sets) for sets in table.passes) == 1


def test_the_data_are_laid_beside_each_other_in_the_same_pass() -> None:
    real, first = Watched(REAL), Watched(FIRST)
    results = measure_utility(("r", real), {"f": first}, [TotalVariation()])
    assert results.data == lay(REAL, f=FIRST)
    assert [len(table.passes) for table in (real, first)] == [1, 1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_data_do_not_depend_on_metrics_and_processes(jobs: int) -> None:
    expected = lay(REAL, **TABLES)
    for metrics in (METRICS, ()):
        assert measure_utility(("r", REAL), TABLES, metrics, jobs=jobs).data == expected
    assert measure_utility(("r", REAL), {}, METRICS, jobs=jobs).data is None


def test_without_a_baseline_there_is_none() -> None:
    results = measure_utility(("real.csv", REAL), TABLES, METRICS, baseline=False)
    assert all(scored.baseline is None for scored in results.scored)


def test_the_real_table_may_be_among_the_synthetic_ones() -> None:
    results = measure_utility(("real.csv", REAL), {"real.csv": REAL}, METRICS)
    assert [s.score.value for s in results.scored] == [0.0, 0.0, 1000.0]
    assert results.records == {"real.csv": 200}


def test_replicates_are_the_values_of_the_next_seeds() -> None:
    results = measure_utility(
        ("r", REAL), {"f": FIRST}, (Coin(seed=5), TotalVariation()), replicates=4, baseline=True
    )
    coin, other = (scored.score for scored in results.scored)
    values = [float(generator("coin", seed).random()) for seed in (5, 6, 7, 8)]
    assert [coin.value, *coin.replicates] == values and coin.seed == 5
    assert other.replicates == ()
    null = results.scored[0].baseline
    assert null is not None and null.replicates == ()


@dataclass(frozen=True, kw_only=True)
class Fickle(Metric):
    """A metric that has no value for odd seeds."""

    name = "fickle"
    lowest, highest, direction = 0.0, 10.0, "lower"

    seed: int = 0

    def score(self, pair: Pair) -> Score:
        return self.undefined("odd") if self.seed % 2 else self.scored(float(self.seed))


def test_seeds_without_a_value_are_counted() -> None:
    results = measure_utility(("real", REAL), TABLES, (Fickle(),), replicates=5, baseline=False)
    score = results.scored[0].score
    assert score.replicates == (2.0, 4.0)
    assert score.stated == ("2 of 5 seeds give no value",)
    odd = measure_utility(("real", REAL), TABLES, (Fickle(seed=1),), replicates=5, baseline=False)
    assert (odd.scored[0].score.undefined, odd.scored[0].score.replicates) == ("odd", ())


def test_draws_that_were_handed_in_are_not_replicated() -> None:
    results = measure_utility(("r", REAL), {"f": FIRST}, (Coin(given=(0.1,)),), replicates=3)
    assert results.scored[0].score.value == 0.5 and results.scored[0].score.replicates == ()


def test_progress_tells_every_score_and_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    measure_utility(
        ("r", REAL),
        TABLES,
        METRICS,
        progress=lambda done, total, name: told.append((done, total, name)),
    )
    assert [done for done, _, _ in told] == list(range(10))
    assert {total for _, total, _ in told} == {9}
    names = [metric.name for metric in METRICS] * 3 + [""]
    assert [name.partition(",")[0] for _, _, name in told] == names
    assert all(name.endswith(" left") for _, _, name in told[:-1])


def test_processes_find_the_same_values_in_the_same_order() -> None:
    metrics, _ = applicable(tuple(map(metric_named, CATALOGUE)), DOMAIN)
    # One that takes long is taken in a process of its own.
    metrics = (*metrics, Coin(seed=3), Patient())
    alone, shared = (
        measure_utility(("r", REAL), TABLES, metrics, replicates=2, jobs=jobs) for jobs in (1, 2)
    )
    assert [replace(scored, seconds=0.0) for scored in shared.scored] == [
        replace(scored, seconds=0.0) for scored in alone.scored
    ]


def test_metrics_that_a_domain_has_no_attributes_for_are_told_with_the_reason() -> None:
    kept, refused = applicable(
        (TotalVariation(), HigherOrderConjunction(), TrainOnSynthetic()), DOMAIN
    )
    assert [metric.name for metric in kept] == ["total-variation"]
    reasons = dict(refused)
    assert set(reasons) == {"hoc", "train-on-synthetic"}
    # The name stands beside the reason, not in it as well.
    assert reasons["train-on-synthetic"].startswith("set target")
    results = measure_utility(("r", REAL), {"f": FIRST}, kept, refused=refused)
    assert results.refused == refused


def test_a_metric_of_records_is_undefined_for_a_table_in_chunks_and_others_are_not(
    tmp_path: Path,
) -> None:
    write_table(Dataset(DOMAIN, FIRST.codes), tmp_path / "first.csv")
    chunks = Parts.of_file(tmp_path / "first.csv", DOMAIN, 40)
    found, whole = (
        measure_utility(("r", REAL), {"f": table}, (*METRICS, PMSE(), Coin()), replicates=2)
        for table in (chunks, FIRST)
    )
    for scored, expected in zip(found.scored, whole.scored, strict=True):
        if scored.score.metric == "pmse":
            assert scored.score.value is None
            assert "in chunks" in str(scored.score.undefined)
        else:
            assert scored.score == expected.score


def test_a_metric_that_cannot_reckon_with_the_numbers_is_undefined_with_the_reason() -> None:
    results = measure_utility(("r", REAL), {"f": FIRST}, (Overflowing(), TotalVariation()))
    first, second = (scored.score for scored in results.scored)
    assert (first.value, first.undefined) == (None, "attribute 'a0': a number is too large")
    assert second.value is not None


@pytest.mark.parametrize(
    ("real", "synthetic", "part"),
    [
        (REAL, drawn(nominal((3, 4, 5, 7)), 20, 0), "same domain"),
        (REAL, drawn(DOMAIN, 0, 0), "the synthetic table has no records"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(
    real: Records, synthetic: Records, part: str
) -> None:
    with pytest.raises(InputError, match=part):
        measure_utility(("r", real), {"f": synthetic}, METRICS, baseline=False)


def test_values_outside_the_domain_in_one_table_are_counted_in_all() -> None:
    outside = drawn(DOMAIN, 100, 3, outside=True)
    tables: Sequence[Records] = (FIRST, outside)
    results = measure_utility(("r", REAL), {"f": FIRST, "o": outside}, METRICS, baseline=False)
    for name, table in zip(("f", "o"), tables, strict=True):
        for metric in METRICS:
            found = results.at(metric.name, name)
            assert found is not None
            assert found.score.value == metric(REAL, table, DOMAIN).value
