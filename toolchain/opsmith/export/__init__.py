"""Exports: the package of a model laid out as other build tools want it."""
