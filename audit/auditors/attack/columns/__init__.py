"""Columns: outcomes as numbers that can be learned from."""
