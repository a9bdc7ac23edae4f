"""Streaming: the nodes that can run row by row, when they run, and the resulting graph."""
