"""Plain transcriptions of what audit/utility/propensity computes, and tables to try it on."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from audit.utility.pair import Pair
from synthesizers.domain import Dataset, Domain


def pmse(probabilities: Any, share: float) -> float:
    total = 0.0
    for p in probabilities:
        total += (p - share) ** 2
    return total / len(probabilities)


def specks(probabilities: Any, labels: Any) -> Fraction:
    real = [p for p, label in zip(probabilities, labels, strict=True) if not label]
    synthetic = [p for p, label in zip(probabilities, labels, strict=True) if label]
    return max(
        abs(
            Fraction(sum(q <= p for q in real), len(real))
            - Fraction(sum(q <= p for q in synthetic), len(synthetic))
        )
        for p in probabilities
    )


def po50(probabilities: Any, labels: Any) -> Fraction:
    right = sum((p > 0.5) == bool(label) for p, label in zip(probabilities, labels, strict=True))
    return Fraction(100 * right, len(probabilities)) - 50


def u(probabilities: Any, labels: Any) -> Fraction:
    real = [p for p, label in zip(probabilities, labels, strict=True) if not label]
    synthetic = [p for p, label in zip(probabilities, labels, strict=True) if label]
    return sum(
        (Fraction(int(s > r)) + Fraction(int(s == r), 2) for s in synthetic for r in real),
        Fraction(0),
    )


def one_hot(pair: Pair, interactions: bool) -> np.ndarray:
    """An intercept and a column a level, none left out, of attributes that are all factors."""
    codes = np.concatenate([table.codes for table in pair.tables])
    blocks = [
        [(codes[:, c] == level).astype(float) for level in np.unique(codes[:, c])]
        for c in range(codes.shape[1])
    ]
    columns = [np.ones(len(codes)), *itertools.chain.from_iterable(blocks)]
    if interactions:
        for first, second in itertools.combinations(blocks, 2):
            columns.extend(a * b for a in first for b in second)
    return np.column_stack(columns)


def regression(design: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, int]:
    """Fitted probabilities and rank, by reweighted least squares with the least-norm solution."""
    labels = labels.astype(float)
    odds = np.log((labels + 0.5) / (1.5 - labels))
    for _ in range(60):
        chance = 1 / (1 + np.exp(-odds))
        weight = np.sqrt(chance * (1 - chance))
        target = odds + (labels - chance) / (chance * (1 - chance))
        slopes = np.linalg.lstsq(design * weight[:, None], target * weight, rcond=1e-11)[0]
        before, odds = odds, design @ slopes
        if np.abs(odds - before).max() < 1e-12:
            break
    return 1 / (1 + np.exp(-odds)), int(np.linalg.matrix_rank(design))


def sdnist(real: np.ndarray, synthetic: np.ndarray, seed: int) -> float:
    """The score of SDNist v2.5 where its user seeds numpy beforehand; rows of numbers."""
    rows = np.concatenate([real, synthetic])
    labels = np.array([0] * len(real) + [1] * len(synthetic))
    state = np.random.get_state()
    np.random.seed(seed)
    tree = DecisionTreeClassifier(max_depth=6).fit(rows, labels)
    np.random.set_state(state)
    chances = tree.predict_proba(rows).T[1]
    share = len(synthetic) / len(rows)
    return float(1 / len(rows) * sum([(chance - share) ** 2 for chance in chances]))


def coded_pair(domain: Domain, real: np.ndarray, synthetic: np.ndarray) -> Pair:
    return Pair.of(Dataset(domain, real), Dataset(domain, synthetic), domain)


def random_pair(cells: str, sizes: tuple[int, int], seed: int, tilt: float = 0.0) -> Pair:
    """Independent uniform codes; ``tilt`` is the share of synthetic records with equal codes."""
    domain = Domain.from_cells(cells)
    random = np.random.default_rng(seed)
    tables = [
        np.column_stack([random.integers(0, radix, size) for radix in domain.shape])
        for size in sizes
    ]
    alike = random.random(sizes[1]) < tilt
    tables[1][alike] = tables[1][alike][:, :1] % np.array(domain.shape)
    return coded_pair(domain, tables[0], tables[1])
