"""Which kernel computes each node, at what cost and for what flash."""
