"""The question at fault of a refutation, in a sentence."""

from __future__ import annotations

from audit.report.words import above, equation, vector
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Spending


def state_blame(spending: Spending) -> str:
    """Which question spends what it should not, in two sentences."""
    where = "" if spending.where is None else f", asked at {spending.where}"
    declared, total = spending.declared, spending.total
    loss = equation("ε", spending.loss)
    cost = (
        "and it declares no cost in ε"
        if declared is None
        else f"of the {above(declared.upper)} that it declares"
    )
    named = f"question {spending.question} ({spending.asked}{where})"
    answered = f"Where its answer is {vector(spending.answer)}, it spends {loss} {cost}"
    if total is not None:
        return (
            f"The violation shows at {named}. {answered}, and all answers together spend "
            f"{equation('ε', total)}, which is beyond the claim."
        )
    if declared is not None and spending.loss.lower > declared.upper:
        return f"The violation shows at {named}. {answered}."
    return f"Most of the loss is that of {named}. {answered}."


def blame_sentence(certificate: Certificate) -> str:
    """The same of a certificate's refutation; empty where no question is known to be at fault."""
    found = (
        one.spending
        for one in certificate.evidence
        if one.decision is Decision.VIOLATED and one.spending is not None
    )
    return next(map(state_blame, found), "")
