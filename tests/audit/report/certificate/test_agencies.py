"""A certificate beside agencies' methods: the measures agree, and one alone names an equivalent."""

from __future__ import annotations

from audit.report.certificate.agencies import HEADS, beside_agencies
from audit.report.page import CertificateSection
from audit.statements.evidence import Decision, Side
from tests.audit.report import samples
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import F, bound, certificate, claim, finding

CERTIFICATES = samples.certificates()


def test_infinity_is_certainty_and_the_certificate_comes_first() -> None:
    view = beside_agencies(CERTIFICATES["exact"])
    assert view is not None and view.heads == HEADS
    own, *methods = view.rows
    # e²/(1 + e²), and e²/(e² + 999).
    assert own == ("this certificate", "at most 88.1 %", "at most 0.74 %", "at most 88.1 %")
    rows = {name: cells for name, *cells in methods}
    assert rows["swapping of two records in five"] == ["100 %", "100 %", "100 %"]
    # An answer stays with 4/5 and becomes each other with 1/15: odds of 12, and 12/1011.
    assert rows["PRAM: one answer in five changed"][:2] == ["92.3 %", "1.2 %"]


def test_an_equivalent_is_named_in_one_measure_and_with_it() -> None:
    view = beside_agencies(CERTIFICATES["exact"])
    assert view is not None
    said = view.sentences[1]
    assert said.startswith("By right guesses on average, and by no other measure here,")
    assert said.endswith("lies between a bootstrap sample and suppression of counts below 3.")
    small = certificate(
        claim("epsilon=1/10"), finding(Decision.HOLDS, bound(Side.EXACT, F(1, 10), F(1, 10)))
    )
    below = beside_agencies(small)
    assert below is not None and "below each of the methods" in below.sentences[1]


def test_other_languages_have_no_limit_after_the_surest_release() -> None:
    view = beside_agencies(CERTIFICATES["rényi"])
    assert view is not None and view.rows[0][1:3] == ("no limit", "no limit")


def test_what_bounds_nothing_is_compared_with_nothing() -> None:
    for name in ("refuted", "attack unseen", "left open"):
        assert beside_agencies(CERTIFICATES[name]) is None
        page = checked(page_of(CertificateSection("It", CERTIFICATES[name])))
        assert "statistical offices" not in page
