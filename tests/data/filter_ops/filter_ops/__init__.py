"""Ops for filters. A folder of op folders: nothing here is imported."""
