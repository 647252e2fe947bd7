"""What the functions of this package return: a value each, which the report shows.

A result shows itself at a prompt in a line, with ``print`` as the command prints it, and in a
notebook as the page that the command writes.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from audit.report.page import Page, Section, TableSection, TextSection
from audit.report.words import clean
from audit.statements.decimals import with_decimals
from synthesizers.files import replacing
from synthesizers.numerals import number_text

if TYPE_CHECKING:
    from fractions import Fraction

    import pandas as pd

    from audit.auditors.components.parts import Line
    from audit.channels.analysis import Analysis
    from audit.disclosure.checks import Disclosure
    from audit.release import Released
    from audit.statements.certificate import Certificate
    from audit.statements.checks import Verification
    from audit.statements.finding import Excess, Finding
    from audit.utility.results import UtilityResults
    from proofs.ledger.least_noise import Calibrated
    from proofs.search.account import Account
    from synthesizers.domain import Domain
    from synthesizers.drafts.draft import Draft
    from synthesizers.neighbours import Neighbours

WIDTH = 96
"""Columns of a printed result."""

FRAME = (
    '<iframe srcdoc="{page}" title="{title}" '
    'style="width: 100%; height: 36rem; border: 0"></iframe>'
)
"""A page within a notebook, which keeps its styles to itself."""


class Result(ABC):
    """A value that shows itself."""

    soft_wrap = False
    """Whether a terminal alone breaks its lines."""

    @property
    def exit_code(self) -> int:
        """What the command of the same name ends with: 0 unless a result says otherwise."""
        return 0

    @abstractmethod
    def summary(self) -> str:
        """The result in a line."""

    @abstractmethod
    def lines(self) -> RenderableType:
        """The result for a terminal."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The result as plain data, as ``--json`` writes it."""

    def page(self) -> Page:
        """The result as a page of sections."""
        return Page(self.summary(), "", (TextSection("In full", tuple(str(self).splitlines())),))

    def json_text(self) -> str:
        """The text of ``--json``; strict, so that every reader takes it."""
        return json.dumps(self.to_json(), indent=1, allow_nan=False) + "\n"

    def html(self) -> str:
        """The page as one HTML file that loads nothing."""
        from audit.report.html import render

        return render(self.page())

    def save(self, path: str | Path) -> None:
        """Write the result whole or not at all: HTML for ``.html``, otherwise JSON."""
        text = self.html() if str(path).endswith(".html") else self.json_text()
        with replacing(Path(path)) as file:
            file.write(text.encode())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clean(self.summary())}>"

    def __str__(self) -> str:
        page = io.StringIO()
        Console(file=page, width=WIDTH, no_color=True, highlight=False).print(
            self.lines(), soft_wrap=self.soft_wrap
        )
        return "\n".join(line.rstrip() for line in page.getvalue().splitlines())

    def _repr_html_(self) -> str:
        return FRAME.format(page=escape(self.html()), title=escape(clean(self.summary())))


def plain_lines(lines: Sequence[str]) -> Group:
    """Lines as they are: no markup and no control sequences."""
    return Group(*(Text(clean(line)) for line in lines))


def _page(title: str, lead: str, *sections: Section) -> Page:
    return Page(title, lead, sections)


@dataclass(frozen=True, repr=False)
class CertificateResult(Result):
    """What `dp_audit.certify` returns: a certificate."""

    certificate: Certificate
    left_out: Mapping[str, str] = field(default_factory=dict)
    """The auditors that were not run, and why."""

    @property
    def verdict(self) -> str:
        """PROVED, EXACT, NOT REFUTED, REFUTED, UNDECIDED, INVALID RUN or CONTRADICTION."""
        return self.certificate.verdict.value

    @property
    def exit_code(self) -> int:
        """That of the verdict."""
        return self.certificate.verdict.exit_code

    @property
    def partial(self) -> bool:
        """Whether an attack was interrupted: it reports the runs made until then."""
        return any(evidence.partial for evidence in self.certificate.evidence)

    @property
    def power(self) -> float | None:
        """The smallest leak that an attack would have refuted with a chance of 90 %.

        In the claim's own parameter, on the pair and by the rule that were tested; infinite if
        none, None where nothing was attacked, or the claim is refuted.
        """
        found = [one.power for one in self.certificate.evidence if one.power is not None]
        return found[0].detectable if found else None

    def summary(self) -> str:
        """The verdict, the subject and the claim."""
        claim, name = self.certificate.claim, self.certificate.subject["name"]
        return f"{self.verdict}: {name}, {claim.guarantee} ({claim.neighbours.name})"

    def lines(self) -> RenderableType:
        """The certificate in full."""
        from audit.report.certificate.terminal import certificate_lines

        return certificate_lines(self.certificate)

    def to_json(self) -> dict[str, Any]:
        """The certificate, with its digest."""
        return self.certificate.to_json()

    def json_text(self) -> str:
        """The certificate's own text, which `dp_audit.verify` reads."""
        from audit.report.certificate.document import certificate_text

        return certificate_text(self.certificate)

    def page(self) -> Page:
        """The certificate's page."""
        from audit.report.page import CertificateSection

        name = str(self.certificate.subject["name"])
        return _page(
            f"Privacy certificate of {name}",
            "What was claimed, what was found, and how to check it without trusting this report.",
            CertificateSection(f"{name}: {self.certificate.claim.guarantee}", self.certificate),
        )


@dataclass(frozen=True, repr=False)
class ChannelResult(Result):
    """What `dp_audit.channel` returns: an exact channel with its measures.

    ``exact``: plain data holds fractions and the decimal ends of enclosures, not doubles.
    """

    name: str
    analysis: Analysis
    exact: bool = False

    @property
    def epsilon(self) -> tuple[float, float]:
        """The ends of an enclosure of the smallest ε of the channel, in nats."""
        return self.analysis.epsilon.enclosure.floats()

    def summary(self) -> str:
        """The channel's size and its ε."""
        channel = self.analysis.channel
        lower, upper = self.epsilon
        ends = f"{lower:.6g}" if lower == upper else f"{lower:.6g} to {upper:.6g}"
        return f"{self.name}, {len(channel.databases)} databases, epsilon = {ends}"

    def lines(self) -> RenderableType:
        """The measures, and the matrix where it is small enough to read."""
        from audit.report.channel.terminal import analysis_lines

        return analysis_lines(self.analysis)

    def to_json(self) -> dict[str, Any]:
        """The channel and all its measures."""
        from audit.report.channel.document import to_json

        return to_json(self.analysis, self.exact)

    def to_frame(self) -> pd.DataFrame:
        """Pr[output | database] as doubles: a row a database, a column an output."""
        import pandas as pd

        channel = self._whole("no table")
        index = ["-".join(map(str, channel.counts(row))) for row in range(len(channel.databases))]
        columns = ["-".join("?" if v is None else str(v) for v in out) for out in channel.outputs]
        frame = pd.DataFrame(channel.centre, index=index, columns=columns)
        return frame.rename_axis(index="database", columns="output")

    def csv_text(self) -> str:
        """The channel as the text of a file that `dp_audit.channel` reads."""
        from audit.subjects.matrix import channel_csv

        return channel_csv(self._whole("--csv out"), self.exact)

    def _whole(self, left_out: str) -> Any:
        from audit.channels.channel import Channel
        from synthesizers.errors import InputError

        if not isinstance(self.analysis.channel, Channel):
            raise InputError(f"the channel is too large to be written; leave {left_out}")
        return self.analysis.channel

    def page(self) -> Page:
        """The channel's page."""
        from audit.report.page import AnalysisSection

        return _page(
            self.name,
            "The exact law of every output under every database, and what follows from it.",
            AnalysisSection(self.name, self.analysis),
        )


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
        return _page(
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
        from synthesizers.numerals import number_text

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
        return _page("The least noise", self.summary(), TextSection("Noise", _nonempty_lines(self)))


def _nonempty_lines(result: AccountResult | NoiseResult) -> tuple[str, ...]:
    return tuple(line for line in result._lines() if line)


@dataclass(frozen=True, repr=False)
class ReleaseResult(Result):
    """What `dp_audit.release` returns: a synthetic table, and what stands for it."""

    released: Released
    soft_wrap = True

    @property
    def guarantee(self) -> str:
        """What the release guarantees, in words."""
        return self.released.guarantee

    def summary(self) -> str:
        """How many records, made by whom, under what guarantee."""
        made = self.released
        return f"{made.table.records} synthetic records by {made.subject.name}; {made.guarantee}"

    def described(self, name: str = "the table") -> list[str]:
        """How many records a file of that name has, and the guarantee."""
        from synthesizers.neighbours import describe

        made = self.released
        how = describe(made.setting.neighbours)
        return [f"{name}: {made.table.records} synthetic records ({how})", made.guarantee]

    def lines(self) -> RenderableType:
        """How many records, and the guarantee."""
        return plain_lines(self.described())

    def to_json(self) -> dict[str, Any]:
        """How many records, the guarantee, and the ledger."""
        return {
            "records": self.released.table.records,
            "guarantee": self.guarantee,
            "ledger": self.ledger(),
        }

    def ledger(self) -> dict[str, Any]:
        """What was asked, without the answers, and what it cost: no private number."""
        from audit.release import ledger_json

        made = self.released
        return dict(ledger_json(made.subject, made.setting, made.budget, made.run))

    def to_frame(self) -> pd.DataFrame:
        """The synthetic records."""
        return self.released.frame()

    def write_table(self, path: str | Path) -> None:
        """Write the synthetic records as CSV or Parquet."""
        from synthesizers.tables import write_frame

        write_frame(self.released.frame(), path)

    def page(self) -> Page:
        """The release as a page."""
        names = ", ".join(self.released.table.domain.names)
        about = TextSection("What was released", (*self.described(), f"Attributes: {names}."))
        return _page("A release", self.guarantee, about)


@dataclass(frozen=True, repr=False)
class DomainResult(Result):
    """What `dp_audit.domain` returns: a draft of a domain file.

    ``gives_away``: of a confidential table, what the draft tells of it.
    """

    draft: Draft
    gives_away: tuple[str, ...] = ()
    soft_wrap = True

    @property
    def toml(self) -> str:
        """The domain file, with ``"FILL IN"`` in place of what is left open."""
        return self.draft.toml()

    def domain(self) -> Domain:
        """The domain that the draft declares; ``InputError`` if something is to be filled in."""
        from synthesizers.domain_toml import domain_from_toml

        return domain_from_toml(self.toml, self.draft.name)

    def summary(self) -> str:
        """How many attributes, from what, and how many are to be filled in."""
        count, left = len(self.draft.attributes), len(self.draft.gaps)
        return f"{count} attributes from {self.draft.source}, {left} to fill in"

    def lines(self) -> RenderableType:
        """What is left open, what is to be checked, what is left out, and what is given away."""
        return plain_lines(self._lines())

    def _lines(self) -> list[str]:
        told = [self.summary()]
        if self.gives_away:
            told += ["", "What this draft gives away of the confidential table:", *self.gives_away]
        sections = {
            "What you must still fill in:": [(one.name, one.ask) for one in self.draft.gaps],
            "What you must check:": [(one.name, one.check) for one in self.draft.checks],
            "Left out:": [(one.name, one.why) for one in self.draft.left_out],
        }
        for heading, entries in sections.items():
            named: dict[str, list[str]] = {}
            for name, text in entries:
                named.setdefault(text, []).append(name)
            lines = [f"  {', '.join(names)}: {text}" for text, names in named.items()]
            told += ["", heading, *lines] if lines else []
        return told

    def to_json(self) -> dict[str, Any]:
        """The file, and what is said of each column."""
        draft = self.draft
        return {
            "name": draft.name,
            "source": draft.source,
            "attributes": [column.name for column in draft.attributes],
            "fill_in": [{"name": gap.name, "what": gap.ask} for gap in draft.gaps],
            "check": [{"name": one.name, "what": one.check} for one in draft.checks],
            "left_out": [{"name": one.name, "what": one.why} for one in draft.left_out],
            "individual": draft.individual,
            "gives_away": list(self.gives_away),
            "toml": self.toml,
        }


@dataclass(frozen=True, repr=False)
class UtilityResult(Result):
    """What `dp_audit.utility` returns: scores of synthetic tables. None of it is private."""

    results: UtilityResults

    def summary(self) -> str:
        """How many metrics, of how many tables."""
        metrics, tables = len(self.results.metrics), len(self.results.synthetics)
        return f"{metrics} metrics of {tables} synthetic tables, none of it private"

    def lines(self) -> RenderableType:
        """The ranking and the scores."""
        from audit.report.utility.terminal import utility_lines

        return utility_lines(self._short())

    def to_json(self) -> dict[str, Any]:
        """Scores and ranking."""
        from audit.report.utility.document import utility_json

        return utility_json(self.results)

    def to_frame(self) -> pd.DataFrame:
        """The scores: a row a metric and a table."""
        import pandas as pd

        columns = ["metric", "synthetic", "mode", "value", "standard_error", "baseline"]
        rows = [
            (
                one.score.metric,
                one.synthetic,
                one.score.mode,
                one.score.value,
                one.score.standard_error,
                None if one.baseline is None else one.baseline.value,
            )
            for one in self.results.scored
        ]
        return pd.DataFrame(rows, columns=columns)

    def page(self, certificates: Sequence[tuple[str, Mapping[str, Any]]] = ()) -> Page:
        """The scores as a page; ``certificates``: shown beside, by the names of their files."""
        from audit.report.certificate.document import certificate_table
        from audit.report.page import UtilitySection

        short = self._short()
        title = f"Utility beside {short.real}"
        sections: list[Section] = [UtilitySection(title, short)]
        if certificates:
            sections.append(certificate_table(certificates))
        lead = "How near synthetic tables are to the real one, by the measures of the field."
        return _page(title, lead, *sections)

    def draws_text(self) -> str:
        """The random draws that were used, as the text of a draws file."""
        from audit.utility.draws import draws_text

        return draws_text(one.score for one in self.results.scored)

    def _short(self) -> UtilityResults:
        """Files by their own names, or as typed where two names are alike."""
        paths = [self.results.real, *self.results.synthetics]
        names = {path: Path(path).name for path in paths}
        alike = len(set(names.values())) < len(names)
        return self.results.rename({path: path for path in paths} if alike else names)


@dataclass(frozen=True, repr=False)
class DisclosureResult(Result):
    """What `dp_audit.disclosure` returns: what attacks on a release gain. None of it is private."""

    disclosure: Disclosure

    def summary(self) -> str:
        """How many attacks, on how many records."""
        attacks, records = len(self.disclosure.risks) + 1, self.disclosure.records[2]
        return f"{attacks} attacks on a release of {records} records, none of it private"

    def lines(self) -> RenderableType:
        """What was compared, the attacks, and what certificates bound."""
        from audit.report.disclosure.terminal import disclosure_lines

        return disclosure_lines(self.disclosure)

    def to_json(self) -> dict[str, Any]:
        """Counts, rates and intervals."""
        from audit.report.disclosure.document import disclosure_json

        return disclosure_json(self.disclosure)

    def to_frame(self) -> pd.DataFrame:
        """The attacks with a holdout: a row each, with rates, risk and interval."""
        import pandas as pd

        columns = ["attack", "real", "holdout", "baseline", "risk", "low", "high"]
        rows = [
            (r.attack, r.real.rate, r.holdout.rate, r.baseline.rate, r.estimate, *r.interval)
            for r in self.disclosure.risks
        ]
        return pd.DataFrame(rows, columns=columns)

    def page(self) -> Page:
        """All of it as a page."""
        from audit.report.disclosure.view import sections
        from audit.report.disclosure.words import FLOOR

        return Page("Disclosure checks of a release", FLOOR, tuple(sections(self.disclosure)))


@dataclass(frozen=True, repr=False)
class VerificationResult(Result):
    """What `dp_audit.verify` returns: every statement of a certificate, and what came of it."""

    verification: Verification

    @property
    def exit_code(self) -> int:
        """0, 1 where something is false or altered, 3 where something was not re-checked."""
        return self.verification.exit_code

    @property
    def confirmed(self) -> bool:
        """Whether nothing is false, and nothing was left unchecked."""
        return self.exit_code == 0

    def summary(self) -> str:
        """How many statements, and what came of them."""
        states = [check.status.value for check in self.verification.checks]
        counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
        return f"{len(states)} statements: {', '.join(counts)}"

    def _rows(self) -> list[tuple[str, str, str]]:
        checks = self.verification.checks
        return [(check.statement, check.status.value, check.note) for check in checks]

    def lines(self) -> RenderableType:
        """The statements as a table."""
        table = Table(box=None, padding=(0, 2, 0, 0))
        for heading in ("statement", "result", "note"):
            table.add_column(heading, overflow="fold")
        for row in self._rows():
            # A stranger's text: no markup, no control sequences, no broken characters.
            table.add_row(
                *(Text("".join(c if c.isprintable() else "?" for c in text)) for text in row)
            )
        return table

    def to_json(self) -> dict[str, Any]:
        """The statements, what came of each, and the exit code."""
        keys = ("statement", "result", "note")
        checks = [dict(zip(keys, row, strict=True)) for row in self._rows()]
        return {"exit_code": self.exit_code, "checks": checks}

    def to_frame(self) -> pd.DataFrame:
        """The statements: a row each."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=["statement", "result", "note"])

    def page(self) -> Page:
        """The statements as a page."""
        rows = TableSection("Statements", ("statement", "result", "note"), tuple(self._rows()))
        return _page("A certificate, re-checked", self.summary(), rows)


@dataclass(frozen=True, repr=False)
class StabilityResult(Result):
    """What `dp_audit.stability` returns: how far outputs of a transformation lie apart."""

    name: str
    finding: Finding

    @property
    def exceeded(self) -> bool:
        """Whether outputs lie farther apart than the map says."""
        return self.finding.violated

    @property
    def exit_code(self) -> int:
        """1 where the map is exceeded."""
        return int(self.exceeded)

    def summary(self) -> str:
        """Whether the map is exceeded."""
        verb = "exceeds" if self.exceeded else "was not seen to exceed"
        return f"{self.name} {verb} {self.finding.about} = {self.finding.declared}"

    def lines(self) -> RenderableType:
        """The finding, with the smallest pair."""
        from audit.report.certificate.findings import findings_lines

        return findings_lines([self.finding])

    def to_json(self) -> dict[str, Any]:
        """The finding."""
        return {
            "transformation": self.name,
            "exceeded": self.exceeded,
            "finding": self.finding.to_report_json(),
        }


@dataclass(frozen=True, repr=False)
class ComponentsResult(Result):
    """What `dp_audit.components` returns: what calls of noise inside foreign code hide and spend.

    ``lines_spending``: a row for each line of the pair that spends most.
    """

    name: str
    declared: Any
    neighbours: Neighbours
    findings: tuple[Finding, ...]
    lines_spending: tuple[Line, ...]

    @property
    def violated(self) -> bool:
        """Whether the claim, or something that was declared beside it, is not kept."""
        return any(finding.violated for finding in self.findings)

    @property
    def undecided(self) -> bool:
        """Whether something was seen that nothing here decides."""
        from audit.statements.evidence import Decision

        return any(finding.decision is Decision.UNDECIDED for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """1 where something is violated, 3 where something is left open."""
        return 1 if self.violated else 3 if self.undecided else 0

    def summary(self) -> str:
        """Whether the claim was kept in what was looked at."""
        if self.violated:
            return f"{self.name} violates {self.declared}"
        kept = "leaves open" if self.undecided else "was not seen to violate"
        return f"{self.name} {kept} {self.declared}"

    def rows(self) -> list[tuple[str, ...]]:
        """The table: line, law, scale, what moves, what is spent, and its share."""
        from audit.report.certificate.spent_lines import rows_of

        return rows_of(self.lines_spending)

    def lines(self) -> RenderableType:
        """The table, and the findings."""
        from audit.report.certificate.findings import findings_lines

        table = Table(*_SPENT)
        for row in self.rows():
            table.add_row(*map(Text, map(clean, row)))
        found = findings_lines(self.findings)
        return Group(table, found) if self.lines_spending else found

    def to_json(self) -> dict[str, Any]:
        """The findings, and the table."""
        from audit.report.accounting import relation_json

        return {
            "subject": self.name,
            "declared": str(self.declared),
            **relation_json(self.neighbours),
            "violated": self.violated,
            "undecided": self.undecided,
            "findings": [
                {**finding.to_report_json(), "decision": finding.decision.value}
                for finding in self.findings
            ],
            "lines": [dict(zip(_SPENT, row, strict=True)) for row in self.rows()],
        }

    def to_frame(self) -> pd.DataFrame:
        """The table: a row a line."""
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(_SPENT))

    def page(self) -> Page:
        """The findings and the table as a page."""
        rows = [
            (one.decision.value, one.about, one.declared, one.found, one.responsible or "")
            for one in self.findings
        ]
        return _page(
            f"Inside {self.name}",
            self.summary(),
            TableSection("What each line spends", _SPENT, tuple(self.rows())),
            TableSection(
                "Findings", ("decision", "about", "declared", "found", "where"), tuple(rows)
            ),
        )


_SPENT = ("line", "law", "scale", "moved", "spends", "share")


@dataclass(frozen=True, repr=False)
class SensitivityResult(Result):
    """What `dp_audit.sensitivity` returns: how far one unit moves a function."""

    name: str
    declared: Any
    neighbours: Neighbours
    findings: tuple[Finding, ...]
    tolerance: Fraction | None = None

    @property
    def exceeded(self) -> bool:
        """Whether a pair of neighbours shows a larger change than was declared."""
        return any(finding.violated for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """1 where the declaration is exceeded."""
        return int(self.exceeded)

    def summary(self) -> str:
        """Whether the declaration is exceeded, or how far rounding brings it beyond."""
        verb = "exceeds" if self.exceeded else "was not seen to exceed"
        excess = self.rounding
        if self.exceeded or excess is None:
            return f"{self.name} {verb} {self.declared}"
        return (
            f"{self.name} holds {self.declared} up to rounding: it goes beyond by "
            f"{excess.relative} of it, and {excess.cost}"
        )

    @property
    def rounding(self) -> Excess | None:
        """The largest excess that is forgiven."""
        found = [one.excess for one in self.findings if one.excess and not one.violated]
        return max(found, key=lambda excess: float(excess.relative), default=None)

    @property
    def verdict(self) -> str:
        """Whether it is exceeded, holds up to rounding, or was not seen to be exceeded."""
        if self.exceeded:
            return "exceeded"
        return "not seen to be exceeded" if self.rounding is None else "holds up to rounding"

    def lines(self) -> RenderableType:
        """The findings, with the smallest pair."""
        from audit.report.certificate.findings import findings_lines

        return findings_lines(self.findings)

    def to_json(self) -> dict[str, Any]:
        """The findings."""
        from audit.report.accounting import relation_json

        return {
            "function": self.name,
            "declared": str(self.declared),
            **relation_json(self.neighbours),
            "exceeded": self.exceeded,
            "verdict": self.verdict,
            "tolerance": None if self.tolerance is None else number_text(self.tolerance),
            "findings": [finding.to_report_json() for finding in self.findings],
        }

    def to_frame(self) -> pd.DataFrame:
        """The findings: a row each."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=_FINDING)

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                f.about,
                with_decimals(f.declared),
                with_decimals(f.found),
                f.rigour.value,
                f.covers,
                "yes" if f.violated else "no" if f.excess is None else "up to rounding",
            )
            for f in self.findings
        ]

    def page(self) -> Page:
        """The findings as a page."""
        rows = TableSection("Findings", _FINDING, tuple(self._rows()))
        return _page(f"Sensitivity of {self.name}", self.summary(), rows)


_FINDING = ("about", "declared", "found", "rigour", "covers", "violated")
