"""``dp-audit demo``: the main job, from real records to a report that can be verified.

Real patient records (scikit-learn's bundled diabetes study, Efron et al. 2004)
are binned over a declared domain, released through the geometric sanitizer, and
certified; its usefulness is measured, rivals are certified beside it, and the
figures of Abowd & Vilhuber 2008 are computed again.
"""

from __future__ import annotations

import argparse
import shlex
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import pandas as pd

from audit import release
from audit.certify import Effort, certify
from audit.channels import abowd_vilhuber as paper
from audit.channels.analysis import Wishes, analyse
from audit.channels.channel import Channel
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.probabilistic import probabilistic_delta
from audit.cli import streams
from audit.report.certificate.document import certificate_text
from audit.report.certificate.terminal import certificate_lines, comparison_lines
from audit.report.html import render
from audit.report.json_text import json_text
from audit.report.page import (
    AnalysisSection,
    CertificateSection,
    ComparisonSection,
    FoldedSection,
    Page,
    Section,
    TableSection,
    TextSection,
    UtilitySection,
)
from audit.report.percentages import share
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.reproduce import Command
from audit.subjects.synthesizer import program_subject
from audit.utility.records import of_dataset
from audit.utility.results import UtilityResults
from audit.utility.suite import applicable, measure_utility
from dp_audit.arguments import process_count
from proofs.guarantees import ApproxDP
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import ReplaceOne
from synthesizers.sampling import run as sample
from synthesizers.schemas import dump_domain, load_domain
from synthesizers.tables import from_frame, write_table

PROGRAM = "geometric-sanitizer"
EPSILON = "1"
PAPER_EPSILON = "2"
RELATION = ReplaceOne()


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("--out", default="dp-audit-demo", metavar="DIR", help="where files go")
    parser.add_argument("--jobs", metavar="N", help="processes (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no talk, no progress")


def run(flags: argparse.Namespace) -> int:
    """Write the synthetic table, its ledger, the certificate and the report; exit code 0."""
    folder = Path(flags.out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is not a folder; choose another --out")
    talk = streams.talk_console(flags.quiet)
    jobs = process_count(flags.jobs)
    dataset = patients()
    setting = release.release_setting(dataset.domain, RELATION, dataset.records, None)

    talk.print(f"releasing {dataset.records} patients over {dataset.domain.size} cells")
    subject = program_subject(PROGRAM, {"epsilon": EPSILON})
    budget = subject.budget(setting)
    released = sample(subject.program, dataset, setting, budget)
    table = release.as_dataset(released.output, dataset.domain)

    talk.print("certifying the release and its rivals")
    named = f"--domain {shlex.quote(str(folder / 'patients.toml'))}"
    certificate = _certify(PROGRAM, {"epsilon": EPSILON}, setting, EPSILON, jobs, named)
    rivals = _rivals(certificate, setting, jobs, named)
    small = _small_rivals()
    talk.print("computing the figures of Abowd & Vilhuber again")
    figures = paper.figures()
    talk.print("measuring how useful the release is")
    utility = _utility(dataset, table)
    page = _page(certificate, table, rivals, small, figures, utility)

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made: {error.strerror}") from None
    streams.write_text(str(folder / "patients.toml"), dump_domain(dataset.domain))
    write_table(table, folder / "synthetic.csv")
    ledger = release.ledger_json(subject, setting, budget, released)
    streams.write_text(str(folder / "ledger.json"), json_text(ledger))
    streams.write_text(str(folder / "certificate.json"), certificate_text(certificate))
    streams.write_text(str(folder / "report.html"), render(page))

    console = streams.output_console()
    console.print(certificate_lines(certificate))
    console.print(comparison_lines(rivals))
    console.print(comparison_lines(small))
    agreeing, numbers = sum(f.agreeing for f in figures), sum(f.numbers for f in figures)
    console.print(f"utility: {len(utility.metrics)} metrics, in report.html")
    console.print(f"Abowd & Vilhuber, Figures 1-4: {agreeing} of {numbers} printed numbers agree")
    for line in _next(folder):
        console.print(line, markup=False, soft_wrap=True)
    return 0


def _next(folder: Path) -> tuple[str, ...]:
    """What to open and do once it is done; the files are named in it."""
    place = shlex.quote(str(folder))
    return (
        f"\nOpen {place}/report.html: the verdict, why, and how useful it is.",
        f"Check it: dp-audit verify {place}/certificate.json",
        f"Release your own table as {place}/synthetic.csv was made, with a domain such as "
        "patients.toml and a ledger such as ledger.json: dp-audit release --help",
    )


def patients_domain() -> Domain:
    """The declared public domain of the demonstration."""
    with files("audit.cli").joinpath("patients.toml").open("rb") as file:
        return load_domain(file.name)


def patients() -> Dataset:
    """The 442 patients of the diabetes study, binned over the declared domain."""
    # Here, not above: the import takes longer than any other command's own.
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    frame = pd.DataFrame(data.data, columns=data.feature_names)
    # The study codes sex as 1 and 2 without saying which is which.
    return from_frame(frame[["sex", "age", "bmi"]], patients_domain())


def _certify(
    name: str,
    values: dict[str, str],
    setting: Setting,
    claimed: str,
    jobs: int,
    domain: str,
    released: str = "output",
) -> Certificate:
    """The certificate; ``domain`` is the flag that names its domain on the command line."""
    guarantee = ApproxDP(Fraction(claimed))
    claim = Claim(guarantee, setting.neighbours, released, setting.domain, setting.records)
    flag, _, place = domain.removeprefix("--").partition(" ")
    flags = {"claim": str(guarantee), "neighbours": setting.neighbours.name, flag: place}
    flags |= {"records": str(setting.records), "released": released}
    sets = tuple(f"{key}={value}" for key, value in values.items())
    command = Command(name, {flag: [word] for flag, word in flags.items()}, sets)
    return certify(
        program_subject(name, values), claim, Effort(jobs=jobs), str(command)
    ).certificate


def _utility(dataset: Dataset, table: Dataset) -> UtilityResults:
    """The scores of the release."""
    # Here, not above: scikit-learn comes with it.
    from audit.utility.catalogue import METRICS

    real = of_dataset(dataset)
    metrics, refused = applicable([metric() for metric in METRICS.values()], dataset.domain)
    tables = {"synthetic.csv": of_dataset(table)}
    return measure_utility(("the patients", real), tables, metrics, refused=refused)


Entries = tuple[tuple[str, Certificate], ...]


def _rivals(certificate: Certificate, setting: Setting, jobs: int, domain: str) -> Entries:
    """Histogram sanitizers at the size of the release."""
    wrong = {"epsilon": EPSILON, "calibrated-for": "add-remove"}
    laplace = _certify("laplace-sanitizer", {"epsilon": EPSILON}, setting, EPSILON, jobs, domain)
    miscalibrated = _certify(PROGRAM, wrong, setting, EPSILON, jobs, domain, "transcript")
    return (
        ("geometric sanitizer (the release)", certificate),
        ("rounded Laplace sanitizer", laplace),
        ("geometric, noise made for add-remove", miscalibrated),
    )


def _small_rivals() -> Entries:
    """All built-in programs on the paper's instance, at its ε = 2."""
    setting = Setting.of(Domain.from_cells("2"), RELATION, 5)
    chosen = (
        ("geometric sanitizer", PROGRAM, {"epsilon": PAPER_EPSILON}),
        ("rounded Laplace sanitizer", "laplace-sanitizer", {"epsilon": PAPER_EPSILON}),
        ("Multinomial-Dirichlet, predictive", "multinomial-dirichlet", {"alpha": "1/2"}),
        (
            "Multinomial-Dirichlet, plug-in mean",
            "multinomial-dirichlet",
            {"alpha": "1/2", "posterior": "mean"},
        ),
        ("40 % subsample", "subsample", {"fraction": "2/5"}),
    )
    return tuple(
        (title, _certify(name, values, setting, PAPER_EPSILON, 1, "--cells 2"))
        for title, name, values in chosen
    )


def _page(
    certificate: Certificate,
    table: Dataset,
    rivals: Entries,
    small: Entries,
    figures: tuple[paper.Figure, ...],
    utility: UtilityResults,
) -> Page:
    two = {PAPER_EPSILON: Fraction(PAPER_EPSILON)}
    plug_in, predictive, laplace = (
        paper.plug_in_channel(),
        paper.predictive_channel(),
        paper.laplace_channel(),
    )
    agreeing, numbers = sum(f.agreeing for f in figures), sum(f.numbers for f in figures)
    sections: tuple[Section, ...] = (
        TextSection(
            "What was released",
            (
                f"{table.records} synthetic patients over {table.domain.size} cells "
                f"({', '.join(table.domain.names)}), made by the geometric sanitizer with "
                f"ε = {EPSILON}, one record replaced. The bins were declared beforehand, and the "
                "number of patients is public. The table is in synthetic.csv, and ledger.json "
                "says what was asked of the data.",
                f"The claim about its privacy is {certificate.verdict.value}: the certificate "
                f"says what follows from that. {len(utility.metrics)} metrics say how useful the "
                f"table is, and two other mechanisms of its size stand beside it. The figures of "
                "the paper that this kind of audit goes back to were computed again: "
                f"{agreeing} of its {numbers} printed numbers agree to the last digit.",
            ),
        ),
        CertificateSection("Is the release as private as it claims?", certificate),
        UtilitySection("How useful is the release?", utility),
        ComparisonSection(
            "What do rivals of the same size reach?",
            rivals,
            "Noise made for add-remove has half the scale that replace-one needs: the claim is "
            "refuted on the transcript, which holds all noisy answers.",
        ),
        FoldedSection(
            ComparisonSection(
                f"Every built-in program on 5 records and 2 cells, claim ε = {PAPER_EPSILON}",
                small,
                "The instance of Abowd & Vilhuber 2008, enumerated whole.",
            ),
            "what each of them is proved to do, or refuted by",
        ),
        FoldedSection(
            TableSection(
                "Figures 1 to 4 of Abowd & Vilhuber, computed again",
                ("figure", "printed numbers", "that agree to the last digit"),
                tuple((f.title, str(f.numbers), str(f.agreeing)) for f in figures),
                "The values are exact. A printed number agrees if the exact value rounds to it.",
            ),
            "how many of their printed numbers agree",
        ),
        FoldedSection(
            TextSection(
                "What the figures say, and what they leave out", findings(plug_in, predictive)
            ),
            "what an audit adds to them",
        ),
        *(
            FoldedSection(
                AnalysisSection(title, analyse(channel, Wishes(two))),
                "the whole channel, with its measures",
            )
            for title, channel in (
                ("Figures 1 and 2: plug-in posterior mean", plug_in),
                ("Equation (1): posterior predictive", predictive),
                ("Figures 3 and 4: Laplace sanitizer", laplace),
            )
        ),
    )
    return Page(
        "A release of 442 patients, certified",
        "Synthetic records from a real study, with the privacy claim checked exactly, beside "
        "rivals, and the paper that this kind of audit goes back to.",
        sections,
    )


def findings(plug_in: Channel, predictive: Channel) -> tuple[str, ...]:
    """What an audit adds to the paper's figures; every number is computed here."""
    two = Fraction(PAPER_EPSILON)
    chance = probabilistic_delta(plug_in, two)
    printed = chance.average["multinomial, less likely cells"]
    return (
        "Figure 1 is the plug-in posterior mean, Binomial(5, (n1 + 1/2)/6), and not the "
        "Dirichlet-multinomial of the paper's equation (1). Its exact ε is 5 ln 3 = "
        f"{_spell(epsilon(plug_in).enclosure)}; equation (1) itself has ε = ln 11 = "
        f"{_spell(epsilon(predictive).enclosure)}.",
        "The printed '(2, 0.0006)' is an average: the probability "
        f"{_spell(printed)} of the less likely cells of Figure 2's eight entries above 2, when "
        "n1 is drawn from Binomial(5, 1/2). It bounds no single database. The worst-case "
        f"delta(2) is {_spell(delta(plug_in, two).enclosure)}; the worst-case probabilistic "
        f"delta is {_spell(chance.worst)}, at the table {chance.table}.",
        f"Equation (1)'s own channel has delta(2) = {_spell(delta(predictive, two).enclosure)}.",
        "Figure 3 has Laplace scale 1/ε = 1/2, where the text says 2/ε: with n "
        "public, one count of sensitivity 1 is asked.",
    )


def _spell(ends: Enclosure) -> str:
    return share(ends, 8)
