"""Write-ups: what a program asks and why that is private, and what another text says of it."""
