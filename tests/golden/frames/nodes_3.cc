// Kernel instances of frames, part 4 of 4.
