"""Runtimes and what their kernels share, C++ beside Python."""
