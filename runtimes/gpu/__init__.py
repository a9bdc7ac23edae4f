"""Kernels in OpenCL C for nodes on a GPU, and the tables of a program that launches the kernels."""
