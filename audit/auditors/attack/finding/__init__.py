"""Finding: what an attack found, in words and as evidence."""
