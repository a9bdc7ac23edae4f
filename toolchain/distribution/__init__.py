"""Builds the wheel and the sdist: what pyproject.toml names as the build backend."""
