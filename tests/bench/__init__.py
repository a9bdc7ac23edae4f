"""Benchmarks anyone can run again."""
