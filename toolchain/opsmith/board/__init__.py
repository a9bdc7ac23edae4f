"""Boards and what they are made of: manifests, architectures, cores, linker scripts."""
