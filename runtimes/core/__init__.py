"""Arithmetic that kernels on every core share, in C++ and in numpy."""
