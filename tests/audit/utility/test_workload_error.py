from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility import workload_error
from audit.utility.records import Records, of_frame
from audit.utility.workload_error import WorkloadError
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, coded, frame, records

pytestmark = pytest.mark.smoke


def slow(
    real: Records, synthetic: Records, k: int, targets: tuple[str, ...] = ()
) -> dict[tuple[str, ...], float]:
    """Total variation of every marginal, over dictionaries of tuples."""
    names = real.domain.names
    found = {}
    for chosen in itertools.combinations([n for n in names if n not in targets], k):
        kept = [c for c, name in enumerate(names) if name in (*chosen, *targets)]
        here = Counter(tuple(row[c] for c in kept) for row in real.codes.tolist())
        there = Counter(tuple(row[c] for c in kept) for row in synthetic.codes.tolist())
        found[tuple(names[c] for c in kept)] = (
            sum(
                abs(here[v] / real.records - there[v] / synthetic.records)
                for v in here.keys() | there.keys()
            )
            / 2
        )
    return found


@pytest.mark.parametrize("k", [1, 2, 3, 6])
@pytest.mark.parametrize("sizes", [(80, 80), (31, 150)])
def test_it_is_its_definition(k: int, sizes: tuple[int, int]) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.3)
    expected = list(slow(real, synthetic, k).values())
    score = WorkloadError(k=k)(real, synthetic, MIXED)
    assert score.value == pytest.approx(np.mean(expected), abs=1e-13)
    distribution = score.breakdown("distribution")
    assert distribution is not None
    found = dict(distribution.rows)
    assert found["largest"] == pytest.approx(max(expected))
    assert found["95th percentile"] == pytest.approx(np.quantile(expected, 0.95))


def test_every_pair_is_listed_and_the_worst_is_first() -> None:
    real, synthetic = records(1, 80), records(2, 80, shift=0.3)
    breakdown = WorkloadError()(real, synthetic, MIXED).breakdown("pairs")
    assert breakdown is not None
    expected = slow(real, synthetic, 2)
    assert {(a, b): pytest.approx(v) for a, b, v in breakdown.rows} == expected
    values = [row[2] for row in breakdown.rows]
    assert values == sorted(values, reverse=True)
    assert breakdown.columns == ("first attribute", "second attribute", "total variation")


def test_targets_belong_to_every_marginal() -> None:
    real, synthetic = records(1, 80), records(2, 60, shift=0.3)
    score = WorkloadError(k=1, targets=("type", "sex"))(real, synthetic, MIXED)
    expected = slow(real, synthetic, 1, ("type", "sex"))
    breakdown = score.breakdown("marginals")
    assert breakdown is not None
    assert dict(breakdown.rows) == pytest.approx(
        {" × ".join(names): value for names, value in expected.items()}
    )


@pytest.mark.parametrize("sizes", [(90, 90), (40, 170), (170, 40)])
@pytest.mark.parametrize("targets", [(), ("sex",)])
def test_the_mode_of_private_pgm_is_its_arithmetic_to_the_last_bit(
    sizes: tuple[int, int], targets: tuple[str, ...]
) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.3)
    errors = {}
    for names in itertools.combinations([n for n in MIXED.names if n not in targets], 2):
        columns = [MIXED.position(name) for name in (*names, *targets)]
        edges = [range(MIXED.shape[c] + 1) for c in columns]
        vectors = [
            np.histogramdd(table.codes[:, columns], edges)[0].ravel() for table in (real, synthetic)
        ]
        errors[names] = 0.5 * np.linalg.norm(vectors[0] - vectors[1], 1) / real.records
    expected = pd.Series(errors).sort_values().mean()
    score = WorkloadError(mode="private-pgm", targets=targets)(real, synthetic, MIXED)
    assert score.value == expected
    assert score.highest == float("inf")


def test_the_modes_agree_on_tables_of_one_size() -> None:
    real, synthetic = records(1, 64), records(2, 64)
    fixed = WorkloadError()(real, synthetic, MIXED).value
    assert fixed == pytest.approx(WorkloadError(mode="private-pgm")(real, synthetic, MIXED).value)


def test_large_workloads_are_not_held_and_come_out_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, synthetic = records(1, 80), records(2, 60)
    before = WorkloadError(k=3)(real, synthetic, MIXED)
    assert len(WorkloadError(k=3).marginals_read(MIXED)) == 20
    monkeypatch.setattr(workload_error, "HELD_CELLS", 10)
    assert WorkloadError(k=3).marginals_read(MIXED) == ()
    assert WorkloadError(k=3)(real, synthetic, MIXED) == before


codes = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20
)


@given(codes, codes)
def test_larger_marginals_are_never_nearer(
    here: list[tuple[int, int, int]], there: list[tuple[int, int, int]]
) -> None:
    real, synthetic = coded((2, 3, 3), here), coded((2, 3, 3), there)
    values = [WorkloadError(k=k)(real, synthetic, real.domain).value for k in (1, 2, 3)]
    assert all(value is not None and 0 <= value <= 1 for value in values)
    assert values[0] <= values[1] + 1e-12 <= values[2] + 2e-12
    assert WorkloadError()(real, real, real.domain).value == 0


def test_a_value_outside_the_domain_is_a_cell() -> None:
    strange = frame(2, 40)
    strange.loc[:9, "sex"] = "3"
    real, synthetic = records(1, 60), of_frame(strange, MIXED, "cell")
    expected = list(slow(real, synthetic, 2).values())
    assert WorkloadError()(real, synthetic, MIXED).value == pytest.approx(np.mean(expected))


def test_what_does_not_fit_the_domain_is_refused() -> None:
    real = records(1, 5)
    with pytest.raises(InputError, match="k must be at least 1"):
        WorkloadError(k=0)
    with pytest.raises(InputError, match="take a smaller k"):
        WorkloadError(k=6, targets=("sex",))(real, real, MIXED)
    with pytest.raises(InputError, match="there is no attribute 'town'"):
        WorkloadError(targets=("town",))(real, real, MIXED)
    with pytest.raises(InputError, match="the mode must be one of fixed, private-pgm"):
        WorkloadError(mode="sdnist-2.5")
