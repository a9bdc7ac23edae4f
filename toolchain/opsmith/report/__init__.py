"""Reports of a build to its user: sizes, plan, kernels."""

SCHEMA = 1  # version of report.json; a version may gain fields
