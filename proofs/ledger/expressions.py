"""Accounting expressions: ``1000 * gaussian(sigma=30) + laplace(epsilon=0.1)``.

The grammar, all numbers exact (``0.1`` is 1/10)::

    expression = term { "+" term }
    term       = [ count "*" ] mechanism
    mechanism  = name "(" [ argument { "," argument } ] ")"
    argument   = parameter "=" number | mechanism | expression

A mechanism is an argument within a sample, an expression within what repeats a run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from proofs.errors import ProofError
from proofs.rules.repetition import MOST_SHAPE
from synthesizers.numerals import number_text, rational
from synthesizers.suggestions import suggest

MAX_CHARACTERS = 100_000
MAX_COUNT = 10**12
"""The longest expression, and the largest count (choices of this project)."""

_TOKEN = re.compile(
    r"\s*(?:([A-Za-z_][A-Za-z_0-9-]*)|([0-9.][0-9.eE/]*(?:(?<=[eE])[+-]?[0-9]+)?)|(\S))"
)

PARAMETERS: dict[str, tuple[frozenset[str], ...]] = {
    "gaussian": (frozenset({"sigma"}), frozenset({"sigma_squared"}), frozenset({"mu"})),
    "discrete_gaussian": (frozenset({"sigma"}), frozenset({"sigma_squared"})),
    "laplace": (frozenset({"epsilon"}), frozenset({"scale"})),
    "discrete_laplace": (frozenset({"epsilon"}), frozenset({"scale"})),
    "randomized_response": (frozenset({"epsilon"}),),
    "exponential": (frozenset({"epsilon"}),),
    "pure": (frozenset({"epsilon"}), frozenset({"epsilon", "delta"})),
    "zcdp": (frozenset({"rho"}),),
    "renyi": (frozenset({"order", "epsilon"}),),
    "poisson": (frozenset({"q"}),),
    "best_of": (
        frozenset({"expected"}),
        frozenset({"gamma"}),
        frozenset({"expected", "eta"}),
        frozenset({"gamma", "eta"}),
    ),
    "best_of_poisson": (frozenset({"expected"}),),
    "until_accepted": (frozenset({"stop"}),),
    "allocated": (frozenset({"steps"}), frozenset({"steps", "times"})),
    "fixed_size": (frozenset({"sample", "records"}),),
}
"""The parameters of each mechanism, one alternative of them a call."""

WHOLE = frozenset({"steps", "times", "sample", "records"})
"""The parameters that are whole numbers of at least 1."""

WITH_SENSITIVITY = frozenset({"gaussian", "discrete_gaussian", "laplace", "discrete_laplace"})
"""The mechanisms that take ``sensitivity``, 1 if it is left out."""

SAMPLES = frozenset({"poisson", "allocated", "fixed_size"})
"""The mechanisms that run another one on a sample."""

REPEATING = frozenset({"best_of", "best_of_poisson", "until_accepted"})
"""The mechanisms that repeat a run, a sum of mechanisms, and tell one of the runs."""

FORMS = {
    "poisson": "poisson(q=0.01, gaussian(sigma=1))",
    "allocated": "allocated(steps=100, times=1, gaussian(sigma=4))",
    "fixed_size": "fixed_size(sample=100, records=10000, gaussian(sigma=4))",
    "best_of": "best_of(gaussian(sigma=4), expected=10)",
    "best_of_poisson": "best_of_poisson(gaussian(sigma=4), expected=10)",
    "until_accepted": "until_accepted(pure(epsilon=4) + pure(epsilon=0.99), stop=0.01)",
}
"""How the mechanisms read that have others within them."""

ABOVE_ZERO = frozenset({"sigma", "sigma_squared", "mu", "scale", "q", "expected", "gamma", "stop"})
BELOW_ONE = frozenset({"delta", "gamma", "stop"})
"""Parameters with open ends."""


@dataclass(frozen=True)
class Term:
    """``count`` runs of a named mechanism; ``inner``: what it samples for, or repeats."""

    count: int
    name: str
    parameters: Mapping[str, Fraction]
    inner: tuple[Term, ...] = ()

    def __str__(self) -> str:
        own = [f"{name}={number_text(value)}" for name, value in self.parameters.items()]
        inner = [" + ".join(map(str, self.inner))] if self.inner else []
        text = f"{self.name}({', '.join([*own, *inner])})"
        return text if self.count == 1 else f"{self.count} * {text}"


def parse(text: str) -> tuple[Term, ...]:
    """The terms of an expression; raises ProofError that shows where it fails."""
    if len(text) > MAX_CHARACTERS:
        raise ProofError(f"an expression has at most {MAX_CHARACTERS} characters")
    reader = _Reader(text)
    terms = _sum(reader, nested=False)
    reader.end()
    return terms


class _Reader:
    """The tokens of an expression, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> tuple[str, str]:
        """The kind (name, number, sign, end) and the text of the next token."""
        match = _TOKEN.match(self.text, self.at)
        if match is None or match.end() == self.at:
            return "end", ""
        for kind, group in (("name", 1), ("number", 2), ("sign", 3)):
            if match[group] is not None:
                return kind, match[group]
        return "end", ""

    def next(self, kind: str, expected: str) -> str:
        """The next token, of the wanted kind."""
        found, text = self.peek()
        if found != kind:
            raise self.error(expected)
        self._skip()
        return text

    def take(self, sign: str) -> bool:
        """Whether the next token is a sign, which is then passed."""
        if self.peek() != ("sign", sign):
            return False
        self._skip()
        return True

    def need(self, sign: str) -> None:
        """Pass a sign; ProofError for anything else."""
        if not self.take(sign):
            raise self.error(repr(sign))

    def end(self) -> None:
        """Raise ProofError unless all is read."""
        if self.peek()[0] != "end":
            raise self.error("'+' or the end")

    def error(self, expected: str) -> ProofError:
        """The error at this place."""
        rest = self.text[self.at :].strip()[:40]
        found = repr(rest) if rest else "the end"
        return ProofError(
            f"an accounting expression reads like '1000 * gaussian(sigma=30) + "
            f"laplace(epsilon=0.1)'; expected {expected}, found {found}"
        )

    def _skip(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        assert match is not None
        self.at = match.end()


def _number(reader: _Reader) -> Fraction:
    minus = reader.take("-")
    if not minus:
        reader.take("+")
    text = reader.next("number", "a number such as 2, 0.5, 1e-6 or 1/3")
    value = rational(text)
    if value is None:
        raise ProofError(f"{text[:40]!r} is no number; write 2, 0.5, 1e-6 or 1/3")
    return -value if minus else value


def _short(value: Fraction) -> str:
    return number_text(value)[:40]


def _sum(reader: _Reader, nested: bool) -> tuple[Term, ...]:
    terms = [_term(reader, nested)]
    while reader.take("+"):
        terms.append(_term(reader, nested))
    return tuple(terms)


def _term(reader: _Reader, nested: bool) -> Term:
    count = 1
    if reader.peek()[0] == "number":
        value = _number(reader)
        if value.denominator != 1 or not 1 <= value <= MAX_COUNT:
            found = _short(value)
            raise ProofError(f"a count is a whole number from 1 to {MAX_COUNT}, found {found}")
        count = int(value)
        reader.need("*")
    return _mechanism(reader, count, REPEATING if nested else frozenset())


def _mechanism(reader: _Reader, count: int, barred: frozenset[str]) -> Term:
    """The next mechanism, which is none of some."""
    name = reader.next("name", "the name of a mechanism").replace("-", "_")
    if name not in PARAMETERS or name in barred:
        known = [key for key in PARAMETERS if key not in barred]
        raise ProofError(
            f"there is no mechanism {name[:40]!r} here; there are: {', '.join(known)}"
            f"{suggest(name, known)}"
        )
    reader.need("(")
    given: dict[str, Fraction] = {}
    inner: tuple[Term, ...] = ()
    while not reader.take(")"):
        if (given or inner) and not reader.take(","):
            raise reader.error("',' or ')'")
        kind, word = reader.peek()
        named = word.replace("-", "_") in PARAMETERS
        if (name in SAMPLES and named) or (name in REPEATING and (named or kind == "number")):
            if inner:
                raise ProofError(f"{name} takes one mechanism or sum; write a sum of several")
            one = name in SAMPLES
            inner = (_mechanism(reader, 1, frozenset(FORMS)),) if one else _sum(reader, nested=True)
            continue
        parameter = reader.next("name", "a parameter or ')'")
        if parameter in given:
            raise ProofError(f"{name} is given {parameter} twice")
        reader.need("=")
        given[parameter] = _number(reader)
    return _check(Term(count, name, given, inner))


def _check(term: Term) -> Term:
    own = set(term.parameters) - ({"sensitivity"} if term.name in WITH_SENSITIVITY else set())
    if own not in PARAMETERS[term.name]:
        forms = " or ".join(" and ".join(sorted(form)) for form in PARAMETERS[term.name])
        raise ProofError(f"{term.name} takes {forms}; found {', '.join(sorted(own)) or 'nothing'}")
    if bool(term.inner) != (term.name in FORMS):
        raise ProofError(f"{term.name} reads {FORMS[term.name]}")
    given = term.parameters
    for parameter in WHOLE & set(given):
        value = given[parameter]
        if value.denominator != 1 or not 1 <= value <= MAX_COUNT:
            bound = f"a whole number from 1 to {MAX_COUNT}"
            raise ProofError(f"{term.name} needs {parameter} as {bound}, found {_short(value)}")
    for parameter, value in given.items():
        if parameter != "eta" and (value < 0 or (value == 0 and parameter in ABOVE_ZERO)):
            bound = "above 0" if parameter in ABOVE_ZERO else "at least 0"
            raise ProofError(f"{term.name} needs {parameter} {bound}, found {_short(value)}")
    if given.get("sample", 0) > given.get("records", 0):
        found = f"{_short(given['sample'])} of {_short(given['records'])}"
        raise ProofError(f"{term.name} needs sample at most records, found {found}")
    if given.get("q", 0) > 1:
        raise ProofError(f"{term.name} needs q at most 1, found {_short(given['q'])}")
    for parameter in sorted(BELOW_ONE & set(given)):
        if given[parameter] >= 1:
            found = _short(given[parameter])
            raise ProofError(f"{term.name} needs {parameter} below 1, found {found}")
    if not -1 < given.get("eta", 0) <= MOST_SHAPE:
        raise ProofError(f"{term.name} needs eta above -1 and at most {MOST_SHAPE}")
    if given.get("order", 2) <= 1:
        raise ProofError(f"{term.name} needs order above 1, found {_short(given['order'])}")
    if term.name == "best_of" and given.get("expected", 2) <= 1:
        raise ProofError("best_of expects more than one run; a single one is written by itself")
    return term
