"""Stage 5: writes C++ and weights."""
