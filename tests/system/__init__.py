"""Whole commands on whole projects."""
