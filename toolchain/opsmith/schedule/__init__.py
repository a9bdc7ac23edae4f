"""The order in which nodes run, whole or row by row, and the addresses of their tensors."""
