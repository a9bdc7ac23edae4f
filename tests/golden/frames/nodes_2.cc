// Kernel instances of frames, part 3 of 4.
