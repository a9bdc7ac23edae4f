"""Exports: the package of a model in the layout of other build tools."""
