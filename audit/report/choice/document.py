"""A private choice as JSON, in a published form; every number of it may be published."""

from __future__ import annotations

from typing import Any

from audit.choosing import Choice, ledger_of_choice


def choice_json(choice: Choice) -> dict[str, Any]:
    """What was decided, with the proof and the ledger; numbers are fractions as text."""
    told = choice.lower is not None
    return {
        "candidates": [
            {"name": name, "records": records}
            for name, records in zip(choice.names, choice.program.records, strict=True)
        ],
        "chosen": choice.chosen,
        "distance": {"lower": str(choice.lower), "upper": str(choice.upper)} if told else None,
        "excess": str(choice.excess),
        "error": str(choice.error),
        "marginals": [list(marginal.attributes) for marginal in choice.program.marginals],
        "epsilon": str(choice.program.epsilon),
        "proof": {"derivation": choice.derivation},
        "ledger": ledger_of_choice(choice),
    }
