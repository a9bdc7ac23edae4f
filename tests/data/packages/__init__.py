"""A library in an index of Conan recipes, and an op whose kernel calls it."""
