"""A review as plain data: one document for all, and one for each submission."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from audit.report.review.view import certificate_name, file_name
from audit.review.conclusions.claims import ClaimConclusion
from audit.review.conclusions.review import Review, SubmissionReview
from audit.review.conclusions.usefulness import Scores
from audit.review.pieces.estimate import ReviewPlan

SCHEMA = "dp-audit/review/1"


def review_json(review: Review) -> dict[str, Any]:
    """The review of all submissions; infinity is ``"inf"``, what is not known null."""
    order = review.order
    return {
        "schema": SCHEMA,
        "challenge": order.challenge.name,
        "stage": order.stage,
        "partial": review.partial,
        "kept_apart": review.apart,
        "seed": order.seed,
        "detect": order.detect,
        "records": order.records,
        "releases": order.releases,
        "runs": order.runs,
        "scale": order.scale,
        "budget": order.budget or None,
        "plan": None if review.plan is None else _plan_json(review.plan),
        "seconds": review.seconds,
        "submissions": [submission_json(one) for one in review.submissions],
        "references": [_scores_json(one) for one in review.references],
        "missing_references": [asdict(one) for one in review.missing_references],
        "unread": [asdict(one) for one in review.unread],
    }


def _plan_json(plan: ReviewPlan) -> dict[str, Any]:
    return {
        "runs": plan.runs,
        "seconds": plan.seconds,
        "bytes": plan.bytes,
        "others": plan.others,
        "attacks": [
            {**asdict(one), "sees": _finite(one.sees), "wanted": _finite(one.wanted)}
            for one in plan.attacks
        ],
    }


def submission_json(one: SubmissionReview) -> dict[str, Any]:
    """One submission, as in the document of all."""
    stated = one.prepared.submission
    return {
        "name": one.name,
        "page": f"submissions/{file_name(one)}.html",
        "way": stated.launch.way,
        "neighbours": stated.claim.neighbours,
        "unit": stated.claim.unit,
        "max_records": stated.claim.max_records,
        "verdict": one.verdict,
        "goes_on": one.goes_on,
        "claims": [_claim_json(one, claim) for claim in one.claims],
        "utility": [_scores_json(scores) for scores in one.scores],
        "exactness": [asdict(found) for found in one.exactness],
        "differences": None
        if one.differences is None
        else [asdict(difference) for difference in one.differences],
        "questions": list(one.questions),
        "flags": list(one.flags),
        "failures": [asdict(failure) for failure in one.failures],
        "seconds": one.seconds,
        "megabytes": one.megabytes,
        "pieces": one.pieces,
        "missing": one.missing,
    }


def _claim_json(one: SubmissionReview, claim: ClaimConclusion) -> dict[str, Any]:
    numbers = range(len(claim.certificates))
    return {
        "epsilon": claim.epsilon,
        "unit": claim.level,
        "claimed": claim.claimed,
        "claim": claim.claim,
        "verdict": claim.verdict,
        "stage": claim.stage,
        "parameter": claim.bounds.parameter,
        "floor": claim.bounds.floor,
        "exact": None
        if claim.bounds.exact is None
        else dict(zip(("lower", "upper"), claim.bounds.exact, strict=True)),
        "ceiling": claim.bounds.ceiling,
        "detectable": _finite(claim.detectable),
        "detect": _finite(claim.detect),
        "cause": claim.cause or None,
        "seen": list(claim.seen),
        "error": claim.error,
        "runs": claim.runs,
        "done": claim.done,
        "wanted": claim.wanted,
        "certificates": [
            f"certificates/{certificate_name(one, claim, number)}.json" for number in numbers
        ],
    }


def _scores_json(scores: Scores) -> dict[str, Any]:
    return {**asdict(scores), "values": list(scores.values), "median": scores.median}


def _finite(value: float | None) -> float | str | None:
    return "inf" if value is not None and math.isinf(value) else value
