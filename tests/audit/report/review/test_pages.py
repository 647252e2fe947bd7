"""The pages of a review: whatever strangers wrote is text there, and what is shown stays so.

``python -m tests.audit.report.review.test_pages`` writes the golden pages anew: read what changed.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from audit.report.html import render
from audit.report.review.files import review_page, submission_page
from audit.review.conclusions.review import Review
from tests.audit.report.pages import Balanced
from tests.audit.report.review.made_review import make_review

GOLDEN = Path(__file__).parents[3] / "golden" / "pages"


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Review:
    return make_review(tmp_path_factory.mktemp("review"))


def render_all(review: Review) -> dict[str, str]:
    """The page for all, and those of submissions, by the names of their golden files."""
    pages = {one.name.replace(" ", "-"): submission_page(review, one) for one in review.submissions}
    return {name: render(page) for name, page in {"index": review_page(review), **pages}.items()}


def cut(page: str) -> str:
    """What a page says, without its style and its script."""
    start, end = page.index("<section"), page.rindex("</section>")
    return page[start:end] + "</section>\n"


@pytest.mark.parametrize("name", ["index", "honest", "leaks", "fails-at-ten"])
def test_a_page_is_the_golden_one(review: Review, name: str) -> None:
    golden = (GOLDEN / f"{name}.html").read_text("utf-8")
    assert cut(render_all(review)[name]) == golden


def test_what_strangers_wrote_is_shown_as_text(review: Review) -> None:
    for page in render_all(review).values():
        reader = Balanced()
        reader.feed(page)
        assert not reader.open
        assert "<script>alert" not in page
        assert "\x1b" not in page and "\u202e" not in page
        assert not [one for one in reader.loads if one.startswith(("http", "//", "data:text"))]


def test_failures_that_are_alike_are_one_row(review: Review) -> None:
    page = cut(render_all(review)["index"])
    assert page.count('<td data-label="Ending">exit code 1</td><td data-label="Times">5</td>') == 1


@pytest.mark.parametrize(("stage", "said"), [("prescreen", True), ("final", False)])
def test_pages_say_what_later_means(stage: str, said: bool, tmp_path: Path) -> None:
    pages = render_all(make_review(tmp_path, stage))
    assert ("LATER stands where the final stage looks" in cut(pages["index"])) == said
    assert ("LATER stands where the final stage looks" in cut(pages["honest"])) == said


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for name, page in render_all(make_review(Path(folder))).items():
            (GOLDEN / f"{name}.html").write_text(cut(page), "utf-8")
