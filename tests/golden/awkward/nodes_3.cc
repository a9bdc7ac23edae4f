// Kernel instances of awkward, part 4 of 4.
