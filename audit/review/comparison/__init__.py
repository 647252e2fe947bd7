"""Certificates side by side: which of them answer one question, and what became of a version."""
