"""Discovery of ops, with the kernels that backends bring for them: found, loaded and checked."""
