"""Reviews as pages, as JSON and for the terminal."""
