"""The scores of the NIST 2020 Temporal Map Challenge and of SDNist, which grew from it."""
