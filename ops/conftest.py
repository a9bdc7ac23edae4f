"""Tests of ops are dealt to processes as all tests are, also where they run alone."""

from tests.scheduling import pytest_xdist_make_scheduler

__all__ = ["pytest_xdist_make_scheduler"]
