"""The built-in programs by name: one synthesizer a file, its docstring is its card."""

from synthesizers.programs.catalogue import PROGRAMS, BuiltIn, build, card

__all__ = ["PROGRAMS", "BuiltIn", "build", "card"]
