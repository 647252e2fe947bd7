"""What a composition costs, and the least noise for a claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType

from audit.report.page import Page, TextSection
from dp_audit.results.result import Result, page_of, plain_lines
from synthesizers.numerals import number_text

if TYPE_CHECKING:
    import pandas as pd

    from proofs.ledger.least_noise import Calibrated
    from proofs.search.account import Account
    from synthesizers.neighbours import Neighbours


@dataclass(frozen=True, repr=False)
class AccountResult(Result):
    """What `dp_audit.account` returns: what a composition costs, by every rule that applies.

    ``wanted``: "epsilon" or "delta"; ``given``: the other one.
    """

    asked: Any
    accounting: Account
    soft_wrap = True

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The ends, as exact numbers, between which the smallest value lies."""
        return self.accounting.lower, self.accounting.best.value

    def summary(self) -> str:
        """The bound, and the rule."""
        from audit.report.words import above

        best = self.accounting.best
        return f"{self.asked.wanted} <= {above(best.value, 8)} by {best.rule}"

    def _lines(self) -> list[str]:
        from audit.report.accounting import accounting_lines

        return list(accounting_lines(self.asked, self.accounting))

    def lines(self) -> RenderableType:
        """Both ends, and what every rule gives."""
        return plain_lines(self._lines())

    def to_json(self) -> dict[str, Any]:
        """Both ends, and the proof."""
        from audit.report.accounting import accounting_json

        return accounting_json(self.asked, self.accounting)

    def to_frame(self) -> pd.DataFrame:
        """What every rule gives, as doubles, the best first."""
        import pandas as pd

        rows = [(o.rule, float(o.value), not o.kernel_only) for o in self.accounting.found]
        return pd.DataFrame(rows, columns=["rule", self.asked.wanted, "recheckable"])

    def page(self) -> Page:
        """The account as a page."""
        return page_of(
            "Privacy account", self.summary(), TextSection("Account", _nonempty_lines(self))
        )


@dataclass(frozen=True, repr=False)
class NoiseResult(Result):
    """What `dp_audit.calibrate` returns: the least noise for a claim, with its theorem."""

    name: str
    noise: Calibrated
    claim: Any
    count: int
    sensitivity: Any
    neighbours: Neighbours
    soft_wrap = True

    @property
    def value(self) -> Any:
        """The parameter, an exact number."""
        return self.noise.value

    def summary(self) -> str:
        """The parameter, and what it keeps."""
        return f"{self.noise.parameter} = {number_text(self.value)} keeps {self.claim}"

    def _lines(self) -> list[str]:
        from audit.report.accounting import DIGITS, rests_on
        from audit.report.words import above
        from synthesizers.neighbours import describe

        offer = self.noise.offer
        return [
            str(self.noise.term),
            f"{self.summary()} ({describe(self.neighbours)})",
            f"by {offer.rule}: at most {above(offer.value, DIGITS)}"
            + ("  (kernel only)" if offer.kernel_only else ""),
            "",
            *rests_on(offer.theorem),
        ]

    def lines(self) -> RenderableType:
        """The noise, and what the theorem rests on."""
        return plain_lines(self._lines())

    def to_json(self) -> dict[str, Any]:
        """The parameter, and the proof."""
        from audit.report.accounting import DIGITS, relation_json
        from audit.statements.decimals import decimal_above
        from proofs.derivation import derivation
        from synthesizers.reals import ARITHMETIC

        offer = self.noise.offer
        return {
            "noise": self.name,
            self.noise.parameter: str(self.value),
            "count": self.count,
            "sensitivity": str(self.sensitivity),
            "claim": str(self.claim),
            **relation_json(self.neighbours),
            "rule": offer.rule,
            "reached": decimal_above(offer.value, DIGITS),
            "kernel_only": offer.kernel_only,
            "arithmetic": ARITHMETIC,
            "proof": {"derivation": derivation(offer.theorem)},
        }

    def page(self) -> Page:
        """The noise as a page."""
        return page_of(
            "The least noise", self.summary(), TextSection("Noise", _nonempty_lines(self))
        )


def _nonempty_lines(result: AccountResult | NoiseResult) -> tuple[str, ...]:
    return tuple(line for line in result._lines() if line)
