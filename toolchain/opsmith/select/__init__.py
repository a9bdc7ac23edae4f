"""Selection of the kernel that computes each node, by its cost and flash."""
