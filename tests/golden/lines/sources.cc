// Further sources of the kernels of lines.
