"""The utility of synthetic data: one measure a file, ``(real, synthetic, domain) -> Score``.

Whatever is computed here reads the confidential table: no score is private itself.
"""
