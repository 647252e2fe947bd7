"""Searches for what a proof states and for the hints of methods: untrusted, in doubles or mpmath.

The kernel checks all that they find; a bad search makes a proof weak or refused, never wrong.
"""
