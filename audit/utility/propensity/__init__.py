"""How well a classifier tells real records from synthetic ones, and against which null."""
