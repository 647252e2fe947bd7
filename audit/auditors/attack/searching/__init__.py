"""Searching: which pair is attacked, by its chance of refuting the claim."""
