"""The memory planner's parts: what must be placed, what may share bytes, and where it all goes."""
