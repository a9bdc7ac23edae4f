"""Harness for op tests, in tree and out of tree."""
