// Kernel instances of lines, part 4 of 4.
