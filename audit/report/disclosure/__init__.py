"""Reports of disclosure checks."""
