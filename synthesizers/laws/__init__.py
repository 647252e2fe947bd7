"""Laws of whole tables, one method a file, and of public randomness."""
