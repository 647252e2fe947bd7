"""Scores: what attackers learned, as plain numbers that anyone can evaluate again."""
