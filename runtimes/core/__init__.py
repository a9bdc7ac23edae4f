"""Arithmetic of kernels of every core, and its numpy half."""
