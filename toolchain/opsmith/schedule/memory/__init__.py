"""Parts of the memory planner: blocks to place, which of them may share bytes, and the search."""
