"""The built-in programs by name: one synthesizer a file, its docstring is its card.

They are imported when they are first asked for. A process that runs one of them, by its own module,
need not wait for the others and their libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthesizers.programs.catalogue import PROGRAMS, BuiltIn, build, card

__all__ = ["PROGRAMS", "BuiltIn", "build", "card"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from synthesizers.programs import catalogue

    return getattr(catalogue, name)
