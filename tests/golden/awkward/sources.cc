// Further sources of the kernels of awkward.
