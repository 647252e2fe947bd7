"""Scores: what was learned, as plain data, and the rules made of it."""
