"""Runtimes: C++ of kernels, and Python that plans and checks the kernels."""
