"""Learning: who learns scores, and which rule is chosen, before any run that tests it."""
