"""Names and paths of figures, and what is said of those that there are not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.review.criteria.figures import Range
from audit.review.criteria.naming import NoSuchFigure, find_figures
from audit.review.criteria.reports import Report, make_report
from synthesizers.errors import InputError
from tests.audit.review.certificates import plain


def score(metric: str, synthetic: str, value: object) -> dict[str, Any]:
    return {
        **{"metric": metric, "synthetic": synthetic, "value": value, "undefined": None},
        **{"standard_error": None, "exact": None, "bracket": None, "draws": None},
    }


UTILITY: dict[str, Any] = {
    "scores": [score("mgd", "a.csv", 0.5), score("mgd", "b.csv", 1), score("k.1", "a.csv", 7)],
    "synthetic": [{"file": "a.csv", "records": 3, "copies": {"records": 2, "of_unique": 1}}],
    "refused": [{"metric": "hoc", "reason": "no persons"}],
    "epsilon": {"lower": "1", "upper": "2"},
    "deep": None,
}
REPORT = Report("u.json", "utility", UTILITY)


def values(name: str) -> list[tuple[str, object]]:
    return [(one.of, one.value) for one in find_figures(REPORT, name)]


def test_names_and_paths_find_the_same() -> None:
    both = [("a.csv", Range.point(Fraction(1, 2))), ("b.csv", Range.point(Fraction(1)))]
    assert values("mgd") == values("scores.mgd.value") == both
    assert values('scores."k.1".value') == [("a.csv", Range.point(Fraction(7)))]
    assert values("refused.hoc.reason") == [("", "no persons")]
    assert values("copies.records") == [("a.csv", Range.point(Fraction(2)))]
    assert values("synthetic.0.records") == [("a.csv", Range.point(Fraction(3)))]
    assert values("epsilon") == [("", Range(Fraction(1), Fraction(2)))]
    assert len(values("scores.*.metric")) == 3
    assert values("deep") == [("", None)]


def test_what_was_refused_is_undefined_for_its_reason() -> None:
    (figure,) = find_figures(REPORT, "hoc")
    assert (figure.value, figure.note) == (None, "no persons")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mdg", "has no figure 'mdg'; it has .* Did you mean 'mgd'"),
        ("scores.mdg.value", "has no part 'mdg'; .* Did you mean 'mgd'"),
        ("scores.mgd.valeu", "Did you mean 'value'"),
        ("scores.mgd", "ends at a member of a list"),
        ("scores", "'scores' is no number and no text"),
        ("deep.er", "has no 'er' there"),
        ("a..b", "has no figure 'a..b'"),
        ("", "has no figure ''"),
    ],
)
def test_what_there_is_not_is_told_with_what_there_is(name: str, said: str) -> None:
    with pytest.raises(NoSuchFigure, match=said):
        find_figures(REPORT, name)


def test_a_strangers_document_ends_in_one_error() -> None:
    strange = Report("s.json", "utility", {"scores": [{**score("mgd", "a", 1), "exact": "x"}]})
    with pytest.raises(InputError, match=r"s.json, at the figure 'mgd': expected a decimal"):
        find_figures(strange, "mgd")
    odd = Report("s.json", "utility", {"scores": [3, {}], "synthetic": {"a": 1}, "refused": 7})
    with pytest.raises(NoSuchFigure):
        find_figures(odd, "mgd")


def test_no_path_leads_into_a_certificate() -> None:
    """A bound there may be of a part of the claim, which its named figure says."""
    report = make_report("c.json", plain("exact"))
    with pytest.raises(NoSuchFigure, match=r"has no figure 'bounds.ceiling.epsilon'"):
        find_figures(report, "bounds.ceiling.epsilon")
