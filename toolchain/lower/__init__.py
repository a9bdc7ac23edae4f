"""Stage 4: kernel choice and packed weights."""
