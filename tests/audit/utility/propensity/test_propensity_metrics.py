from __future__ import annotations

import gc
import json
import math
import weakref
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.pair import Pair
from audit.utility.parameters import plan_metric
from audit.utility.propensity.distances import PMSE, PO50, Specks
from audit.utility.propensity.learners import Cart, Logistic
from audit.utility.propensity.nulls import Null
from audit.utility.propensity.ratios import PMSERatio, StandardisedPMSE
from audit.utility.records import Records, read_records
from audit.utility.score import standard_error
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain
from tests.audit.utility.mixed_tables import MIXED, frame, records
from tests.audit.utility.propensity import slow_propensity as slow

EVERY = (PMSE, Specks, PO50, PMSERatio, StandardisedPMSE)
WAYS = (
    {},
    {"form": "algorithm-1"},
    {"learner": "logistic"},
    {"learner": "logistic", "form": "algorithm-1"},
)


@pytest.mark.parametrize("way", WAYS)
@given(st.integers(20, 60), st.integers(20, 60), st.integers(0, 10**6), st.floats(0, 1))
@settings(max_examples=6)
def test_every_value_lies_in_its_range(way, n, m, seed, tilt):
    pair = slow.random_pair("3x2x2", (n, m), seed, tilt)
    for metric in EVERY:
        limits = {} if metric in (PMSE, Specks, PO50) else {"permutations": 2}
        score = metric(**way, **limits).score(pair)
        assert (score.value is None) != (score.undefined is None)
        assert score.direction == "lower"
    pmse = PMSE(**way).score(pair)
    if "form" not in way:
        share = m / (n + m)
        assert pmse.highest == 0.25
        assert pmse.value <= share * (1 - share) + 1e-9
    else:
        assert pmse.highest == 1


@pytest.mark.parametrize("way", [{}, {"learner": "logistic", "interactions": True}])
def test_a_table_against_itself_has_the_best_scores(way):
    table = records(1, 300)
    pair = Pair.of(table, table, MIXED)
    assert PMSE(**way).score(pair).value == pytest.approx(0, abs=1e-15)
    assert Specks().score(pair).value == 0
    assert PO50().score(pair).value == 0
    assert PMSERatio().score(pair).value == 0
    assert StandardisedPMSE().score(pair).value < -2


@pytest.mark.parametrize("way", WAYS)
def test_a_worse_table_scores_worse(way):
    real = records(1, 500)
    near, far = (Pair.of(real, records(seed, 500, shift=seed - 2), MIXED) for seed in (2, 3))
    for metric in EVERY:
        few = {} if metric in (PMSE, Specks, PO50) else {"permutations": 3}
        near_score, far_score = (metric(**way, **few).score(pair).value for pair in (near, far))
        assert near_score < far_score


@pytest.mark.parametrize("way", [WAYS[0], WAYS[2]])
def test_in_sample_the_order_of_records_does_not_matter(way):
    real, synthetic = records(4, 300), records(5, 200, shift=0.3)
    mixed = synthetic.take(np.random.default_rng(0).permutation(200))
    for metric in (PMSE, Specks, PO50):
        scores = [metric(**way)(real, table, MIXED).value for table in (synthetic, mixed)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-9)


def test_relabelling_a_nominal_attribute_leaves_the_regression():
    pair = slow.random_pair("4x3x2", (300, 200), 1, 0.2)
    relabel = np.array([2, 0, 3, 1])
    tables = []
    for table in pair.tables:
        codes = table.codes.copy()
        codes[:, 0] = relabel[codes[:, 0]]
        tables.append(codes)
    other = slow.coded_pair(pair.domain, *tables)
    for interactions in (False, True):
        metric = PMSE(learner="logistic", interactions=interactions)
        assert metric.score(pair).value == pytest.approx(metric.score(other).value, rel=1e-9)


def test_one_fit_serves_all_metrics_and_goes_with_the_pair(monkeypatch):
    fits = []
    fit = Cart.fit
    monkeypatch.setattr(Cart, "fit", lambda *a: fits.append(a[1:4]) or fit(*a))
    pair = slow.random_pair("3x4x2", (200, 100), 1)
    for metric in EVERY:
        metric(seed=5).score(pair)
    assert len(fits) == 1 + 10
    PMSERatio(seed=5, permutations=12).score(pair)
    assert len(fits) == 1 + 10 + 2
    PMSE(seed=6).score(pair)
    assert len(fits) == 14
    fits.clear()
    gone = weakref.ref(pair)
    del pair
    gc.collect()
    assert gone() is None


def test_synthpop_regression_agrees_with_reweighted_least_squares():
    # pMSE and the expectation of utility.gen(method = "logit"), to seven digits.
    pair = slow.random_pair("3x2x4", (500, 250), 3, 0.3)
    labels = np.repeat([False, True], [500, 250])
    chances, rank = slow.regression(slow.one_hot(pair, True), labels)
    share = 1 / 3
    expected = slow.pmse(chances, share)
    ratio = expected / ((rank - 1) * (1 - share) ** 2 * share / 750)
    way = {"mode": "synthpop", "learner": "logistic"}
    assert PMSE(**way).score(pair).value == pytest.approx(expected, rel=1e-7)
    score = PMSERatio(**way, null="closed-form").score(pair)
    assert score.value == pytest.approx(ratio, rel=1e-7)
    assert rank == 1 + 2 + 1 + 3 + 2 + 6 + 3


def test_synthpop_divides_by_half_the_permutation_mean():
    pair = slow.random_pair("3x2x4", (300, 300), 3, 0.3)
    way = {"depth": 4, "smallest_leaf": 5, "complexity": 0.0, "permutations": 6}
    halved = PMSERatio(mode="synthpop", **way).score(pair)
    pmse = PMSE(mode="synthpop", **{k: way[k] for k in list(way)[:3]}).score(pair).value
    null = [row[1] for row in halved.breakdown("permutations").rows]
    assert halved.value == pytest.approx(pmse / (sum(p / 2 for p in null) / 6), rel=1e-12)
    assert halved.draws == 6
    assert "equal size" in " ".join(halved.stated)


def test_synthpop_has_its_own_tree_and_fifty_permutations():
    metric = PMSERatio(mode="synthpop")
    assert metric.discriminator.learner == Cart(30, 5, 15, 1e-3)
    assert PMSE().discriminator.learner == Cart(6, 5)
    assert PMSE(depth=3, complexity=0.01).discriminator.learner == Cart(3, 5, 2, 0.01)
    assert PMSE(mode="synthpop", learner="logistic").discriminator.encoding == "interactions"
    assert PMSE(learner="logistic").discriminator.learner == Logistic(100)
    assert metric.score(slow.random_pair("3x4", (90, 80), 1)).draws == 50


def test_ratio_and_standardised_are_those_of_the_listed_permutations():
    pair = slow.random_pair("3x2x4", (300, 150), 3, 0.3)
    pmse = PMSE().score(pair).value
    for null, scale in (("permutation", 1.0), ("fitted-original", 2 / 3)):
        ratio = PMSERatio(null=null).score(pair)
        found = np.array([row[1] for row in ratio.breakdown("permutations").rows]) * scale
        assert ratio.value == pytest.approx(pmse / found.mean())
        assert math.fsum(ratio.parts) / 10 == pytest.approx(ratio.value)
        assert ratio.standard_error > 0
        standardised = StandardisedPMSE(null=null).score(pair)
        assert standardised.value == pytest.approx((pmse - found.mean()) / found.std(ddof=1))
        assert ratio.drawn == standardised.drawn


def test_a_permutation_is_the_same_procedure_with_mixed_labels():
    pair = slow.random_pair("3x2x4", (120, 80), 3, 0.3)
    (row,) = PMSERatio(given=(17,)).score(pair).breakdown("permutations").rows
    pooled = np.concatenate([table.codes for table in pair.tables])
    labels = np.random.default_rng(17).permutation(np.repeat([False, True], [120, 80]))
    mixed = slow.coded_pair(pair.domain, pooled[~labels], pooled[labels])
    assert row[1] == pytest.approx(PMSE(seed=17).score(mixed).value, rel=1e-9)


@pytest.mark.parametrize("learner", ["cart", "logistic"])
def test_the_error_of_algorithm_one_is_that_of_its_folds_too(learner):
    pair = slow.random_pair("3x2x4", (400, 300), 3, 0.3)
    way = {"learner": learner, "form": "algorithm-1", "seed": 5}
    pmse = PMSE(**way).score(pair)
    fits = PMSE(**way).discriminator.fit(pair)
    each = [((f.fit.probabilities - 3 / 7) ** 2).mean() for f in fits.folds]
    assert pmse.standard_error == pytest.approx(np.std(each, ddof=1) / math.sqrt(5))
    for metric in (PMSERatio(**way), StandardisedPMSE(**way)):
        score = metric.score(pair)
        found = np.array([row[1] for row in score.breakdown("permutations").rows])
        unit = found.mean() if isinstance(metric, PMSERatio) else found.std(ddof=1)
        null = Null.of_permutations(tuple(found.tolist()), 1.0)
        what = "ratio" if isinstance(metric, PMSERatio) else "standardise"
        own = standard_error(getattr(null, what)(pmse.value)[1])
        assert score.standard_error == pytest.approx(math.hypot(own, pmse.standard_error / unit))
        # Paired permutations would leave the cut out.
        assert score.parts == ()
        again = metric.with_draws(score.drawn).score(pair)
        assert (again.value, again.seed) == (score.value, 5)
    assert PMSE(learner=learner).score(pair).standard_error is None


def test_draws_come_back_from_json():
    pair = slow.random_pair("3x4", (90, 80), 1, 0.3)
    score = PMSERatio(seed=3, permutations=4).score(pair)
    again = PMSERatio().with_draws(json.loads(json.dumps(score.drawn))).score(pair)
    assert (again.drawn, again.parts) == (score.drawn, score.parts)
    assert (score.seed, again.seed) == (3, None)
    other = slow.random_pair("3x4", (90, 200), 2)
    assert PMSERatio(seed=3, permutations=4).score(other).drawn == score.drawn
    for wrong in ([], ["a"], [1.5], [-1], [True], [[1]]):
        with pytest.raises(InputError, match="seed of a permutation"):
            PMSERatio().with_draws(wrong)
    with pytest.raises(InputError, match="no random draws"):
        PMSERatio(learner="logistic", null="closed-form").with_draws([1])
    with pytest.raises(InputError, match="no random draws"):
        PMSE().with_draws([1])


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ({"null": "closed-form"}, "a tree has none"),
        (
            {"null": "closed-form", "learner": "logistic", "form": "algorithm-1"},
            "has not learned from",
        ),
        ({"null": "fitted-original", "form": "algorithm-1"}, "has not learned from"),
        ({"null": "fitted-original", "complexity": 0.01}, "pruned"),
        ({"null": "fitted-original", "mode": "synthpop"}, "synthpop"),
        ({"null": "none"}, "null must be one of"),
        ({"learner": "forest"}, "learner must be one of"),
        ({"form": "folds"}, "form must be one of"),
        ({"mode": "synthpop", "form": "algorithm-1"}, "in-sample"),
        ({"mode": "sdnist-2.5"}, "mode must be one of"),
        ({"permutations": 0}, "permutations"),
        ({"permutations": True}, "permutations"),
        ({"depth": 0}, "depth"),
        ({"smallest_leaf": 0}, "smallest_leaf"),
        ({"complexity": -0.1}, "complexity"),
        ({"complexity": math.nan}, "complexity"),
        ({"folds": 1}, "folds"),
        ({"training": Fraction(1)}, "training"),
        ({"seed": -1}, "seed"),
        ({"subsample": 0}, "subsample"),
        ({"most_parameters": 1}, "most_parameters"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(way, says):
    with pytest.raises(InputError, match=says):
        PMSERatio(**way)


def test_standardising_needs_two_permutations():
    with pytest.raises(InputError, match="at least 2"):
        StandardisedPMSE(permutations=1)
    with pytest.raises(InputError, match="at least 2"):
        StandardisedPMSE(given=(1,))


@pytest.mark.parametrize("way", [{"depth": 3}, {"learner": "logistic"}, {"subsample": 9}])
def test_sdnists_tree_takes_no_parameters(way):
    with pytest.raises(InputError, match="a tree of its own"):
        PMSE(mode="sdnist-2.5", **way)


def test_a_tree_that_cannot_split_has_pmse_0_and_no_ratio():
    pair = slow.random_pair("3x4", (40, 60), 1, 0.3)
    assert PMSE(smallest_leaf=60).score(pair).value == 0
    for metric in (PMSERatio, StandardisedPMSE):
        score = metric(smallest_leaf=60).score(pair)
        assert score.value is None
        assert "all 10 permutations gave a tree without splits" in score.undefined
        assert "10 of 10 permutations gave a tree without splits" in score.stated
    # Out of sample the c of a fold is not quite that of all records, and pMSE not quite 0.
    folds = PMSERatio(smallest_leaf=60, form="algorithm-1").score(
        slow.random_pair("3x4", (43, 61), 1)
    )
    assert "without splits" in folds.undefined
    # Some permutations without splits are counted, and the ratio stays defined.
    some = PMSERatio(complexity=0.03).score(slow.random_pair("3x4", (60, 60), 2, 0.3))
    bare = sum(row[2] == 0 for row in some.breakdown("permutations").rows)
    assert 0 < bare < 10 and some.value is not None
    assert f"{bare} of 10 permutations gave a tree without splits" in some.stated


@pytest.mark.parametrize("null", ["permutation", "closed-form", "fitted-original"])
def test_constant_attributes_leave_no_null_of_a_regression(null):
    domain = Domain.from_cells("2x3")
    tables = [Dataset(domain, np.zeros((size, 2), dtype=int)) for size in (20, 30)]
    pair = Pair.of(*tables, domain)
    for metric in (PMSERatio, StandardisedPMSE):
        score = metric(learner="logistic", null=null).score(pair)
        assert "all attributes are constant" in score.undefined
    assert PMSE(learner="logistic").score(pair).value == 0


def test_permutations_that_are_all_alike_standardise_nothing():
    # Two records of one value each way: every permutation is the same up to exchange.
    domain = Domain.from_cells("2")
    pair = Pair.of(*[Dataset(domain, np.array([[k]])) for k in (0, 1)], domain)
    score = StandardisedPMSE(smallest_leaf=1).score(pair)
    assert "no spread" in score.undefined
    assert PMSERatio(smallest_leaf=1).score(pair).value == 1


def test_tables_too_small_for_folds_are_undefined():
    pair = slow.random_pair("3x4", (40, 9), 1)
    for metric in EVERY:
        score = metric(form="algorithm-1").score(pair)
        assert "too few records" in score.undefined


def test_too_many_parameters_are_undefined_and_the_cap_can_be_raised():
    pair = slow.random_pair("9x9x9", (400, 400), 1)
    way = {"learner": "logistic", "interactions": True}
    # 1 + 3·8 + 3·64.
    assert PMSE(**way, most_parameters=217).score(pair).value is not None
    assert "more than 216 parameters" in PMSE(**way, most_parameters=216).score(pair).undefined


def test_perfect_separation_is_told():
    domain = Domain.from_cells("2x2")
    codes = np.tile([[0, 0], [0, 1]], (30, 1))
    pair = slow.coded_pair(domain, codes, codes + np.array([1, 0]))
    for learner in ("cart", "logistic"):
        score = PMSE(learner=learner).score(pair)
        assert score.value == pytest.approx(0.25, abs=1e-6)
        assert "the classifier separates the two tables perfectly" in score.stated
        assert Specks(learner=learner).score(pair).exact == 1
    assert any("all but 0 or 1" in line for line in score.stated)
    slow_fit = PMSE(learner="logistic", iterations=2).score(pair)
    assert any("not converged after 2" in line for line in slow_fit.stated)


def test_a_subsample_is_drawn_by_the_seed_and_told():
    pair = slow.random_pair("3x4x2", (500, 300), 1, 0.2)
    score = PMSE(subsample=200, seed=4).score(pair)
    assert score.value == PMSE(subsample=200, seed=4)(*pair.tables, pair.domain).value
    assert score.value != PMSE(subsample=200, seed=5).score(pair).value
    assert "200 real and 200 synthetic records, c = 0.5, a subsample by the seed" in score.stated
    assert PMSE(subsample=500).score(pair).value == pytest.approx(PMSE().score(pair).value)


def test_breakdowns_name_the_bins_the_attributes_and_the_folds():
    pair = Pair.of(frame(1, 300), frame(2, 200, shift=0.8), MIXED)
    score = PMSE(form="algorithm-1", learner="logistic").score(pair)
    densities = score.breakdown("densities")
    assert densities.columns == ("bin low", "bin high", "real share", "synthetic share")
    assert len(densities.rows) == 100
    assert sum(row[2] for row in densities.rows) == pytest.approx(1)
    assert sum(row[3] for row in densities.rows) == pytest.approx(1)
    importances = score.breakdown("importances").rows
    assert {row[0] for row in importances} == set(MIXED.names)
    assert [row[1] for row in importances] == sorted((r[1] for r in importances), reverse=True)
    folds = score.breakdown("folds")
    assert folds.columns[3:5] == ("c in training", "c scored")
    assert sum(row[2] for row in folds.rows) == 5 * (18 + 12)
    assert score.value == pytest.approx(sum(row[5] for row in folds.rows) / 5)
    assert {row[3] for row in folds.rows} == {0.4}
    statistics = dict(score.breakdown("statistics").rows)
    assert statistics["pMSE"] == score.value
    assert PMSE().score(pair).breakdown("folds") is None
    assert Specks().score(pair).breakdown("densities").rows != densities.rows


def test_the_attribute_that_gives_the_table_away_is_the_most_important():
    pair = slow.random_pair("3x4x2", (500, 500), 1)
    codes = pair.tables[1].codes.copy()
    codes[:, 1] = 0
    worse = slow.coded_pair(pair.domain, pair.tables[0].codes, codes)
    for way in WAYS:
        assert PMSE(**way).score(worse).breakdown("importances").rows[0][0] == "a2"


def test_knowing_the_sizes_alone_is_told_beside_po50():
    score = PO50()(records(1, 300), records(1, 100), MIXED)
    assert "25 is what the sizes of the tables alone allow" in score.stated
    assert score.exact == Fraction(score.value) and score.value >= 25


def test_parameters_come_from_a_plan():
    values = {"learner": "logistic", "null": "closed-form", "training": "0.6", "depth": "none"}
    metric = plan_metric(PMSERatio, values, lambda name: PMSE())
    assert metric == PMSERatio(learner="logistic", null="closed-form", training=Fraction(3, 5))
    with pytest.raises(InputError, match="must be one of cart, logistic"):
        plan_metric(PMSE, {"learner": "svm"}, lambda name: PMSE())


def test_the_next_year_of_a_survey_is_nearer_than_shuffled_columns(shared_data):
    domain = load_domain(shared_data / "acs_ma2018.schema.json").project(
        ["SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "EDU", "DVET", "DREM"]
    )
    real, following = (
        read_records(shared_data / f"acs_ma{year}.csv.gz", domain, outside="cell")
        for year in (2018, 2019)
    )
    random = np.random.default_rng(0)
    columns = [random.permutation(real.column(name)) for name in domain.names]
    shuffled = Records(domain, np.asfortranarray(np.column_stack(columns)))
    for metric in (PMSERatio(permutations=3), PMSERatio(permutations=3, form="algorithm-1")):
        near, far = (metric(real, table, domain).value for table in (following, shuffled))
        assert near < 2 < far
