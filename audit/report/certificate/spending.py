"""The question at fault of a refutation, in a sentence."""

from __future__ import annotations

from audit.report.words import above, equation, vector
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Spending


def state_blame(spending: Spending) -> str:
    """Which question spends what it should not, as a sentence."""
    where = "" if spending.where is None else f" asked at {spending.where},"
    name = f"{spending.question}, {spending.asked},{where} answered {vector(spending.answer)},"
    declared, total = spending.declared, spending.total
    loss = equation("ε", spending.loss)
    cost = (
        "and declares no cost in ε"
        if declared is None
        else f"of the declared {above(declared.upper)}"
    )
    if total is None and declared is not None and spending.loss.lower > declared.upper:
        return f"Question {name} spends {loss} {cost}."
    if total is not None:
        return (
            f"With question {name} the answers together spend {equation('ε', total)}, beyond the "
            f"claim; it spends {loss} {cost}."
        )
    return f"Question {name} spends most of all: {loss} {cost}."


def blame_sentence(certificate: Certificate) -> str:
    """The same of a certificate's refutation; empty where no question is known to be at fault."""
    found = (
        one.spending
        for one in certificate.evidence
        if one.decision is Decision.VIOLATED and one.spending is not None
    )
    return next(map(state_blame, found), "")
