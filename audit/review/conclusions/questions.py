"""Questions to send back to whoever handed a submission in: what is unclear or contradictory."""

from __future__ import annotations

from collections.abc import Sequence

from audit.auditors.attack.veils.causes import CAUSES
from audit.review.conclusions.claims import FAILED, ClaimConclusion
from audit.review.submissions.submission import Prepared
from audit.statements.evidence import Verdict

LONGEST = 200
"""Characters of a log that a question quotes."""


def ask_about_claims(prepared: Prepared, claims: Sequence[ClaimConclusion]) -> list[str]:
    """Questions from verdicts: what refutes a claim, what can't be repeated, what was not seen."""
    asked: list[str] = []
    claimed = [one for one in claims if one.claimed]
    refuted = [one for one in claimed if one.verdict == Verdict.REFUTED.value]
    asked += [_about_refutation(one) for one in refuted]
    if refuted and prepared.submission.claim.unit == "person":
        asked += _about_persons(refuted, claims, prepared.submission.claim.max_records)
    for one in claimed:
        if one.verdict == Verdict.INVALID_RUN.value:
            asked.append(
                f"At ε = {one.epsilon}, repeated runs are not independent draws "
                f"({_join(one.seen)}). Where does the program take its randomness from, and is a "
                "seed, or noise, kept from one run to the next?"
            )
        elif one.verdict == Verdict.UNDECIDED.value and prepared.asks:
            asked.append(
                f"At ε = {one.epsilon}, neither a proof nor an enumeration reached the claim "
                f"{one.claim!r}. What is the proof, and which budget does the program open with?"
            )
    return asked


def ask_about_failures(endings: Sequence[tuple[str, str, str]]) -> list[str]:
    """Questions from runs that failed: of each, the ε, how it ended, and the end of its log."""
    asked = []
    for epsilon, ending, log in endings:
        last = log.strip().splitlines()[-1:] if log.strip() else []
        said = f' Its log ends with "{last[0][:LONGEST]}".' if last else ""
        asked.append(
            f"At ε = {epsilon}, the program gives no output: {ending}.{said} On which inputs is it "
            "meant to run, and what does it need to?"
        )
    return asked


def ask_about_write_up(
    prepared: Prepared, differences: Sequence[str] | None, silent: Sequence[str]
) -> list[str]:
    """Questions from a write-up: what differs from the code, what it leaves out.

    ``differences``: as questions; None where the two were not compared.
    """
    write_up = prepared.submission.write_up
    if write_up.file is None and not write_up.queries:
        return ["There is no write-up. Where are the algorithm and its proof written down?"]
    asked = list(differences or ())
    if differences is None and not write_up.queries:
        asked.append(
            "The write-up lists no queries. Which questions does the program ask of the data, with "
            "which sensitivity and which share of the budget each, and in which lines of the code?"
        )
    if silent:
        asked.append(f"The write-up does not state {_join(silent)}. What are they?")
    return asked


def is_unrun(claims: Sequence[ClaimConclusion]) -> bool:
    """Whether nothing at all could be said of the claims."""
    return all(one.verdict == FAILED for one in claims)


def _about_refutation(one: ClaimConclusion) -> str:
    cause = CAUSES.get(one.cause)
    words = f"shows {cause.words}" if cause else "tells two neighbouring tables apart too often"
    mend = f" {cause.mend}" if cause else ""
    return (
        f"At ε = {one.epsilon}, the claim {one.claim!r} does not hold for a {one.level}: the "
        f"output {words}.{mend} How is the noise calibrated, and to which sensitivity?"
    )


def _about_persons(
    refuted: Sequence[ClaimConclusion], claims: Sequence[ClaimConclusion], most: int
) -> list[str]:
    bad = {one.epsilon for one in refuted}
    beside = [one for one in claims if not one.claimed and one.epsilon in bad]
    if not any(one.verdict != Verdict.REFUTED.value for one in beside):
        return []
    return [
        f"A person may have {most} records. Of single records no violation was seen, of persons "
        "one was: does every sensitivity count all records of a person, and is their number "
        "bounded before the data are asked?"
    ]


def _join(words: Sequence[str]) -> str:
    return "; ".join(words) if words else "no more is known"
