"""Stage 3: rewrites of the graph, one per file."""
