"""Families: makers of ops of one class, which ops outside of the tree may use, too."""
