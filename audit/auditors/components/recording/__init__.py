"""What runs where the subject runs: numpy, the standard library and Python 3.9 alone."""
