"""Streaming: which nodes can run row by row, when, and what the graph then looks like."""
