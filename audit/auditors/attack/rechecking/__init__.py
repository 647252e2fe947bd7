"""Re-checking: what a certificate says of an attack, looked at again."""
