"""``challenge.toml``: what all submissions of one folder share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from audit.review.submissions.claims import ClaimTerms, complete_claim, read_claim
from audit.review.submissions.names import clean_name
from audit.review.submissions.sections import Section, read_document, require_no_problem
from audit.review.submissions.submission import Challenge
from audit.utility.catalogue import METRICS
from synthesizers.schemas import load_domain

FILE = "challenge.toml"
"""Where the organisers say it, in the folder of submissions."""


@dataclass(frozen=True)
class RunTerms:
    """What is said of runs; None where nothing is. The fields are those of `Launch`."""

    rows: int | None = None
    seconds: int | None = None
    megabytes: int | None = None


@dataclass(frozen=True)
class Terms:
    """What holds for a submission where it is silent.

    ``domain``: the path of a domain file. ``parameters``, ``format``: of DeID2, the paths of
    ``parameters.json`` and of a table with the columns of the output.
    """

    challenge: Challenge
    claim: ClaimTerms = field(default_factory=ClaimTerms)
    run: RunTerms = field(default_factory=RunTerms)
    domain: Path | None = None
    parameters: Path | None = None
    format: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that it names, which are no submissions."""
        named = (self.challenge.data, self.domain, self.parameters, self.format)
        return tuple(path for path in named if path is not None)


def read_terms(folder: Path) -> Terms:
    """The terms of a folder of submissions, none without a ``challenge.toml``.

    Raises InputError with all that is wrong.
    """
    if not (folder / FILE).is_file():
        return Terms(Challenge(clean_name(folder.resolve().name)))
    document = read_document(folder / FILE)
    name = document.text("name")
    data = _file(document, "data", folder)
    metrics = document.texts("metrics")
    _check_metrics(metrics or (), document.problems)
    claim = read_claim(document.table("claim"))
    run = document.table("run")
    runs = RunTerms(run.whole("rows", 0), run.whole("seconds", 1), run.whole("megabytes", 1))
    run.end()
    deid2 = document.table("deid2")
    parameters = _file(deid2, "parameters", folder)
    columns = _file(deid2, "format", folder)
    deid2.end()
    section = document.table("domain")
    domain = _file(section, "file", folder)
    section.end()
    document.end()
    _check(claim, document.problems)
    require_no_problem(document, FILE)
    if domain is not None:
        load_domain(domain)
    challenge = Challenge(name or clean_name(folder.resolve().name), data, metrics or ())
    return Terms(challenge, claim, runs, domain, parameters, columns)


def _file(section: Section, key: str, folder: Path) -> Path | None:
    """The path of a file that the organisers name, from their folder."""
    text = section.text(key)
    if text is None:
        return None
    path = folder / text
    if not path.is_file():
        section.note(f"{key}: there is no file {text[:80]!r}")
    return path.absolute()


def _check_metrics(names: Sequence[str], problems: list[str]) -> None:
    """Note the names that no metric has, with the nearest ones: a review may run for hours first.

    Whether a metric can be taken of a domain is said where usefulness is measured: a submission may
    state a domain of its own.
    """
    for name in dict.fromkeys(names):
        if name not in METRICS:
            near = get_close_matches(name, METRICS, n=3, cutoff=0.5)
            meant = f"the nearest: {', '.join(near)}" if near else f"there are {', '.join(METRICS)}"
            problems.append(f"metrics: there is no metric {name[:80]!r}; {meant}")


def _check(claim: ClaimTerms, problems: list[str]) -> None:
    """Note what is wrong with the parts of a claim that are stated."""
    whole = claim.over(ClaimTerms(epsilons=("1",), neighbours="add-remove"))
    if whole.unit == "person" and whole.max_records is None:
        whole = whole.over(ClaimTerms(unit="person", max_records=1))
    complete_claim(whole, problems)
