"""A review as a value: what its pages and its JSON show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.review.conclusions.claims import (
    FAILED,
    LATER,
    PENDING,
    ClaimConclusion,
    conclude_claim,
    leave_open,
)
from audit.review.conclusions.combining import WORST_FIRST
from audit.review.conclusions.exactness import SmallTables, read_exactness
from audit.review.conclusions.flags import flag_too_exact, flag_too_good
from audit.review.conclusions.questions import (
    ask_about_claims,
    ask_about_failures,
    ask_about_runs,
    ask_about_terms,
    ask_about_write_up,
)
from audit.review.conclusions.references import MissingReference, list_missing
from audit.review.conclusions.runs import list_ignored_inputs, list_strange_outputs
from audit.review.conclusions.usefulness import Scores, read_scores
from audit.review.orders import Order
from audit.review.pieces.estimate import ReviewPlan
from audit.review.pieces.piece import REFERENCE, Outcome, Piece
from audit.review.pieces.planning import Read, list_pieces, runs_at
from audit.review.submissions.submission import Prepared, Unread
from audit.statements.evidence import Verdict
from synthesizers.errors import ProtocolError
from synthesizers.schemas import load_domain

_ENDINGS = {
    "time": "its time ran out",
    "memory": "it took more memory than a run may",
    "died": "its process ended",
}
"""What `dp-audit try` says in a word, for a sentence."""

_RANK = (*(verdict.value for verdict in WORST_FIRST[:3]), FAILED, PENDING)


@dataclass(frozen=True)
class Failure:
    """A piece that gave no result: its phase, how it ended, its command, and the end of its log."""

    phase: str
    epsilon: str
    ending: str
    command: str
    log: str


@dataclass(frozen=True)
class Difference:
    """A line in which a write-up and the code differ: in words, and as a question."""

    words: str
    question: str


@dataclass(frozen=True)
class SubmissionReview:
    """What is known of one submission.

    ``verdict``: the worst of its claims. ``goes_on``: whether the prescreen found nothing that
    speaks against it. ``differences``: of its write-up; None where that was not compared.
    ``seconds``, ``megabytes``: of all its pieces, and of the largest process. ``missing``: pieces
    without a result so far. ``exactness``: on small tables, at the ε where that shows something.
    """

    prepared: Prepared
    verdict: str
    goes_on: bool
    claims: tuple[ClaimConclusion, ...]
    scores: tuple[Scores, ...]
    failures: tuple[Failure, ...]
    differences: tuple[Difference, ...] | None
    questions: tuple[str, ...]
    flags: tuple[str, ...]
    seconds: float
    megabytes: int
    pieces: int
    missing: int
    exactness: tuple[SmallTables, ...] = ()

    @property
    def name(self) -> str:
        """The submission's name."""
        return self.prepared.submission.name


@dataclass(frozen=True)
class Review:
    """All submissions of one order.

    ``plan``: what was left to do when it was made. ``apart``: whether submissions were kept from
    the results of all, wherever a piece ran. ``missing_references``: those that gave no table.
    """

    order: Order
    submissions: tuple[SubmissionReview, ...]
    unread: tuple[Unread, ...]
    references: tuple[Scores, ...]
    seconds: float
    plan: ReviewPlan | None = None
    apart: bool = True
    missing_references: tuple[MissingReference, ...] = ()

    @property
    def partial(self) -> bool:
        """Whether some piece has no result yet."""
        return any(one.missing for one in self.submissions)


def conclude(order: Order, read: Read) -> Review:
    """The review that follows from the finished pieces, and from nothing else."""
    pieces = list_pieces(order, read)
    of_references = [piece for piece in pieces if piece.submission == REFERENCE]
    references = read_scores(of_references, read)
    submissions = tuple(
        _conclude_submission(
            order,
            prepared,
            [piece for piece in pieces if piece.submission == prepared.submission.name],
            references,
            read,
        )
        for prepared in order.prepared
    )
    seconds = sum(one.seconds for one in submissions) + _count_seconds(of_references, read)
    done = [outcome for piece in pieces if (outcome := read(piece)) is not None]
    return Review(
        order,
        submissions,
        order.unread,
        references,
        seconds,
        apart=all(outcome.apart for outcome in done),
        missing_references=list_missing(of_references, read),
    )


def _conclude_submission(
    order: Order,
    prepared: Prepared,
    pieces: Sequence[Piece],
    references: Sequence[Scores],
    read: Read,
) -> SubmissionReview:
    outcomes = [(piece, read(piece)) for piece in pieces]
    claims = tuple(_conclude_claims(order, prepared, pieces, read))
    looked_at = [one for one in claims if one.claimed and one.verdict != LATER]
    verdict = _find_worst([claim.verdict for claim in looked_at])
    failures = tuple(_list_failures(outcomes))
    differences, silent = _compare_write_up(outcomes)
    scores, exactness = read_scores(pieces, read), read_exactness(pieces, read)
    asked_about = None if differences is None else [one.question for one in differences]
    endings = [(one.epsilon, one.ending, one.log) for one in _list_first(failures)]
    questions = (
        *ask_about_terms(prepared, load_domain(prepared.folder / "domain.toml")),
        *ask_about_claims(prepared, claims),
        *ask_about_runs(list_ignored_inputs(outcomes), list_strange_outputs(outcomes)),
        *ask_about_failures(endings),
        *ask_about_write_up(prepared, asked_about, silent),
    )
    proved = verdict in (Verdict.PROVED.value, Verdict.EXACT.value)
    return SubmissionReview(
        prepared,
        verdict,
        not differences and verdict not in _RANK,
        claims,
        scores,
        failures,
        differences,
        questions,
        (*flag_too_exact(exactness), *flag_too_good(scores, references, not proved)),
        _count_seconds(pieces, read),
        max((o.megabytes for _, o in outcomes if o is not None), default=0),
        len(pieces),
        sum(outcome is None for _, outcome in outcomes),
        exactness,
    )


def _conclude_claims(
    order: Order, prepared: Prepared, pieces: Sequence[Piece], read: Read
) -> Iterator[ClaimConclusion]:
    """The claims at each ε: of the claimed unit, and of the other where that is looked at, too."""
    for epsilon in prepared.submission.claim.epsilons:
        certify = [one for one in pieces if (one.kind, one.epsilon) == ("certify", epsilon)]
        for level in dict.fromkeys(piece.level for piece in certify):
            chosen = [piece for piece in certify if piece.level == level]
            yield conclude_claim(prepared, epsilon, level, chosen, read)
        if not certify:
            runs = runs_at(order, prepared, epsilon, read)
            yield leave_open(
                prepared, epsilon, LATER if runs else PENDING if runs is None else FAILED
            )


def _find_worst(verdicts: Sequence[str]) -> str:
    order = (*_RANK, *(verdict.value for verdict in WORST_FIRST[3:]))
    return min(verdicts, key=order.index, default=PENDING)


def _list_failures(outcomes: Sequence[tuple[Piece, Outcome | None]]) -> Iterator[Failure]:
    for piece, outcome in outcomes:
        if outcome is not None and outcome.document is None:
            ending = "its time ran out" if outcome.exit is None else f"exit code {outcome.exit}"
            yield Failure(piece.kind, piece.epsilon, ending, outcome.command, outcome.log)
        elif outcome is not None and piece.kind in ("trial", "release") and outcome.exit != 0:
            yield _read_failure(piece, outcome)


def _read_failure(piece: Piece, outcome: Outcome) -> Failure:
    """A run that gave no output, as `dp-audit try` describes it."""
    document = outcome.document or {}
    failure = document.get("failure") or {}
    ending = str(failure.get("ending") or f"exit code {outcome.exit}")
    message = str(failure.get("message") or "")
    phase = str(failure.get("phase") or piece.kind)
    command = str(document.get("command") or outcome.command)
    log = str(document.get("log") or message or outcome.log)
    if ending == ProtocolError.__name__ and message:
        # In front of what programs must do.
        ending = message.split(";")[0]
    return Failure(phase, piece.epsilon, _ENDINGS.get(ending, ending), command, log)


def _list_first(failures: Sequence[Failure]) -> list[Failure]:
    """One failure for each ε and ending."""
    first = {(one.epsilon, one.ending): one for one in reversed(failures)}
    return list(reversed(first.values()))


def _compare_write_up(
    outcomes: Sequence[tuple[Piece, Outcome | None]],
) -> tuple[tuple[Difference, ...] | None, tuple[str, ...]]:
    """The differences of a write-up, None where it was not compared; and what it does not state."""
    for piece, outcome in outcomes:
        if piece.kind == "write-up" and outcome is not None and outcome.document is not None:
            found = outcome.document.get("differences") or []
            silent = outcome.document.get("not_stated") or []
            differences = tuple(Difference(one["words"], one["question"]) for one in found)
            return differences, tuple(map(str, silent))
    return None, ()


def _count_seconds(pieces: Sequence[Piece], read: Read) -> float:
    outcomes = (read(piece) for piece in pieces)
    return sum(outcome.seconds for outcome in outcomes if outcome is not None)
