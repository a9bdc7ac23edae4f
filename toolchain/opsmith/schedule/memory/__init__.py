"""Parts of the memory planner: what is placed, what may share bytes, and the search."""
