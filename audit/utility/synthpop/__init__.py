"""The table statistics of the R package synthpop."""
