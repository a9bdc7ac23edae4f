"""Builds the wheel and the sdist: the build backend that pyproject.toml names."""
