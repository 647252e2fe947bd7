"""Pairs: which two databases an attack may be made on."""
