"""Independence: whether runs are independent draws, and what new processes give."""
