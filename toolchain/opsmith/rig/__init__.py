"""Runs firmware: on QEMU, on an attached board, or on the host."""
