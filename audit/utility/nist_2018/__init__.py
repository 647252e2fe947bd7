"""The scores of the NIST 2018 Differential Privacy Synthetic Data Challenge."""
