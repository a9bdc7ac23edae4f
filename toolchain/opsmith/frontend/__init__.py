"""Stage 1: files into graphs in the source's names."""
