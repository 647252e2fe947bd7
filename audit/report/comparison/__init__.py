"""Comparisons of certificates: values -> text, nothing else."""
