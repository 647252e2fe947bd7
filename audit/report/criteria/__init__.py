"""Decisions on acceptance criteria: values -> text, nothing else."""
