from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Score
from audit.utility.subsample_equivalent import PERCENTS, SubsampleEquivalent
from audit.utility.workload_error import WorkloadError
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, coded, records


@dataclass(frozen=True, kw_only=True)
class Size(Metric):
    """The share of the real records that the synthetic table has, or less the better."""

    name = "size"
    lowest, highest, direction = -10.0, 10.0, "higher"

    floor: float = 0.0

    def score(self, pair: Pair) -> Score:
        share = pair.records[1] / pair.records[0]
        return self.scored(share) if share >= self.floor else self.undefined("too few")


@dataclass(frozen=True, kw_only=True)
class Missing(Size):
    """The other way round."""

    direction = "lower"

    def score(self, pair: Pair) -> Score:
        return self.scored(1 - pair.records[1] / pair.records[0])


@pytest.mark.parametrize("metric", [Size(), Missing()])
@pytest.mark.parametrize("share", [0.02, 0.13, 0.2, 0.55, 0.899])
def test_a_score_that_tells_the_size_gives_the_size(metric: Metric, share: float) -> None:
    real = coded((2,), [(0,)] * 10_000)
    synthetic = coded((2,), [(0,)] * round(share * 10_000))
    score = SubsampleEquivalent(of=metric)(real, synthetic, real.domain)
    below = max(p for p in PERCENTS if p <= share * 100)
    above = min(p for p in PERCENTS if p >= share * 100)
    # Between two sizes a straight line in the logarithm of the per cent.
    inside = (share * 100 - below) / (above - below) if above > below else 0.0
    assert score.value == pytest.approx(below * (above / below) ** inside)
    assert score.standard_error == pytest.approx(0)
    assert score.bracket is None
    assert score.stated[0].startswith(f"as good as a {score.value:.3g} % sample, by ")


def test_outside_the_sizes_the_value_is_a_stated_bound() -> None:
    real = coded((2,), [(0,)] * 1000)
    high = SubsampleEquivalent(of=Size())(real, real, real.domain)
    assert (high.value, high.bracket) == (90, (Fraction(90), Fraction(100)))
    assert high.stated[0].startswith("above the 90 % sample: the value is a lower bound")
    tiny = coded((2,), [(0,)] * 5)
    low = SubsampleEquivalent(of=Size())(real, tiny, real.domain)
    assert (low.value, low.bracket) == (1, (Fraction(0), Fraction(1)))
    assert low.stated[0].startswith("below the 1 % sample: the value is an upper bound")


def test_subsamples_are_listed_with_mean_and_spread() -> None:
    real, synthetic = records(1, 300), records(2, 300)
    metric = SubsampleEquivalent(of=WorkloadError(), replicates=4)
    score = metric(real, synthetic, MIXED)
    breakdown = score.breakdown("subsamples")
    assert breakdown is not None
    assert [row[0] for row in breakdown.rows] == list(PERCENTS)
    means = [row[1] for row in breakdown.rows]
    # With 15 marginals and 4 replicates a larger sample is nearer, by far.
    assert means == sorted(means, reverse=True)
    assert all(row[2] > 0 and row[3] == 4 for row in breakdown.rows)
    assert score.standard_error is not None and score.standard_error > 0


def test_the_spread_is_that_of_the_replicates() -> None:
    scores = iter([0.35, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])

    @dataclass(frozen=True, kw_only=True)
    class Told(Size):
        def score(self, pair: Pair) -> Score:
            return self.scored(next(scores))

    real = coded((2,), [(0,)] * 100)
    metric = SubsampleEquivalent(of=Told(), percents=(10, 40), replicates=3)
    score = metric(real, real, real.domain)
    breakdown = score.breakdown("subsamples")
    assert breakdown is not None
    assert breakdown.rows == (
        (10, pytest.approx(0.3), pytest.approx(0.1), 3),
        (40, pytest.approx(0.6), pytest.approx(0.1), 3),
    )
    # 0.35 is 1/6 of the way from 0.3 to 0.6. Without one replicate the ends are 0.35 and
    # 0.65, 0.3 and 0.6, or 0.25 and 0.55.
    assert score.value == pytest.approx(10 * 4 ** (1 / 6))
    without = np.array([10.0, 10 * 4 ** (1 / 6), 10 * 4 ** (1 / 3)])
    spread = ((without - without.mean()) ** 2).sum()
    assert score.standard_error == pytest.approx(math.sqrt(2 / 3 * spread))


def test_per_cents_are_those_of_the_whole_records_that_were_taken() -> None:
    real = coded((2,), [(0,)] * 30)
    score = SubsampleEquivalent(of=Size(), percents=(1, 2, 5, 50), replicates=2)(
        real, coded((2,), [(0,)]), real.domain
    )
    breakdown = score.breakdown("subsamples")
    assert breakdown is not None
    assert [row[0] for row in breakdown.rows] == pytest.approx([100 / 30, 200 / 30, 50])
    # One record is 3.33 per cent of 30, and not 1.
    assert score.value == pytest.approx(100 / 30)
    assert score.bracket is not None and score.bracket[1] == Fraction(100 / 30)
    assert score.stated[0].startswith("below the 3.33 % sample")
    one = coded((2,), [(0,)])
    alone = SubsampleEquivalent(of=Size())(one, one, one.domain)
    assert alone.undefined is not None and "too few records" in alone.undefined


def test_the_subsamples_are_drawn_without_replacement_of_the_size_they_say() -> None:
    seen = []

    @dataclass(frozen=True, kw_only=True)
    class Watch(Size):
        def score(self, pair: Pair) -> Score:
            seen.append(pair.tables[1].codes[:, 0].tolist())
            return super().score(pair)

    real = coded((64,), [(k,) for k in range(64)])
    SubsampleEquivalent(of=Watch(), replicates=2)(real, real, real.domain)
    samples = seen[1:]
    # 1 and 2 per cent of 64 records are one record both, which is drawn once.
    sizes = [round(64 * p / 100) for p in PERCENTS[1:] for _ in range(2)]
    assert [len(sample) for sample in samples] == sizes
    assert all(len(set(sample)) == len(sample) for sample in samples)
    assert samples[-1] != samples[-2]


def test_an_independent_draw_is_as_good_as_a_third() -> None:
    """A share of n further records has the variance p(1-p)/n, and so has that of the real ones.

    From a subsample of a share f, without replacement, the variance about the real
    share is (1-f)/f · p(1-p)/n; the two are alike at f = 1/3. Per cents between 30 and 40
    lie on a logarithmic line through a curve that is almost one. Over 40 other seeds the
    standard deviation was 0.4: by the normal approximation a right implementation is
    off by 3 with a probability below 1e-12.
    """
    random = np.random.default_rng(11)
    domain = Domain("many", (Attribute("x", tuple(map(str, range(10_000)))),))
    real, synthetic = (
        Records(domain, random.integers(10_000, size=(100_000, 1))) for _ in range(2)
    )
    metric = SubsampleEquivalent(of=WorkloadError(k=1), percents=(20, 30, 40, 50), replicates=2)
    assert metric(real, synthetic, domain).value == pytest.approx(100 / 3, abs=3)


def test_all_files_meet_the_same_subsamples_and_another_seed_gives_others() -> None:
    real = records(1, 200)
    metric = SubsampleEquivalent(of=WorkloadError(), replicates=2)
    found = [
        metric(real, records(seed, 50 * seed), MIXED).breakdown("subsamples") for seed in (2, 3)
    ]
    assert found[0] == found[1]
    other = SubsampleEquivalent(of=WorkloadError(), replicates=2, seed=1)
    assert other(real, records(2, 100), MIXED).breakdown("subsamples") != found[0]


def test_files_against_one_real_table_share_its_subsamples() -> None:
    calls = []

    @dataclass(frozen=True, kw_only=True)
    class Counted(Size):
        def score(self, pair: Pair) -> Score:
            calls.append(pair)
            return super().score(pair)

    real = coded((2,), [(0,)] * 100)
    pairs = [Pair.of(real, coded((2,), [(0,)] * size), real.domain) for size in (10, 30)]
    shared = [pairs[0], Pair(pairs[0].real, pairs[1].synthetic)]
    metric = SubsampleEquivalent(of=Counted(), replicates=2)
    values = [metric.score(pair).value for pair in shared]
    assert values == pytest.approx([10, 30])
    assert len(calls) == 2 + 2 * len(PERCENTS)
    # Another seed has subsamples of its own, and so has another real table.
    SubsampleEquivalent(of=Counted(), replicates=2, seed=1).score(shared[0])
    metric.score(pairs[1])
    assert len(calls) == 4 + 6 * len(PERCENTS)


def test_undefined_scores_are_left_out_and_counted() -> None:
    real = coded((2,), [(0,)] * 1000)
    synthetic = coded((2,), [(0,)] * 300)
    score = SubsampleEquivalent(of=Size(floor=0.05))(real, synthetic, real.domain)
    assert score.value == pytest.approx(30)
    assert any("1 %, 2 % left out, undefined" in text for text in score.stated)
    score = SubsampleEquivalent(of=Size(floor=0.85))(real, real, real.domain)
    assert score.undefined == "size is undefined for almost all subsamples"
    score = SubsampleEquivalent(of=Size(floor=0.5))(real, synthetic, real.domain)
    assert score.undefined == "size of the synthetic table: too few"


def test_scores_that_do_not_follow_the_size_are_made_monotone() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Wavy(Size):
        def score(self, pair: Pair) -> Score:
            share = 100 * pair.records[1] / pair.records[0]
            return self.scored({10: 0.3, 20: 0.6, 30: 0.4, 40: 0.9, 50: 0.6}[round(share)])

    real = coded((2,), [(0,)] * 100)
    # Pooled: 0.3, 0.5, 0.5, 0.9, where 0.5 stands at the geometric mean of 20 % and 30 %; 0.6
    # is a quarter of the way from there to 40 %.
    metric = SubsampleEquivalent(of=Wavy(), percents=(10, 20, 30, 40), replicates=1)
    score = metric(real, coded((2,), [(0,)] * 50), real.domain)
    assert score.value == pytest.approx((20 * 30) ** (0.5 * 0.75) * 40**0.25)
    assert score.standard_error is None


@pytest.mark.parametrize(
    "fields",
    [
        {"percents": (5,)},
        {"percents": (5, 5)},
        {"percents": (0, 5)},
        {"percents": (5, 100)},
        {"replicates": 0},
        {"of": SubsampleEquivalent()},
    ],
)
def test_parameters_out_of_range_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match="subsample-equivalent"):
        SubsampleEquivalent(**fields)


def test_what_the_other_metric_refuses_is_refused() -> None:
    with pytest.raises(InputError, match="take a smaller k"):
        SubsampleEquivalent(of=WorkloadError(k=7)).check(MIXED)
    assert SubsampleEquivalent(of=WorkloadError()).marginals_read(
        MIXED
    ) == WorkloadError().marginals_read(MIXED)
