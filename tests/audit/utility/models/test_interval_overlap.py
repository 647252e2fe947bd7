"""Interval overlap: the formula by hand, the fits against other solvers, and what is left out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import optimize
from scipy.special import ndtri
from sklearn.linear_model import LogisticRegression

from audit.utility.models.interval_overlap import IntervalOverlap, overlap
from audit.utility.models.regressions import independent, least_squares, logistic
from audit.utility.pair import Pair
from audit.utility.records import Records, of_frame
from audit.utility.score import Breakdown, Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.quantities import DAY, Quantity

DOMAIN = Domain(
    "survey",
    (
        Attribute("sex", ("f", "m")),
        Attribute.binned("age", [0, 50, 100], missing=True),
        Attribute("town", ("a", "b", "c", "d"), missing=True),
        Attribute.binned("wage", [0, 100, 1000]),
        Attribute("smokes", ("no", "yes"), missing=True),
    ),
)


def survey(seed: int, records: int, shift: float = 0.0, domain: Domain = DOMAIN) -> Records:
    random = np.random.default_rng(seed)
    sex, town = random.integers(2, size=records), random.integers(3, size=records)
    age = np.round(random.uniform(18, 90, records), 1)
    wage = 300 + 20 * sex + (2 + shift) * age + 15 * town + random.normal(0, 30, records)
    odds = -2 + 0.03 * age + (0.5 + shift) * sex - 0.4 * (town == 1)
    smokes = random.random(records) < 1 / (1 + np.exp(-odds))
    frame = pd.DataFrame(
        {
            "sex": np.array(["f", "m"])[sex],
            "age": [f"{a:.1f}" for a in age],
            "town": np.array(["a", "b", "c"])[town],
            "wage": [f"{w:.3f}" for w in np.clip(wage, 0, 1000)],
            "smokes": np.array(["no", "yes"])[smokes.astype(int)],
        }
    )
    return of_frame(frame, domain)


def coefficients(score: Score) -> dict[str, tuple[Any, ...]]:
    found = score.breakdown("coefficients")
    assert isinstance(found, Breakdown)
    assert found.columns == (
        *("term", "real estimate", "real low", "real high"),
        *("synthetic estimate", "synthetic low", "synthetic high", "overlap"),
    )
    return {str(row[0]): row[1:] for row in found.rows}


@pytest.mark.parametrize(
    ("real", "synthetic", "expected"),
    [
        ((0, 2), (0, 2), 1),
        ((0, 2), (1, 3), Fraction(1, 2)),
        ((0, 4), (1, 2), Fraction(5, 8)),  # (1/4 + 1/1) / 2
        ((0, 1), (1, 2), 0),
        ((0, 1), (3, 5), Fraction(-3, 2)),  # -2 over widths 1 and 2
        ((-1, 3), (2, 10), Fraction(3, 16)),  # (1/4 + 1/8) / 2
    ],
)
def test_the_overlap_of_two_intervals_by_hand(
    real: tuple[float, float], synthetic: tuple[float, float], expected: Fraction
) -> None:
    assert overlap(real, synthetic) == expected == overlap(synthetic, real)


def test_intervals_without_width_have_no_overlap() -> None:
    assert overlap((1, 1), (0, 2)) is None
    assert overlap((0, 2), (1, 1)) is None
    assert overlap((0, math.inf), (1, 2)) is None


def test_least_squares_by_hand() -> None:
    # y on 1 and x at 0, 1, 2, 3: slope 7/5, intercept 9/10, residual sum of squares 1/5, 2 degrees
    # of freedom; slope variance (1/10)/5, intercept variance (1/10)·(1/4 + 9/4/5).
    columns = np.column_stack((np.ones(4), np.arange(4.0)))
    fit = least_squares(columns, np.array([1.0, 2.0, 4.0, 5.0]))
    assert fit is not None
    np.testing.assert_allclose(fit.estimates, [0.9, 1.4], rtol=1e-12)
    np.testing.assert_allclose(fit.errors**2, [0.1 * 0.7, 0.02], rtol=1e-12)
    assert least_squares(columns[:2], np.array([1.0, 2.0])) is None


def test_least_squares_against_the_normal_equations() -> None:
    random = np.random.default_rng(3)
    columns = np.column_stack((np.ones(200), random.normal(size=(200, 4))))
    outcome = columns @ [1, 2, 3, 4, 5] + random.normal(size=200)
    fit = least_squares(columns, outcome)
    assert fit is not None
    gram = columns.T @ columns
    estimates = np.linalg.solve(gram, columns.T @ outcome)
    residual = outcome - columns @ estimates
    np.testing.assert_allclose(fit.estimates, estimates, rtol=1e-9)
    variance = residual @ residual / 195 * np.linalg.inv(gram).diagonal()
    np.testing.assert_allclose(fit.errors, np.sqrt(variance), rtol=1e-9)


@pytest.mark.parametrize("step", [0, 1])
def test_an_exact_fit_has_no_width_and_rounding_is_no_score(step: int) -> None:
    values = tuple(map(str, range(1, 7)))
    domain = Domain(
        "exact",
        (
            Attribute("y", values, ordinal=True),
            Attribute("x", values, ordinal=True),
            Attribute("town", ("a", "b", "c")),
        ),
    )
    random = np.random.default_rng(step)

    def table(records: int) -> Records:
        x = random.integers(6, size=records)
        town = random.integers(3, size=records)
        return Records(domain, np.column_stack((step * x, x, town)))

    first, second = table(300), table(400)
    columns = np.column_stack((np.ones(300), first.numbers("x"), first.column("town") == 1))
    fit = least_squares(columns, first.numbers("y"))
    assert fit is not None and not fit.errors.any()
    np.testing.assert_allclose(fit.estimates, (1 - step, step, 0), atol=1e-12)
    assert fit.estimates[2] == 0
    score = IntervalOverlap(outcome="y", predictors=("x", "town")).take(
        Pair.of(first, second, domain)
    )
    assert score.value is None and score.undefined == "every interval has width 0 in a table"


def test_logistic_regression_of_one_indicator_by_hand() -> None:
    # 2x2 table 10, 30 against 20, 15: log odds ratio, variance the sum of the reciprocals.
    x = np.repeat([0.0, 0.0, 1.0, 1.0], [10, 30, 20, 15])
    y = np.repeat([True, False, True, False], [10, 30, 20, 15])
    fit = logistic(np.column_stack((np.ones(75), x)), y)
    assert fit is not None
    expected = [math.log(10 / 30), math.log(20 / 15) - math.log(10 / 30)]
    np.testing.assert_allclose(fit.estimates, expected, rtol=1e-9)
    variance = [1 / 10 + 1 / 30, 1 / 10 + 1 / 30 + 1 / 20 + 1 / 15]
    np.testing.assert_allclose(fit.errors**2, variance, rtol=1e-7)


def test_logistic_regression_against_other_solvers() -> None:
    random = np.random.default_rng(4)
    columns = np.column_stack((np.ones(500), random.normal(size=(500, 3))))
    outcome = random.random(500) < 1 / (1 + np.exp(-columns @ [0.3, 1, -2, 0.5]))
    fit = logistic(columns, outcome)
    assert fit is not None
    other = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
    other.fit(columns[:, 1:], outcome)
    np.testing.assert_allclose(fit.estimates[1:], other.coef_[0], rtol=1e-7)

    def loss(b: np.ndarray) -> float:
        return float(np.logaddexp(0, columns @ b).sum() - (columns @ b)[outcome].sum())

    at_best = optimize.approx_fprime(fit.estimates, loss, 1e-6)
    assert np.abs(at_best).max() < 1e-2
    chances = 1 / (1 + np.exp(-columns @ fit.estimates))
    information = columns.T @ (columns * (chances * (1 - chances))[:, None])
    np.testing.assert_allclose(fit.errors, np.sqrt(np.linalg.inv(information).diagonal()), 1e-6)


@pytest.mark.parametrize("outcome", [[False, False, True, True], [False] * 4, [True] * 4])
def test_separated_outcomes_have_no_finite_fit(outcome: list[bool]) -> None:
    columns = np.column_stack((np.ones(4), [0.0, 1.0, 2.0, 3.0]))
    assert logistic(columns, np.array(outcome)) is None


def test_columns_that_earlier_ones_explain_in_either_table_are_found() -> None:
    random = np.random.default_rng(5)
    first = np.column_stack((np.ones(30), random.normal(size=(30, 4))))
    second = np.column_stack((np.ones(20), random.normal(size=(20, 4))))
    assert independent(first, second).tolist() == [0, 1, 2, 3, 4]
    first[:, 2] = 3 * first[:, 1] - 2
    second[:, 4] = 0
    assert independent(first, second).tolist() == [0, 1, 3]
    assert independent(second, first).tolist() == [0, 1, 3]
    assert independent(first * 1e-9, second * 1e9).tolist() == [0, 1, 3]


@pytest.mark.parametrize("mode", ["fixed", "synthpop"])
@pytest.mark.parametrize("outcome", ["wage", "smokes"])
def test_a_table_agrees_with_itself(mode: str, outcome: str) -> None:
    table = survey(1, 400)
    score = IntervalOverlap(mode=mode, outcome=outcome)(table, table, DOMAIN)
    assert score.value == 1
    assert {row[-1] for row in coefficients(score).values()} == {1.0}
    terms = {"(intercept)", "sex = m", "age", "town = b", "town = c"}
    terms |= {"wage"} if outcome == "smokes" else {"smokes = yes"}
    assert set(coefficients(score)) == terms


def test_the_score_is_the_mean_of_the_formula_over_fits_made_elsewhere() -> None:
    real, synthetic = survey(1, 300), survey(2, 500, 0.4)
    metric = IntervalOverlap(outcome="wage", predictors=("sex", "age"), mode="synthpop")
    found = coefficients(metric(real, synthetic, DOMAIN))
    ends = []
    for table, scale in ((real, 1.0), (synthetic, 500 / 300)):
        columns = np.column_stack(
            (np.ones(table.records), table.column("sex"), table.numbers("age"))
        )
        wage = table.numbers("wage")
        estimates = np.linalg.lstsq(columns, wage, rcond=None)[0]
        residual = wage - columns @ estimates
        variance = residual @ residual / (len(wage) - 3) * np.linalg.inv(columns.T @ columns)
        half = float(ndtri(0.975)) * np.sqrt(variance.diagonal() * scale)
        ends.append((estimates - half, estimates + half))
    overlaps = []
    for place, term in enumerate(("(intercept)", "sex = m", "age")):
        a, b = ((float(low[place]), float(high[place])) for low, high in ends)
        common = min(a[1], b[1]) - max(a[0], b[0])
        overlaps.append((common / (a[1] - a[0]) + common / (b[1] - b[0])) / 2)
        np.testing.assert_allclose(found[term][1:3], a, rtol=1e-9)
        np.testing.assert_allclose(found[term][4:6], b, rtol=1e-9)
        assert found[term][-1] == pytest.approx(overlaps[-1], rel=1e-7)
    assert min(overlaps) < 0
    assert metric(real, synthetic, DOMAIN).value == pytest.approx(np.mean(overlaps), rel=1e-7)
    fixed = IntervalOverlap(outcome="wage", predictors=("sex", "age"))
    clipped = [max(part, 0.0) for part in overlaps]
    assert fixed(real, synthetic, DOMAIN).value == pytest.approx(np.mean(clipped), rel=1e-7)


def test_the_range_goes_with_the_mode() -> None:
    real, other = survey(1, 300), survey(2, 300, 9.0)
    fixed = IntervalOverlap(outcome="wage")(real, other, DOMAIN)
    official = IntervalOverlap(outcome="wage", mode="synthpop")(real, other, DOMAIN)
    assert (fixed.lowest, official.lowest) == (0, -math.inf)
    assert fixed.value is not None and official.value is not None
    assert official.value < 0 <= fixed.value < 1


def test_neither_row_order_nor_a_longer_copy_changes_the_estimates() -> None:
    real, synthetic = survey(1, 300), survey(2, 250, 0.1)
    for outcome in ("wage", "smokes"):
        metric = IntervalOverlap(outcome=outcome)
        expected = metric(real, synthetic, DOMAIN).value
        mixed = synthetic.take(np.random.default_rng(0).permutation(250))
        assert metric(real, mixed, DOMAIN).value == pytest.approx(expected, rel=1e-6)
        twice = synthetic.take(np.tile(np.arange(250), 2))
        # Standard errors go with records minus terms, or with records.
        assert metric(real, twice, DOMAIN).value == pytest.approx(expected, abs=0.02)


def test_terms_that_one_table_cannot_tell_are_left_out_and_listed() -> None:
    real, synthetic = survey(1, 300), survey(2, 300)
    synthetic = synthetic.take(np.flatnonzero(synthetic.column("town") != 2))
    score = IntervalOverlap(outcome="wage")(real, synthetic, DOMAIN)
    assert "town = c" not in coefficients(score)
    assert "terms left out, explained by earlier ones: town = c" in score.stated
    found = score.breakdown("coefficients")
    assert found is not None and "town = c" in found.note
    repeated = Domain("d", (*DOMAIN.attributes, Attribute("again", ("f", "m"))))
    tables = [
        Records(repeated, np.column_stack((t.codes, t.column("sex"))), t.binned)
        for t in (survey(3, 100), survey(4, 100))
    ]
    score = IntervalOverlap(outcome="wage")(*tables, repeated)
    assert "terms left out, explained by earlier ones: again = m" in score.stated


def test_a_value_that_settles_the_outcome_is_left_out_with_its_records() -> None:
    real, synthetic = survey(1, 400), survey(2, 400)
    codes, others = real.codes.copy(), synthetic.codes.copy()
    codes[:7, 2], codes[:7, 4] = 3, 1
    others[:5, 2], others[:5, 4] = 3, [0, 1, 0, 1, 1]
    tables = Records(DOMAIN, codes, real.binned), Records(DOMAIN, others, synthetic.binned)
    metric = IntervalOverlap(outcome="smokes")
    score = metric(*tables, DOMAIN)
    assert any(told.endswith("table: town = d") for told in score.stated)
    assert "records left out: 7 real, 5 synthetic" in score.stated
    rest = metric(tables[0].take(np.arange(7, 400)), tables[1].take(np.arange(5, 400)), DOMAIN)
    assert score.value == rest.value
    assert coefficients(score) == coefficients(rest)
    # There the estimate is infinite.
    official = IntervalOverlap(outcome="smokes", mode="synthpop")
    assert "no finite fit" in str(official(*tables, DOMAIN).undefined)


def test_missing_values_are_left_out_or_a_value_of_their_own() -> None:
    real, synthetic = survey(1, 300), survey(2, 300)
    codes = real.codes.copy()
    codes[:9, 2] = 4
    age = real.numbers("age").copy()
    age[290:], codes[290:, 1] = np.nan, 2
    gaps = Records(DOMAIN, codes, {**real.binned, "age": age})
    fixed = IntervalOverlap(outcome="wage")(gaps, gaps, DOMAIN)
    assert fixed.value == 1
    assert "town = missing" in coefficients(fixed)
    assert "records left out: 10 real, 10 synthetic" in fixed.stated
    official = IntervalOverlap(outcome="wage", mode="synthpop")(gaps, synthetic, DOMAIN)
    assert "records left out: 19 real, 0 synthetic" in official.stated
    whole = IntervalOverlap(outcome="wage", mode="synthpop")
    assert official.value == whole(real.take(np.arange(9, 290)), synthetic, DOMAIN).value


def test_the_worst_terms_come_first() -> None:
    score = IntervalOverlap(outcome="wage", mode="synthpop")(
        survey(1, 300), survey(2, 300, 0.3), DOMAIN
    )
    overlaps = [row[-1] for row in coefficients(score).values()]
    assert overlaps == sorted(overlaps)


def test_a_wider_level_overlaps_more() -> None:
    real, synthetic = survey(1, 300), survey(2, 300, 0.05)
    values = [
        IntervalOverlap(outcome="wage", level=level, mode="synthpop")(real, synthetic, DOMAIN).value
        for level in (Fraction(1, 2), Fraction(95, 100), Fraction(999, 1000))
    ]
    assert None not in values
    assert values == sorted(values, key=lambda value: value or 0)


def test_fits_that_do_not_exist_are_undefined() -> None:
    table = survey(1, 300)
    few = table.take(np.arange(4))
    for score in (
        IntervalOverlap(outcome="wage")(table, few, DOMAIN),
        IntervalOverlap(outcome="wage")(few, table, DOMAIN),
    ):
        assert score.value is None
        assert score.undefined is not None and "too few records" in score.undefined
    codes = table.codes.copy()
    codes[:, 4] = 0
    one = Records(DOMAIN, codes, table.binned)
    for mode in ("fixed", "synthpop"):
        assert IntervalOverlap(outcome="smokes", mode=mode)(table, one, DOMAIN).undefined
    codes = table.codes.copy()
    codes[:, 1] = 2
    blank = Records(DOMAIN, codes, {**table.binned, "age": np.full(300, np.nan)})
    assert "no record" in str(IntervalOverlap(outcome="wage")(table, blank, DOMAIN).undefined)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "set outcome"),
        ({"outcome": "town"}, "'town' must have two values"),
        ({"outcome": "x"}, "no attribute 'x'"),
        ({"outcome": "wage", "predictors": ("wage",)}, "other than 'wage'"),
        ({"outcome": "wage", "predictors": ("age", "age")}, "named once"),
        ({"outcome": "wage", "predictors": ()}, "at least one"),
        ({"outcome": "wage", "predictors": ("x",)}, "no attribute 'x'"),
    ],
)
def test_parameters_that_do_not_fit_the_domain_are_refused(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        IntervalOverlap(**fields).check(DOMAIN)


@pytest.mark.parametrize("fields", [{"level": Fraction(1)}, {"level": Fraction(0)}, {"mode": "x"}])
def test_impossible_parameters_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="interval-overlap"):
        IntervalOverlap(outcome="wage", **fields)


def test_coefficients_that_are_apart_come_by_how_far_in_both_modes() -> None:
    random = np.random.default_rng(3)
    numbers = Domain(
        "n", tuple(Attribute.binned(name, [-99, 0, 99], ordinal=True) for name in "abcy")
    )

    def table(slopes: tuple[float, float, float]) -> Records:
        columns = random.normal(size=(3, 400))
        y = slopes @ columns + random.normal(size=400)
        texts = {name: [f"{v:.6f}" for v in own] for name, own in zip("abc", columns, strict=True)}
        return of_frame(pd.DataFrame({**texts, "y": [f"{v:.6f}" for v in y]}), numbers)

    real, synthetic = table((0, 0, 0)), table((1, 9, 3))
    for mode in ("fixed", "synthpop"):
        found = coefficients(IntervalOverlap(outcome="y", mode=mode)(real, synthetic, numbers))
        assert list(found) == ["b", "c", "a", "(intercept)"]


def test_coefficients_of_dates_are_said_to_be_by_seconds() -> None:
    edges = [k * DAY for k in (0, 180, 366)]
    days = Attribute.binned("day", edges, quantity=Quantity.DATES)
    domain = Domain("dated", (days, Attribute("x", ("1", "2", "3"), ordinal=True)))
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "day": [f"1970-{k:02d}-05" for k in random.integers(1, 13, 60)],
            "x": random.integers(1, 4, 60).astype(str),
        }
    )
    table = of_frame(frame, domain)
    for outcome in domain.names:
        score = IntervalOverlap(outcome=outcome).take(Pair.of(table, table, domain))
        assert "dates and times are numbers of seconds" in score.stated
    plain = IntervalOverlap(outcome="wage").take(Pair.of(survey(0, 80), survey(1, 80), DOMAIN))
    assert not any("seconds" in text for text in plain.stated)
