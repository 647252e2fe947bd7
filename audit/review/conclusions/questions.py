"""Questions to send back to whoever handed a submission in: what is unclear or contradictory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from audit.auditors.attack.veils.causes import CAUSES
from audit.review.conclusions.claims import FAILED, ClaimConclusion
from audit.review.submissions.submission import Prepared, StatedClaim
from audit.statements.evidence import Verdict
from synthesizers.domain import Domain

_OWN_FIELD = "the question of "
"""How a silence about `StatedQuery.question` begins: its spelling is ours, which no author knows,
and it asks for nothing that a reviewer wants."""

MOST_LETTERS = 300
"""Of a line of a log, in a question."""


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


def ask_about_terms(prepared: Prepared, domain: Domain) -> list[str]:
    """Questions from what is stated, whatever runs show: other terms than those of the challenge.

    ``domain``: the submission's.
    """
    submission, asked = prepared.submission, []
    claim = submission.claim
    if submission.asked is not None:
        asked.append(
            f"The challenge asks for {_spell(submission.asked)}; the submission claims "
            f"{_spell(claim)}. Which is meant, and why does it claim something else?"
        )
    if submission.other_domain:
        asked.append(
            "The domain file is not that of the challenge. What differs, and does any of it come "
            "from the confidential data?"
        )
    if claim.unit == "record" and domain.individual is not None:
        asked.append(
            f"The domain names a column of ids, {domain.individual!r}, and the claim protects "
            "single records. May a person have several records, and is that person protected?"
        )
    return asked


def ask_about_runs(
    ignored: Iterable[tuple[str, str]], strange: Iterable[tuple[str, str]]
) -> list[str]:
    """Questions from runs that came to an end: input that is ignored, output of another form.

    Each is an ε, and what was seen there; what was seen at several is asked once.
    """
    return [
        *(
            f"At ε = {epsilon}, {seen}. Does the program read the records that it is handed, in "
            "the form in which it is handed them?"
            for seen, epsilon in _first(ignored)
        ),
        *(
            f"At ε = {epsilon}, the output is no table of the domain: {why.rstrip('.')}. Which "
            "columns and values is it meant to have?"
            for why, epsilon in _first(strange)
        ),
    ]


def ask_about_failures(endings: Sequence[tuple[str, str, str]]) -> list[str]:
    """Questions from runs that failed: of each, the ε, how it ended, and the end of its log."""
    asked = []
    for epsilon, ending, log in endings:
        last = next(reversed(log.strip().splitlines()), "")
        if last.removeprefix("dp-audit: ").startswith(ending):
            ending, last = last.removeprefix("dp-audit: "), ""  # the same, and more
        said = f" Its log ends with “{_cut(last)}”." if last else ""
        asked.append(
            f"At ε = {epsilon}, the program gives no output: {ending}.{said} On which inputs is it "
            "meant to run, and what does it need for that?"
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
    words = [one for one in silent if not one.startswith(_OWN_FIELD)]
    if words:
        asked.append(f"The write-up does not state {_join(words)}. What should it say?")
    return asked


def is_unrun(claims: Sequence[ClaimConclusion]) -> bool:
    """Whether nothing at all could be said of the claims."""
    return all(one.verdict == FAILED for one in claims)


def _about_refutation(one: ClaimConclusion) -> str:
    cause = CAUSES.get(one.cause)
    words = f"shows {cause.words}" if cause else "tells two neighbouring tables apart too often"
    ask = "How is the noise calibrated, and to which sensitivity?"
    if cause:
        ask = f"Which lines put it out, and where does the proof account for it? {cause.mend}"
    return (
        f"At ε = {one.epsilon}, the claim {one.claim!r} does not hold for a {one.level}: the "
        f"output {words}. {ask}"
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


def _spell(claim: StatedClaim) -> str:
    """A claim in the words of a question."""
    most = f" with at most {claim.max_records} records" if claim.unit == "person" else ""
    values = " and ".join(claim.epsilons)
    guarantee = claim.guarantee.replace("{epsilon}", "ε")
    return f"{guarantee} at ε = {values}, {claim.neighbours}, for a {claim.unit}{most}"


def _first(seen: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """What was seen, each thing once, with the first ε at which it was."""
    first: dict[str, str] = {}
    for epsilon, words in seen:
        first.setdefault(words, epsilon)
    return list(first.items())


def _join(words: Sequence[str]) -> str:
    return "; ".join(words) if words else "no more is known"


def _cut(line: str) -> str:
    return line if len(line) <= MOST_LETTERS else line[:MOST_LETTERS] + " …"
