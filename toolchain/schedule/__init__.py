"""In which order nodes run, row by row or whole, and where their tensors are."""
