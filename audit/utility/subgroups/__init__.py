"""Whether a synthetic table is worse for some group of records than for random ones of its size."""
