"""Pieces: the commands that a review is made of, how each is run, and where its result is kept."""
