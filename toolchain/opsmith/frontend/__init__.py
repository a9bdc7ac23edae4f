"""Stage 1: reads model files into graphs with the source's names of operators."""
