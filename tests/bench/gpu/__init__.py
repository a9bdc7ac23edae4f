"""How long models take on a GPU, beside other runtimes on the same machine."""
