"""Nodes on a GPU: kernels in OpenCL C, and the tables of a program that launches them."""
