"""What a report of disclosure checks says of each, always in the same words."""

from __future__ import annotations

TITLE = "What does this release give away of single records?"
"""What a report of disclosure checks answers."""

FLOOR = (
    "An attack that gains something is a floor of what some attacker can do. One that gains "
    "nothing is no ceiling: a better one may. Only a proof, of the program that made the release, "
    "bounds all of them."
)
"""What heads the attacks."""

SHOWN = (
    "A coin for each record chose the holdout: the record of the split and its digests fit both "
    "halves. That the split is older than the release is shown by its published digest alone."
)

ASSUMED = (
    "Assumed, and not shown: the holdout is a random part of the same source, set aside before the "
    "release was made and unseen by who made it. Records chosen otherwise differ by that choice, "
    "and then neither risks nor intervals mean anything. dp-audit split sets one aside by coins."
)

RISK = (
    "Risk after Giomi et al. (2023): (rate on real records - rate on the holdout) / (1 - rate on "
    "the holdout), where what lies below 0 counts as 0: what people are exposed to by being in the "
    "table, beyond what a release tells of everyone. Baseline: the same guesses without the "
    "release's records. An attack that is no better has no power here: it is no evidence."
)

INTERVALS = (
    "Intervals: two exact binomial p-values, multiplied (Fisher), so that ends are right at any "
    "size, where trials are independent. They are where the release does not depend on the "
    "records, so that an interval above 0 is a finding; otherwise, and where guesses overlap "
    "(singling out), they are an approximation."
)

UNCERTIFIED = (
    "No certificate was given (--certificate): nothing here bounds what another attack may gain."
)

ASKED_OF_FILES = (
    "Digests were compared, and proofs evaluated again by the independent checker where it is said "
    "that they hold. That the program asks no more than its proof is about stands as the files "
    "state it; dp-audit verify re-checks it. That this very release is one output of the certified "
    "program, on this real table, is the steward's word; of several releases each costs anew. "
    "Ceilings are expectations over the program's noise and the split: a single release may lie "
    "above."
)

DISTANCES = "Distances to the nearest record: not evidence of privacy"

REASONS = (
    "These distances are asked for often, and are shown for that alone. A release can keep every "
    "record at a distance and still tell who was in the table, for instance by a rule that moves "
    "each record in the same way; and records of a table can lie near each other without anybody's "
    "harm. Releases that pass such tests have been found wide open to membership inference (Yao, "
    "Krčo, Ganev & de Montjoye 2025, The DCR Delusion, arXiv:2505.01524), and who is told the "
    "distances of many releases can rebuild outliers from them (Ganev & De Cristofaro 2025, The "
    "Inadequacy of Similarity-based Privacy Metrics, arXiv:2312.05114). No certificate bounds "
    "them, and they bound nothing."
)
