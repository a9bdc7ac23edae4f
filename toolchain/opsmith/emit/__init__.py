"""Stage 5: C++ and weights."""
