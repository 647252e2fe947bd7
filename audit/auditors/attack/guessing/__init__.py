"""Guessing: what guesses of a coin show, as floors, p-values, bets and power."""
