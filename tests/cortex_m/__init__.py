"""Elements of .pt2 programs beside ExecuTorch's Cortex-M backend."""
