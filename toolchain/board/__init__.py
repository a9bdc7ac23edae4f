"""Boards and cores: manifests, flags, features, linker scripts."""
