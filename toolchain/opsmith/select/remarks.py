"""Beginnings of remarks on nodes that reports look for. It imports nothing: linking needs it."""

PLACEHOLDER = "PLACEHOLDER: this op is not written yet, its outputs mean nothing"  # of new-op
INEXACT = "NOT EXACT"  # the kernel's bytes may differ from LiteRT's
