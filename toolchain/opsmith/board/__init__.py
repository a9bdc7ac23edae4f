"""Boards and their parts: manifests, architectures, cores, linker scripts."""
