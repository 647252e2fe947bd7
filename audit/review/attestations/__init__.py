"""What is said of a release to others: a registry entry, a label, statements to be signed."""
