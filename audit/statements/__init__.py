"""Statements: what is claimed, found and certified, as values and as JSON."""
