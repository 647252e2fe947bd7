"""Acceptance criteria: what a board asks of reports, and whether it is so."""
