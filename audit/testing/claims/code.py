"""The smallest counterexample as a test of its own: Python that fails wherever it is pasted."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from audit.testing.claims.asked import Asked
from synthesizers.domain import Domain

_FRACTION = "from fractions import Fraction"

_WIDTH = 96
"""Columns of the code, with the indentation of a test's failure before it."""


def as_test(subject: Any, asked: Asked) -> str:
    """A test function that asks the same of the subject on ``asked.pair`` alone.

    A subject that can be imported is; of one that is written inside a function the source is
    copied, or where that would not stand alone a line says what to put in its place.
    """
    first, second = asked.pair or ((), ())
    written = _subject(subject)
    imports = {
        "from audit.testing.claims import certify",
        *_argument_imports(asked),
        *written.imports,
    }
    arguments = [written.expression, repr(asked.claim), *_keywords(asked), "pair=(first, second)"]
    call = f"certify({', '.join(arguments)})"
    if len(call) > _WIDTH - 4:
        call = "certify(\n" + "".join(f"    {one},\n" for one in arguments) + ")"
    body = [f"first = {_database(first)}", f"second = {_database(second)}", call]
    above = ["", "", *written.above.splitlines()] if written.above else []
    return "\n".join(
        [
            *sorted(imports, key=lambda line: (line.startswith("from"), line)),
            *above,
            "",
            "",
            "def test_smallest_counterexample():",
            *(textwrap.indent(part, "    ") for part in body),
        ]
    )


def _database(database: Any) -> str:
    """A database, one record a line where it is long."""
    plain = list(database) if isinstance(database, tuple) else database
    text = repr(plain)
    if len(text) <= _WIDTH - 12 or not isinstance(plain, list):
        return text
    return "[\n" + "".join(f"    {record!r},\n" for record in plain) + "]"


def _keywords(asked: Asked) -> Iterator[str]:
    """The arguments that are not as they would be anyway.

    ``require`` is left out: a pair alone never reaches it, so that no fix would satisfy the test.
    """
    for field in fields(Asked):
        value = getattr(asked, field.name)
        usual = value == field.default or (field.name == "parameters" and not value)
        elsewhere = field.name in ("claim", "pair", "require")
        if field.name == "neighbours" or not (usual or elsewhere):
            yield f"{field.name}={_expression(value)}"


def _expression(value: Any) -> str:
    if isinstance(value, Fraction):
        return repr(str(value))
    return repr(value)


def _argument_imports(asked: Asked) -> Iterator[str]:
    """What the arguments are written with."""
    if isinstance(asked.domain, Domain):
        text = repr(asked.domain)
        names = [n for n in ("Attribute", "Domain", "Hierarchy") if f"{n}(" in text]
        yield f"from synthesizers.domain import {', '.join(names)}"
        if "Quantity." in text:
            yield "from synthesizers.quantities import Quantity"
        if "Fraction(" in text:
            yield _FRACTION
    if not isinstance(asked.neighbours, str):
        yield f"from synthesizers.neighbours import {type(asked.neighbours).__name__}, Unit"


@dataclass(frozen=True)
class _Written:
    """A subject as code: the imports and lines above that its expression needs."""

    expression: str
    imports: tuple[str, ...] = ()
    above: str = ""


def _subject(subject: Any) -> _Written:
    kind = subject if inspect.isfunction(subject) or isinstance(subject, type) else type(subject)
    name = kind.__name__
    expression, imports = name, tuple[str, ...]()
    if kind is not subject:
        expression = repr(subject).replace(f"{kind.__qualname__}(", f"{name}(", 1)
        found = _imports_of(expression, type(subject))
        if found is None:
            return _UNSHOWN
        imports = found
    if kind.__qualname__ == name and kind.__module__ != "__main__":
        return _Written(expression, (*imports, f"from {kind.__module__} import {name}"))
    source = _source(kind)
    if source is None:
        return _UNSHOWN
    return _Written(expression, (*imports, *source.imports), source.above)


_UNSHOWN = _Written("subject", (), "subject = ...  # the subject of the test that failed")
"""A subject that no code makes again: it is the reader's to put in."""


def _imports_of(expression: str, kind: type) -> tuple[str, ...] | None:
    """What an object's repr needs to be evaluated; None for one that is no call of its class."""
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError:
        return None
    if not expression.startswith(f"{kind.__name__}("):
        return None
    held = {**vars(sys.modules.get(kind.__module__, builtins)), "Fraction": Fraction}
    lines = [_import_of(name, held.get(name)) for name in _free_names(tree) - {kind.__name__}]
    known = tuple(line for line in lines if line is not None)
    return known if len(known) == len(lines) else None


def _source(kind: Any) -> _Written | None:
    """The source of a function or class, and the imports that it needs.

    None where it can't stand alone: it is a lambda, uses what a function around it holds, or
    can't be seen.
    """
    if kind.__qualname__.endswith("<lambda>"):
        return None
    try:
        source = textwrap.dedent(inspect.getsource(kind)).rstrip()
        tree = ast.parse(source)
    except (OSError, TypeError, SyntaxError):
        return None
    held = vars(sys.modules.get(kind.__module__, builtins))
    imports = [_import_of(name, held.get(name)) for name in _free_names(tree)]
    known = tuple(line for line in imports if line is not None)
    return _Written(kind.__name__, known, source) if len(known) == len(imports) else None


def _free_names(tree: ast.AST) -> set[str]:
    """Names that the code uses and neither binds anywhere nor finds among Python's own."""
    used, bound = set(), set(dir(builtins))
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Load()):
                used.add(name)
            case ast.Name(name):
                bound.add(name)
            case ast.FunctionDef(name) | ast.ClassDef(name) | ast.arg(name):
                bound.add(name)
            case ast.alias(name, other):
                bound.add((other or name).split(".")[0])
    return used - bound


def _import_of(name: str, value: Any) -> str | None:
    """The line that imports a name; None for what is no module and can't be imported by name."""
    if inspect.ismodule(value):
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if module in (None, "__main__") or own is None or not own.isidentifier():
        return None
    return f"from {module} import {own}" + ("" if own == name else f" as {name}")
