"""Drafts of domain files: from other tools' schemas, from tables, and from names alone."""
