"""Mutants of models: converted, compiled, run with sanitizers and compared with LiteRT."""
