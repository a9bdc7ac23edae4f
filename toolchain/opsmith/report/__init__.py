"""What a build tells its user: sizes, plan, kernels."""
