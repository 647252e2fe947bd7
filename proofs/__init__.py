"""Prove: what a ledger guarantees, for every database of a domain.

This layer holds the guarantees: the statements of privacy that a claim can make and a
certificate can repeat. It stands between the programs of ``synthesizers``, whose ledgers it
reads, and ``audit``, which it never imports.
"""
