"""One run: many canaries, each in or out by a coin of its own, and what guesses of them show."""
