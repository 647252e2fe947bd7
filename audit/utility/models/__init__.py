"""What models learn from synthetic records, beside what they learn from real ones."""
