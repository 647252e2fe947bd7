"""Submissions to DeID2, the challenge of 2020, taken as they were handed in.

Such a submission is a folder with ``main.py``, ``main.R`` or a program ``main``. The organisers'
``parameters.json`` says which ε and δ it is run at, how many records a person has at most, and what
its columns hold: the claim and the domain follow from it. The neighbours are those of the rules of
the challenge: one person is added or removed, with all records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from audit.review.submissions.challenge import Terms
from audit.review.submissions.claims import ClaimTerms, are_alike, complete_claim, shorten
from audit.review.submissions.sections import Number, exact_number, is_number
from audit.review.submissions.submission import Launch, Submission
from audit.statements.strict_json import read_text
from synthesizers.drafts.draft import Bins
from synthesizers.drafts.forms import draft_schema_file
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain

MAINS = ("main.py", "main.R", "main")
"""What is started, the first that is there."""

PARAMETERS, FORMAT, DATA = "parameters.json", "submission_format.csv", "data"
"""The organisers' files, beside the main file or in its folder ``data``."""

BINS = 20
"""Bins of a column of numbers whose ends alone are stated: as fine as a histogram usually is."""


def find_main(folder: Path) -> str | None:
    """The name of a folder's main file; None where it has none."""
    return next((name for name in MAINS if (folder / name).is_file()), None)


def read_deid2(folder: Path, name: str, terms: Terms, made: Path) -> Submission:
    """The submission of a folder with a main file; ``made``: where its domain file is written.

    ``terms``: of the challenge, which hold where ``parameters.json`` is silent. Raises InputError.
    """
    main = find_main(folder)
    assert main is not None
    stated, domain, beside = read_parameters(folder, terms, made)
    problems: list[str] = []
    claim = complete_claim(stated.over(terms.claim), problems)
    if claim is None:
        raise InputError("; ".join(problems))
    asked = complete_claim(terms.claim.over(stated), [])
    run = terms.run
    launch = Launch(
        "deid2",
        (main,),
        rows=run.rows,
        seconds=run.seconds or Launch.seconds,
        megabytes=run.megabytes or Launch.megabytes,
    )
    if claim.unit == "person" and load_domain(domain).individual is None:
        raise InputError(f"the schema of {PARAMETERS} has no column of kind id: whose records?")
    different = asked is not None and not are_alike(asked, claim)
    return Submission(
        name, folder, launch, claim, domain, asked=asked if different else None, beside=beside
    )


def read_parameters(
    folder: Path, terms: Terms, made: Path
) -> tuple[ClaimTerms, Path, tuple[Path, ...]]:
    """What ``parameters.json`` says of the claim; the domain file; and what the folder lacks.

    The domain is made of the schema, and written to ``made``; where the schema is the challenge's,
    its domain file is taken if it has one. Raises InputError.
    """
    own = find_own(folder, PARAMETERS)
    path = own or terms.parameters
    if path is None:
        raise InputError(
            f"there is no {PARAMETERS} beside its main file, nor in {DATA}/: add that of the "
            'challenge, or name it in challenge.toml, as [deid2] parameters = "parameters.json"'
        )
    document = _document(path)
    columns = find_own(folder, FORMAT) or terms.format
    beside = tuple(
        source
        for source, mine in ((path, own), (columns, find_own(folder, FORMAT)))
        if source is not None and mine is None
    )
    if own is None and terms.domain is not None:
        return _terms(document), terms.domain, beside
    try:
        draft = draft_schema_file(path, Bins(BINS))
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    if draft.gaps:
        if terms.domain is None:
            raise InputError(
                f"the schema of {PARAMETERS} does not say what {draft.gaps[0].name!r} holds; state "
                "a domain file in challenge.toml"
            )
        return _terms(document), terms.domain, beside
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(draft.toml(), "utf-8")
    return _terms(document), made, beside


def find_own(folder: Path, name: str) -> Path | None:
    """One of the organisers' files in a submission's folder."""
    places = (folder / name, folder / DATA / name)
    return next((path for path in places if path.is_file()), None)


def _document(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(read_text(str(path)), parse_float=Number)
    except InputError as error:
        raise InputError(str(error).replace(str(path), path.name)) from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{path.name} is not JSON; expected an object with runs and schema"
        ) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, dict) or not isinstance(document.get("runs"), list):
        raise InputError(f"{path.name} must be an object with runs, a list, and schema, an object")
    return document


def _terms(document: dict[str, Any]) -> ClaimTerms:
    """The claim of the runs; raises InputError where they are none, or several claims."""
    runs = document["runs"]
    if not runs or not all(isinstance(run, dict) and is_number(run.get("epsilon")) for run in runs):
        raise InputError(f"each of the runs of {PARAMETERS} must state its epsilon, a number")
    deltas = {str(run.get("delta", 0)) for run in runs}
    bounds = {run.get("max_records_per_individual") for run in runs}
    if len(deltas) > 1 or len(bounds) > 1:
        raise InputError(
            f"the runs of {PARAMETERS} differ in delta or in max_records_per_individual: hand in a "
            "submission for each"
        )
    (delta,), (bound,) = deltas, bounds
    number = exact_number(delta)
    if number is None or not (bound is None or (type(bound) is int and bound > 0)):
        raise InputError(
            f"{PARAMETERS}: delta must be a number, and max_records_per_individual a whole one"
        )
    guarantee = "epsilon={epsilon}" + (f", delta={delta}" if number else "")
    epsilons = tuple(dict.fromkeys(shorten(str(run["epsilon"])) for run in runs))
    return ClaimTerms(guarantee, epsilons, "add-remove", "person", bound)
