"""Train on synthetic, test on real: the split, the qualities by hand, and known tables."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.utility.models import train_on_synthetic
from audit.utility.models.classifiers import CLASSIFIERS, Examples, predictions, quality
from audit.utility.models.train_on_synthetic import GROUPS, TrainOnSynthetic, _examples
from audit.utility.records import Records
from audit.utility.score import Breakdown, Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, coded, records

DOMAIN = Domain(
    "d",
    (
        Attribute("y", ("0", "1", "2"), missing=True),
        Attribute("x", tuple(map(str, range(6)))),
        Attribute("z", ("0", "1", "2", "3"), ordinal=True, missing=True),
    ),
)


def table(seed: int, count: int, *, noise: float = 0.1, classes: int = 2) -> Records:
    """Records in which x tells y but for some noise."""
    random = np.random.default_rng(seed)
    x = random.integers(6, size=count)
    y = np.where(random.random(count) < noise, random.integers(classes, size=count), x % classes)
    return Records(DOMAIN, np.column_stack((y, x, random.integers(5, size=count))))


def classifiers(score: Score) -> Breakdown:
    found = score.breakdown("classifiers")
    assert found is not None
    return found


def test_qualities_by_hand() -> None:
    # Predicted: 0, 0, 1, 1, 1 of 0, 0, 0, 1, 1. F1 of 0: 2·2/(2+3), of 1: 2·2/(3+2).
    classes = np.array([0, 0, 0, 1, 1])
    first = np.array([0.9, 0.8, 0.4, 0.1, 0.45])
    found = quality(np.column_stack((first, 1 - first)), classes)
    assert found.f1 == pytest.approx((4 / 5 + 4 / 5) / 2)
    # Of the 6 pairs of a 0 and a 1, 5 are in the right order.
    assert found.auc == pytest.approx(5 / 6)


def test_qualities_of_three_classes_by_hand() -> None:
    chances = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.5, 0.4, 0.1], [0.0, 0.0, 0.0]])
    found = quality(chances, np.array([4, 7, 7, 9]))
    # 4: one right of one, predicted twice; 7: one of two, predicted once; 9 never predicted.
    assert found.f1 == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    # 4 first of all; the two 7 above both others; 9 last of all.
    assert found.auc == pytest.approx((1 + 1 + 0) / 3)


def test_classes_never_seen_have_no_chance_and_a_single_one_is_certain() -> None:
    exam = Examples(np.array([[0.0], [1.0], [2.0]]), (0,), np.array([1, 3, 5]))
    two = Examples(np.array([[0.0], [0.0], [2.0], [2.0]] * 5), (0,), np.array([1, 1, 5, 5] * 5))
    odd = Examples(two.features, (0,), two.classes + 1)
    for name in CLASSIFIERS:
        chances = predictions(name, two, exam, 0)
        assert chances.shape == (3, 3)
        assert (chances[:, 1] == 0).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        assert chances[0].argmax() == 0 and chances[2].argmax() == 2
        one = Examples(two.features, (0,), np.full(20, 3))
        assert predictions(name, one, exam, 0).tolist() == [[0, 1, 0]] * 3
        assert (predictions(name, odd, exam, 0) == 0).all()


def test_the_split_is_stratified_seeded_and_of_the_real_table_alone() -> None:
    metric = TrainOnSynthetic(target="y", seed=3)
    classes = np.repeat([0, 1, 2, 3], [100, 11, 2, 1])
    taught, tested = metric._split(classes)
    assert sorted([*taught.tolist(), *tested.tolist()]) == list(range(114))
    assert np.bincount(classes[tested], minlength=4).tolist() == [30, 3, 1, 0]
    assert [part.tolist() for part in metric._split(classes)] == [taught.tolist(), tested.tolist()]
    other = TrainOnSynthetic(target="y", seed=4)._split(classes)[1]
    assert other.tolist() != tested.tolist()
    half = TrainOnSynthetic(target="y", kept_back=Fraction(1, 2))._split(np.zeros(5, dtype=int))
    assert [len(part) for part in half] == [2, 3]
    most = TrainOnSynthetic(target="y", kept_back=Fraction(9, 10))._split(np.array([0, 0, 1, 1, 1]))
    assert [len(part) for part in most] == [2, 3]


def test_what_is_kept_back_is_not_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    real, synthetic = table(1, 100), table(2, 60)
    metric = TrainOnSynthetic(target="y", predictors=("x",), classifiers=("tree",))
    taught, tested = metric._split(real.column("y"))
    met: list[tuple[list[float], list[float]]] = []

    def watched(classifier: str, training: Examples, kept_back: Examples, seed: int) -> np.ndarray:
        met.append((training.features[:, 0].tolist(), kept_back.features[:, 0].tolist()))
        return predictions(classifier, training, kept_back, seed)

    monkeypatch.setattr(train_on_synthetic, "predictions", watched)
    metric(real, synthetic, DOMAIN)
    exam = real.column("x")[tested].tolist()
    assert met == [
        (real.column("x")[taught].tolist(), exam),
        (synthetic.column("x").tolist(), exam),
    ]


def test_synthetic_records_that_are_the_real_ones_leave_no_gap_to_speak_of() -> None:
    real = table(1, 600)
    score = TrainOnSynthetic(target="y")(real, real, DOMAIN)
    assert score.value is not None
    # The copy even teaches what is kept back: it can only be a little better.
    assert -0.1 < score.value < 0.02


def test_noise_in_the_place_of_the_target_loses_what_there_is_to_learn() -> None:
    # Both classes equally likely whatever x is: F1 near 1/2 and AUC near 1/2 on 300 records, where
    # a standard deviation is below 0.04; six of them away from the bounds.
    real, noise = table(1, 1000), table(2, 1000, noise=1.0)
    for statistic in ("f1", "auc"):
        score = TrainOnSynthetic(target="y", statistic=statistic)(real, noise, DOMAIN)
        assert score.value is not None and 0.2 < score.value < 0.7
        back = TrainOnSynthetic(target="y", statistic=statistic)(noise, real, DOMAIN)
        assert back.value is not None and abs(back.value) < 0.25


def test_the_value_is_the_mean_gap_of_the_breakdown_worst_first() -> None:
    real, synthetic = table(1, 500), table(2, 400, noise=0.5)
    for statistic, place in (("f1", 3), ("auc", 6)):
        metric = TrainOnSynthetic(
            target="y", statistic=statistic, classifiers=("naive-bayes", "tree", "logistic")
        )
        score = metric(real, synthetic, DOMAIN)
        rows: Any = classifiers(score).rows
        assert classifiers(score).columns[1:4] == ("TRTR F1", "TSTR F1", "F1 gap")
        assert score.value == pytest.approx(np.mean([row[place] for row in rows]))
        assert [row[place] for row in rows] == sorted((r[place] for r in rows), reverse=True)
        for row in rows:
            assert row[3] == row[1] - row[2]
            assert row[6] == row[4] - row[5]
            assert all(0 <= part <= 1 for part in (row[1], row[2], row[4], row[5]))


@pytest.mark.parametrize("statistic", ["f1", "auc"])
def test_the_standard_error_is_the_jackknifes_over_parts_of_what_is_kept_back(
    statistic: str,
) -> None:
    metric = TrainOnSynthetic(target="sex", classifiers=("tree",), statistic=statistic)
    real, synthetic = records(1, 300), records(2, 200, shift=0.5)
    score = metric(real, synthetic, MIXED)
    target, predictors = metric._names(MIXED)
    mine, theirs = _examples((real, synthetic), target, predictors)
    taught, tested = metric._split(mine.classes)
    exam = mine.take(tested)
    chances = [predictions("tree", t, exam, 0) for t in (mine.take(taught), theirs)]
    # The classes take turns at the ten parts, one after the other.
    order = np.argsort(exam.classes, kind="stable")
    without = []
    for part in range(GROUPS):
        rest = np.sort(np.delete(order, np.s_[part::GROUPS]))
        first, second = (quality(c[rest], exam.classes[rest]) for c in chances)
        without.append(getattr(first, statistic) - getattr(second, statistic))
    spread = ((np.array(without) - np.mean(without)) ** 2).sum()
    assert score.standard_error == pytest.approx(math.sqrt((GROUPS - 1) / GROUPS * spread))
    assert score.standard_error is not None and score.standard_error > 0


def test_classes_of_one_record_kept_back_have_no_standard_error() -> None:
    real = coded((2, 2), [(0, 0), (0, 1), (0, 0), (1, 1), (1, 0), (1, 1)])
    score = TrainOnSynthetic(target="a0", classifiers=("tree",))(real, real, real.domain)
    assert score.value is not None and score.standard_error is None


def test_scores_repeat_and_all_synthetic_tables_meet_the_same_exam() -> None:
    real, first, second = table(1, 300), table(2, 300), table(3, 200, noise=0.6)
    metric = TrainOnSynthetic(target="y", seed=7)
    score = metric(real, first, DOMAIN)
    assert metric(real, first, DOMAIN) == score
    assert score.seed == 7

    def trtr(found: Score) -> dict[Any, Any]:
        return {row[0]: (row[1], row[4]) for row in classifiers(found).rows}

    assert trtr(metric(real, second, DOMAIN)) == trtr(score)


@pytest.mark.parametrize("target", ["colour", "sex", "wage", "type"])
def test_mixed_columns_with_gaps_are_learned_from(target: str) -> None:
    metric = TrainOnSynthetic(target=target, classifiers=tuple(CLASSIFIERS))
    score = metric(records(1, 300), records(2, 250, shift=0.5), MIXED)
    assert score.value is not None and -1 <= score.value <= 1
    assert len(classifiers(score).rows) == len(CLASSIFIERS)


def test_the_predictors_may_be_chosen() -> None:
    real, synthetic = table(1, 400), table(2, 400)
    blind = TrainOnSynthetic(target="y", predictors=("z",), classifiers=("tree",))
    (row,) = classifiers(blind(real, synthetic, DOMAIN)).rows
    assert isinstance(row[4], float) and row[4] < 0.7
    seeing = TrainOnSynthetic(target="y", predictors=("x",), classifiers=("tree",))
    (row,) = classifiers(seeing(real, synthetic, DOMAIN)).rows
    assert isinstance(row[4], float) and row[4] > 0.9
    assert "predictors: x" in seeing(real, synthetic, DOMAIN).stated


def test_a_synthetic_table_of_one_class_teaches_to_predict_it() -> None:
    real, constant = table(1, 400), table(2, 300)
    codes = constant.codes.copy()
    codes[:, 0] = 1
    score = TrainOnSynthetic(target="y")(real, Records(DOMAIN, codes), DOMAIN)
    assert {row[5] for row in classifiers(score).rows} == {0.5}
    assert "every synthetic record has the same y, which is then predicted" in score.stated
    assert "values of y that no synthetic record has: 1" in score.stated


def test_values_too_rare_to_be_kept_back_are_counted() -> None:
    real = table(1, 200)
    codes = real.codes.copy()
    codes[0, 0], codes[1, 0] = 2, 3
    score = TrainOnSynthetic(target="y")(Records(DOMAIN, codes), table(2, 100), DOMAIN)
    assert "values of y too rare to be kept back, and not tested: 2" in score.stated


def test_a_target_without_two_values_to_test_is_undefined() -> None:
    codes = table(1, 50).codes.copy()
    codes[:, 0] = 1
    one = Records(DOMAIN, codes)
    assert "the same y" in str(TrainOnSynthetic(target="y")(one, table(2, 50), DOMAIN).undefined)
    codes = codes.copy()
    codes[0, 0] = 0
    score = TrainOnSynthetic(target="y")(Records(DOMAIN, codes), table(2, 50), DOMAIN)
    assert "frequent enough" in str(score.undefined)
    assert score.value is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "set target"),
        ({"target": "w"}, "no attribute 'w'"),
        ({"target": "y", "predictors": ("w",)}, "no attribute 'w'"),
        ({"target": "y", "predictors": ("y",)}, "other than 'y'"),
        ({"target": "y", "predictors": ("x", "x")}, "each named once"),
        ({"target": "y", "predictors": ()}, "at least one"),
    ],
)
def test_parameters_that_do_not_fit_the_domain_are_refused(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        TrainOnSynthetic(**fields).check(DOMAIN)
    with pytest.raises(InputError, match="at least one"):
        TrainOnSynthetic(target="y").check(DOMAIN.project(("y",)))


@pytest.mark.parametrize(
    "fields",
    [
        {"classifiers": ("svm",)},
        {"classifiers": ()},
        {"classifiers": ("tree", "tree")},
        {"statistic": "accuracy"},
        {"kept_back": Fraction(1)},
        {"kept_back": Fraction(0)},
        {"seed": -1},
        {"mode": "compat"},
    ],
)
def test_impossible_parameters_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="train-on-synthetic"):
        TrainOnSynthetic(target="y", **fields)
