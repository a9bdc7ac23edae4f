"""What kernels of every core share, and its numpy half."""
