"""What each built-in metric looks at, in a few plain words."""

from __future__ import annotations

from collections.abc import Mapping

PHRASES: Mapping[str, str] = {
    "total-variation": "how far each column's shares are off",
    "workload-error": "how far the shares of groups of columns are off",
    "associations": "how far the links between two columns are off",
    "validity": "how many records are possible at all",
    "range-queries": "how far answers to random counting questions are off",
    "table-utility": "how far tables of a few columns are off",
    "k-marginal": "how alike the shares of groups of columns are",
    "longitudinal-k-marginal": "how alike the shares of groups of persons are",
    "subsample-equivalent": "how small a sample of the real records is as good",
    "edge-map": "how alike the flows from place to place are",
    "hoc": "how alike the numbers of similar persons are",
    "sprint-3-total": "the mean of three scores of a challenge",
    "pie-chart": "how alike the pie charts of each place and time are",
    "inv-pie": "how unlike the pie charts of each place and time are",
    "three-way-marginal": "how alike the shares of three columns at a time are",
    "conjunction": "how near answers to random questions of several columns are",
    "inequality": "how well unequal pay in each city is kept",
    "nist-2018-total": "the mean of three scores of a challenge",
    "mgd": "how many records would have to be moved",
    "pmse": "how well a decision tree tells synthetic records from real ones",
    "pmse-ratio": "how well a tree tells them apart, beside what chance alone does",
    "standardised-pmse": "how far beyond chance a tree tells them apart",
    "specks": "how far a tree's guesses for real and synthetic records part",
    "po50": "how many records a tree tells right beyond half",
    "pmse-logistic": "how well a regression tells synthetic records from real ones",
    "pmse-ratio-logistic": "how well a regression tells them apart, beside chance alone",
    "specks-logistic": "how far a regression's guesses for real and synthetic records part",
    "column-shapes": "how alike each column's shares are",
    "column-pair-trends": "how alike the links between two columns are",
    "quality": "the mean of column-shapes and column-pair-trends",
    "train-on-synthetic": "what predictions lose when they are learned from synthetic records",
    "interval-overlap": "how far the conclusions of a regression agree",
}
"""By the metric's name; a metric of the user's own has none."""
