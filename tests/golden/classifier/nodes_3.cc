// Kernel instances of classifier, part 4 of 4.
