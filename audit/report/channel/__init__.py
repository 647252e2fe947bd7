"""Reports on channels: the exact law, its measures, and their pictures."""
