// Kernel instances of frames, part 2 of 4.
