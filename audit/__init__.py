"""Audit: look at any mechanism from outside, gather evidence, certify.

A claim says what is asserted, a subject is the thing it is asserted of, auditors yield evidence
for or against it, and the certificate's verdict is derived from that evidence alone. The
mechanism may be a program of ``synthesizers``, a function, a command or a channel file; the
command line is a thin shell around this layer.
"""
