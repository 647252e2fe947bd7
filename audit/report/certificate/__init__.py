"""Reports on certificates, and on what the evidence in them is made of."""
