"""Attestations in words: a registry entry, a label."""
