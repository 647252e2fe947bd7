"""Reports on the scores of synthetic files."""
