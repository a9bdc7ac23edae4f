"""Beginnings of node remarks that reports look for. Imports nothing, for fast linking."""

PLACEHOLDER = "PLACEHOLDER: this op is not written yet, its outputs mean nothing"  # by new-op
INEXACT = "NOT EXACT"  # the kernel's bytes may differ from LiteRT's
