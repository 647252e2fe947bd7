"""Stands in for OpenDP where that is not installed: its names and attributes, with other code."""
