"""Disclosure checks: what attacks on one release gain from records that it was made from."""
