"""Recognising: by what cause a refuted subject leaks."""
