"""Run firmware: on QEMU, on a board on a desk, or on the host."""
