"""From what is written of mechanisms, as expressions, events or files, to the parts that add up."""
