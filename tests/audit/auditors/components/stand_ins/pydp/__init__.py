"""Stands in for python-dp where that is not installed."""
