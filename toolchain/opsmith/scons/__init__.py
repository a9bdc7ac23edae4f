"""SCons tools: how each build step is done."""
