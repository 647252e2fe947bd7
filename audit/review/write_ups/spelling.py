"""Questions as write-ups spell them: what stays the same whatever was answered before."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

from proofs.statements import page
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select
from synthesizers.queries import Query

FOLLOWS = frozenset({"models", "weights", "offsets", "groups", "weights_sha256"})
"""The fields of queries that a program makes of earlier answers or of its own numbers: a write-up
says how, and can't say which."""

LONGEST = 400
"""The most characters of one field of a question, beyond which its digest is shown."""

PAGES = {
    "randomized-response": "local-randomizer",
    "post-randomisation": "local-randomizer",
    "dirichlet-multinomial": "posterior-draws",
    "plug-in-multinomial": "posterior-draws",
}
"""The page of the rule that speaks of a law of whole tables."""

WITHOUT_PAGE = frozenset({"critic-gradient"})
"""The kinds of query of which no rule of the proofs speaks."""


def spell_question(event: Event) -> str:
    """The query of a question as JSON, or of a law of whole tables the law.

    >>> from synthesizers.queries import Marginal
    >>> from synthesizers.noise import DiscreteLaplace
    >>> spell_question(Measure(Marginal(("age",)), DiscreteLaplace(1), low=0, high=9))
    '{"kind": "marginal", "attributes": ["age"]}'
    """
    return json.dumps(fix_question(_plain(event)), ensure_ascii=False)


def fix_question(plain: Mapping[str, Any]) -> dict[str, Any]:
    """A question without what follows from earlier answers, its long fields as digests."""
    return {key: _short(_fix(value)) for key, value in plain.items() if key not in FOLLOWS}


def name_question(event: Event) -> str:
    """A question in a few words."""
    match event:
        case Measure():
            return _name_query(event.query)
        case MeasureSampled():
            return f"{_name_query(event.query)}, on a sample of rate {event.rate}"
        case MeasureBest():
            return f"{_name_query(event.query)}, the best of several"
        case Select():
            return f"choice by {event.scores.kind.replace('-', ' ')}{_among(event.scores)}"
        case _:
            return f"the whole table by {event.law.name.replace('-', ' ')}"


def spell_law(event: Event) -> tuple[str, str]:
    """The name of a question's noise, and the noise with its parameters."""
    if isinstance(event, Sanitize | Draw):
        plain = dict(event.law.to_json())
    else:
        plain = dict(event.noise.to_json())
    name = str(plain.pop("law"))
    parts = [f"{key} = {_short(value)}" for key, value in plain.items()]
    if isinstance(event, MeasureSampled):
        parts.append(f"on a Poisson sample of rate {event.rate}")
    if isinstance(event, MeasureBest):
        runs = dict(event.runs.to_json())
        own = ", ".join(f"{key} = {value}" for key, value in runs.items() if key != "law")
        parts.append(f"the best of a {runs['law']} number of runs, {own}")
    return name, f"{name}: {', '.join(parts)}" if parts else name


def define_question(event: Event) -> tuple[str, str]:
    """What a question's kind is, formally, and why it moves no further between neighbours.

    Empty where no page of the proofs says why.
    """
    asked: object
    if isinstance(event, Sanitize | Draw):
        asked, rule = event.law, PAGES.get(event.law.name, "")
    else:
        asked = event.scores if isinstance(event, Select) else event.query
        rule = "" if asked.kind in WITHOUT_PAGE else asked.kind
    words = inspect.getdoc(type(asked)) or ""
    definition = words.partition("\nGuarantee\n")[0].strip().replace("``", "")
    return definition, page(rule)["Why"] if rule else ""


def _plain(event: Event) -> dict[str, Any]:
    match event:
        case Sanitize() | Draw():
            return dict(event.law.to_json())
        case Select():
            return dict(event.scores.to_json())
        case _:
            return dict(event.query.to_json())


def _fix(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = fix_question(value)
        # A marginal of groups is a marginal: which groups follows from the answers.
        return kept["attributes"] if set(kept) == {"attributes"} else kept
    return [_fix(one) for one in value] if isinstance(value, list | tuple) else value


def _short(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= LONGEST or isinstance(value, str):
        return value if len(text) <= LONGEST else _digest(text, "text")
    count = len(value) if isinstance(value, list | dict) else 1
    return _digest(text, f"{count} values")


def _digest(text: str, what: str) -> str:
    return f"{what}, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _name_query(query: Query) -> str:
    plain = query.to_json()
    names = ", ".join(_names(plain))
    match query.kind:
        case "marginal":
            return f"counts by {names}"
        case "recoded-marginal":
            return f"counts by groups of {names}"
        case "cell-counts":
            return f"counts of {len(plain['cells'])} cells"
        case "total":
            return "the number of records"
        case "bounded-sum":
            return f"sum of {names}"
        case "linear":
            return f"linear queries on {names}"
        case kind:
            return kind.replace("-", " ") + (f" of {names}" if names else "")


def _names(plain: Mapping[str, Any]) -> Sequence[str]:
    if "attribute" in plain:
        return [str(plain["attribute"])]
    return [str(name) for name in plain.get("attributes", ())]


def _among(scores: Query) -> str:
    candidates = scores.to_json().get("candidates")
    return f" among {len(candidates)}" if isinstance(candidates, list) else ""
