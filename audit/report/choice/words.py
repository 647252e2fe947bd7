"""A private choice in words: what was decided, what is private in it, and what is not counted."""

from __future__ import annotations

from audit.choosing import Choice
from audit.report.words import above, below, number, plural
from proofs.hypotheses import HYPOTHESES
from synthesizers.neighbours import describe

BESIDE = (
    "What making the candidates cost is not in this epsilon: a candidate is public or a release of "
    "its own, and whoever publishes several adds up what each of them cost."
)


def summarise(choice: Choice) -> str:
    """What was decided, at what epsilon."""
    epsilon, many = choice.program.epsilon, len(choice.names)
    if many == 1:
        return f"{choice.chosen}: {_between(choice)}, at epsilon = {epsilon}"
    told = f", {_between(choice)}," if choice.lower is not None else ""
    return f"{choice.chosen} of {many} candidates{told} at epsilon = {epsilon}"


def paragraphs(choice: Choice) -> tuple[str, ...]:
    """The decision, its errors, its proof, and what is private in it."""
    setting, program = choice.setting, choice.program
    many = plural(len(program.marginals), "marginal")
    size = f"{setting.records if setting.records is not None else setting.rows} records"
    found = [summarise(choice)]
    if choice.lower is not None:
        found.append(
            f"The distance is the mean total variation on {many}, of {size}. It lies outside of "
            f"these ends with a chance of at most {number(choice.error)}."
        )
    if len(choice.names) > 1:
        found.append(
            f"But for a chance of at most {number(choice.error)}, no candidate is nearer than the "
            f"chosen one by more than {above(choice.excess)}."
        )
    n = "Beside the number of records, which is public, this" if setting.records else "This"
    rests = "; ".join(HYPOTHESES[name] for name in choice.hypotheses)
    found += [
        f"{n} is all that comes from the private table: {choice.program.epsilon}-differential "
        f"privacy, {describe(setting.neighbours)}.",
        f"Proved by the kernel, and confirmed by the independent checker. It rests on: {rests}.",
        BESIDE,
    ]
    return tuple(found)


def _between(choice: Choice) -> str:
    assert choice.lower is not None and choice.upper is not None
    return f"a distance of {below(choice.lower)} to {above(choice.upper)}"
