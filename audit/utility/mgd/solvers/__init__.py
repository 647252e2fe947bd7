"""What solves one AEMC problem, by the structure that it has."""
