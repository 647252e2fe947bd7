"""Veils: known causes of leaks, and what hides them."""
