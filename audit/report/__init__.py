"""Reports: each turns a certificate or a channel into characters of one form, and stops there.

A renderer computes no bound and reaches no verdict, so that every form tells the same findings.
"""
