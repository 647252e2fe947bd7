"""Open hypotheses: what theorems rest on and no rule shows. Each theorem lists its own."""

from __future__ import annotations

HYPOTHESES: dict[str, str] = {
    "sampler": "each sampler has its stated law",
    "entropy": "the source of entropy is uniform, and fresh for every draw",
    "public": "the domain, bounds, parameters and sizes that are called public were fixed without "
    "looking at the data",
    "out-of-scope": "running time, memory, what is printed and all else beside the answers are out "
    "of scope",
    "post-processing": "what is made of the answers looks at them alone (Python cannot enforce it)",
    "curator": "the curator charges each question, before it answers, at least what the rule of "
    "its kind proves, and refuses the question that would exceed the budget",
    "fixed-ledger": "the program asks these questions along every transcript, and no other",
    "real-numbers": "continuous noise is a real number: no trace of floating point is released",
    "stated-sensitivity": "the sensitivity is as stated, under the stated neighbours",
    "stated-guarantee": "the guarantee of a mechanism named only by it is as stated",
    "record-wise": "the map of the table turns each record into at most the stated number of "
    "records, whatever the other records are",
    "independent-key": "each record's part is a function of that record alone, fixed in advance",
    "secret-sample": "who is in the sample is secret, and drawn anew by the stated law",
    "independent-choice": "which mechanism runs is drawn without looking at the data",
    "secret-runs": "how many runs there may be is drawn without looking at the data, by the stated "
    "law; it stays secret, as do all runs but the one that is told; what is better, or acceptable, "
    "was fixed beforehand, and is told by a run's outcome",
}
"""Every hypothesis by its name, in a sentence."""

BASE = frozenset({"sampler", "entropy", "public", "out-of-scope"})
"""What every mechanism rests on."""
