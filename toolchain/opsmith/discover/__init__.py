"""Discovery of ops, with what backends bring for them: found, loaded and checked."""
