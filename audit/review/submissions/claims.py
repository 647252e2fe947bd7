"""What a file says of a claim, key by key, and the claim that it makes with those of another."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from audit.review.submissions.sections import Section, exact_number
from audit.review.submissions.submission import StatedClaim
from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import neighbours_from

PLACE = "{epsilon}"
"""Where a text takes the ε that is asked for."""

_DEFAULT = f"epsilon={PLACE}"


@dataclass(frozen=True)
class ClaimTerms:
    """What is said of a claim; None where nothing is.

    The fields are those of `StatedClaim`.
    """

    guarantee: str | None = None
    epsilons: tuple[str, ...] | None = None
    neighbours: str | None = None
    unit: str | None = None
    max_records: int | None = None

    def over(self, other: ClaimTerms) -> ClaimTerms:
        """These terms, and another's where these are silent.

        The bound on a person's records goes with its unit.
        """
        mine = dataclasses.asdict(self)
        theirs = dataclasses.asdict(other)
        if self.unit not in (None, other.unit):
            theirs["max_records"] = None
        return ClaimTerms(**{k: theirs[k] if v is None else v for k, v in mine.items()})


def read_claim(section: Section) -> ClaimTerms:
    """The terms of a section [claim], whose problems are noted."""
    guarantee, delta = section.text("guarantee"), section.number("delta")
    if guarantee is not None and delta is not None:
        section.note("state delta once: within the guarantee, or by itself")
    elif delta is not None:
        guarantee = f"{_DEFAULT}, delta={delta}"
    epsilons = section.numbers("epsilons")
    terms = ClaimTerms(
        guarantee,
        None if epsilons is None else tuple(map(shorten, epsilons)),
        section.choice("neighbours", ("add-remove", "replace-one")),
        section.choice("unit", ("record", "person")),
        section.whole("max_records", 1),
    )
    section.end()
    return terms


def complete_claim(terms: ClaimTerms, problems: list[str]) -> StatedClaim | None:
    """The claim of terms; None, with the reasons in ``problems``, where they make none.

    Guarantee
    ---------
    Each claim and its neighbours are ones that `parse_guarantee` and `neighbours_from` read.
    Backed by ``tests/audit/review/submissions/test_claims.py``.
    """
    before = len(problems)
    guarantee = terms.guarantee or _DEFAULT
    if terms.epsilons is None:
        problems.append("[claim] needs epsilons, as [0.1, 1, 10]")
    elif not terms.epsilons:
        problems.append("[claim]: epsilons is empty; list at least one")
    elif PLACE not in guarantee:
        problems.append(f"[claim]: guarantee must hold {PLACE}, as in 'rho={PLACE}'")
    else:
        _check_epsilons(guarantee, terms.epsilons, problems)
    if terms.neighbours is None:
        problems.append("[claim] needs neighbours, add-remove or replace-one")
    else:
        try:
            neighbours_from(terms.neighbours, terms.unit or "record", terms.max_records)
        except InputError as error:
            problems.append(f"[claim]: {_in_file(str(error))}")
    if len(problems) > before or terms.epsilons is None or terms.neighbours is None:
        return None
    return StatedClaim(
        guarantee, terms.epsilons, terms.neighbours, terms.unit or "record", terms.max_records or 1
    )


def guarantees(claim: StatedClaim) -> tuple[Guarantee, ...]:
    """What a claim says at each of its ε."""
    return tuple(parse_guarantee(claim.at(epsilon)) for epsilon in claim.epsilons)


def are_alike(first: StatedClaim, second: StatedClaim) -> bool:
    """Whether two claims say the same, however their numbers are written."""
    relations = [(one.neighbours, one.unit, one.max_records) for one in (first, second)]
    return relations[0] == relations[1] and set(guarantees(first)) == set(guarantees(second))


def shorten(number: str) -> str:
    """A number without zeros at its end, so that one ε has one name: 1 for 1.0."""
    return number.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", number) else number


def _check_epsilons(guarantee: str, epsilons: Sequence[str], problems: list[str]) -> None:
    numbers = [exact_number(epsilon) for epsilon in epsilons]
    if any(number is None or number <= 0 for number in numbers):
        problems.append("[claim]: epsilons must be numbers above 0")
        return
    if len(set(numbers)) < len(numbers):
        problems.append("[claim]: epsilons holds a number twice")
    try:
        for epsilon in epsilons:
            parse_guarantee(guarantee.replace(PLACE, epsilon))
    except InputError as error:
        problems.append(f"[claim]: guarantee: {error}")


def _in_file(words: str) -> str:
    """What is said of flags, of the keys of a file."""
    unit = words.replace("--unit person", 'unit = "person"').replace(
        "--max-records m", "max_records"
    )
    return unit.replace("--max-records", "max_records").replace("max-records", "max_records")
