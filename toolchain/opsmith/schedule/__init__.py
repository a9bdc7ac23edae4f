"""Order in which nodes run, whole or row by row, and addresses of their tensors."""
