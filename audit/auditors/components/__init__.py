"""Component mode: calls of noise inside other people's code, recorded and answered."""
