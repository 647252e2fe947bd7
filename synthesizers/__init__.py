"""Write: what may be asked of private data, and the programs that ask it.

A program is a plain function of a curator and never holds the data. Domains, neighbours,
queries, noise and events are the vocabulary of its questions; sampling and enumeration are two
readings of the same program, and its ledger is what the layers above reason about. This layer
imports neither ``proofs`` nor ``audit``.
"""
