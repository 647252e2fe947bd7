"""Privacy measures of a channel, one a file. Every result encloses the exact value."""
