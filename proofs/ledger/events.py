"""The events of a ledger as parts: the kernel derives what each question reveals.

The query and its domain are in the event, so that no sensitivity is taken as stated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from proofs.derivation import canonical
from proofs.errors import ProofError
from proofs.kernel import Theorem, prove
from proofs.ledger.repetitions import repeat
from proofs.parts import Part, Repetition
from proofs.search.decimals import rounded_up
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.intervals import log_interval
from synthesizers.neighbours import Neighbours

AMOUNTS = {
    "gaussian": "sigma_squared",
    "discrete-gaussian": "variance",
    "laplace": "scale",
    "rounded-laplace": "scale",
    "discrete-laplace": "scale",
}
"""The number that says how much noise each law adds, as events name it."""


def of_events(
    events: Sequence[Mapping[str, Any]], shape: Mapping[str, int], neighbours: Neighbours
) -> tuple[Part, ...]:
    """The parts of a ledger's events, equal ones counted.

    Raises ProofError for an event that is malformed, or whose law no rule knows.
    """
    counts: dict[str, int] = {}
    kept: dict[str, Mapping[str, Any]] = {}
    for event in events:
        asked = {key: value for key, value in event.items() if key not in ("cost", "sensitivity")}
        name = canonical(asked)
        counts[name] = counts.get(name, 0) + 1
        kept[name] = asked
    found = []
    for name, event in kept.items():
        if event.get("event") == "measure-best":
            repetition = repetition_of(event, shape, neighbours)
            found.append(repeat(_event_name(event), counts[name], repetition))
            continue
        theorem = event_theorem(event, shape, neighbours)
        if theorem is None:
            law = event.get("law")
            known = law.get("law") if isinstance(law, Mapping) else "its law"
            raise ProofError(
                f"no rule gives a finite guarantee for {known} under {neighbours.name}; such an "
                "event has no privacy theorem"
            )
        found.append(Part(_event_name(event), counts[name], theorem))
    return tuple(found)


def _event_name(event: Mapping[str, Any]) -> str:
    """An event that has a theorem in few words."""
    law = event["noise"] if "noise" in event else event["law"]
    own = {key: value for key, value in law.items() if key != "law" and isinstance(value, str)}
    query = event.get("query", event.get("scores", {}))
    words = f"{law['law']}({', '.join(f'{key}={value}' for key, value in own.items())})"
    asked = json.dumps(query.get("attributes", query.get("kind", "the table")))
    runs = f"the best of {event['runs']['law']} runs of " if "runs" in event else ""
    return f"{runs}{words} on {asked}"[:120]


def query_theorem(
    query: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem:
    """The stability of a declared query, derived by the rule of its kind."""
    return prove(
        str(query.get("kind")),
        [],
        {"neighbours": neighbours, "shape": dict(shape), "query": dict(query)},
    )


def noise_theorem(stable: Theorem, law: str, amount: Fraction) -> Theorem:
    """The loss of additive noise; ``amount``: the scale of a Laplace law, σ² of a Gaussian one."""
    return prove("additive-noise", [stable], {"law": law, "amount": amount})


SHAPES = {"geometric": "1", "logarithmic": "0"}
"""The η of each law of runs of a question."""


def repetition_of(
    event: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Repetition:
    """One measurement of an event that tells the best of several, and the law of how many."""
    theorem = event_theorem({**event, "event": "measure"}, shape, neighbours)
    assert theorem is not None
    try:
        eta, gamma = SHAPES[event["runs"]["law"]], parse_rational(event["runs"]["gamma"], "gamma")
    except (KeyError, TypeError):
        raise ProofError("an event of the kind 'measure-best' is malformed") from None
    law = {"law": "truncated-negative-binomial", "eta": eta, "gamma": str(gamma)}
    return Repetition(Part("a run", 1, theorem), law)


def event_theorem(
    event: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem | None:
    """What is proved of one event of a ledger; None where no rule knows its law.

    ``event``: as ledgers write it, but none that repeats a measurement (`repetition_of`).
    Raises InputError for an event that no ledger writes.
    """
    kind = event.get("event")
    try:
        match kind:
            case "measure":
                stable = query_theorem(event["query"], shape, neighbours)
                law = event["noise"]["law"]
                amount = parse_rational(event["noise"][AMOUNTS[law]], AMOUNTS[law])
                return noise_theorem(stable, law, amount)
            case "measure-sampled":
                stable = query_theorem(event["query"], shape, neighbours)
                squared = parse_rational(event["noise"]["deviation"], "deviation") ** 2
                rate = parse_rational(event["rate"], "rate")
                if rate == 1:
                    return noise_theorem(stable, "gaussian", squared)
                sampled = {"fraction": rate, "sigma_squared": squared}
                return prove("sampled-gaussian", [stable], sampled)
            case "select" if event["noise"]["law"] == "exponential":
                stable = query_theorem(event["scores"], shape, neighbours)
                rate = parse_rational(event["noise"]["rate"], "rate")
                return prove("exponential", [stable], {"rate": rate})
            case "sanitize":
                return _law_theorem(event["law"], shape, neighbours)
            case "draw":
                return prove("public-draw", [], {"neighbours": neighbours, "law": event["law"]})
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise ProofError(f"an event of the kind {str(kind)[:40]!r} is malformed") from None
    raise ProofError(f"a ledger has no events of the kind {str(kind)[:40]!r}")


def _law_theorem(
    law: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem | None:
    match law["law"]:
        case "dirichlet-multinomial" | "plug-in-multinomial":
            return _posterior(law, neighbours)
        case "randomized-response" if neighbours.records_public:
            values = math.prod(shape.values())
            own = {"neighbours": neighbours, "values": values, "epsilon": law["epsilon"]}
            return prove("local-randomizer", [], own)
        case "post-randomisation" if (
            neighbours.records_public
            and law["before"] == 1 == law["after"]
            and len(law["matrix"]) == math.prod(shape.values())
        ):
            matrix = [[parse_rational(entry, "a chance") for entry in row] for row in law["matrix"]]
            columns = [column for column in zip(*matrix, strict=True) if any(column)]
            if not all(map(all, columns)):
                return None
            ratio = max(max(column) / min(column) for column in columns)
            epsilon = rounded_up(log_interval(ratio).upper)
            own = {"neighbours": neighbours, "matrix": matrix, "epsilon": epsilon}
            return prove("local-randomizer", [], own)
        case _:
            return None


def _posterior(law: Mapping[str, Any], neighbours: Neighbours) -> Theorem:
    """Of records drawn from the posterior of a Dirichlet prior, or from its mean."""
    least = min(parse_rational(weight, "alpha") for weight in law["alpha"])
    rows, steps = parse_rational(law["records"], "records"), neighbours.unit.max_records
    if law["law"] == "plug-in-multinomial":
        epsilon = steps * rows * log_interval(1 + 1 / least).upper
    else:
        epsilon = steps * log_interval(1 + rows / least).upper
    given = {"neighbours": neighbours, "law": law["law"], "alpha_min": least}
    own = {"records": law["records"], "epsilon": rounded_up(epsilon)}
    return prove("posterior-draws", [], {**given, **own})
