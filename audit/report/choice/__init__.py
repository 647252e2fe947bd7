"""A private choice between tables, in words and as JSON."""
