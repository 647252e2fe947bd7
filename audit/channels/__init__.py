"""Channels: the exact law Pr[output | database] on small databases, and its measures."""
