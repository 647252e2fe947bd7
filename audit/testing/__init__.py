"""For developers of mechanisms: strategies, laws, claims as tests, and the pytest plugin."""
