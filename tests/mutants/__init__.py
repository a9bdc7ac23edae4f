"""Breaks kernels on purpose, to see whether the tests of their ops notice."""
