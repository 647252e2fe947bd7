"""`certify` and `family`: checks that raise where a claim is not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from audit.testing.claims.asked import Asked
from audit.testing.claims.checked import Checked, ClaimRefuted
from audit.testing.claims.checking import check
from audit.testing.claims.failures import failure_text
from synthesizers.errors import DPAuditError, InputError
from synthesizers.suggestions import suggest

Parameter = TypeVar("Parameter")


def certify(subject: Any, claim: str, *, name: str | None = None, **asked: Any) -> Checked:
    """Check that a subject keeps a claim; the keywords are those of `asked.Asked`.

    ``subject``: a program of a curator, examined exactly; a function (database, rng), its batch
    form (database, rng, runs) or an estimator, attacked with a fixed seed. Returns what was
    found. Raises `ClaimRefuted`, an AssertionError, where the claim is refuted, is not shown as
    ``require`` asks for, or where the subject shows more of its data than it may; InputError for
    arguments that don't fit.

    Guarantee
    ---------
    A program that keeps the claim on the databases named is never accused; a function that keeps
    it, with a chance of at most ``alarm`` each by the attack, by smaller pairs and by auditors of
    its properties. Backed by ``tests/audit/testing/claims/test_certify.py``.
    """
    found = check(subject, read_arguments(claim, asked), name)
    if not found.kept:
        raise ClaimRefuted(failure_text(found), found)
    return found


def family(
    make: Callable[[Parameter], Any], claim: str, *, over: Iterable[Parameter], **asked: Any
) -> tuple[Checked, ...]:
    """Check every member of a family, ``make(parameter)``, until the first that fails.

    ``over``: the parameters, the smallest first: the number of queries, of attributes, of rounds.
    A failure names the smallest parameter that shows it. Raises as `certify`.
    """
    found = []
    for parameter in over:
        name = f"{getattr(make, '__name__', type(make).__name__)}({parameter!r})"
        found.append(certify(make(parameter), claim, name=name, **asked))
    if not found:
        raise InputError("over is empty: give the parameters, such as range(1, 20)")
    return tuple(found)


def examine_claim(
    subject: Any, claim: Any, asked: dict[str, Any], name: str | None = None
) -> Checked | str:
    """What is found, kept or not; where the arguments don't fit, the reason as text."""
    try:
        return check(subject, read_arguments(claim, asked), name)
    except DPAuditError as error:
        return str(error)


def read_arguments(claim: Any, asked: dict[str, Any]) -> Asked:
    """The arguments of a test; raises InputError for unknown or missing ones."""
    known = set(Asked.__dataclass_fields__)
    unknown = sorted(set(asked) - known)
    if unknown:
        meant = suggest(unknown[0], known) or f"; it takes {', '.join(sorted(known))}"
        raise InputError(f"certify takes no {', '.join(unknown)}{meant}")
    if not isinstance(claim, str):
        raise InputError("state the claim as text: 'epsilon=1', 'rho=0.5', 'epsilon=1, delta=1e-6'")
    if "neighbours" not in asked:
        raise InputError("name the neighbours: neighbours='add-remove' or 'replace-one'")
    return Asked(claim=claim, **asked)
