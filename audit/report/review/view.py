"""A review as the cells of its tables."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.report.review.tables import exactness_row, utility_rows
from audit.report.words import MEANINGS, above, below, duration, plural
from audit.review.conclusions.chances import one_in
from audit.review.conclusions.claims import FAILED, LATER, PENDING, Bounds, ClaimConclusion
from audit.review.conclusions.references import MissingReference
from audit.review.conclusions.review import Failure, Review, SubmissionReview
from audit.review.conclusions.usefulness import Scores
from audit.review.pieces.attacks import ALARM
from audit.review.submissions.submission import Unread, Way
from audit.statements.evidence import Verdict

WAYS: dict[Way, str] = {
    "template": "a command line",
    "submission": "a program that reads a table and writes one",
    "curator": "a program that asks a curator over the protocol",
    "module": "a Python function, estimator or program",
    "deid2": "a submission of DeID2",
}
"""How each way to run is called."""

IN_PLACE = {
    FAILED: "At some ε it gave no output, so that nothing can be said of its claim there.",
    PENDING: "Pieces of the review are missing still.",
    LATER: "It is looked at in the final stage.",
}
"""What stands in place of a verdict, in a sentence."""

SYMBOLS = {"epsilon": "ε", "rho": "ρ", "mu": "μ", "rdp": "ε(α)"}

LEAST_DIGITS = 4


@dataclass(frozen=True)
class ClaimRow:
    """One claim as text: its bounds, what its runs could have seen, its cost, its files."""

    epsilon: str
    unit: str
    claimed: bool
    claim: str
    verdict: str
    tone: str
    stage: str
    floor: str
    exact: str
    ceiling: str
    seen: str
    cause: str
    error: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class SubmissionRow:
    """One submission among all: ``claims`` are those it makes, ``page`` the file of its own."""

    name: str
    page: str
    way: str
    verdict: str
    tone: str
    stage: str
    claims: tuple[ClaimRow, ...]
    questions: int
    flags: tuple[str, ...]
    failures: int
    seconds: float
    time: str
    megabytes: int

    @property
    def later(self) -> bool:
        """Whether a claim of it is left to the final stage."""
        return any(claim.verdict == LATER for claim in self.claims)


def submission_row(one: SubmissionReview) -> SubmissionRow:
    """A submission as a row of the page for all."""
    claims = tuple(claim_row(one, claim) for claim in one.claims if claim.claimed)
    stages = [claim.stage for claim in claims if claim.stage]
    return SubmissionRow(
        one.name,
        f"submissions/{file_name(one)}.html",
        WAYS[one.prepared.submission.launch.way],
        one.verdict,
        tone_of(one.verdict),
        "final" if "final" in stages else "prescreen" if stages else "none",
        claims,
        len(one.questions),
        one.flags,
        len(one.failures),
        one.seconds,
        duration(one.seconds),
        one.megabytes,
    )


def claim_row(one: SubmissionReview, claim: ClaimConclusion) -> ClaimRow:
    """A claim as a row of the submission's page."""
    files = tuple(certificate_name(one, claim, number) for number in range(len(claim.certificates)))
    return ClaimRow(
        claim.epsilon,
        claim.level,
        claim.claimed,
        claim.claim,
        claim.verdict,
        tone_of(claim.verdict),
        claim.stage,
        *_bounds(claim.bounds),
        _power(claim),
        claim.cause,
        claim.error,
        files,
    )


def file_name(one: SubmissionReview) -> str:
    """The name of a submission's files, without an ending."""
    return one.prepared.folder.name


def certificate_name(one: SubmissionReview, claim: ClaimConclusion, number: int) -> str:
    """The name of a certificate's files, without an ending."""
    epsilon = claim.epsilon.replace("/", "-")
    return f"{file_name(one)}-epsilon-{epsilon}-{claim.level}-{number + 1}"


def tone_of(verdict: str) -> str:
    """The tone that a page gives a verdict."""
    tones = {FAILED: "undecided", PENDING: "undecided", LATER: "not-refuted"}
    return tones.get(verdict, verdict.lower().replace(" ", "-"))


def summary_words(review: Review) -> str:
    """How many submissions, and how they stand, in a sentence."""
    verdicts = [one.verdict for one in review.submissions]
    order = [*(verdict.value for verdict in Verdict), FAILED, PENDING]
    counts = [f"{verdicts.count(word)} {word}" for word in order if word in verdicts]
    if review.unread:
        counts.append(f"{len(review.unread)} can't be read")
    number = plural(len(verdicts) + len(review.unread), "submission")
    left = sum(one.missing for one in review.submissions)
    partial = f"; partial: {plural(left, 'piece is', 'pieces are')} missing" if left else ""
    return f"{number}, {review.order.stage} stage: {', '.join(counts) or 'none'}{partial}"


def caution_words(review: Review) -> tuple[str, ...]:
    """Why no verdict of the review is to be relied on, where that is so: a sentence, or none."""
    if review.apart:
        return ()
    return (
        "Do not rely on these verdicts: where pieces of this review ran, nothing kept the "
        "submissions from its files, so that one of them could have written any result here, its "
        "own or another's. Review them again with a new --out on a machine that has a box "
        "(docs/reference/submission-protocol.md).",
    )


def _bounds(bounds: Bounds) -> tuple[str, str, str]:
    symbol = SYMBOLS.get(bounds.parameter, bounds.parameter)
    floor = "" if bounds.floor is None else f"{symbol} ≥ {_round(bounds.floor, up=False)}"
    ceiling = "" if bounds.ceiling is None else f"{symbol} ≤ {_round(bounds.ceiling, up=True)}"
    exact = ""
    if bounds.exact is not None:
        low, high = bounds.exact
        exact = f"{symbol} = ∞" if "inf" in (low, high) else f"{symbol} ≈ {_round(low, up=False)}"
    return floor, exact, ceiling


def _round(text: str, *, up: bool) -> str:
    value = Fraction(text)
    return above(value, LEAST_DIGITS) if up else below(value, LEAST_DIGITS)


def _power(claim: ClaimConclusion) -> str:
    if claim.detectable is None or claim.detect is None:
        return ""
    symbol = SYMBOLS.get(claim.bounds.parameter, claim.bounds.parameter)
    blind = claim.detectable == float("inf")
    seen = "no leak of any size" if blind else f"{symbol} ≥ {claim.detectable:.3g}"
    return f"{seen}; asked for: {claim.detect:.3g}"


@dataclass(frozen=True)
class ReviewView:
    """The page for all submissions."""

    rows: tuple[SubmissionRow, ...]
    unread: tuple[Unread, ...]
    utility_heads: tuple[str, ...]
    utility: tuple[tuple[str, ...], ...]
    absent: tuple[str, ...]
    failures: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class SubmissionView:
    """The page of one submission."""

    row: SubmissionRow
    meaning: str
    questions: tuple[str, ...]
    claims: tuple[ClaimRow, ...]
    check: str
    seen: tuple[ClaimConclusion, ...]
    differences: tuple[str, ...] | None
    uncompared: str
    failures: tuple[tuple[Failure, int], ...]
    utility_heads: tuple[str, ...]
    utility: tuple[tuple[str, ...], ...]
    absent: tuple[str, ...]
    exactness: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, str], ...]


def review_view(review: Review) -> ReviewView:
    """All submissions as a page shows them."""
    scores = [one for submission in review.submissions for one in submission.scores]
    failures = Counter(
        (one.name, failure.phase, failure.epsilon, failure.ending)
        for one in review.submissions
        for failure in one.failures
    )
    rows = tuple(map(submission_row, review.submissions))
    order = review.order
    facts = (
        ("Stage", order.stage),
        ("Databases", f"made up, of {order.records} records or two persons"),
        ("Leak to be seen", f"{order.detect} times the claim, in the final stage"),
        ("Error of REFUTED", f"at most {one_in(ALARM)} for each claim, in all stages together"),
        ("Random numbers", f"follow from the seed {order.seed}"),
        ("Time", f"{duration(review.seconds)} of one core, over all pieces"),
    )
    heads, utility = utility_rows(scores, review.references)
    counted = tuple((*failure, str(times)) for failure, times in failures.items())
    absent = tuple(one.sentence for one in review.missing_references)
    return ReviewView(rows, review.unread, heads, utility, absent, counted, facts)


def submission_view(
    one: SubmissionReview, references: Sequence[Scores], absent: Sequence[MissingReference]
) -> SubmissionView:
    """One submission as its page shows it, beside references, and those that are absent."""
    stated = one.prepared.submission
    known = {score.metric for score in one.scores}
    beside = [score for score in references if score.metric in known]
    heads, utility = utility_rows(one.scores, beside)
    facts = (
        ("Runs as", WAYS[stated.launch.way]),
        ("Started by", " ".join(stated.launch.words)),
        ("Neighbours", f"{stated.claim.neighbours}, of a {stated.claim.unit}"),
        ("Pieces", f"{one.pieces - one.missing} of {one.pieces} finished"),
        ("Time", f"{duration(one.seconds)} of one core"),
        ("Memory", f"{one.megabytes:,} MB, of the largest process"),
    )
    meaning = IN_PLACE.get(one.verdict) or MEANINGS[Verdict(one.verdict)]
    differences = one.differences
    claims = tuple(claim_row(one, claim) for claim in one.claims)
    return SubmissionView(
        submission_row(one),
        meaning,
        one.questions,
        claims,
        _check(one, claims),
        tuple(claim for claim in one.claims if claim.seen),
        None if differences is None else tuple(found.words for found in differences),
        _uncompared(one),
        tuple(_count_alike(one.failures)),
        heads if utility else (),
        utility,
        tuple(found.sentence for found in absent) if utility else (),
        tuple(map(exactness_row, one.exactness)),
        facts,
    )


def _check(one: SubmissionReview, claims: Sequence[ClaimRow]) -> str:
    """The command that checks the first certificate again, if there is one."""
    first = next((file for claim in claims for file in claim.files), None)
    if first is None:
        return ""
    folder = shlex.quote(f"prepared/{file_name(one)}")
    return f"dp-audit verify {shlex.quote(f'certificates/{first}.json')} --folder {folder}"


def _count_alike(failures: Sequence[Failure]) -> Iterator[tuple[Failure, int]]:
    """The first of those that ended alike, and how many did."""

    def ending(one: Failure) -> tuple[str, ...]:
        return one.epsilon, one.phase, one.ending

    counts = Counter(map(ending, failures))
    first = {ending(one): one for one in reversed(failures)}
    yield from ((first[key], counts[key]) for key in counts)


def _uncompared(one: SubmissionReview) -> str:
    if not one.prepared.asks:
        return (
            "They can't be compared by what runs: the program reads the table itself, so that "
            "nobody sees its queries."
        )
    return "The submission states no list of queries that could be compared."
