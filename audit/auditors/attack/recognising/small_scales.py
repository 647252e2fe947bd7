"""Small scales: noise that hides what it is added to, but too little for the claim."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr
from scipy.stats import ks_2samp

from audit.auditors.attack.recognising.cases import CLEAR, Case
from audit.auditors.attack.recognising.whole_fields import (
    MOST_FIELDS,
    describe_field,
    list_whole_fields,
)
from audit.statements.evidence import Cause
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

FloatArray = NDArray[np.float64]

SHIFTED = 1e-3
"""The p-value below which two samples are no shifts of one another (of honest shifts one in a
thousand is then not called one)."""

ABOUT = 1.1
"""Noise whose scale is within a tenth of what the claim needs is not called too small: shifts and
deviations of some thousand runs are known to a few hundredths."""

MOST_OUTPUTS = 20
"""Different outputs up to which their chances are compared one by one."""


def name_small_scale(case: Case) -> Cause | None:
    """Noise that hides a shift too little: the outputs on B are those on A, moved."""
    moved = []
    for place, (field, values) in enumerate(list_whole_fields(case)):
        if place == MOST_FIELDS:
            break
        first, second = values[~case.runs.coins], values[case.runs.coins]
        if min(len(first), len(second)) < CLEAR or len(np.unique(values)) < 3:
            continue
        apart = _measure_shift(first, second)
        if apart is None:
            return None
        spread = float(np.mean(abs(first - np.median(first))))
        if apart and spread:
            moved.append((abs(apart) / spread, field, abs(apart)))
    if not moved:
        return _name_far_chances(case)
    ratio, field, apart = max(moved)
    if suffices(ratio / case.pair.distance, case.aim.guarantee):
        return None
    times = f"; the floor is {case.factor:.2g} times the claim" if case.factor > 1 else ""
    return Cause(
        "small-scale",
        f"{describe_field(field)} is shifted by {apart:.3g}, {ratio:.2g} times the mean deviation "
        f"of its noise{times}",
    )


def suffices(ratio: float, guarantee: Guarantee) -> bool:
    """Whether Laplace or normal noise would keep a claim, a shift being ``ratio`` mean deviations.

    If so, it is not the scale of the noise that refutes the claim, whatever its law. Of Laplace
    noise the mean deviation is the scale, of normal noise √(2/π) times the standard deviation
    (Dwork et al. 2006; Dong, Roth & Su 2022, corollary 1).
    """
    laplace = ratio / ABOUT
    mu = laplace * math.sqrt(2 / math.pi)
    match guarantee:
        case ApproxDP(epsilon=epsilon, delta=delta):
            least = float(epsilon)
            rest = math.exp(min(least + float(log_ndtr(-mu / 2 - least / mu)), 0.0))
            return laplace <= least or float(ndtr(mu / 2 - least / mu)) - rest <= delta
        case GaussianDP(mu=claimed):
            return mu <= claimed
        case ZCDP(rho=claimed):
            return mu**2 / 2 <= claimed
        case RenyiDP(alpha=alpha, epsilon=claimed):
            return float(alpha) * mu**2 / 2 <= claimed


def _name_far_chances(case: Case) -> Cause | None:
    """Few outputs, all of which both databases give: their chances are too far apart."""
    codes, coins = case.runs.outcomes.codes(), case.runs.coins
    outputs = np.unique(codes)
    if len(outputs) > MOST_OUTPUTS:
        return None
    counts = np.array([[np.count_nonzero(codes[coins == side] == one) for one in outputs]
                       for side in (False, True)])  # fmt: skip
    if counts.min() == 0:
        return None
    shares = counts / counts.sum(axis=1, keepdims=True)
    ratio = float(np.exp(abs(np.log(shares[0] / shares[1])).max()))
    times = f"; the floor is {case.factor:.2g} times the claim" if case.factor > 1 else ""
    return Cause(
        "small-scale",
        f"both databases give all {len(outputs)} outputs, one of them {ratio:.3g} times as often "
        f"on one as on the other{times}",
    )


def _measure_shift(first: FloatArray, second: FloatArray) -> float | None:
    """How far one sample is moved to the other; None where they are no shifts of one another."""
    apart = float(np.median(second) - np.median(first))
    if not np.isfinite(apart) or ks_2samp(first + apart, second).pvalue < SHIFTED:
        return None
    same = ks_2samp(first, second).pvalue >= SHIFTED
    return 0.0 if same else apart
