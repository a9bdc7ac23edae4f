// Kernel instances of awkward, part 3 of 4.
