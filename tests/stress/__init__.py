"""Stress of builds by acts that nobody should commit, done on purpose and counted."""
