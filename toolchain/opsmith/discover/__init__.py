"""Which ops there are, with what backends bring for them: found, loaded and checked."""
