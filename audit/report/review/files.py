"""The files of a review: a page and JSON for all, for each submission, and for each certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from audit.report.certificate.document import certificate_text
from audit.report.html import render
from audit.report.json_text import json_text
from audit.report.page import CertificateSection, Page, ReviewSection, SubmissionSection
from audit.report.review.document import review_json, submission_json
from audit.report.review.view import caution_words, certificate_name, file_name, summary_words
from audit.review.conclusions.review import Review, SubmissionReview
from audit.review.folders import ReviewFolder
from audit.statements.certificate import Certificate
from audit.statements.certificate_json import decode
from synthesizers.files import replacing


def review_page(review: Review) -> Page:
    """The page for all submissions."""
    name = review.order.challenge.name
    section = ReviewSection("Submissions", review)
    of = f"to {name} " if name else ""
    title = f"Do the submissions {of}keep their claims?"
    return Page(title, " ".join((*caution_words(review), summary_words(review))), (section,))


def submission_page(review: Review, one: SubmissionReview) -> Page:
    """The page of one submission."""
    epsilons = {claim.epsilon for claim in one.claims}
    beside = tuple(score for score in review.references if score.epsilon in epsilons)
    absent = tuple(r for r in review.missing_references if epsilons.intersection(r.epsilons))
    section = SubmissionSection("Verdict and questions", one, beside, absent)
    left = one.missing
    partial = (f"Partial: {left} pieces of its review are missing.",) if left else ()
    lead = " ".join((*caution_words(review), *partial))
    return Page(f"Does the submission {one.name} keep its claim?", lead, (section,))


def write_pages(review: Review, folder: ReviewFolder) -> None:
    """Write all files, each whole or not at all; raises InputError where one can't be written."""
    written = set()
    for name, text in _texts(review, folder):
        with replacing(folder.path / name) as file:
            file.write(text.encode())
        written.add(folder.path / name)
    # What an earlier state of the submissions left would be taken for this one's.
    for place in ("submissions", "certificates"):
        for path in (folder.path / place).iterdir():
            if path not in written and not path.name.startswith("."):
                path.unlink(missing_ok=True)


def _certificate_texts(name: str, document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    certificate = Certificate.of(decode(document))
    title = f"{certificate.subject['name']}: {certificate.claim.guarantee}"
    page = Page("Privacy certificate", "", (CertificateSection(title, certificate),))
    yield f"certificates/{name}.json", certificate_text(certificate)
    yield f"certificates/{name}.html", render(page)


def _texts(review: Review, folder: ReviewFolder) -> Iterator[tuple[str, str]]:
    """The files by their names below the folder, those that link to others last."""
    for one in review.submissions:
        for claim in one.claims:
            for number, digest in enumerate(claim.certificates):
                name = certificate_name(one, claim, number)
                yield from _certificate_texts(name, folder.pieces.document(digest))
        place = f"submissions/{file_name(one)}"
        yield f"{place}.json", json_text(submission_json(one))
        yield f"{place}.html", render(submission_page(review, one))
    yield "review.json", json_text(review_json(review))
    yield "index.html", render(review_page(review))
