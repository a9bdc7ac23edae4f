// Further sources of the kernels of frames.
