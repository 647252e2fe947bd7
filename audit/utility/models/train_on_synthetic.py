"""Train on synthetic, test on real: what a classifier loses by learning from synthetic records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from audit.utility.metric import Metric, generator
from audit.utility.models.classifiers import CLASSIFIERS, Examples, Quality, predictions, quality
from audit.utility.models.predictors import predictors_of
from audit.utility.pair import Pair
from audit.utility.records import Records, is_measured, numbers_alike
from audit.utility.score import Breakdown, Score, jackknife_parts, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError

GROUPS = 10
"""Parts of the records kept back that are left out in turn (the
standard error of ten parts is itself known to about a quarter)."""

Statistic = Literal["f1", "auc"]
"""Which quality the value is of."""


@dataclass(frozen=True, kw_only=True)
class TrainOnSynthetic(Metric):
    """The mean over classifiers of TRTR quality minus TSTR quality, in [-1, 1].

    A share ``kept_back`` of the real records is put aside, class by class. Each
    classifier learns to predict ``target`` from ``predictors`` (None: all other
    attributes) twice: from the other real records (TRTR, train real test real), and
    from all synthetic ones (TSTR, train synthetic test real). Both are tested on what
    was kept back, by macro-averaged F1 or by the macro-averaged area under the ROC
    curve of each class against the rest. Below 0 the synthetic records teach more. The
    classes are the codes of the target, a missing value among them.

    Which records are kept back is left to chance. The standard error is the jackknife's
    over ``GROUPS`` parts of them, class by class, each left out in turn; that other
    records would then have been learned from is not in it.

    TSTR is that of Esteban, Hyland & Rätsch, Real-valued (medical) time series
    generation with recurrent conditional GANs (2017).
    """

    name = "train-on-synthetic"
    lowest, highest, direction = -1.0, 1.0, "lower"

    target: str | None = None
    predictors: tuple[str, ...] | None = None
    classifiers: tuple[str, ...] = ("logistic", "tree", "forest")
    statistic: Statistic = "f1"
    kept_back: Fraction = Fraction(3, 10)
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse classifiers that do not exist, and a share that leaves nothing."""
        super().__post_init__()
        unknown = [name for name in self.classifiers if name not in CLASSIFIERS]
        if unknown or not self.classifiers or len(set(self.classifiers)) < len(self.classifiers):
            raise InputError(
                f"{self.name}: classifiers must be distinct ones of {', '.join(CLASSIFIERS)}"
                + (f", not {unknown[0]!r}" if unknown else "")
            )
        if self.statistic not in ("f1", "auc"):
            raise InputError(f"{self.name}: statistic must be f1 or auc, not {self.statistic!r}")
        if not 0 < self.kept_back < 1:
            raise InputError(f"{self.name}: kept_back must lie between 0 and 1")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"{self.name}: seed must lie from 0 to 2**32 - 1")

    def check(self, domain: Domain) -> None:
        """Refuse a target that is not named or unknown, and predictors that are none."""
        self._names(domain)

    def score(self, pair: Pair) -> Score:
        """The mean gap; undefined where fewer than two classes can be tested."""
        target, predictors = self._names(pair.domain)
        real, synthetic = _examples(pair.tables, target, predictors)
        taught, tested = self._split(real.classes)
        if len(np.unique(real.classes)) < 2:
            return self.undefined(f"every real record has the same {target}", seed=self.seed)
        if len(np.unique(real.classes[tested])) < 2:
            return self.undefined(
                f"fewer than two values of {target} are frequent enough to be kept back",
                seed=self.seed,
            )
        exam = real.take(tested)
        chances = {
            name: tuple(
                predictions(name, training, exam, self.seed)
                for training in (real.take(taught), synthetic)
            )
            for name in self.classifiers
        }

        def qualities(rows: NDArray[np.int64]) -> dict[str, tuple[Quality, Quality]]:
            classes = exam.classes[rows]
            return {
                name: (quality(first[rows], classes), quality(second[rows], classes))
                for name, (first, second) in chances.items()
            }

        found = qualities(np.arange(len(tested)))
        gaps = {name: _gap(*pairs, self.statistic) for name, pairs in found.items()}
        value = sum(gaps.values()) / len(gaps)
        without = []
        for rows in _rests(exam.classes):
            each = [_gap(*pairs, self.statistic) for pairs in qualities(rows).values()]
            without.append(sum(each) / len(each))
        return self.scored(
            value,
            seed=self.seed,
            standard_error=standard_error(jackknife_parts(value, without)) if without else None,
            stated=self._notes(target, predictors, real, tested, synthetic),
            details=(_breakdown(found, gaps),),
        )

    def _names(self, domain: Domain) -> tuple[str, tuple[str, ...]]:
        if self.target is None:
            raise InputError(f"{self.name}: set target, the attribute to predict")
        domain.position(self.target)
        return self.target, predictors_of(domain, self.target, self.predictors, self.name)

    def _split(self, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The real records to learn from, and those kept back, in their order."""
        random = generator(self.name, self.seed)
        back = np.zeros(len(classes), dtype=np.bool_)
        for label in np.unique(classes):
            rows = random.permutation(np.flatnonzero(classes == label))
            # Whole records, halves up, but one stays to be learned from.
            share = int(len(rows) * self.kept_back + Fraction(1, 2))
            back[rows[: min(share, len(rows) - 1)]] = True
        return np.flatnonzero(~back), np.flatnonzero(back)

    def _notes(
        self,
        target: str,
        predictors: tuple[str, ...],
        real: Examples,
        tested: NDArray[np.int64],
        synthetic: Examples,
    ) -> tuple[str, ...]:
        told = [
            f"{self.statistic} of classifiers of {target} that learned from real records, minus "
            "that of the same classifiers that learned from synthetic ones, on real records "
            "that neither has seen",
            f"{self.kept_back} of the real records of each class kept back, at most all but one; "
            "all synthetic records are learned from",
            f"predictors: {', '.join(predictors)}",
            *(f"{name}: {CLASSIFIERS[name]}" for name in self.classifiers),
        ]
        tiny = len(np.unique(real.classes)) - len(np.unique(real.classes[tested]))
        if tiny:
            told.append(f"values of {target} too rare to be kept back, and not tested: {tiny}")
        absent = np.setdiff1d(real.classes[tested], synthetic.classes).size
        if absent:
            told.append(f"values of {target} that no synthetic record has: {absent}")
        if len(np.unique(synthetic.classes)) == 1:
            told.append(f"every synthetic record has the same {target}, which is then predicted")
        return tuple(told)


def _rests(classes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The rows that stay when each of ``GROUPS`` parts is left out; never a whole class.

    Rows of a class take turns, those of a class by itself stay in all.
    """
    part = np.full(len(classes), -1)
    turn = 0
    for label in np.unique(classes):
        rows = np.flatnonzero(classes == label)
        if len(rows) > 1:
            part[rows] = (turn + np.arange(len(rows))) % GROUPS
            turn += len(rows)
    return [np.flatnonzero(part != group) for group in np.unique(part[part >= 0])]


def _examples(
    tables: tuple[Records, Records], target: str, predictors: tuple[str, ...]
) -> tuple[Examples, Examples]:
    columns: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
    nominal: list[int] = []
    for name in predictors:
        if not is_measured(tables[0].domain.attribute(name)):
            nominal.append(len(columns[0]))
            for side, table in zip(columns, tables, strict=True):
                side.append(table.column(name).astype(np.float64))
            continue
        both = numbers_alike(tables, name)
        gaps = any(np.isnan(numbers).any() for numbers in both)
        for side, numbers in zip(columns, both, strict=True):
            side.append(np.nan_to_num(numbers, nan=0.0))
            if gaps:
                side.append(np.isnan(numbers).astype(np.float64))
    first, second = (
        Examples(np.column_stack(side), tuple(nominal), table.column(target))
        for side, table in zip(columns, tables, strict=True)
    )
    return first, second


def _gap(real: Quality, synthetic: Quality, statistic: Statistic) -> float:
    return real.f1 - synthetic.f1 if statistic == "f1" else real.auc - synthetic.auc


def _breakdown(found: dict[str, tuple[Quality, Quality]], gaps: dict[str, float]) -> Breakdown:
    rows = []
    for name in sorted(found, key=lambda name: -gaps[name]):
        real, synthetic = found[name]
        f1, auc = (real.f1, synthetic.f1), (real.auc, synthetic.auc)
        rows.append((name, *f1, f1[0] - f1[1], *auc, auc[0] - auc[1]))
    return Breakdown(
        "classifiers",
        ("classifier", "TRTR F1", "TSTR F1", "F1 gap", "TRTR AUC", "TSTR AUC", "AUC gap"),
        tuple(rows),
    )
