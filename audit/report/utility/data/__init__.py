"""Pictures of what tables hold: attributes, pairs of them, and what is covered."""
