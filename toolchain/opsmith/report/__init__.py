"""Reports of a build to its user: sizes, plan, kernels."""
