"""Selection of the kernel that computes each node, at what cost and for what flash."""
