"""Functions that the user names as noise: ``module:attribute``, with a law where he states one."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from audit.auditors.components.recording.primitives import Primitive, Said
from synthesizers.errors import InputError

LAWS = {
    "laplace": "laplace",
    "normal": "normal",
    "gaussian": "normal",
    "discrete_laplace": "discrete laplace",
    "discrete_gaussian": "discrete gaussian",
}
"""Laws that can be stated of a function, and what recordings call them; each has a ``scale``."""


@dataclass(frozen=True)
class Named:
    """A function by its place; ``law`` and ``scale`` as they were stated, or None.

    ``scale``: an expression in the function's own parameters.
    """

    where: str
    law: str | None = None
    scale: str | None = None

    @property
    def primitive(self) -> Primitive:
        """It as a primitive: its first argument is what it hides, the others are parameters."""
        return Primitive(self.where, self._read_call)

    def _read_call(self, given: dict[str, Any]) -> Said:
        names = [name for name in given if name != "self"]
        value = given[names[0]] if names else None
        if self.law is None or self.scale is None:
            return Said("unknown", {name: given[name] for name in names[1:]}, value)
        return Said(self.law, {"scale": evaluate(self.scale, given)}, value)


def parse_named(text: str) -> Named:
    """What ``--record`` names; raises InputError for anything else.

    >>> parse_named("noise:add_noise=laplace(scale=1/epsilon)")
    Named(where='noise:add_noise', law='laplace', scale='1 / epsilon')
    """
    where, equals, law = text.partition("=")
    module, colon, attribute = where.strip().partition(":")
    words = (*module.split("."), *attribute.split("."))
    if not colon or not all(word.isidentifier() for word in words):
        raise InputError(
            f"--record reads module:attribute or module:attribute=laplace(scale=b), found "
            f"{text[:60]!r}"
        )
    if not equals:
        return Named(where.strip())
    try:
        call = ast.parse(law.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        call = None
    known = isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
    if not (known and isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise _no_law(law)
    if call.func.id not in LAWS or [one.arg for one in call.keywords] != ["scale"]:
        raise _no_law(law)
    scale = call.keywords[0].value
    _require_arithmetic(scale)
    return Named(where.strip(), LAWS[call.func.id], ast.unparse(scale))


def _no_law(law: str) -> InputError:
    return InputError(
        f"a law of --record is one of {', '.join(LAWS)} with a scale, as laplace(scale=b); found "
        f"{law[:60]!r}"
    )


_ALLOWED = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.USub, ast.Load),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
)


def _require_arithmetic(expression: ast.expr) -> None:
    if not all(isinstance(node, _ALLOWED) for node in ast.walk(expression)):
        raise InputError(
            "the scale of --record is made of numbers, the function's parameters and + - * / **"
        )


def evaluate(scale: str, given: dict[str, Any]) -> Any:
    """The number of an expression that `parse_named` read."""
    code = compile(ast.parse(scale, mode="eval"), "<scale>", "eval")
    return eval(code, {"__builtins__": {}}, given)
