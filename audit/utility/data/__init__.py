"""What tables hold, real beside synthetic: attributes, pairs of them, and what is covered."""
