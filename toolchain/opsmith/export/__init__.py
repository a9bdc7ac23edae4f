"""What `export` does: lays out the package of a model as other build tools want it."""
